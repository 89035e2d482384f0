/** The report of a run: what its log says of how it went. Mission Control Service, section 3.2; its content is ours. */

import Type from 'typebox';
import { parseJsonBytes } from './json-bytes.ts';
import { RUN_REPORT_ENTRIES } from './limits/run.ts';
import { asObject } from './reply.ts';
import { RUN_EVENT_KINDS, type RunEvent, type RunEventKind } from './run-event.ts';
import { ULID_PATTERN } from './token.ts';

const closed = { additionalProperties: false } as const;
const open = { additionalProperties: true } as const;
const At = Type.String({ format: 'date-time' });

type Of<Kind extends RunEventKind> = Extract<RunEvent, { event: Kind }>;

export interface RunReportEntries<Kind extends RunEventKind> {
  readonly entries: readonly Omit<Of<Kind>, 'run'>[];
  readonly omitted: number;
}

export interface RunReport {
  readonly format: 1;
  readonly run: string;
  readonly started?: Omit<Of<'started'>, 'run' | 'seq' | 'event'>;
  readonly ended?: { readonly at: string; readonly ok: boolean; readonly reason?: string };
  readonly events: number;
  /** Of the log, where it was made from what is left of that. */
  readonly missing?: number;
  readonly steps: RunReportEntries<'step_finished'>;
  readonly telecommands: RunReportEntries<'telecommand_finished'>;
  readonly failed_checks: RunReportEntries<'checked'>;
  readonly decisions: RunReportEntries<'decision_required'>;
  readonly answers: RunReportEntries<'answered' | 'answer_refused'>;
  readonly interruptions: RunReportEntries<'suspended' | 'continued' | 'taken_over'>;
}

function entriesOf(what: string) {
  const entry = Type.Object(
    { seq: Type.Integer({ minimum: 1 }), at: At, event: Type.Enum(RUN_EVENT_KINDS) },
    { ...open, description: 'As in the log, without `run`.' },
  );
  return Type.Object(
    {
      entries: Type.Array(entry, { maxItems: RUN_REPORT_ENTRIES }),
      omitted: Type.Integer({ minimum: 0, description: 'More of them are in the log.' }),
    },
    { ...closed, description: what },
  );
}

const none = { entries: [], omitted: 0 };

/** As routes describe it. */
export const RunReportView = Type.Object(
  {
    format: Type.Literal(1),
    run: Type.String({ pattern: ULID_PATTERN }),
    started: Type.Optional(
      Type.Object(
        { at: At, procedure: Type.String(), environment: Type.String() },
        { ...open, description: 'What the log says in `started`.' },
      ),
    ),
    ended: Type.Optional(
      Type.Object(
        { at: At, ok: Type.Boolean(), reason: Type.Optional(Type.String()) },
        { ...closed, description: 'Absent while it is not over.' },
      ),
    ),
    events: Type.Integer({ minimum: 0, description: 'Of its log.' }),
    missing: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'Events of the log that are not there any more, of a report that was made from what is left.',
      }),
    ),
    steps: entriesOf('Steps that ended.'),
    telecommands: entriesOf('Telecommands that ended.'),
    failed_checks: entriesOf('Conditions that were not so.'),
    decisions: entriesOf('Where a person had to decide.'),
    answers: entriesOf('What people answered.'),
    interruptions: entriesOf('Where somebody suspended, continued or took it over.'),
  },
  {
    ...closed,
    title: 'RunReport',
    examples: [
      {
        format: 1,
        run: '01J5ZK3M8QW7V9XH2C4T6R8YAB',
        ended: { at: '2026-03-01T12:00:04.250Z', ok: true },
        events: 7,
        steps: none,
        telecommands: none,
        failed_checks: none,
        decisions: none,
        answers: none,
        interruptions: none,
      },
    ],
  },
);

/** The report in an entry of `mcs_run_reports`; undefined where it cannot be read. */
export function readRunReport(bytes: Uint8Array): RunReport | undefined {
  try {
    const report = asObject(parseJsonBytes(bytes));
    return report?.format === 1 && typeof report.run === 'string'
      ? (report as unknown as RunReport)
      : undefined;
  } catch {
    return undefined;
  }
}
