/**
 * What a new owner of a run does before its run goes on: it withdraws the telecommand that the log announces without
 * its end. Mission Control Service, section 3.2; ledger MC-STM-005, MC-STM-028.
 *
 * V1. The owner before may be asleep between announcing and submitting. The withdrawal takes the identifier in the
 *     order of the stream and of the lane: what it would submit later is a duplicate, and never leaves (O2, O4).
 * V2. What was submitted before goes its way: then the withdrawal is the duplicate.
 */

import { retryWhileBusIsAway } from '../../../messaging/while-bus-is-away.ts';
import type { Handler, RunServices } from '../services.ts';
import { uploadsLeft } from '../uploads.ts';
import { withdraw } from './withdraw.ts';

export function createRecover({ bus, clock, instance }: RunServices): Handler<'effect.recover'> {
  return async ({ announced }, at, signal) => {
    if (announced !== undefined) {
      const reason = `withdrawn by ${instance}, which took its run over before it was submitted`;
      const stored = await retryWhileBusIsAway({ clock, signal }, () => withdraw(bus, announced, at, reason));
      if (stored === undefined) return undefined;
    }
    const left = await retryWhileBusIsAway({ clock, signal }, () => uploadsLeft(bus, at, 'takeover'));
    if (left === undefined) return undefined;
    const uploads = left.value;
    return { type: 'recovered', at: clock.now(), by: instance, ...(uploads.length > 0 && { uploads }) };
  };
}
