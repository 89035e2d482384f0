/**
 * The pass of a schedule as the bus has it now, for a decision that is final.
 *
 * F1. An answer that took long does not count: a process that slept meanwhile would fire by what was so before. The
 *     pass is asked for again.
 */

import { buckets } from '../contract/bus/buckets.ts';
import { SCHEDULE_FRESH_MS, SCHEDULE_FRESH_ROUNDS } from '../contract/limits/schedule.ts';
import { Outage } from '../contract/outage.ts';
import { passKey, readStoredPass, type StoredPass } from '../contract/pass.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';

interface FreshTools {
  readonly bus: Bus;
  readonly clock: Clock;
}

/** Undefined where it is not stored, or cannot be read. Throws `Outage`. */
export async function freshPass(
  { bus, clock }: FreshTools,
  { target, pass }: { readonly target: string; readonly pass: string },
): Promise<StoredPass | undefined> {
  const key = passKey(target, pass);
  for (let round = 0; round < SCHEDULE_FRESH_ROUNDS; round += 1) {
    const asked = clock.monotonic();
    const entry = await bus.bucket(buckets.passes).get(key);
    if (clock.monotonic() - asked <= SCHEDULE_FRESH_MS) return entry && readStoredPass(key, entry.value);
  }
  throw new Outage('bus.unavailable', `the answers for pass ${key} took more than ${SCHEDULE_FRESH_MS} ms`);
}
