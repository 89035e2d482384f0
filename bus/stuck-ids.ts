/**
 * Messages that a stream refuses because its leader knows their id already, and that it never stored. An election that
 * falls between both loses the message and not its id: a leader who is elected again refuses it as being stored until
 * the duplicate window is over (nats-server before 2.11, its pull requests 6415 and 6486), and whatever is stored in
 * order behind it waits as long.
 *
 * B1. An id is stuck that a leader has refused so for `BUS_STUCK_MS`, with no other answer between, while a majority of
 *     its group follows it: what it had begun to store would be stored by then. A leader that is cut off is left to
 *     those who elect another one.
 * B2. Such a leader is asked to hand over. The next one has the message, or does not know the id; the id is the same,
 *     so it is stored once.
 * B3. One process asks so of a stream once in `BUS_HAND_OVER_AGAIN_MS`.
 */

import type { StreamInfo } from 'nats';
import {
  BUS_ATTEMPT_MS,
  BUS_HAND_OVER_AGAIN_MS,
  BUS_STUCK_IDS,
  BUS_STUCK_MS,
} from '../contract/limits/bus.ts';
import type { Log } from '../ports/log.ts';

interface StuckIdsOptions {
  /** Asks the API of JetStream once. */
  readonly ask: <Reply>(verb: string, timeoutMs: number) => Promise<Reply>;
  readonly log: Log;
  /** Monotonic, in ms. */
  readonly now?: () => number;
}

interface Refused {
  readonly since: number;
  last: number;
}

/** Behind a longer pause another leader may answer; leases are renewed some seconds apart. */
const ASKED_AGAIN_MS = 5_000;
/** Followers answer their leader each second. */
const FOLLOWS_NS = 2.5e9;

export class StuckIds {
  readonly #options: StuckIdsOptions;
  readonly #now: () => number;
  /** By stream and id; few, and none where all is well. */
  readonly #refused = new Map<string, Refused>();
  readonly #askedAt = new Map<string, number>();

  constructor(options: StuckIdsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** The leader of the stream says that a message of this id is being stored. */
  refused(stream: string, id: string): void {
    const now = this.#now();
    const key = keyOf(stream, id);
    const known = this.#refused.get(key);
    if (known === undefined || now - known.last > ASKED_AGAIN_MS) {
      this.#makeRoom(now);
      this.#refused.set(key, { since: now, last: now });
      return;
    }
    known.last = now;
    const isDue = now - (this.#askedAt.get(stream) ?? Number.NEGATIVE_INFINITY) >= BUS_HAND_OVER_AGAIN_MS;
    if (now - known.since < BUS_STUCK_MS || !isDue) return;
    this.#askedAt.set(stream, now);
    void this.#handOver(stream, id);
  }

  /** It was stored, or the answer is another one: who refuses it next may be another leader. */
  over(stream: string, id: string): void {
    if (this.#refused.size > 0) this.#refused.delete(keyOf(stream, id));
  }

  async #handOver(stream: string, id: string): Promise<void> {
    const { ask, log } = this.#options;
    try {
      const { cluster } = await ask<StreamInfo>(`STREAM.INFO.${stream}`, BUS_ATTEMPT_MS);
      // B1; meanwhile it may have been stored.
      if (!isFollowed(cluster) || !this.#refused.has(keyOf(stream, id))) return;
      log.warn(
        { stream, id, leader: cluster?.leader },
        'an election lost a message, and the leader of its stream refuses it: another server is asked to lead',
      );
      await ask(`STREAM.LEADER.STEPDOWN.${stream}`, BUS_ATTEMPT_MS);
    } catch (error) {
      log.debug({ err: error, stream, id }, 'leader of a stream did not hand over');
    }
  }

  /** Those that nobody asks for any more are forgotten first; a bound for what is left. */
  #makeRoom(now: number): void {
    if (this.#refused.size < BUS_STUCK_IDS) return;
    for (const [key, { last }] of this.#refused) if (now - last > ASKED_AGAIN_MS) this.#refused.delete(key);
    if (this.#refused.size >= BUS_STUCK_IDS) this.#refused.clear();
  }
}

/** A subject of a stream's name has no space. */
function keyOf(stream: string, id: string): string {
  return `${stream} ${id}`;
}

/** Whether a majority of its group has answered the leader lately; one without a group has nobody to hand over to. */
function isFollowed(cluster: StreamInfo['cluster']): boolean {
  const others = cluster?.replicas ?? [];
  const following = others.filter(({ active, offline }) => offline !== true && active < FOLLOWS_NS).length;
  return others.length > 0 && following + 1 > (others.length + 1) / 2;
}
