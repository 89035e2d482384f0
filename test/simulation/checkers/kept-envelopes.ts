/** What is kept beside the logs of telecommands and runs: decision 31. */

import { isDeepStrictEqual } from 'node:util';
import { type LoggedEvent, markOf as markOfRun, readLogged } from '../../../actors/run/run-log.ts';
import { keptStanding, standingBehind, unbegun } from '../../../actors/run/standing.ts';
import {
  markOf as markOfTelecommand,
  type Recorded,
  readRecorded,
} from '../../../actors/telecommand/history.ts';
import { isFinalTcState } from '../../../contract/telecommand-state.ts';
import { foldTelecommand, keptFold } from '../../../machines/telecommand/fold.ts';
import { isKept, readEnvelope } from '../../../messaging/kept-envelopes.ts';
import type { KeptEnvelope } from '../../../ports/entity.ts';
import type { History } from '../history.ts';
import { byRun, keyOf } from '../run-history.ts';
import type { StoredMessage } from '../twin/stored-stream.ts';
import { byTelecommand, type Checker } from './checker.ts';

type Marked<Event> = { readonly position: number; readonly mark: string; readonly logged: Event };

/**
 * What is there of an entity: its log up to the position that an envelope covers, and whether its last event has the
 * mark.
 */
function covered<Event>(
  log: readonly Marked<Event>[],
  { position, mark }: KeptEnvelope['covers'],
): Event[] | undefined {
  const last = log.findIndex((each) => each.position === position && each.mark === mark);
  return last < 0 ? undefined : log.slice(0, last + 1).map(({ logged }) => logged);
}

/** Whoever is restored goes on from an envelope and what is behind it: that is the fold of the log, if this holds. */
export const keptIsTheLog: Checker = {
  name: 'kept-is-the-log',
  overRewinds: 'kept',
  promise: 'every envelope beside a log says what the log says up to the event it covers, whoever kept it',
  *check(history) {
    const [telecommands, runs] = [telecommandsIn(history), runsIn(history)];
    for (const message of history.kept) {
      if (message.removal) continue;
      const key = keyOf(message);
      const envelope = readEnvelope({ value: message.data });
      if (envelope === undefined || !isKept(envelope)) {
        yield `${key} at ${message.seq} is no envelope`;
        continue;
      }
      // What it covers may have holes, and it has none.
      if (history.holes?.has(envelope.id)) continue;
      const what = key.startsWith('run.')
        ? ofRun(history, runs.get(envelope.id) ?? [], envelope)
        : ofTelecommand(telecommands.get(envelope.id) ?? [], envelope);
      // Of a store that went back it may be of what is lost: nobody goes by it.
      if (what === 'not-there' && history.complete !== undefined) continue;
      if (what !== undefined) yield `${key} at ${message.seq}, kept by ${message.by}: ${what}`;
    }
  },
};

function ofTelecommand(log: readonly Marked<Recorded>[], envelope: KeptEnvelope): string | undefined {
  const events = covered(log, envelope.covers);
  if (events === undefined) return 'not-there';
  const told = foldTelecommand(events);
  const kept = keptFold(envelope.snapshot, envelope.revision);
  return isDeepStrictEqual(kept, told)
    ? undefined
    : `${JSON.stringify(kept)} is kept, the log says ${JSON.stringify(told)}`;
}

function ofRun(
  { runs }: History,
  log: readonly Marked<LoggedEvent>[],
  envelope: KeptEnvelope,
): string | undefined {
  const events = covered(log, envelope.covers);
  const [first] = events ?? [];
  if (events === undefined || first?.event.event !== 'started') return 'not-there';
  const program = runs.programs.get(first.event.ir);
  const kept = keptStanding(envelope.id, envelope);
  if (program === undefined || kept === undefined) return 'it cannot be read';
  const about = { run: envelope.id, program, by: first.event.by };
  const told = standingBehind(about, unbegun(about), events);
  for (const part of ['progress', 'facts', 'revision'] as const) {
    if (isDeepStrictEqual(kept[part], told[part])) continue;
    return `${part} ${JSON.stringify(kept[part])} is kept, the log says ${JSON.stringify(told[part])}`;
  }
  return undefined;
}

export const nothingKeptOfWhatIsOver: Checker = {
  name: 'nothing-kept-of-what-is-over',
  overRewinds: 'kept-if-even',
  promise: 'nothing is kept in the end of a telecommand or a run that is over',
  *check(history) {
    const newest = new Map(history.kept.map((message) => [keyOf(message), message]));
    for (const [key, { removal, by }] of newest) {
      if (removal) continue;
      const id = key.slice(key.indexOf('.') + 1);
      if (isOver(history, id)) yield `${key} is over, and what ${by} kept of it is still there`;
    }
  },
};

function isOver({ events, runs }: History, id: string): boolean {
  const telecommand = byTelecommand(events).get(id);
  if (telecommand?.some(({ event }) => isFinalTcState(event.state))) return true;
  return byRun(runs.events).get(id)?.at(-1)?.event.event === 'finished';
}

function telecommandsIn({ events }: History): Map<string, Marked<Recorded>[]> {
  const logs = [...byTelecommand(events)];
  return new Map(logs.map(([id, log]) => [id, log.flatMap(({ message }) => markedTelecommand(message))]));
}

function markedTelecommand(message: StoredMessage): Marked<Recorded>[] {
  const logged = readRecorded({ ...message, pending: 0 });
  if (logged === undefined) return [];
  const mark = markOfTelecommand(logged.event.state, logged.event.at, logged.epoch);
  return [{ position: message.seq, mark, logged }];
}

function runsIn({ runs }: History): Map<string, Marked<LoggedEvent>[]> {
  const logs = [...byRun(runs.events)];
  return new Map(logs.map(([run, log]) => [run, log.flatMap(({ message }) => markedRun(message))]));
}

function markedRun(message: StoredMessage): Marked<LoggedEvent>[] {
  const logged = readLogged({ ...message, pending: 0 });
  if (logged === undefined) return [];
  return [{ position: message.seq, mark: markOfRun(logged.event, logged.epoch), logged }];
}
