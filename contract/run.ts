/** Runs of procedures: the bodies of section 2.3 of the Mission Control Service. */

import Type, { type Static } from 'typebox';
import { nameBound, named, pathBound, quantityBound } from './bounded.ts';
import { REQUEST_ENTRIES } from './limits/request.ts';
import { RUN_ANSWER_BYTES, STEP_PATH_CHARACTERS } from './limits/run.ts';
import { At, asking, EXAMPLE_IR, EXAMPLE_RUN, Path, Question, RunId } from './run-fields.ts';
import { ArgumentValue } from './telecommand.ts';

const closed = { additionalProperties: false } as const;

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
