/**
 * Makes the targets of a run its own: each ready, then its lease taken; and gives them back. Mission Control Service,
 * section 3.2 (first row, resume).
 *
 * A run that holds its targets already is asked for their readiness again: it may be one that is taken over.
 */

import { heldReason, Leases, targetsOf } from '../leases.ts';
import { patiently } from '../patiently.ts';
import { unreadiness } from '../readiness.ts';
import type { Handler, RunAtHand, RunServices } from '../services.ts';

export function createPrepare(services: RunServices): Handler<'effect.prepare'> {
  const { bus, clock } = services;
  const leases = new Leases(bus);
  const obstacle = async (
    { run, mission, program }: RunAtHand,
    signal: AbortSignal,
  ): Promise<string | undefined> => {
    const unready = await unreadiness(bus, mission, program);
    if (unready.length > 0) return unready.join('; ');
    const held = await leases.take(run, program.leases, () => !signal.aborted);
    return held.length > 0 ? heldReason(held) : undefined;
  };
  return async ({ ticket }, at, signal) => {
    const met = await patiently(clock, signal, () => obstacle(at, signal));
    if (met === undefined) return undefined;
    const reason = met.value;
    if (reason === undefined) return { type: 'prepared', at: clock.now(), ticket };
    return { type: 'not-prepared', at: clock.now(), ticket, reason };
  };
}

export function createRelease({ bus, clock }: RunServices): Handler<'effect.release'> {
  const leases = new Leases(bus);
  return async ({ ticket }, { run, program }, signal) => {
    const isOwner = (): boolean => !signal.aborted;
    const released = await patiently(clock, signal, () => leases.release(run, targetsOf(program), isOwner));
    return released && { type: 'released', at: clock.now(), ticket };
  };
}
