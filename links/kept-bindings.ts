/**
 * How the links of one driver or gateway are bound now, as the reconciler last set it: the mode of the target and the
 * values of its parameters. Mission Control Service, section 4.3. Kept for whoever encodes, simulates or looks; decides
 * nothing.
 *
 * B1. The newest delivery wins: by the epoch of its reconciler, then by its number. One that slept changes nothing.
 */

import { subject } from '../contract/bus/subjects.ts';
import type { BindCall, BindingsWanted, BindReply, LinkBinding } from '../contract/mode.ts';
import type { Bus, Stoppable } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';
import { callOf } from './json-call.ts';

/** How long whoever leads the reconciler may take to receive the request. */
const WISH_MS = 2_000;

export class KeptBindings {
  readonly #kept = new Map<string, LinkBinding>();

  /** Keeps each binding unless a newer one of its link is known (B1); refuses anything else. */
  keep(call: object | undefined): BindReply {
    const { bindings, epoch, seq } = (call ?? {}) as Partial<BindCall>;
    if (!Array.isArray(bindings)) return { outcome: 'refused', reason: 'the call has no link bindings' };
    const outcomes = bindings.map((binding) => this.#keep({ ...binding, epoch, seq }));
    const refused = outcomes.indexOf('refused');
    if (refused >= 0) return { outcome: 'refused', reason: `bindings[${refused}] is not a link binding` };
    return { outcome: outcomes.includes('older') ? 'older' : 'kept' };
  }

  #keep(binding: object): BindReply['outcome'] {
    if (!isBinding(binding)) return 'refused';
    const key = `${binding.target}.${binding.link}`;
    const known = this.#kept.get(key);
    if (known !== undefined && isOlder(binding, known)) return 'older';
    this.#kept.set(key, binding);
    return 'kept';
  }

  /** The bindings whose link is still there, by target and link. */
  of(isBound: (target: string, link: string) => boolean): LinkBinding[] {
    const bound = [...this.#kept].filter(([, { target, link }]) => isBound(target, link));
    return bound.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, binding]) => binding);
  }
}

/** Serves `bind` on the subject, in every process that does, and asks what it may have been before. */
export function serveBindings(
  about: string,
  wanted: BindingsWanted,
  kept: KeptBindings,
  { bus, log }: { readonly bus: Bus; readonly log: Log },
): Stoppable {
  const served = bus.serve(about, async (message) => Buffer.from(JSON.stringify(kept.keep(callOf(message)))));
  askForBindings(wanted, { bus, log });
  return served;
}

/**
 * Asks the reconciler for what it may have reported before. Nobody receives the request while nobody leads: who leads
 * next reports everybody.
 */
export function askForBindings(
  wanted: BindingsWanted,
  { bus, log }: { readonly bus: Pick<Bus, 'request'>; readonly log: Log },
): void {
  bus
    .request(subject.bindingsWanted, Buffer.from(JSON.stringify(wanted)), { timeoutMs: WISH_MS })
    .catch((error: unknown) => log.debug({ err: error }, 'no reconciler to ask for bindings'));
}

function isOlder(one: LinkBinding, other: LinkBinding): boolean {
  return one.epoch < other.epoch || (one.epoch === other.epoch && one.seq < other.seq);
}

function isBinding(one: object): one is LinkBinding {
  const { target, link, mode, parameters, overrides, epoch, seq } = one as Partial<LinkBinding>;
  const named = typeof target === 'string' && typeof link === 'string';
  const valued = isRecord(parameters) && isRecord(overrides) && (mode === null || typeof mode === 'string');
  return named && valued && Number.isSafeInteger(epoch) && Number.isSafeInteger(seq);
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
