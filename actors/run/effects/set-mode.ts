/**
 * Makes a mode the current one of a target, at the end of a configure or by `set_mode`. Sends nothing. Mission Control
 * Service, sections 2.5 and 4.3.
 *
 * D1. A run that asks again, after a crash, finds its mode set and changes nothing.
 * D2. An executor that lost the run meanwhile never takes back what its successor, or anybody behind it, has set: what
 *     it read stood there while the run was its own, and is in the way of the write if it is not there any more.
 */

import { buckets } from '../../../contract/bus/buckets.ts';
import type { TargetMode } from '../../../contract/mode.ts';
import { retryWhileBusIsAway } from '../../../messaging/while-bus-is-away.ts';
import { readTargetMode } from '../../../mission/mode.ts';
import type { Handler, RunAtHand, RunServices } from '../services.ts';
import { assertStillHeld } from '../still-held.ts';

interface Wish {
  readonly target: string;
  readonly mode: string;
  readonly at: RunAtHand;
  readonly signal: AbortSignal;
}

type Outcome = 'set' | 'lost';

/** Writers of one mode at once are a run and a person at a console; each loses to the other at most a few times. */
const ATTEMPTS = 8;

export function createSetMode(services: RunServices): Handler<'effect.set-mode'> {
  const { clock } = services;
  return async ({ ticket, target, mode }, at, signal) => {
    const failed = (reason: string) => ({ type: 'failed' as const, at: clock.now(), ticket, reason });
    if (at.mission.targets.get(target)?.modes.includes(mode) !== true) {
      return failed(`the topology declares no mode ${mode} for ${target}`);
    }
    const wish: Wish = { target, mode, at, signal };
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const tried = await retryWhileBusIsAway({ clock, signal }, () => setOnce(wish, services));
      if (tried === undefined || signal.aborted) return undefined;
      if (tried.value === 'set') return { type: 'done', at: clock.now(), ticket };
    }
    return failed(`the mode of ${target} is being set by others`);
  };
}

async function setOnce(wish: Wish, { bus, clock }: RunServices): Promise<Outcome> {
  const { target, mode, at, signal } = wish;
  const bucket = bus.bucket(buckets.modes);
  const entry = await bucket.get(target);
  const stored = readTargetMode(entry?.value);
  const present = stored === 'unreadable' ? undefined : stored;
  if (present?.run === at.run && present.mode === mode) return 'set';
  if (signal.aborted) return 'lost';
  assertStillHeld(at.run, at.holds);
  const set: TargetMode = {
    mode,
    since: new Date(clock.now()).toISOString(),
    ...(at.by !== undefined && { by: at.by }),
    run: at.run,
  };
  const written = await bucket.put(target, Buffer.from(JSON.stringify(set)), entry?.revision ?? 0);
  return written.outcome === 'written' ? 'set' : 'lost';
}
