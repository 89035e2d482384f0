/**
 * The lanes that an executor shares out: one for each target of the mission, and one for each target that has left it
 * and has something open, which its lane gives an end (lane.J12).
 *
 * N1. A target that leaves while this process runs keeps its lane until the process ends.
 * N2. Of those that left before it started, only the ones count whose last submission is not below their low-water
 *     mark: a lane that has caught up has nothing open.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { isToken } from '../../contract/token.ts';
import { markIn, markKey } from '../../messaging/mark-entry.ts';
import type { Mission } from '../../mission/mission.ts';
import type { Bus } from '../../ports/bus.ts';

const MARK = markKey('lane.');

export class LaneNames {
  readonly #seen: Set<string>;

  private constructor(seen: Iterable<string>) {
    this.#seen = new Set(seen);
  }

  /** Rejects with `Outage`. */
  static async read(bus: Bus, mission: Mission | undefined): Promise<LaneNames> {
    const marks = await bus.bucket(buckets.members).list(`${MARK}*`);
    const open: string[] = [];
    for (const { key, value } of marks) {
      const target = key.slice(MARK.length);
      if (!isToken(target) || mission?.targets.has(target) === true) continue;
      const submission = markIn(value)?.stands['submission'] ?? 1;
      const last = await bus.last(streams.telecommands, subject.tcSubmit(target));
      if (last !== undefined && last.seq >= submission) open.push(target);
    }
    return new LaneNames(open);
  }

  of(mission: Mission): Iterable<string> {
    for (const target of mission.targets.keys()) this.#seen.add(target);
    return this.#seen;
  }
}
