/**
 * What the spacecraft must not see: O2, C3 and lane.J1. Frames are distinguished by their sequence count, so each names
 * its telecommand.
 */

import { handOverMs } from '../../../messaging/hand-overs.ts';
import type { History, RecordedEvent } from '../history.ts';
import type { Uplink } from '../space.ts';
import { byTelecommand, type Checker, statesOf } from './checker.ts';
import { recordedUplinks } from './telecommand-log.ts';

/** A lagging process learns so much later what is so. */
const LATE_MS = 3_000;

export const neverTwice: Checker = {
  name: 'never-twice',
  overRewinds: 'complete',
  promise: 'a telecommand that changes the state of a spacecraft is sent to it at most once',
  *check(history) {
    for (const [telecommand, uplinks] of uplinksByTelecommand(history)) {
      const [, id = ''] = telecommand.split('.');
      if (uplinks.length > 1 && history.asked.get(id)?.changesState !== false) {
        yield `${telecommand} left ${uplinks.length} times: ${uplinks.map(shown).join(', ')}`;
      }
    }
  },
};

export const commitBeforeEffect: Checker = {
  name: 'commit-before-effect',
  overRewinds: 'complete',
  promise: 'no frame leaves before the event that records it is stored',
  *check({ uplinks, events }) {
    const recordedOf = recordedUplinks(events);
    for (const uplink of uplinks) {
      const recorded = recordedOf(uplink);
      if (recorded === undefined) yield `${shown(uplink)} left and is recorded nowhere`;
      else if (recorded.message.at > uplink.at) yield `${shown(uplink)} left before it was recorded`;
    }
  },
};

export const honestStates: Checker = {
  name: 'honest-states',
  overRewinds: 'complete',
  promise: 'what is SENT left, and what is said not to have left did not',
  *check(history) {
    const left = uplinksByTelecommand(history);
    for (const [telecommand, events] of byTelecommand(history.events)) {
      const uplinks = left.get(telecommand) ?? [];
      if (statesOf(events).includes('SENT') && uplinks.length === 0)
        yield `${telecommand} is SENT and never left`;
      if (saysItNeverLeft(events) && uplinks.length > 0) {
        yield `${telecommand} is ${statesOf(events).at(-1)} (${detailOf(events)}) and left: ${uplinks.map(shown).join(', ')}`;
      }
    }
  },
};

export const worksAgain: Checker = {
  name: 'works-again',
  promise: 'once nothing goes wrong any more a telecommand leaves, whatever was lost before',
  overRewinds: 'kept',
  *check(history) {
    const states = new Map([...byTelecommand(history.events).values()].map((each) => [each[0]!.id, each]));
    for (const id of history.last) {
      const events = states.get(id);
      // Refused while a run holds its target.
      if (events === undefined) continue;
      if (!statesOf(events).includes('SENT'))
        yield `${id} is ${statesOf(events).at(-1)} (${detailOf(events)})`;
    }
  },
};

export const handOversAreNoRefusal: Checker = {
  name: 'hand-overs-are-no-refusal',
  overRewinds: 'complete',
  promise:
    'a telecommand fails for want of its gateway only when nobody has served that for as long as a hand-over takes',
  *check(history) {
    for (const [telecommand, events] of byTelecommand(history.events)) {
      const end = events.findLast(({ event }) => event.state === 'SEND_FAILED');
      const said = /gateway (\S+) is not running(?:: nobody has served it for (\d+) s)?/.exec(
        end?.event.detail ?? '',
      );
      if (end === undefined || said === null) continue;
      const [, gateway, seconds] = said;
      if (seconds === undefined || Number(seconds) * 1_000 < handOverMs()) {
        yield `${telecommand} did not wait for ${gateway}: ${detailOf(events)}`;
        continue;
      }
      const since = end.message.at - Number(seconds) * 1_000 + LATE_MS;
      const served = history.uplinks.find(
        (uplink) => uplink.gateway === gateway && uplink.at > since && uplink.at < end.message.at - LATE_MS,
      );
      if (served !== undefined) yield `${telecommand}: ${detailOf(events)}, and meanwhile ${shown(served)}`;
    }
  },
};

export const laneOrder: Checker = {
  name: 'lane-order',
  overRewinds: 'complete',
  promise: 'the telecommands of a target leave in the order of their submission',
  *check(history) {
    const positions = submissionPositions(history);
    const highest = new Map<string, number>();
    const seen = new Set<string>();
    const recordedOf = recordedUplinks(history.events);
    for (const uplink of history.uplinks) {
      const recorded = recordedOf(uplink);
      if (recorded === undefined || seen.has(recorded.id)) continue;
      seen.add(recorded.id);
      const position = positions.get(recorded.id)?.findLast((order) => order <= uplink.order) ?? 0;
      const before = highest.get(recorded.target) ?? 0;
      if (position < before)
        yield `${recorded.target}.${recorded.id}, stored at ${position}, left after ${before}`;
      highest.set(recorded.target, Math.max(before, position));
    }
  },
};

function uplinksByTelecommand({ uplinks, events }: History): Map<string, Uplink[]> {
  const recordedOf = recordedUplinks(events);
  const left = new Map<string, Uplink[]>();
  for (const uplink of uplinks) {
    const recorded = recordedOf(uplink);
    if (recorded === undefined) continue;
    const key = `${recorded.target}.${recorded.id}`;
    left.set(key, [...(left.get(key) ?? []), uplink]);
  }
  return left;
}

/** Places of the submissions of each identifier: where the store went back there may be several. */
function submissionPositions({ submissions }: History): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  for (const { data, order } of submissions) {
    const { id } = JSON.parse(Buffer.from(data).toString()) as { id: string };
    positions.set(id, [...(positions.get(id) ?? []), order]);
  }
  return positions;
}

/** Failures that leave it open say so. */
function saysItNeverLeft(events: readonly RecordedEvent[]): boolean {
  const last = statesOf(events).at(-1);
  if (last === 'REJECTED' || last === 'ENCODE_FAILED') return true;
  return last === 'SEND_FAILED' && !/nobody knows|cannot tell/.test(detailOf(events));
}

function detailOf(events: readonly RecordedEvent[]): string {
  return events.findLast(({ event }) => event.detail !== undefined)?.event.detail ?? '';
}

function shown({ at, by, gateway, frame }: Uplink): string {
  return `${frame} by ${by} through ${gateway} at ${new Date(at).toISOString().slice(11, 23)}`;
}
