/**
 * The report of a run: what its log says of how it went, as one document in bucket `mcs_run_reports`. Mission Control
 * Service, section 3.2 (MC-STM-031).
 *
 * R1. It is derived from the log alone: the same log gives the same report, so making it again after a crash changes
 *     nothing.
 * R2. It is bounded: past `RUN_REPORT_ENTRIES` of a kind the log has the rest, and `omitted` says how many.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { RUN_REPORT_BYTES, RUN_REPORT_ENTRIES } from '../../contract/limits.ts';
import type { RunEvent, RunEventKind } from '../../contract/run.ts';
import type { Bus } from '../../ports/bus.ts';

type Of<Kind extends RunEventKind> = Extract<RunEvent, { event: Kind }>;

export interface RunReport {
  readonly format: 1;
  readonly run: string;
  readonly started?: Omit<Of<'started'>, 'run' | 'seq' | 'event'>;
  readonly ended?: { readonly at: string; readonly ok: boolean; readonly reason?: string };
  readonly events: number;
  readonly steps: Entries<'step_finished'>;
  readonly telecommands: Entries<'telecommand_finished'>;
  readonly failed_checks: Entries<'checked'>;
  readonly decisions: Entries<'decision_required'>;
  readonly answers: Entries<'answered' | 'answer_refused'>;
  readonly interruptions: Entries<'suspended' | 'continued' | 'taken_over'>;
}

interface Entries<Kind extends RunEventKind> {
  readonly entries: readonly Omit<Of<Kind>, 'run'>[];
  readonly omitted: number;
}

/** Archives the report of a log. Throws `Outage`. */
export async function archiveReport(bus: Bus, run: string, log: readonly RunEvent[]): Promise<void> {
  await bus.bucket(buckets.runReports).overwrite(run, fitting(run, log));
}

/** The report in as many entries as fit in a message (R2). */
function fitting(run: string, log: readonly RunEvent[]): Buffer {
  for (let most = RUN_REPORT_ENTRIES; ; most = Math.floor(most / 4)) {
    const report = Buffer.from(JSON.stringify(reportOf(run, log, most)));
    if (report.length <= RUN_REPORT_BYTES || most === 0) return report;
  }
}

/** The report of a log with at most so many entries of each kind. */
export function reportOf(
  run: string,
  log: readonly RunEvent[],
  most: number = RUN_REPORT_ENTRIES,
): RunReport {
  const [first] = log;
  const last = log.at(-1);
  return {
    format: 1,
    run,
    ...(first?.event === 'started' && { started: startedPart(first) }),
    ...(last?.event === 'finished' && { ended: endedPart(last) }),
    events: log.length,
    steps: entries(log, most, ['step_finished']),
    telecommands: entries(log, most, ['telecommand_finished']),
    failed_checks: entries(
      log.filter((event) => event.event !== 'checked' || !event.ok),
      most,
      ['checked'],
    ),
    decisions: entries(log, most, ['decision_required']),
    answers: entries(log, most, ['answered', 'answer_refused']),
    interruptions: entries(log, most, ['suspended', 'continued', 'taken_over']),
  };
}

function startedPart({
  run: _,
  seq: _seq,
  event: _event,
  ...started
}: Of<'started'>): NonNullable<RunReport['started']> {
  return started;
}

function endedPart({ at, ok, reason }: Of<'finished'>): NonNullable<RunReport['ended']> {
  return { at, ok, ...(reason !== undefined && { reason }) };
}

function entries<Kind extends RunEventKind>(
  log: readonly RunEvent[],
  most: number,
  kinds: readonly Kind[],
): Entries<Kind> {
  const wanted = log.filter((event): event is Of<Kind> => kinds.some((kind) => kind === event.event));
  const shown = wanted.slice(0, most).map(({ run: _, ...entry }) => entry as Omit<Of<Kind>, 'run'>);
  return { entries: shown, omitted: wanted.length - shown.length };
}
