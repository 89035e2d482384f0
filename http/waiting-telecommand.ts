/**
 * Whether a telecommand was submitted of which there is no event yet: no executor has taken it up. What waits so stands
 * behind the low-water mark of its lane. Mission Control Service, section 4.1.
 *
 * N1. Whoever asks does not choose the cost: so many submissions are read at most.
 */

import { buckets } from '../contract/bus/buckets.ts';
import { streams } from '../contract/bus/streams.ts';
import { subject } from '../contract/bus/subjects.ts';
import { deferred } from '../contract/deferred.ts';
import { markIn, markKey } from '../messaging/mark-entry.ts';
import type { Bus } from '../ports/bus.ts';

const MOST_READ = 2_000;

/** Undefined where more wait than are read. Throws `Outage`. */
export async function isWaiting(target: string, id: string, bus: Bus): Promise<boolean | undefined> {
  const mark = await bus.bucket(buckets.members).get(markKey(`lane.${target}`));
  const seq = (mark && markIn(mark.value)?.stands['submission']) ?? 1;
  const enough = deferred<void>();
  let read = 0;
  let isFound = false;
  const about = subject.tcSubmit(target);
  const follower = await bus.follow(streams.telecommands, about, { from: 'seq', seq }, ({ data }) => {
    read += 1;
    isFound ||= idIn(data) === id;
    if (isFound || read === MOST_READ) enough.resolve();
  });
  try {
    await Promise.race([enough.promise, follower.caughtUp]);
  } finally {
    await follower.stop();
  }
  return isFound || read < MOST_READ ? isFound : undefined;
}

function idIn(data: Uint8Array): unknown {
  try {
    return (JSON.parse(Buffer.from(data).toString()) as { readonly id?: unknown } | null)?.id;
  } catch {
    return undefined;
  }
}
