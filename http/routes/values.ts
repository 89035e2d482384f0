/**
 * Current values: once, and followed. Mission Control Service, sections 2.2 and 4.1 rule 10. Values come as JSON bytes
 * encoded once for all (T4); nothing is encoded here.
 *
 * V1. Both routes answer 503 while the bus is away, silent, or what it holds is not read yet, and a watch ends when it
 *     falls silent: old values must not look new.
 */

import { CurrentValue, CurrentValues as CurrentValuesSchema } from '../../contract/value.ts';
import { busAnswers } from '../../messaging/bus-answers.ts';
import type { Target } from '../../mission/mission.ts';
import { FileSelection, matchOrdinals, parseSelectors, type Selector } from '../../mission/selector.ts';
import type { CurrentValues } from '../../telemetry/current-values.ts';
import { busUnavailable, refuse } from '../errors.ts';
import { closeCode, defineFollow } from '../follow.ts';
import { targetOf } from '../mission-of.ts';
import { measuresInQuery, targetInPath } from '../parameters.ts';
import type { RoutePorts } from '../ports.ts';
import type { Handled } from '../reply.ts';
import { defineRoute } from '../route.ts';

const STORE_ERRORS = [
  'api::no-configuration',
  'api::unknown-target',
  'api::no-catalogue',
  'api::unavailable',
] as const;

export const readValues = defineRoute({
  method: 'GET',
  path: '/v1/targets/:target/values',
  operationId: 'readValues',
  summary: 'Current value of every measure of a target',
  description:
    'In the order of `component[instance].measure`. A measure that was never received is not listed.',
  tag: 'Values',
  params: { target: targetInPath },
  replies: { 200: CurrentValuesSchema },
  errors: STORE_ERRORS,
  handle({ params }, ports) {
    const store = storeOf(params.target, ports);
    if (!store.ok) return store;
    return { ok: true, value: { status: 200, bytes: documentOf(store.value) } };
  },
});

export const watchValues = defineFollow({
  path: '/v1/targets/:target/values/watch',
  operationId: 'watchValues',
  summary: 'Current values, then each update; a client that is behind gets the newest of each measure',
  description: 'One value per message. `measures` chooses which; without it every measure of the target.',
  tag: 'Values',
  params: { target: targetInPath },
  query: { measures: measuresInQuery },
  policy: 'latest',
  message: CurrentValue,
  errors: ['api::invalid-measure', ...STORE_ERRORS],
  open({ params, query }, ports, writer) {
    const selectors = parseSelectors(query.measures ?? '');
    if (!selectors.ok) return selectors;
    const store = storeOf(params.target, ports);
    if (!store.ok) return store;
    const selection = new Selection(selectors.value, store.value);
    for (const ordinal of store.value.ordinals()) {
      if (selection.has(ordinal)) writer.push(store.value.json(ordinal)!, ordinal);
    }
    const stop = ports.values.watch(params.target, (changed, current) => {
      selection.follow(current);
      for (const ordinal of changed) {
        const json = selection.has(ordinal) ? current.json(ordinal) : undefined;
        if (json !== undefined) writer.push(json, ordinal);
      }
    });
    const offSilence = ports.bus.onSilence?.(() =>
      writer.finish(closeCode.tryLater, 'the message bus does not answer'),
    );
    return {
      ok: true,
      value: {
        stop: async () => {
          offSilence?.();
          stop();
        },
      },
    };
  },
});

/** Which ordinals the selectors mean; ordinals change with the catalogue, selectors do not. */
class Selection {
  readonly #selectors: readonly Selector[];
  #store: CurrentValues;
  /** Of the platform; undefined: every measure. */
  #ordinals: ReadonlySet<number> | undefined;
  /** Files come and go, so theirs are looked up by name. */
  #files: FileSelection | undefined;

  constructor(selectors: readonly Selector[], store: CurrentValues) {
    this.#selectors = selectors;
    this.#store = store;
    this.#match(store);
  }

  has(ordinal: number): boolean {
    if (this.#ordinals === undefined || this.#ordinals.has(ordinal)) return true;
    const file = this.#files === undefined ? undefined : this.#store.files?.named(ordinal);
    return file !== undefined && this.#files!.has(file.id, file.name);
  }

  follow(store: CurrentValues): void {
    if (store === this.#store) return;
    this.#store = store;
    this.#match(store);
  }

  #match({ platform }: CurrentValues): void {
    const isAll = this.#selectors.length === 0;
    this.#ordinals = isAll ? undefined : new Set(matchOrdinals(platform, this.#selectors));
    const component = platform.files?.component;
    this.#files =
      isAll || component === undefined ? undefined : new FileSelection(component, this.#selectors);
  }
}

/**
 * The current values of a target; refuses an unknown one, one without catalogue, and while what is held is not known
 * (V1).
 */
export function storeOf(name: string, ports: RoutePorts): Handled<CurrentValues> {
  const target = targetOf(name, ports);
  if (!target.ok) return target;
  if (target.value.platform === undefined) return noCatalogue(target.value);
  const store = ports.values.current(name);
  if (!busAnswers(ports.bus) || !ports.valuesLoaded() || store === undefined) return busUnavailable();
  return { ok: true, value: store };
}

/** The refusal of a target whose platform is not in the configuration. */
export function noCatalogue({ name, platformId }: Target): Handled<never> {
  return refuse(
    'api::no-catalogue',
    `target ${name} implements ${platformId}, which the configuration does not hold`,
    {
      help: `Publish a configuration with the document of ${platformId}.`,
    },
  );
}

const OPENING = Buffer.from('{"values":[');
const CLOSING = Buffer.from(']}');
const COMMA = 0x2c;

/** The last document of each store: most are read more often than they change. */
const documents = new WeakMap<CurrentValues, { readonly version: number; readonly bytes: Uint8Array }>();

function documentOf(store: CurrentValues): Uint8Array {
  const known = documents.get(store);
  if (known?.version === store.version) return known.bytes;
  const bytes = joined(store);
  documents.set(store, { version: store.version, bytes });
  return bytes;
}

function joined(store: CurrentValues): Uint8Array {
  const values: Buffer[] = [];
  let size = OPENING.length + CLOSING.length;
  for (const ordinal of store.ordinals()) {
    const json = store.json(ordinal)!;
    values.push(json);
    size += json.length + 1;
  }
  const bytes = Buffer.allocUnsafe(size - Math.min(values.length, 1));
  let at = OPENING.copy(bytes);
  for (const json of values) {
    if (at > OPENING.length) bytes[at++] = COMMA;
    at += json.copy(bytes, at);
  }
  CLOSING.copy(bytes, at);
  return bytes;
}

export const valueRoutes = [readValues];
export const valueFollows = [watchValues];
