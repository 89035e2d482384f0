/**
 * Selectors of measures: `component[instance].measure`, `component.measure` (every instance) or `measure` (any
 * component), separated by commas. Mission Control Service, section 4.1 rule 10.
 *
 * S1. No selector selects every measure; one that names nothing selects nothing and is no fault.
 * S2. A measure is looked up among the selectors, not compared with each: a watcher may name as many as a request line
 *     holds.
 */

import type { Fault } from '../contract/errors.ts';
import { accepted, type Result, refusedAll } from '../contract/result.ts';
import type { Measure, Platform } from './platform.ts';

export interface Selector {
  readonly component?: string;
  readonly instance?: string;
  readonly measure: string;
}

const SELECTOR = /^(?:([A-Za-z][\w-]*)(?:\[([\w-]+)\])?\.)?([A-Za-z][\w-]*)$/;

/** The selectors; refuses `api::invalid-measure` for each that has none of the three forms. */
export function parseSelectors(text: string): Result<readonly Selector[], Fault<'api::invalid-measure'>> {
  if (text === '') return accepted([]);
  const selectors: Selector[] = [];
  const faults: Fault<'api::invalid-measure'>[] = [];
  for (const part of text.split(',')) {
    const selector = parseSelector(part);
    if (selector === undefined) faults.push(invalid(part));
    else selectors.push(selector);
  }
  return faults.length > 0 ? refusedAll(faults) : accepted(selectors);
}

function parseSelector(text: string): Selector | undefined {
  const [, component, instance, measure] = SELECTOR.exec(text) ?? [];
  if (measure === undefined) return undefined;
  return {
    ...(component !== undefined && { component }),
    ...(instance !== undefined && { instance }),
    measure,
  };
}

function invalid(text: string): Fault<'api::invalid-measure'> {
  return {
    code: 'api::invalid-measure',
    message: `"${text}" is not a measure selector`,
    help: 'write component[instance].measure, component.measure or measure, separated by commas',
    path: 'measures',
  };
}

/** The ordinals of the measures that any selector names, rising; all of them without selectors. */
export function matchOrdinals(
  platform: Pick<Platform, 'measures'>,
  selectors: readonly Selector[],
): Uint32Array {
  const selected = new Set(selectors.map(nameOfSelector));
  const matched = platform.measures.filter(
    (measure) => selectors.length === 0 || formsOf(measure).some((form) => selected.has(form)),
  );
  return Uint32Array.from(matched, ({ ordinal }) => ordinal);
}

/** Which measures of files any selector names; files appear while they are followed. */
export class FileSelection {
  readonly #component: string;
  readonly #selected: ReadonlySet<string>;

  constructor(component: string, selectors: readonly Selector[]) {
    this.#component = component;
    this.#selected = new Set(selectors.map(nameOfSelector));
  }

  has(file: string, measure: string): boolean {
    const [selected, component] = [this.#selected, this.#component];
    return (
      selected.has(measure) ||
      selected.has(nameOfSelector({ component, measure })) ||
      selected.has(nameOfSelector({ component, instance: file, measure }))
    );
  }
}

/** The selectors that name the measure (S2). */
function formsOf({ definition: { name: measure }, component, instance }: Measure): string[] {
  const forms = [nameOfSelector({ measure }), nameOfSelector({ measure, component })];
  return instance === undefined ? forms : [...forms, nameOfSelector({ measure, component, instance })];
}

/** As it is written: the name of a measure where it is exact. */
export function nameOfSelector({ measure, component, instance }: Selector): string {
  if (component === undefined) return measure;
  return instance === undefined ? `${component}.${measure}` : `${component}[${instance}].${measure}`;
}
