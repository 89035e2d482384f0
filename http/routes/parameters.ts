/**
 * The parameters of a target: the value of each in the current mode and in every other, and what its measure says.
 * Mission Control Service, sections 2.5 and 4.3.
 *
 * A1. Values in all modes are those of the environment whose overrides apply: what a run there would set.
 * A2. A readback is compared with the current value only; without sample or value nobody can say (null).
 * A3. A mode may be called as what every object has (`constructor`, `__proto__`): values are found by own names alone.
 */

import {
  type ParametersView as Parameters,
  ParametersView,
  type ParameterView,
} from '../../contract/mode.ts';
import { nearHelp } from '../../contract/near.ts';
import type { ResolvedValue } from '../../contract/telecommand.ts';
import type { CurrentValue, Sample } from '../../contract/value.ts';
import { sameMeasure } from '../../mission/measure-meaning.ts';
import { measureKey } from '../../mission/measure-table.ts';
import type { Target } from '../../mission/mission.ts';
import {
  type ParameterPlace,
  parameterName,
  parameterPlaces,
  parameterValue,
  readbackPlace,
} from '../../mission/parameter-values.ts';
import type { Measure, Platform } from '../../mission/platform.ts';
import { asReadback, readsAs } from '../../mission/readback.ts';
import type { CurrentValues } from '../../telemetry/current-values.ts';
import { refuse } from '../errors.ts';
import { targetOf } from '../mission-of.ts';
import { environmentInQuery, targetInPath } from '../parameters.ts';
import type { Handled } from '../reply.ts';
import { defineRoute } from '../route.ts';
import { readMode } from '../target-mode.ts';
import { noCatalogue, storeOf } from './values.ts';

export const readParameters = defineRoute({
  method: 'GET',
  path: '/v1/targets/:target/parameters',
  operationId: 'readParameters',
  summary: 'Parameters of a target with their values by mode, and what reads them back',
  description:
    'In the order of the platform document. Overrides of the only environment of the target apply, or of the one given.',
  tag: 'Modes',
  params: { target: targetInPath },
  query: { environment: environmentInQuery },
  replies: { 200: ParametersView },
  errors: [
    'api::no-configuration',
    'api::unknown-target',
    'api::unknown-environment',
    'api::no-catalogue',
    'api::unavailable',
  ],
  async handle({ params, query }, ports) {
    const target = targetOf(params.target, ports);
    if (!target.ok) return target;
    if (target.value.platform === undefined) return noCatalogue(target.value);
    const environment = environmentOf(target.value, query.environment);
    if (!environment.ok) return environment;
    const current = await readMode(target.value, ports);
    if (!current.ok) return current;
    const store = storeOf(params.target, ports);
    if (!store.ok) return store;
    const about = {
      target: target.value,
      platform: target.value.platform,
      environment: environment.value,
      mode: current.value.mode,
      store: store.value,
    };
    return { ok: true, value: { status: 200, body: viewOf(about) } };
  },
});

interface About {
  readonly target: Target;
  readonly platform: Platform;
  readonly environment: string | undefined;
  readonly mode: string | null;
  readonly store: CurrentValues;
}

/** Given, or the only one of the target; undefined: no overrides apply. */
function environmentOf(
  { name, environments }: Target,
  given: string | undefined,
): Handled<string | undefined> {
  const [only, ...more] = environments;
  if (given === undefined) return { ok: true, value: more.length === 0 ? only : undefined };
  if (environments.includes(given)) return { ok: true, value: given };
  return refuse('api::unknown-environment', `target ${name} is not engaged in environment "${given}"`, {
    help: nearHelp(given, environments, 'environments'),
    path: 'environment',
  });
}

function viewOf(about: About): Parameters {
  return {
    target: about.target.name,
    mode: about.mode,
    environment: about.environment ?? null,
    parameters: parameterPlaces(about.platform).map((place) => parameterView(place, about)),
  };
}

function parameterView(place: ParameterPlace, about: About): ParameterView {
  const { component, instance, parameter } = place;
  const { target, environment, mode } = about;
  const of = (each: string): ResolvedValue | undefined => parameterValue(target, place, each, environment);
  const value = mode === null ? undefined : of(mode);
  const { set } = parameter;
  const readback = readbackView(place, value, about);
  return {
    name: parameterName(place),
    component,
    ...(instance !== undefined && { instance }),
    parameter: parameter.name,
    ...(parameter.unit !== undefined && { unit: parameter.unit }),
    ...(value !== undefined && { value }),
    values: valuesOf(target.modes, of),
    ...(set !== undefined && { set: `${set.component}.${set.telecommand}` }),
    ...(readback !== undefined && { readback }),
  };
}

/** A3 */
function valuesOf(
  modes: readonly string[],
  of: (mode: string) => ResolvedValue | undefined,
): Record<string, ResolvedValue> {
  const found = modes.map((mode) => [mode, of(mode)] as const);
  return Object.fromEntries(found.filter((each): each is [string, ResolvedValue] => each[1] !== undefined));
}

function readbackView(
  place: ParameterPlace,
  value: ResolvedValue | undefined,
  { platform, store }: About,
): ParameterView['readback'] {
  const found = readbackPlace(place);
  if (found === undefined) return undefined;
  const key = measureKey(found.component, found.instance, found.measure);
  const ordinal = platform.ordinal(key);
  const measure = ordinal === undefined ? undefined : platform.measures[ordinal];
  if (measure === undefined) return { measure: key, matches: null };
  const sample = sampleOf(measure, store);
  return { measure: key, ...(sample !== undefined && { sample }), matches: matches() };

  function matches(): boolean | null {
    if (measure === undefined || value === undefined || sample === undefined || sample.value === null)
      return null;
    const { definition } = measure;
    return readsAs(definition, sample.value, asReadback(value, place.parameter, definition));
  }
}

/** The store may still be of the catalogue before: then its samples count where they mean the same. */
function sampleOf(measure: Measure, store: CurrentValues): Sample | undefined {
  const stored = sameMeasure(measure, store.platform);
  const json = stored && store.json(stored.ordinal);
  return json && (JSON.parse(json.toString()) as CurrentValue).sample;
}

export const parameterRoutes = [readParameters];
