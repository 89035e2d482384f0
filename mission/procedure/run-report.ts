/**
 * The report of a run: what its log says of how it went, as one document. Mission Control Service, section 3.2
 * (MC-STM-031).
 *
 * R1. It is derived from the log alone: the same log gives the same report, so making it again after a crash changes
 *     nothing.
 * R2. It is bounded: past `RUN_REPORT_ENTRIES` of a kind the log has the rest, and `omitted` says how many.
 */

import { RUN_REPORT_BYTES, RUN_REPORT_ENTRIES } from '../../contract/limits/run.ts';
import type { RunEvent, RunEventKind } from '../../contract/run-event.ts';
import type { RunReport, RunReportEntries } from '../../contract/run-report.ts';

type Of<Kind extends RunEventKind> = Extract<RunEvent, { event: Kind }>;

/** The report in as many entries as fit in so many bytes, in the end without inputs (R2). */
export function reportText(run: string, log: readonly RunEvent[], bytes: number = RUN_REPORT_BYTES): Buffer {
  for (let most = RUN_REPORT_ENTRIES; ; most = Math.floor(most / 4)) {
    const report = Buffer.from(JSON.stringify(reportOf(run, log, most)));
    if (report.length <= bytes) return report;
    if (most === 0) return Buffer.from(JSON.stringify(reportOf(run, log.map(withoutInputs), 0)));
  }
}

function withoutInputs(event: RunEvent): RunEvent {
  return event.event === 'started' ? { ...event, inputs: {} } : event;
}

/** The report of a log with at most so many entries of each kind. */
export function reportOf(
  run: string,
  log: readonly RunEvent[],
  most: number = RUN_REPORT_ENTRIES,
): RunReport {
  const [first] = log;
  const last = log.at(-1);
  const missing = (last?.seq ?? 0) - log.length;
  return {
    format: 1,
    run,
    ...(first?.event === 'started' && { started: startedPart(first) }),
    ...(last?.event === 'finished' && { ended: endedPart(last) }),
    events: log.length,
    ...(missing > 0 && { missing }),
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
): RunReportEntries<Kind> {
  const wanted = log.filter((event): event is Of<Kind> => kinds.some((kind) => kind === event.event));
  const shown = wanted.slice(0, most).map(({ run: _, ...entry }) => entry as Omit<Of<Kind>, 'run'>);
  return { entries: shown, omitted: wanted.length - shown.length };
}
