/**
 * What a new owner of a lane finds of each telecommand that was submitted before it came. Part of a lane.
 *
 * R1. Only what stands between the low-water mark and the head is looked at, each telecommand by the subject of its
 *     own: what is finished costs one question, what is open and kept no more (`leftovers.ts`), and what is below the
 *     low-water mark nothing, however much of it there is. Where much of it is finished that is read for all lanes
 *     together (`finished-before.ts`).
 * R2. A history that may be cut is not gone on from where it would send: what is stored of the telecommand was read
 *     before a stream went back (low-water-mark.F3), what is kept beside its log covers events that the log does not
 *     have, or it is no event. Nobody knows whether it left, and that is its end.
 * R3. A telecommand whose submission is gone with the past of its stream is ended likewise.
 * R4. Its identifier says when it was drawn. One drawn shortly before the loss and submitted behind it may be the
 *     repetition of one that was lost with all its history, by a client or by its run: it is not sent, and not said to
 *     have never left. That it was taken up shows nothing: an owner that ends it begins its history first, and may not
 *     get further.
 * R7. Events that the stream lost while nobody noticed leave holes in it. A telecommand that was drawn before, of which
 *     no frame is known, may have left with them.
 * R8. What was submitted before TC_EVENTS keeps anything is over: its history may have left by its age, and that it is
 *     not found shows nothing.
 * R6. An ENCODED without the PENDING before it is such a history as well.
 * R5. An end of which nobody knows whether it left is recorded by an ENCODED that names no frame (`given-up.ts`): where
 *     its owner got no further, the next one records the rest of that end and asks no gateway.
 */

import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { drawnAt } from '../../contract/telecommand-id.ts';
import { isFinalTcState } from '../../contract/telecommand-state.ts';
import type { TelecommandInput } from '../../machines/telecommand/telecommand.ts';
import type { KeptEnvelopes } from '../../messaging/kept-envelopes.ts';
import type { LowWaterMark, WentBack } from '../../messaging/low-water-mark.ts';
import type { Bus, StreamMessage } from '../../ports/bus.ts';
import { isOver, type Recorded, readHistory, readRecorded } from './history.ts';
import { type Standing, standingBehind, standingOf, UNBEGUN } from './standing.ts';
import { cellId } from './work.ts';

/** Of PENDING and ENCODED: what comes before ENCODED is one event. */
const ENCODED_REVISION = 2;

/** Longer than a telecommand lives: from its submission over its age to the end of its verification. */
const LIFE_MS = 24 * 3_600_000;

/** R4, R7 */
export const LOST_BEFORE = 'the bus lost messages, and events of this telecommand may be among them';

/** Where a telecommand stands that was submitted before; `over` when it is. Throws `Outage`. */
export async function historyBefore(
  bus: Bus,
  target: string,
  id: string,
  kept?: Pick<KeptEnvelopes, 'read'>,
): Promise<Standing | 'over'> {
  const last = await bus.last(streams.telecommandEvents, subject.tcEvent(target, id));
  const state = last && readRecorded(last)?.event.state;
  if (state !== undefined && isFinalTcState(state)) return 'over';
  const envelope = await kept?.read(cellId(target, id));
  const isCut = envelope !== undefined && envelope.covers.position > (last?.seq ?? 0);
  if (last === undefined) return { ...UNBEGUN, isCut };
  const standing = envelope && (await standingBehind(bus, { target, id }, envelope, last));
  const found = standing ?? { ...standingOf(await readHistory(bus, target, id)), isCut };
  return found.fold.state !== undefined && isFinalTcState(found.fold.state) ? 'over' : found;
}

/** Why a telecommand cannot go on from its history; undefined when it can (R2). */
export function cutBy(
  { at, id }: { readonly at: number; readonly id: string },
  { fold: { state, frame, revision }, unreadable, isCut }: Pick<Standing, 'fold' | 'unreadable' | 'isCut'>,
  { wentBack, lostUntil }: Pick<LowWaterMark<never>, 'wentBack' | 'lostUntil'>,
): string | undefined {
  if (unreadable !== undefined) return `what stands at position ${unreadable} of its history cannot be read`;
  // The key of its frame is made of the number of its events: another one would send it a second time.
  if (state === 'ENCODED' && revision !== ENCODED_REVISION) return 'a part of its history is lost';
  if (state === 'ENCODED' && frame === undefined) return 'an owner before was ending it: it names no frame';
  const wasRead = wentBack !== undefined && at <= wentBack.until;
  if (!isCut && !wasRead && !isDrawnBefore(id, lostUntil)) return undefined;
  if (hasFrame(state)) return undefined;
  if (isCut) return 'stored events of its history are lost';
  if (!wasRead) return LOST_BEFORE;
  const lost = [...wentBack.streams];
  const names = lost.length === 0 ? '' : ` (${lost.join(', ')})`;
  return `the bus went back in time, and what it held of it is lost${names}`;
}

/** Past ENCODED the gateway knows what left, and verification looks at what the spacecraft says. */
function hasFrame(state: Standing['fold']['state']): boolean {
  return state === 'ENCODED' || state === 'SENT';
}

/** R7: until when events were lost among which those of a telecommand may be; undefined: none. Throws `Outage`. */
export async function lostUnnoticed(
  bus: Pick<Bus, 'holesUntil'>,
  id: string,
  { fold: { state } }: Pick<Standing, 'fold'>,
): Promise<number | undefined> {
  if (hasFrame(state)) return undefined;
  const until = await bus.holesUntil(streams.telecommandEvents);
  return until !== undefined && isDrawnBefore(id, until) ? until : undefined;
}

/** R4. Who repeats it later does so behind the window of the identifiers, and longer than a telecommand may wait. */
function isDrawnBefore(id: string, until: number): boolean {
  const at = drawnAt(id);
  return at <= until && at > until - streams.telecommands.dedupeMs;
}

/**
 * Telecommands without an end that nobody can submit again: what their first event says of each (R3). Throws `Outage`.
 */
export async function orphans(
  bus: Bus,
  target: string,
  { until }: WentBack,
  isKnown: (id: string) => boolean,
): Promise<TelecommandInput[]> {
  const histories = new Map<string, Recorded[]>();
  const take = (message: StreamMessage): void => {
    const recorded = readRecorded(message);
    if (recorded === undefined) return;
    const { tc } = recorded.event;
    const history = histories.get(tc);
    if (history === undefined) histories.set(tc, [recorded]);
    else history.push(recorded);
  };
  const from = { from: 'time', at: Math.max(0, until - LIFE_MS) } as const;
  const follower = await bus.follow(streams.telecommandEvents, subject.tcEvents(target), from, take);
  await follower.caughtUp;
  await follower.stop();
  return [...histories.values()].flatMap((history) => {
    const [first] = history;
    const isOpen = first?.event.state === 'PENDING' && !isOver(history) && !isKnown(first.event.tc);
    return isOpen ? [inputOf(target, first)] : [];
  });
}

function inputOf(target: string, { event, begun }: Recorded): TelecommandInput {
  const { tc, at, by, run, step, telecommand } = event;
  const { component = '', instance, telecommand: name = '' } = telecommand ?? {};
  return {
    id: tc,
    target,
    component,
    telecommand: name,
    at: Date.parse(at),
    changesState: begun?.changesState ?? true,
    verifyWithinMs: begun?.verifyWithinMs ?? null,
    ...(instance !== undefined && { instance }),
    ...(by !== undefined && { by }),
    ...(run !== undefined && { run }),
    ...(step !== undefined && { step }),
  };
}
