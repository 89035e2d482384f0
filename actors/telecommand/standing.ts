/**
 * Where the history of a telecommand stands: the fold of its events, from the first one on or from what an envelope
 * beside the log has of them, with the same result. Decision 31.
 *
 * T1. An envelope counts while the log still has, at the position it covers, the event that it ends with. Where the log
 *     ends before it or has something else there (a store that was put back), the history is read from its beginning.
 * T2. Where nothing came behind it, the last message of the subject is all that is asked for: no consumer is made.
 */

import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import {
  foldTelecommand,
  keptFold,
  type TelecommandFold,
  UNWRITTEN,
} from '../../machines/telecommand/fold.ts';
import type { KeptEnvelopes } from '../../messaging/kept-envelopes.ts';
import type { Bus, StreamMessage } from '../../ports/bus.ts';
import type { KeptEnvelope } from '../../ports/entity.ts';
import { type History, markOf, type Recorded, readHistory, readRecorded } from './history.ts';
import { cellId } from './work.ts';

export interface Standing {
  readonly fold: TelecommandFold;
  /** Position of the last message, readable or not; 0 when there is none. */
  readonly position: number;
  /** Of the last message, when it is an event. */
  readonly mark: string | undefined;
  /** What is kept beside the log covers all of it. */
  readonly isKept: boolean;
  /** Position of the first message that is no event (telecommand/history.G5). */
  readonly unreadable: number | undefined;
  /** What is kept beside the log covers events that the log does not have. */
  readonly isCut: boolean;
}

/** Nothing has been recorded. */
export const UNBEGUN: Standing = {
  fold: UNWRITTEN,
  position: 0,
  mark: undefined,
  isKept: false,
  unreadable: undefined,
  isCut: false,
};

export function standingOf({ recorded, last, unreadable }: History, before = UNWRITTEN): Standing {
  const newest = recorded.at(-1);
  return {
    fold: foldTelecommand(recorded, before),
    position: last,
    mark: newest?.seq === last ? markOfRecorded(newest) : undefined,
    isKept: false,
    unreadable,
    isCut: false,
  };
}

/** Where it stands now. Throws `Outage`. */
export async function readStanding(
  bus: Bus,
  target: string,
  id: string,
  kept?: Pick<KeptEnvelopes, 'read'>,
): Promise<Standing> {
  const envelope = await kept?.read(cellId(target, id));
  const about = subject.tcEvent(target, id);
  const last = envelope && (await bus.last(streams.telecommandEvents, about));
  const standing = envelope && last && (await standingBehind(bus, { target, id }, envelope, last));
  return standing ?? standingOf(await readHistory(bus, target, id));
}

/** The same from an envelope on; undefined when it does not count (T1). `last`: the last message of the subject. */
export async function standingBehind(
  bus: Bus,
  { target, id }: { readonly target: string; readonly id: string },
  { snapshot, revision, covers }: KeptEnvelope,
  last: StreamMessage,
): Promise<Standing | undefined> {
  const fold = keptFold(snapshot, revision);
  const { position } = covers;
  if (fold === undefined || position > last.seq) return undefined;
  if (position === last.seq) {
    const recorded = readRecorded(last);
    if (recorded === undefined || markOfRecorded(recorded) !== covers.mark) return undefined;
    return { fold, position, mark: covers.mark, isKept: true, unreadable: undefined, isCut: false };
  }
  const { recorded, ...history } = await readHistory(bus, target, id, position);
  const [covered, ...behind] = recorded;
  if (covered?.seq !== position || markOfRecorded(covered) !== covers.mark) return undefined;
  return standingOf({ recorded: behind, ...history }, fold);
}

function markOfRecorded({ event, epoch }: Recorded): string {
  return markOf(event.state, event.at, epoch);
}
