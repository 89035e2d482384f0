/**
 * Telecommands whose events may have left TC_EVENTS by their age, as the archives have them in the log of events. Ours
 * (decision 55): so identifiers stay durable and histories whole for as long as events are archived (O4).
 *
 * B1. An identifier says when it was drawn. What was drawn since TC_EVENTS keeps messages is there, and is looked for
 *     nowhere else; not what was drawn before the first message that it holds, or before it was made (bus/past.H5).
 * B2. A telecommand is submitted within two hours of the drawing of its identifier, or it is not found: what nobody
 *     ever submitted would cost the whole log. What was found and has no end yet is followed for as long as one lives.
 * B3. A cell without an archive knows nothing beyond TC_EVENTS, nor does one of the time before its archive began.
 *     Where there is one that does not answer, nobody knows; nor of a telecommand that is not found where the archive
 *     cannot read what it has of that time, lost messages of it, or has not read them yet, nor where another archive
 *     reaches further back and is not the one that answered.
 */

import type { ArchiveState } from '../contract/archive-wire.ts';
import { streams } from '../contract/bus/streams.ts';
import type { ArchivedEvent, ArchivedEvents, EventPlace, EventQuery } from '../contract/event-query.ts';
import { EVENT_PAGE } from '../contract/limits/event.ts';
import { TC_PAST_QUESTIONS, TC_PAST_WINDOWS } from '../contract/limits/telecommand.ts';
import { readTcEvent, type TcEvent } from '../contract/telecommand.ts';
import { drawnAt } from '../contract/telecommand-id.ts';
import { isFinalTcState } from '../contract/telecommand-state.ts';
import { keptSince } from '../messaging/kept-since.ts';
import { refuse } from './errors.ts';
import type { RoutePorts } from './ports.ts';
import type { Handled, Refusal } from './reply.ts';

type PastPorts = Pick<RoutePorts, 'bus' | 'clock' | 'history'>;

/** Whether events of it may have left TC_EVENTS (B1). Rejects with `Outage`. */
export async function mayHaveLeft(
  id: string,
  { bus, clock }: Pick<PastPorts, 'bus' | 'clock'>,
): Promise<boolean> {
  const drawn = drawnAt(id);
  if (drawn < keptSince(bus, streams.telecommandEvents, clock.now())) return true;
  return drawn < (await bus.leftUntil(streams.telecommandEvents));
}

/** Its events in order; none: no archive has any. Refused where that is not known (B3). */
export async function pastEvents(
  target: string,
  id: string,
  ports: PastPorts,
): Promise<Handled<readonly TcEvent[]>> {
  const drawn = drawnAt(id);
  const where = { kind: ['telecommand'], target: [target], subject: [id] };
  const found: ArchivedEvent[] = [];
  let doubt: string | undefined;
  let from = drawn - TC_PAST_WINDOWS.before;
  for (const behind of TC_PAST_WINDOWS.behind) {
    const isNeeded = found.length === 0 ? behind <= TC_PAST_WINDOWS.submitted : !isWhole(eventsIn(found));
    if (!isNeeded) break;
    const to = drawn + behind;
    const read = await readAll({ from, to, where, data: true }, ports);
    if (!read.ok) return read;
    found.unshift(...read.value.events);
    doubt ??= read.value.doubt;
    from = to;
  }
  if (found.length === 0 && doubt !== undefined) return unknown(doubt);
  return { ok: true, value: eventsIn(found) };
}

/** Whether the events of a telecommand reach to its end. */
export function isWhole(events: readonly TcEvent[]): boolean {
  return events.some(({ state }) => isFinalTcState(state));
}

interface Found {
  /** The newest first. */
  readonly events: ArchivedEvent[];
  /** Why what is not among them may have been there all the same (B3). */
  doubt: string | undefined;
}

async function readAll(query: EventQuery, { history }: PastPorts): Promise<Handled<Found>> {
  const found: Found = { events: [], doubt: undefined };
  let before: EventPlace | undefined;
  for (let asked = 0; asked < TC_PAST_QUESTIONS; asked += 1) {
    const page = before === undefined ? { limit: EVENT_PAGE } : { before, limit: EVENT_PAGE };
    const answer = await history.source.events(query, page);
    if (!answer.ok) return answer.faults[0].code === 'archive::none' ? { ok: true, value: found } : unknown();
    const { value, archive } = answer.value;
    const { events, next } = value;
    found.events.push(...events);
    found.doubt ??=
      doubtOf(value, archive, query.to) ??
      beganLater(value, archive, { until: query.to, known: history.source.archives() });
    if (next === undefined) return { ok: true, value: found };
    before = next;
  }
  return unknown();
}

/** What is missing of the past up to that time. */
function doubtOf(
  { damaged, gaps }: ArchivedEvents,
  { events }: ArchiveState,
  until: number,
): string | undefined {
  if (damaged.length > 0) return 'the archive cannot read what it has of that time';
  // One from 1970 on ends where the archive began.
  if (gaps.some(({ from }) => from > 0)) return 'messages of that time never reached the archive';
  const isRead = events === undefined || events.pending === 0 || (events.readAt ?? 0) >= until;
  return isRead ? undefined : 'the archive has not read its messages of that time yet';
}

/** Archives are asked from the longest past on, and the next one only where one does not answer. */
function beganLater(
  { gaps }: ArchivedEvents,
  { archive, events }: ArchiveState,
  { until, known }: { readonly until: number; readonly known: readonly ArchiveState[] },
): string | undefined {
  const end = Math.min(until, events?.begins ?? until);
  const isFurther = (other: ArchiveState): boolean =>
    other.archive !== archive && (other.events?.begins ?? end) < end;
  if (!gaps.some(({ from }) => from === 0) || !known.some(isFurther)) return undefined;
  return 'the archive that reaches back to that time does not answer';
}

function eventsIn(found: readonly ArchivedEvent[]): TcEvent[] {
  return found.flatMap((event) => eventIn(event) ?? []).reverse();
}

/** One whose document was too long to be kept, or cannot be read, says less and is an event all the same. */
function eventIn({ data, subject, state, time }: ArchivedEvent): TcEvent | undefined {
  const bare = JSON.stringify({ tc: subject, state, at: new Date(time).toISOString() });
  const whole = data === undefined ? undefined : readTcEvent(Buffer.from(data));
  return whole ?? readTcEvent(Buffer.from(bare));
}

function unknown(why = 'no archive answers'): Refusal {
  return refuse('api::unavailable', `events of this telecommand may be archived, and ${why}`, {
    help: 'Try again in a moment. An identifier that is drawn now needs no archive.',
  });
}
