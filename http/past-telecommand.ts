/**
 * Telecommands whose events may have left TC_EVENTS by their age, as the archives have them in the log of events. Ours
 * (decision 55): so identifiers stay durable and histories whole for as long as events are archived (O4).
 *
 * B1. An identifier says when it was drawn. What was drawn since TC_EVENTS keeps messages is there, and is looked for
 *     nowhere else; not what was drawn before the first message that it holds, or before it was made (bus/past.H5).
 * B2. A telecommand is submitted within two hours of the drawing of its identifier, or it is not found: what nobody
 *     ever submitted would cost the whole log. What was found and has no end yet is followed for as long as one lives.
 * B3. A cell without an archive knows nothing beyond TC_EVENTS, nor does one of the time before its archives began.
 *     Where no archive of the cell answers, nobody knows; nor of a telecommand that is not found, as long as each of
 *     those that answer leaves a doubt (past-doubt.D1 to D3). Others are asked only where the first one leaves one.
 */

import { streams } from '../contract/bus/streams.ts';
import type { ArchivedEvent, EventPlace, EventQuery } from '../contract/event-query.ts';
import { EVENT_PAGE } from '../contract/limits/event.ts';
import { TC_PAST_QUESTIONS, TC_PAST_WINDOWS } from '../contract/limits/telecommand.ts';
import { readTcEvent, type TcEvent } from '../contract/telecommand.ts';
import { drawnAt } from '../contract/telecommand-id.ts';
import { isFinalTcState } from '../contract/telecommand-state.ts';
import { keptSince } from '../messaging/kept-since.ts';
import { archivesOfCell, type Doubt, doubtOf, doubtWithoutArchive, refusedForDoubt } from './past-doubt.ts';
import type { RoutePorts } from './ports.ts';
import type { Handled, Refusal } from './reply.ts';

type PastPorts = Pick<RoutePorts, 'connectors' | 'history'>;

/** Whether events of it may have left TC_EVENTS (B1). Rejects with `Outage`. */
export async function mayHaveLeft(
  id: string,
  { bus, clock }: Pick<RoutePorts, 'bus' | 'clock'>,
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
  const first = await foundBy(undefined, target, id, ports);
  if (!first.ok) return first;
  const { events, doubt, archive } = first.value;
  if (events.length > 0 || doubt === undefined) return { ok: true, value: eventsIn(events) };
  for (const other of ports.history.source.archives()) {
    if (!other.alive || other.archive === archive) continue;
    const found = await foundBy(other.archive, target, id, ports);
    if (found.ok && (found.value.events.length > 0 || found.value.doubt === undefined))
      return { ok: true, value: eventsIn(found.value.events) };
  }
  return unknown(doubt);
}

/** Whether the events of a telecommand reach to its end. */
export function isWhole(events: readonly TcEvent[]): boolean {
  return events.some(({ state }) => isFinalTcState(state));
}

interface Found {
  /** The newest first. */
  readonly events: ArchivedEvent[];
  /** Why what is not among them may have been there all the same (B3). */
  doubt: Doubt | undefined;
  /** The one that answered; undefined: there is none. */
  archive: string | undefined;
}

/** In one archive, or in the first that answers. */
async function foundBy(
  archive: string | undefined,
  target: string,
  id: string,
  ports: PastPorts,
): Promise<Handled<Found>> {
  const drawn = drawnAt(id);
  const where = { kind: ['telecommand'], target: [target], subject: [id] };
  const found: Found = { events: [], doubt: undefined, archive: undefined };
  let from = drawn - TC_PAST_WINDOWS.before;
  for (const behind of TC_PAST_WINDOWS.behind) {
    const { events } = found;
    const isNeeded = events.length === 0 ? behind <= TC_PAST_WINDOWS.submitted : !isWhole(eventsIn(events));
    if (!isNeeded) break;
    const to = drawn + behind;
    const read = await readAll({ from, to, where, data: true }, archive, ports);
    if (!read.ok) return read;
    events.unshift(...read.value.events);
    found.doubt ??= read.value.doubt;
    found.archive = read.value.archive;
    from = to;
  }
  return { ok: true, value: found };
}

async function readAll(
  query: EventQuery,
  of: string | undefined,
  { history, connectors }: PastPorts,
): Promise<Handled<Found>> {
  const found: Found = { events: [], doubt: undefined, archive: undefined };
  let before: EventPlace | undefined;
  for (let asked = 0; asked < TC_PAST_QUESTIONS; asked += 1) {
    const answer = await history.source.events(query, { before, limit: EVENT_PAGE, of });
    const cell = archivesOfCell(history.source.archives(), connectors);
    if (!answer.ok) {
      if (of !== undefined || cell.known.length > 0) return unknown();
      found.doubt ??= doubtWithoutArchive(cell);
      return { ok: true, value: found };
    }
    const { value, archive } = answer.value;
    const { events, next } = value;
    found.events.push(...events);
    found.doubt ??= doubtOf(value, archive, { until: query.to, cell });
    found.archive = archive.archive;
    if (next === undefined) return { ok: true, value: found };
    before = next;
  }
  return unknown();
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

const NO_ANSWER: Doubt = { why: 'no archive answers' };

function unknown(doubt: Doubt = NO_ANSWER): Refusal {
  return refusedForDoubt('telecommand', doubt, ' An identifier that is drawn now needs no archive.');
}
