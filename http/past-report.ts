/**
 * The report of a run: as it was archived at its end, else from its log, else from what the archive keeps of that.
 *
 * P1. The same log gives the same report (run-report.R1), so it does not matter where the log stands: what the stream
 *     has discarded of it, all or its beginning, is read from the archive. Events that are nowhere are counted in it.
 * P2. A run is drawn at the time in its identifier. The archive is asked from there on, for longer and longer, until
 *     the run is over: what is asked does not grow with what is stored. After `RUN_REPORT_PAGES` pages what was found
 *     is the answer.
 * P3. Without any archive the stream has all there is. Where one is registered and not there, nobody knows: refused.
 */

import { decodeTime } from 'ulid';
import { buckets } from '../contract/bus/buckets.ts';
import type { EventPlace } from '../contract/event-query.ts';
import { EVENT_PAGE } from '../contract/limits/event.ts';
import { RUN_REPORT_PAGES } from '../contract/limits/run.ts';
import type { RunSummary } from '../contract/run.ts';
import { type RunEvent, readRunEvent } from '../contract/run-event.ts';
import { type RunReport, readRunReport } from '../contract/run-report.ts';
import { reportOf } from '../mission/procedure/run-report.ts';
import { eventsOf } from './events/page.ts';
import { archivesOfCell, doubtWithoutArchive, refusedForDoubt } from './past-doubt.ts';
import type { RoutePorts } from './ports.ts';
import type { Handled } from './reply.ts';
import { findRun, readLog, unknownRun } from './run-record.ts';

const DAY_MS = 86_400_000;
/** Clocks of processes differ. */
const BEFORE_MS = 60_000;
/** How long after it was drawn a run may be over, one after the other (P2). */
const ENDS_MS = [DAY_MS, 10 * DAY_MS, 100 * DAY_MS] as const;

type Ports = Pick<RoutePorts, 'bus' | 'connectors' | 'history' | 'runs'>;

/** Rejects with `Outage`. */
export async function reportOfRun(
  run: string,
  ports: Ports,
  gone: AbortSignal | undefined,
): Promise<Handled<RunReport>> {
  const entry = await ports.bus.bucket(buckets.runReports).get(run);
  const archived = entry && readRunReport(entry.value);
  if (archived !== undefined) return { ok: true, value: archived };
  const log = await readLog(run, ports);
  const known = log.length > 0 ? undefined : await findRun(run, ports);
  if (isWhole(log, known)) return { ok: true, value: reportOf(run, log) };
  const past = await archivedLog(run, ports, gone);
  if (!past.ok) {
    if (past.faults[0].code !== 'archive::none') return past;
    const doubt = doubtWithoutArchive(archivesOfCell(ports.history.source.archives(), ports.connectors));
    if (doubt !== undefined) return refusedForDoubt('run', doubt);
  }
  const whole = joined(past.ok ? past.value : [], log);
  if (whole.length === 0 && known === undefined) return unknownRun(run);
  return { ok: true, value: reportOf(run, whole) };
}

/** The stream has all there is of the log: from its first event on, or the run has not begun. */
function isWhole([first]: readonly RunEvent[], known: RunSummary | undefined): boolean {
  if (first !== undefined) return first.seq === 1;
  return known !== undefined && known.started_at === undefined && known.finished === undefined;
}

/** Each event once, in the order of the log. */
function joined(...logs: readonly (readonly RunEvent[])[]): readonly RunEvent[] {
  const bySeq = new Map(logs.flat().map((event) => [event.seq, event]));
  return [...bySeq.values()].sort((one, other) => one.seq - other.seq);
}

/** P2 */
async function archivedLog(
  run: string,
  ports: Ports,
  gone: AbortSignal | undefined,
): Promise<Handled<readonly RunEvent[]>> {
  const drawn = decodeTime(run);
  const log: RunEvent[] = [];
  let from = drawn - BEFORE_MS;
  let pages = 0;
  for (const ends of ENDS_MS) {
    const query = { from, to: drawn + ends, where: { kind: ['run'], run: [run] }, data: true };
    let before: EventPlace | undefined;
    do {
      const found = await eventsOf({ query, page: { before, limit: EVENT_PAGE } }, ports, gone);
      if (!found.ok) return found;
      const { events, next } = found.value.value;
      for (const { data } of events) {
        const event = data === undefined ? undefined : readRunEvent(Buffer.from(data));
        if (event?.run === run) log.push(event);
      }
      before = next;
      pages += 1;
    } while (before !== undefined && pages < RUN_REPORT_PAGES);
    from = query.to;
    if (pages >= RUN_REPORT_PAGES || log.some(({ event }) => event === 'finished')) break;
  }
  return { ok: true, value: log };
}
