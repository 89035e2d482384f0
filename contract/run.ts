/**
 * Runs of procedures as two processes see them: the bodies of section 2.3 of the Mission Control Service, the run log
 * event of the follow route, and what travels on `mcs.run.submit`, `mcs.run.approval.<run>` and
 * `mcs.run.control.<run>`.
 */

import Type, { type Static } from 'typebox';
import { nameBound, named, pathBound, quantityBound } from './bounded.ts';
import { objectIn, parseJsonBytes } from './json-bytes.ts';
import { REQUEST_ENTRIES } from './limits/request.ts';
import { RUN_ANSWER_BYTES, STEP_PATH_CHARACTERS } from './limits/run.ts';
import { oneOf, readReply, textIn } from './reply.ts';
import { ArgumentValue } from './telecommand.ts';
import { isUlid, ULID_PATTERN } from './token.ts';

const closed = { additionalProperties: false } as const;
const EXAMPLE_RUN = '01J5ZK3M8QW7V9XH2C4T6R8YAC';
const EXAMPLE_IR = '9f2c3b1e5f0a47d8a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718';

const RunId = Type.String({ pattern: ULID_PATTERN, description: 'Run identifier, a ULID.' });
const Path = Type.String({
  maxLength: STEP_PATH_CHARACTERS,
  description: 'Names of steps separated by `/`; an unnamed inline step is `#<n>`.',
});
const At = Type.String({ format: 'date-time' });
const Question = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'The `seq` of the `asked` or `decision_required` event of the log.',
});

export const AskedAnswer = Type.Object(
  {
    type: Type.String({
      description: 'A value type, the name of an enumeration, `instance`, `file_id`, `file`.',
    }),
    of: Type.Optional(Type.String({ description: 'Of an instance its component, of a file its type.' })),
    unit: Type.Optional(Type.String({ description: 'Of a number without one.' })),
    range: Type.Optional(
      Type.Tuple([Type.Union([Type.Number(), Type.Null()]), Type.Union([Type.Number(), Type.Null()])], {
        description: 'In that unit, both ends included; null: open.',
      }),
    ),
    choices: Type.Optional(Type.Array(Type.String(), { description: 'Of an enumeration its values.' })),
  },
  { ...closed, title: 'AskedAnswer', description: 'The value that is asked for; absent: a yes or a no.' },
);
export type AskedAnswer = Static<typeof AskedAnswer>;

const asking = {
  answer: Type.Optional(AskedAnswer),
  deadline: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Without an answer by then the step fails; absent: none.',
    }),
  ),
};

// Requests ------------------------------------------------------------------------------------------------------------

export const Trigger = Type.Object(
  {
    step: Type.Optional(
      Type.String({
        maxLength: STEP_PATH_CHARACTERS,
        description: 'Name or path; the delay starts at its first entry. Absent: at run start.',
      }),
    ),
    after: Type.Optional(Type.String({ ...quantityBound, description: 'Duration, `10 s`. Absent: none.' })),
  },
  { ...closed, title: 'Trigger' },
);
export type Trigger = Static<typeof Trigger>;

export const FaultRequest = Type.Object(
  {
    target: Type.String({ ...nameBound, description: 'Role, as in `targets`.' }),
    fault: Type.String({ ...nameBound, description: 'Name of the fault, as the simulation names it.' }),
    at: Type.Optional(Trigger),
    off: Type.Optional(Type.Union([Trigger, Type.Null()])),
  },
  { ...closed, title: 'FaultRequest' },
);
export type FaultRequest = Static<typeof FaultRequest>;

export const RunRequest = Type.Object(
  {
    run: Type.String({ ...nameBound, description: 'Procedure name.' }),
    library: Type.Optional(
      Type.String({ ...nameBound, description: 'Needed when several libraries have that procedure.' }),
    ),
    environment: Type.String(nameBound),
    targets: named(Type.String(nameBound), { description: 'Exactly one target for each role.' }),
    inputs: Type.Optional(named(ArgumentValue)),
    plan: Type.Optional(Type.String({ ...pathBound, description: 'Pass the run is bound to.' })),
    faults: Type.Optional(Type.Array(FaultRequest, { maxItems: REQUEST_ENTRIES })),
    id: Type.Optional(
      Type.String({
        ...nameBound,
        description:
          'Client-chosen ULID, which becomes that of the run: a repetition of the launch starts nothing new.',
      }),
    ),
  },
  {
    ...closed,
    title: 'RunRequest',
    examples: [
      {
        run: 'take_image',
        environment: 'bench',
        targets: { sat: 'sat1' },
        inputs: { exposure: '20 ms', image: 7 },
      },
    ],
  },
);
export type RunRequest = Static<typeof RunRequest>;

export const LaunchReply = Type.Object(
  {
    run: RunId,
    ir: Type.String({ description: 'SHA-256 (hexadecimal) of the resolved run.' }),
    warnings: Type.Array(Type.String()),
    duplicate: Type.Optional(
      Type.Boolean({
        description:
          'Only where the request has an `id`: whether it was launched before, and nothing new is started. `ir` is then that of the run.',
      }),
    ),
  },
  { ...closed, title: 'LaunchReply', examples: [{ run: EXAMPLE_RUN, ir: EXAMPLE_IR, warnings: [] }] },
);
export type LaunchReply = Static<typeof LaunchReply>;

export const CHOICES = ['replay', 'skip', 'fail', 'abort'] as const;
/** What a person decides of a step that failed or was interrupted (section 3.2). */
export type Choice = (typeof CHOICES)[number];

export function isChoice(text: unknown): text is Choice {
  return CHOICES.some((choice) => choice === text);
}

export const Answer = Type.Object(
  {
    path: Path,
    accepted: Type.Boolean(),
    value: Type.Optional(
      Type.Union([Type.String({ maxLength: RUN_ANSWER_BYTES }), Type.Number(), Type.Boolean()], {
        description: 'Typed answer, or a decision: replay, skip, fail, abort.',
      }),
    ),
    question: Type.Optional({
      ...Question,
      description:
        'The question that is answered: the `seq` of its `asked` or `decision_required` event, `pending.question` of the ' +
        'run. With it a repetition never answers another question, whenever it comes.',
    }),
  },
  {
    ...closed,
    title: 'Answer',
    examples: [{ path: 'shoot', accepted: true, value: '12 dB', question: 7 }],
  },
);
export type Answer = Static<typeof Answer>;

/** What was reported to a run has been passed on: whether it is taken stands in its log. */
export const RunTold = Type.Object(
  { run: RunId },
  { ...closed, title: 'RunTold', examples: [{ run: EXAMPLE_RUN }] },
);
export type RunTold = Static<typeof RunTold>;

export const AnswerTold = Type.Object(
  {
    run: RunId,
    seen: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'The last event of its log before the answer was published: what becomes of it is behind that.',
      }),
    ),
    finished: Type.Optional(Type.Boolean({ description: 'The run is over, and whether it passed.' })),
  },
  { ...closed, title: 'AnswerTold', examples: [{ run: EXAMPLE_RUN, seen: 7 }] },
);
export type AnswerTold = Static<typeof AnswerTold>;

export const ResumeRequest = Type.Object(
  {
    choice: Type.Optional(Type.String({ ...nameBound, description: 'replay (default), skip, fail, abort.' })),
  },
  { ...closed, title: 'ResumeRequest', examples: [{ choice: 'skip' }] },
);
export type ResumeRequest = Static<typeof ResumeRequest>;

// State ---------------------------------------------------------------------------------------------------------------

export const PendingQuestion = Type.Object(
  {
    path: Path,
    kind: Type.Enum(['ask', 'decision']),
    prompt: Type.Optional(Type.String()),
    role: Type.Optional(Type.String()),
    question: Type.Optional(Question),
    since: Type.Optional({ ...At, description: 'When it was asked.' }),
    ...asking,
  },
  { ...closed, title: 'PendingQuestion' },
);
export type PendingQuestion = Static<typeof PendingQuestion>;

const SUMMARY_EXAMPLE = {
  run: EXAMPLE_RUN,
  procedure: 'take_image',
  step: 'shoot',
  suspended: false,
  pending: { path: 'shoot', kind: 'ask', prompt: 'Signal level of the downlink?', question: 7 },
  environment: 'bench',
  targets: { sat: 'sat1' },
  by: 'ada',
  started_at: '2026-03-01T12:00:00.000Z',
  updated_at: '2026-03-01T12:00:04.250Z',
} as const;

const state = {
  run: RunId,
  procedure: Type.String(),
  step: Type.Optional(Type.String({ description: 'Path of the step running or last run.' })),
  suspended: Type.Boolean(),
  pending: Type.Optional(PendingQuestion),
  finished: Type.Optional(Type.Boolean({ description: 'Absent in progress, then whether it passed.' })),
  reason: Type.Optional(Type.String()),
};

export const RunStatus = Type.Object(state, {
  ...closed,
  title: 'RunStatus',
  examples: [{ run: EXAMPLE_RUN, procedure: 'take_image', step: 'shoot', suspended: false }],
});
export type RunStatus = Static<typeof RunStatus>;

export const RunSummary = Type.Object(
  {
    ...state,
    environment: Type.String(),
    targets: Type.Record(Type.String(), Type.String()),
    by: Type.Optional(Type.String()),
    started_at: Type.Optional(At),
    updated_at: Type.Optional(At),
  },
  { ...closed, title: 'RunSummary', examples: [SUMMARY_EXAMPLE] },
);
export type RunSummary = Static<typeof RunSummary>;

export const RunList = Type.Object(
  { runs: Type.Array(RunSummary) },
  {
    ...closed,
    title: 'RunList',
    examples: [{ runs: [SUMMARY_EXAMPLE] }],
  },
);
export type RunList = Static<typeof RunList>;

const RunStep = Type.Object(
  {
    path: Path,
    kind: Type.Enum(['step', 'group', 'call'], {
      description: 'A `step` runs statements; a `group` and a `call` hold other steps.',
    }),
    if_failed: Type.Boolean({ description: 'Runs only after a step was decided to have failed.' }),
    procedure: Type.Optional(Type.String({ description: 'Of a `call`: what is called.' })),
    library: Type.Optional(Type.String({ description: 'Of a `call`: `name@version`.' })),
  },
  { ...closed, title: 'RunStep' },
);
export type RunStep = Static<typeof RunStep>;

export const RunSteps = Type.Object(
  { run: RunId, steps: Type.Array(RunStep, { description: 'In the order they are walked.' }) },
  {
    ...closed,
    title: 'RunSteps',
    examples: [{ run: EXAMPLE_RUN, steps: [{ path: 'shoot', kind: 'step', if_failed: false }] }],
  },
);
export type RunSteps = Static<typeof RunSteps>;

// Log -----------------------------------------------------------------------------------------------------------------

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

// On the bus ----------------------------------------------------------------------------------------------------------

/** Body of `mcs.run.submit` (launch rule 5). */
export interface RunSubmission {
  readonly run: string;
  /** Key of the program in bucket `mcs_ir`. */
  readonly ir: string;
  /** An operator identity, `schedule <id>` or `alarm <key>`; absent for an anonymous launch. */
  readonly by?: string;
}

/** Body of `mcs.run.approval.<run>` (launch rule 6). */
export interface Approval extends Answer {
  readonly by?: string;
  readonly roles: readonly string[];
  /** The verified token of who answers. */
  readonly token?: string;
}

/** Body of a request on `mcs.run.control.<run>` (launch rule 7). */
export type ControlCall =
  | { readonly action: 'suspend'; readonly by: string; readonly reaction?: boolean }
  | { readonly action: 'resume'; readonly by: string; readonly choice: string }
  | { readonly action: 'abort'; readonly by: string };

export type ControlReply =
  | { readonly outcome: 'accepted' }
  | { readonly outcome: 'refused'; readonly reason: string }
  /** Its log has ended: the same as if nobody held it any more. */
  | { readonly outcome: 'over' }
  /**
   * The command was handed to the run, and no answer has come: it may still be carried out. `again`: ask whoever holds
   * the run now.
   */
  | { readonly outcome: 'unknown'; readonly reason: string; readonly again?: true };

/** What an executor answered; undefined for a malformed reply. */
export function readControlReply(bytes: Uint8Array): ControlReply | undefined {
  const reply = readReply(bytes);
  const outcome = reply && oneOf(reply, 'outcome', ['accepted', 'refused', 'over', 'unknown']);
  if (reply === undefined || outcome === undefined) return undefined;
  if (outcome === 'accepted' || outcome === 'over') return { outcome };
  const reason = textIn(reply, 'reason') ?? 'it gives no reason';
  return { outcome, reason, ...(outcome === 'unknown' && reply.again === true && { again: true }) };
}

/**
 * Entry of bucket `mcs_runs` under the run: what the list of runs shows; its executor alone writes it once taken up.
 */
export type RunIndexEntry = RunSummary;

/** The summary in an entry of `mcs_runs`; undefined where the bytes are not of the run under that key. */
export function readRunEntry({
  key,
  value,
}: {
  readonly key: string;
  readonly value: Uint8Array;
}): RunSummary | undefined {
  const entry = objectIn(value) as Partial<RunIndexEntry> | undefined;
  return entry?.run === key && isUlid(key) ? (entry as RunSummary) : undefined;
}

/** Entry of bucket `mcs_open_runs` under `<shard>.<run>`: a run that is taken up and not over. */
export interface OpenRun {
  readonly run: string;
  readonly ir: string;
  readonly by?: string;
  /** When it was submitted, ms since 1970. */
  readonly submittedAt: number;
  /** Who asked for a suspension that the log does not show yet: kept here so that it survives the executor. */
  readonly suspendBy?: string;
}

/** Entry of bucket `mcs_modes` under the target (section 2.5). */
export interface TargetMode {
  readonly mode: string;
  /** RFC 3339 */
  readonly since: string;
  readonly by?: string;
  readonly run?: string;
}
