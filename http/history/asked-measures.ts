/**
 * Which measures of the past selectors mean. Mission Control Service, section 4.1 rule 10 (selectors), ours.
 *
 * M1. Selectors mean what they mean for current values, by the catalogue of today, and the files that are known today.
 * M2. A measure that an earlier catalogue had is asked for by its exact name, `component[instance].measure` or
 *     `component.measure`: its samples outlived the catalogue. That a name is not in the catalogue of today is said.
 * M3. Whoever asks does not choose the cost: more than `HISTORY_MEASURES` are refused with how to choose.
 */

import type { MeasureView } from '../../contract/catalogue.ts';
import { HISTORY_MEASURES } from '../../contract/limits/archive.ts';
import { measureView } from '../../mission/catalogue.ts';
import type { Platform } from '../../mission/platform.ts';
import {
  FileSelection,
  matchOrdinals,
  nameOfSelector,
  parseSelectors,
  type Selector,
} from '../../mission/selector.ts';
import type { CurrentValues } from '../../telemetry/current-values.ts';
import { refuse } from '../errors.ts';
import type { Handled } from '../reply.ts';

export interface AskedMeasure {
  /** `component[instance].measure` */
  readonly name: string;
  readonly place: Selector;
  /** What the catalogue of today says of it; undefined: it is not there, or is one of a file. */
  readonly view: MeasureView | undefined;
  readonly inCatalogue: boolean;
  /** Asked for on the chance that an earlier catalogue had it: not mentioned where it has no samples. */
  readonly byChance: boolean;
}

/** The measures, each once; refuses `api::invalid-measure`. */
export function askedMeasures(
  text: string,
  platform: Platform,
  files: CurrentValues['files'],
): Handled<readonly AskedMeasure[]> {
  const selectors = parseSelectors(text);
  if (!selectors.ok) return selectors;
  if (selectors.value.length > HISTORY_MEASURES) return tooMany(selectors.value.length);
  const ordinals = matchOrdinals(platform, selectors.value);
  if (ordinals.length > HISTORY_MEASURES) return tooMany(ordinals.length);
  const found = [...ofPlatform(platform, ordinals), ...ofFiles(platform, files, selectors.value)];
  if (found.length > HISTORY_MEASURES) return tooMany(found.length);
  const forms = new Set(found.flatMap(({ place }) => formsOfPlace(place)));
  const earlier = selectors.value.flatMap((selector) => earlierMeasure(selector, forms));
  const missing = earlier.find(({ place }) => place.component === undefined);
  if (missing !== undefined) return unknown(missing.name);
  const names = new Set(found.map(({ name }) => name));
  const others = earlier.filter(({ name }) => !names.has(name) && names.add(name));
  const measures = [...found, ...others];
  return measures.length > HISTORY_MEASURES ? tooMany(measures.length) : { ok: true, value: measures };
}

/** What a selector names that is no name of a measure of today (M2). */
function earlierMeasure(selector: Selector, forms: ReadonlySet<string>): AskedMeasure[] {
  const name = nameOfSelector(selector);
  const isFound = forms.has(name);
  const isExact = selector.component !== undefined;
  if (isFound && (selector.instance !== undefined || !isExact)) return [];
  return [{ name, place: selector, view: undefined, inCatalogue: false, byChance: isFound }];
}

/** The selectors that name a measure. */
function formsOfPlace({ component, instance, measure }: Selector): string[] {
  if (component === undefined) return [measure];
  const name = nameOfSelector({ component, measure });
  if (instance === undefined) return [measure, name];
  return [measure, name, nameOfSelector({ component, instance, measure })];
}

function unknown(name: string): Handled<never> {
  return refuse('api::invalid-measure', `no component of the catalogue has a measure ${name}`, {
    help: 'Name a measure of an earlier catalogue with its component: component[instance].measure.',
    path: 'measures',
  });
}

function ofPlatform(platform: Platform, ordinals: Uint32Array): AskedMeasure[] {
  return Array.from(ordinals, (ordinal) => {
    const { key, component, instance, definition } = platform.measures[ordinal]!;
    const place = { component, ...(instance !== undefined && { instance }), measure: definition.name };
    return { name: key, place, view: measureView(definition), inCatalogue: true, byChance: false };
  }).filter(({ place }) => place.component !== platform.files?.component);
}

function ofFiles(
  { files: directory }: Platform,
  files: CurrentValues['files'],
  selectors: readonly Selector[],
): AskedMeasure[] {
  if (directory === undefined || files === undefined) return [];
  const { component } = directory;
  const selection = new FileSelection(component, selectors);
  return [...files.ordinals()].flatMap((ordinal) => {
    const named = files.named(ordinal);
    if (named === undefined || !(selectors.length === 0 || selection.has(named.id, named.name))) return [];
    const place = { component, instance: named.id, measure: named.name };
    return [{ name: nameOfSelector(place), place, view: undefined, inCatalogue: true, byChance: false }];
  });
}

function tooMany(count: number): Handled<never> {
  return refuse(
    'api::invalid-measure',
    `${count} measures are asked for; at most ${HISTORY_MEASURES} at once`,
    { help: 'Choose with measures=component.measure,…, or ask several times.', path: 'measures' },
  );
}
