/** For how long nothing was stored of a subject: which part of a path stood still, seen afterwards. */

import type { StreamDefinition } from '../../contract/bus/streams.ts';
import type { Bus } from '../../ports/bus.ts';

export interface Silence {
  /** RFC 3339 time of the message before it. */
  readonly since: string;
  readonly ms: number;
}

/** The longest ones between two messages, `most` of them, the longest first. */
export async function silencesOf(
  bus: Pick<Bus, 'follow'>,
  stream: StreamDefinition,
  subject: string,
  most: number,
): Promise<Silence[]> {
  const silences: Silence[] = [];
  let last: number | undefined;
  const follower = await bus.follow(stream, subject, { from: 'start' }, ({ at }) => {
    if (last !== undefined) silences.push({ since: new Date(last).toISOString(), ms: Math.round(at - last) });
    last = at;
  });
  await follower.caughtUp;
  await follower.stop();
  return silences.sort((one, other) => other.ms - one.ms).slice(0, most);
}
