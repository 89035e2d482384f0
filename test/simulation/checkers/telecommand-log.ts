/** What the log of telecommands must be: Mission Control Service, section 3.1; O1, O3, O4 and lane.J3. */

import { createActor } from 'xstate';
import { isFinalTcState } from '../../../contract/telecommand-state.ts';
import { type TelecommandEvent, telecommandMachine } from '../../../machines/telecommand/telecommand.ts';
import type { RecordedEvent } from '../history.ts';
import { targetBehind } from '../mission.ts';
import type { Uplink } from '../space.ts';
import type { StoredMessage } from '../twin/stored-stream.ts';
import { byTelecommand, type Checker, statesOf } from './checker.ts';

export const gaplessSubjects: Checker = {
  name: 'gapless-subjects',
  overRewinds: 'kept',
  promise: 'every event of a telecommand stands behind the one its writer expected, and nothing is between',
  *check({ events }) {
    for (const { message } of events) {
      const { subject, seq, expect, before } = message;
      if (expect === undefined) yield `${subject}: ${seq} was written without an expectation`;
      else if (expect !== before)
        yield `${subject}: ${seq} was written behind ${before}, its writer knew ${expect}`;
    }
  },
};

export const oneWriterPerEpoch: Checker = {
  name: 'one-writer-per-epoch',
  overRewinds: 'complete',
  promise:
    'no event is of an earlier epoch than the one before it, and each is written by the owner of its epoch',
  *check({ events, members }) {
    const owners = epochOwners(members, 'lane');
    const highestBefore = highestEpochs(members, 'lane');
    for (const [telecommand, history] of byTelecommand(events)) {
      for (const [n, { epoch, event, message }] of history.entries()) {
        const { by, seq } = message;
        const highest = highestBefore(history, n);
        if (epoch < highest)
          yield `${telecommand}: ${event.state} (${seq}) has epoch ${epoch} after ${highest}`;
        if (owners.get(epoch)?.has(by) !== true)
          yield `${telecommand}: ${by} wrote under epoch ${epoch} of ${[...(owners.get(epoch) ?? [])]}`;
      }
    }
  },
};

export const finalIsFinal: Checker = {
  name: 'final-is-final',
  overRewinds: 'kept',
  promise: 'nothing but echoes follows a final state',
  *check({ events }) {
    for (const [telecommand, history] of byTelecommand(events)) {
      const states = statesOf(history);
      const end = states.findIndex(isFinalTcState);
      if (end >= 0 && end < states.length - 1) yield `${telecommand}: ${states.join(', ')}`;
    }
  },
};

export const walksTheChart: Checker = {
  name: 'walks-the-chart',
  overRewinds: 'kept',
  promise: 'the states of every telecommand are a walk through its chart',
  *check({ events, holes }) {
    for (const [telecommand, history] of byTelecommand(events)) {
      if (holes?.has(telecommand)) continue;
      const states = statesOf(history);
      const walked = walk(states);
      if (walked !== undefined) yield `${telecommand}: ${states.join(', ')}; the chart ${walked}`;
    }
  },
};

export const acknowledgedNeverLost: Checker = {
  name: 'acknowledged-never-lost',
  overRewinds: 'kept',
  promise: 'a submission that was acknowledged ends in a final state once nothing goes wrong any more',
  *check({ acknowledged, events, holes }) {
    const histories = byTelecommand(events);
    const ids = new Map(acknowledged.map(({ id, target, by }) => [id, { target, by }]));
    for (const [id, { target, by }] of ids) {
      // Nobody has it in his hands any more who could end it a second time.
      if (holes?.get(`${target}.${id}`) === 'over') continue;
      const states = statesOf(histories.get(`${target}.${id}`) ?? []);
      const last = states.at(-1);
      if (last === undefined || !isFinalTcState(last)) {
        yield `${target}.${id}, acknowledged by ${by}, stands at ${last ?? 'nothing'}`;
      }
    }
  },
};

export const acceptedOnce: Checker = {
  name: 'accepted-once',
  promise: 'at most one answer says that an identifier is new, and it is stored once',
  *check({ acknowledged, submissions }) {
    const fresh = acknowledged.filter(({ duplicate }) => !duplicate).map(({ id }) => id);
    for (const id of repeated(fresh)) yield `${id} was called new more than once`;
    const stored = submissions.map(
      ({ data }) => (JSON.parse(Buffer.from(data).toString()) as { id: string }).id,
    );
    for (const id of repeated(stored)) yield `${id} is submitted more than once`;
  },
};

function ownershipOf(data: Uint8Array): { readonly owner: string | null; readonly after?: number } {
  return JSON.parse(Buffer.from(data).toString());
}

function repeated(items: readonly string[]): Set<string> {
  return new Set(items.filter((item, n) => items.indexOf(item) !== n));
}

const AT = 1_000;

/** What makes the chart record each state. */
const CAUSES: Readonly<Record<string, readonly TelecommandEvent[]>> = {
  PENDING: [],
  REJECTED: [{ type: 'requires.failed', at: AT, detail: '' }],
  ENCODED: [
    { type: 'requires.satisfied', at: AT },
    { type: 'driver.encoded', at: AT, frame: '00' },
  ],
  ENCODE_FAILED: [
    { type: 'requires.satisfied', at: AT },
    { type: 'driver.refused', at: AT, detail: '' },
  ],
  SENT: [{ type: 'gateway.sent', at: AT }],
  SEND_FAILED: [{ type: 'gateway.refused', at: AT, detail: '' }],
  VERIFIED: [{ type: 'verification.satisfied', at: AT }],
  VERIFY_FAILED: [{ type: 'verification.failed', at: AT, detail: '' }],
  VERIFY_TIMEOUT: [{ type: 'xstate.after.verificationTimeout.telecommand.SENT' } as never],
  COMPLETE: [{ type: 'verification.none', at: AT }],
};

/** Why the chart does not go this way; undefined when it does. */
function walk(states: readonly string[]): string | undefined {
  const actor = createActor(telecommandMachine, {
    clock: { setTimeout: () => 0, clearTimeout: () => undefined },
    input: {
      id: 'walk',
      target: 'any',
      component: 'any',
      telecommand: 'any',
      changesState: true,
      verifyWithinMs: 1_000,
      at: AT,
    },
  });
  const records: string[] = [];
  actor.on('record', ({ state }) => records.push(state));
  actor.start();
  for (const state of states) for (const event of CAUSES[state] ?? []) actor.send(event);
  return records.join() === states.join() ? undefined : `records ${records.join(', ')}`;
}

/** The frames that were recorded, by `<target> <frame>`. */
export function encodedFrames(events: readonly RecordedEvent[]): Map<string, RecordedEvent> {
  return new Map(
    events.flatMap((each) => (each.frame === undefined ? [] : [[`${each.target} ${each.frame}`, each]])),
  );
}

/**
 * Of which telecommand an uplink is. Sequence counts are given again where the store went back: the last one recorded
 * by then.
 */
export function recordedUplinks(
  events: readonly RecordedEvent[],
): (uplink: Uplink) => RecordedEvent | undefined {
  const frames = new Map<string, RecordedEvent[]>();
  for (const each of events) {
    if (each.frame === undefined) continue;
    const key = `${each.target} ${each.frame}`;
    frames.set(key, [...(frames.get(key) ?? []), each]);
  }
  return ({ gateway, frame, order }) => {
    const found = frames.get(`${targetBehind(gateway)} ${frame}`);
    return found?.findLast(({ message }) => message.order <= order) ?? found?.[0];
  };
}

/** The owners of each epoch (lease.A1); where the store went back partitions may share one. */
export function epochOwners(members: readonly StoredMessage[], partitions: string): Map<number, Set<string>> {
  const owners = new Map<number, Set<string>>();
  for (const { epoch, owner } of claimsIn(members, partitions))
    owners.set(epoch, (owners.get(epoch) ?? new Set()).add(owner));
  return owners;
}

interface Written {
  readonly epoch: number;
  readonly message: StoredMessage;
}

/**
 * Of a log: the highest epoch before an event, as far as it is of the same past. What the store had lost by then, or
 * had lost the claim of, is of a past that is gone, and its epochs are given again (low-water-mark.F4).
 */
export function highestEpochs(
  members: readonly StoredMessage[],
  partitions: string,
): (log: readonly Written[], n: number) => number {
  const claims = claimsIn(members, partitions);
  const isGone = ({ epoch, message }: Written, order: number): boolean => {
    const claim = claims.findLast((each) => each.epoch === epoch && each.message.order < message.order);
    return wasLost(message, order) || (claim !== undefined && wasLost(claim.message, order));
  };
  return (log, n) => {
    const { order } = log[n]!.message;
    return Math.max(0, ...log.slice(0, n).map((each) => (isGone(each, order) ? 0 : each.epoch)));
  };
}

function wasLost({ lostAt = Number.POSITIVE_INFINITY }: StoredMessage, order: number): boolean {
  return lostAt < order;
}

function claimsIn(
  members: readonly StoredMessage[],
  partitions: string,
): { readonly epoch: number; readonly owner: string; readonly message: StoredMessage }[] {
  return members.flatMap((message) => {
    if (!message.subject.includes(`.partition.${partitions}.`)) return [];
    const { owner, after = 0 } = ownershipOf(message.data);
    return owner === null ? [] : [{ epoch: Math.max(message.seq, after + 1), owner, message }];
  });
}
