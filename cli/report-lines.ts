/**
 * The report of a run as lines of text: what it was, how it ended, and a section for each kind of entry. Pure but for
 * the zone, as `pass-look.ts`.
 *
 * L1. No control character of what the report repeats reaches the terminal.
 * L2. What is not in the report is said: entries left out, and events of the log that are nowhere any more.
 */

import type { RunEvent, RunEventKind } from '../contract/run-event.ts';
import type { RunReport, RunReportEntries } from '../contract/run-report.ts';
import { pairsText, runWords } from '../contract/run-words.ts';
import { fieldLines } from './fields.ts';
import { dressed, lasting, momentText } from './pass-look.ts';
import { printable } from './printable.ts';
import { verdictOf } from './run-line.ts';

interface ReportLook {
  readonly local: boolean;
  readonly colour: boolean;
}

/** Lines of text, without their ends. */
export function reportLines(report: RunReport, look: ReportLook): string[] {
  return [report.run, ...headLines(report, look), ...SECTIONS.flatMap((section) => section(report, look))];
}

function headLines(report: RunReport, { local, colour }: ReportLook): string[] {
  const { started, ended, events, missing } = report;
  const lines = fieldLines([
    ['state', stateText(report)],
    ['procedure', started && `${started.procedure} of ${started.library}`],
    ['targets', started && pairsText(started.targets)],
    ['inputs', started && (pairsText(started.inputs) || undefined)],
    ['environment', started?.environment],
    ['by', started?.by],
    ['started', started && momentText(started.at, local)],
    ['ended', ended && `${momentText(ended.at, local)}${lastedText(report)}`],
    ['events', `${events}${missing === undefined ? '' : `; ${missing} more are not there any more`}`],
  ]);
  const tone = ended?.ok === false ? 'red' : undefined;
  return lines.map((line, at) => dressed(line, at === 0 ? tone : undefined, { colour, width: undefined }));
}

function stateText({ ended }: RunReport): string {
  if (ended === undefined) return 'not over';
  if (ended.ok) return 'passed';
  return `FAILED${ended.reason === undefined ? '' : `: ${ended.reason}`}`;
}

function lastedText({ started, ended }: RunReport): string {
  if (started === undefined || ended === undefined) return '';
  const ms = Date.parse(ended.at) - Date.parse(started.at);
  return ms >= 0 ? `, after ${lasting(ms)}` : '';
}

type Section = (report: RunReport, look: ReportLook) => string[];

const SECTIONS: readonly Section[] = [
  sectionOf('steps', ({ steps }) => steps),
  sectionOf('telecommands', ({ telecommands }) => telecommands),
  sectionOf('conditions that were not so', (report) => report.failed_checks),
  sectionOf('decisions', ({ decisions }) => decisions),
  sectionOf('answers', ({ answers }) => answers),
  sectionOf('interruptions', ({ interruptions }) => interruptions),
];

/** Nothing where there is nothing of the kind. */
function sectionOf<Kind extends RunEventKind>(
  title: string,
  entriesOf: (report: RunReport) => RunReportEntries<Kind>,
): Section {
  return (report, look) => {
    const { entries, omitted } = entriesOf(report);
    const all = entries.length + omitted;
    if (all === 0) return [];
    const lines = entries.map((entry) =>
      entryLine({ ...entry, run: report.run } as unknown as RunEvent, look),
    );
    const rest = omitted === 0 ? [] : [`  … ${omitted} more are in its log: mcs run follow ${report.run}`];
    return ['', `${title} (${all})`, ...lines, ...rest];
  };
}

function entryLine(event: RunEvent, { local, colour }: ReportLook): string {
  const words = runWords(event);
  const { text, notes = [], tone } = words;
  const path = 'path' in event ? `${event.path}  ` : '';
  const said = [`${leadOf(event, words.what)}${text}${verdictOf(words)}`, ...notes].join(', ');
  const line = `  ${momentText(event.at, local)}  ${path}${said.trim()}`;
  return dressed(printable(line).trimEnd(), tone === 'bad' ? 'red' : undefined, { colour, width: undefined });
}

/** Where the section does not say already what it was. */
function leadOf({ event }: RunEvent, what: string): string {
  return event === 'suspended' || event === 'continued' || event === 'taken_over' ? `${what} ` : '';
}
