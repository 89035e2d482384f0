/** The run log as its follow route has it and RUNS keeps it. Mission Control Service, sections 2.3 and 6. */

import Type, { type Static } from 'typebox';
import { parseJsonBytes } from './json-bytes.ts';
import { CHOICES } from './run.ts';
import { At, asking, EXAMPLE_RUN, Path, RunId } from './run-fields.ts';
import { ULID_PATTERN } from './token.ts';

const closed = { additionalProperties: false } as const;

/** A resolved input, answer or argument. */
export const RunValue = Type.Union([Type.Number(), Type.Boolean(), Type.String(), Type.Null()]);
export type RunValue = Static<typeof RunValue>;

export const RunSample = Type.Object(
  {
    target: Type.String(),
    component: Type.String(),
    instance: Type.Optional(Type.String()),
    measure: Type.String(),
    value: RunValue,
    time: At,
    ground_time: At,
  },
  { ...closed, title: 'RunSample' },
);
export type RunSample = Static<typeof RunSample>;

/** One link of the acknowledgement chain that a telecommand has passed. */
export const Ack = Type.Object(
  { state: Type.String(), at: At, detail: Type.Optional(Type.String()) },
  { ...closed, title: 'Ack' },
);
export type Ack = Static<typeof Ack>;

const Values = Type.Record(Type.String(), RunValue);
const Samples = Type.Array(RunSample);
const Reason = Type.Optional(Type.String());
const By = Type.String();
const Attempt = Type.Integer({ minimum: 1 });

/** Fields of each kind of event beside run, seq, at and event (section 2.3). */
const FIELDS = {
  started: {
    procedure: Type.String(),
    library: Type.String({ description: 'name@version' }),
    environment: Type.String(),
    targets: Type.Record(Type.String(), Type.String()),
    ir: Type.String(),
    by: Type.Optional(By),
    inputs: Values,
  },
  procedure_started: { path: Path },
  procedure_finished: { path: Path, ok: Type.Boolean() },
  step_started: { path: Path, attempt: Attempt, inputs: Values },
  telecommand_sent: {
    path: Path,
    tc: Type.String({ pattern: ULID_PATTERN }),
    target: Type.String(),
    telecommand: Type.String({ description: 'component[instance].name' }),
    changes_state: Type.Boolean(),
    retry_of: Type.Optional(Type.String({ pattern: ULID_PATTERN })),
  },
  telecommand_finished: {
    path: Path,
    tc: Type.String({ pattern: ULID_PATTERN }),
    state: Type.String(),
    detail: Type.Optional(Type.String()),
    acks: Type.Array(Ack),
  },
  checked: {
    path: Path,
    statement: Type.Enum(['expect', 'check', 'wait_until']),
    condition: Type.String(),
    ok: Type.Boolean(),
    reason: Reason,
    samples: Samples,
  },
  logged: { path: Path, message: Type.String(), samples: Samples },
  asked: { path: Path, prompt: Type.String(), role: Type.Optional(Type.String()), ...asking },
  answered: {
    path: Path,
    accepted: Type.Boolean(),
    by: Type.Optional(By),
    value: Type.Optional(RunValue),
    role: Type.Optional(Type.String()),
  },
  answer_refused: { path: Path, by: Type.Optional(By), reason: Type.String() },
  mode_changed: { path: Path, target: Type.String(), mode: Type.String() },
  decision_required: { path: Path, reason: Type.String() },
  suspended: { path: Path, by: By },
  continued: { path: Path, by: By, choice: Type.Enum([...CHOICES]) },
  taken_over: { by: By },
  step_finished: { path: Path, attempt: Attempt, ok: Type.Boolean(), reason: Reason },
  finished: { ok: Type.Boolean(), reason: Reason },
} as const;

export type RunEventKind = keyof typeof FIELDS;
export const RUN_EVENT_KINDS = Object.keys(FIELDS) as RunEventKind[];

type FieldsOf<Kind extends RunEventKind> = Static<ReturnType<typeof Type.Object<(typeof FIELDS)[Kind]>>>;
/** An event as its run knows it before it is numbered. */
export type RunFact = { [Kind in RunEventKind]: { readonly event: Kind } & FieldsOf<Kind> }[RunEventKind];
/** One event of the run log. */
export type RunEvent = RunFact & { readonly run: string; readonly seq: number; readonly at: string };

export const RunEvent = Type.Union(
  RUN_EVENT_KINDS.map((event) =>
    Type.Object(
      {
        run: RunId,
        seq: Type.Integer({ minimum: 1, description: 'From 1, without gaps.' }),
        at: At,
        event: Type.Literal(event),
        ...FIELDS[event],
      },
      { ...closed, title: `RunEvent.${event}` },
    ),
  ),
  {
    title: 'RunEvent',
    examples: [
      {
        run: EXAMPLE_RUN,
        seq: 7,
        at: '2026-03-01T12:00:04.250Z',
        event: 'asked',
        path: 'shoot',
        prompt: 'Signal level of the downlink?',
        answer: { type: 'f64', unit: 'dB', range: [-130, 0] },
        deadline: '2026-03-01T12:05:04.250Z',
      },
    ],
  },
);

/**
 * The event in a message of RUNS; undefined for bytes that are malformed. What it says beyond that is for who reads it.
 */
export function readRunEvent(data: Uint8Array): RunEvent | undefined {
  try {
    const event = parseJsonBytes(data) as Partial<RunEvent> | null;
    const isEvent =
      typeof event?.run === 'string' &&
      typeof event.event === 'string' &&
      Number.isSafeInteger(event.seq) &&
      typeof event.at === 'string';
    return isEvent ? (event as RunEvent) : undefined;
  } catch {
    return undefined;
  }
}

/** Message id of a log event: what is published again is a duplicate (section 6). */
export function runEventId(run: string, seq: number): string {
  return `${run}-${seq}`;
}
