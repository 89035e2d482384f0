/**
 * The statements of procedures as they are written: one mapping each, the key of its kind and keys that belong to it.
 * Mission Control Service, section 4.2. Shape only; what they mean together is compiled in `mission/procedure/compile`.
 *
 * S1. No key of a kind belongs to another statement: the kind is known whatever the order of the keys, which canonical
 *     JSON does not keep.
 */

import Type, { type Static } from 'typebox';
import { bounded } from '../../contract/bounded.ts';
import { STEP_ATTEMPTS } from '../../contract/limits/run.ts';
import { AnswerTypeDocument } from './input.ts';
import { ConditionText, closed, DurationText, Identifier } from './name.ts';

const Reference = Type.String({ minLength: 1, title: 'reference' });
const Given = Type.Union([Type.String(), Type.Number(), Type.Boolean()], { title: 'value' });
const Prompt = Type.String({
  minLength: 1,
  description: 'Text; `{$name}` and `{role.component.measure}` show values.',
});
const NestedStatements = Type.Unknown({ description: 'A list of statements.' });

export const SendDocument = Type.Object(
  {
    send: Reference,
    args: Type.Optional(Type.Record(Identifier, Given, closed)),
    link: Type.Optional(Type.String()),
    retry: Type.Optional(
      Type.Integer({ minimum: 0, maximum: STEP_ATTEMPTS - 1, description: 'How often it is resent.' }),
    ),
  },
  { ...closed, title: 'Send' },
);
export type SendDocument = Static<typeof SendDocument>;

const ExpectDocument = Type.Object({ expect: ConditionText, within: DurationText }, closed);
const CheckDocument = Type.Object(
  { check: ConditionText, max_age: Type.Optional(DurationText) },
  { ...closed, title: 'Check' },
);
const WaitUntilDocument = Type.Object({ wait_until: ConditionText, timeout: DurationText }, closed);
export type ExpectDocument = Static<typeof ExpectDocument>;
export type CheckDocument = Static<typeof CheckDocument>;
export type WaitUntilDocument = Static<typeof WaitUntilDocument>;

const WaitDocument = Type.Object({ wait: DurationText }, closed);
export type WaitDocument = Static<typeof WaitDocument>;
const LogDocument = Type.Object({ log: Prompt }, closed);
export type LogDocument = Static<typeof LogDocument>;

const AskDocument = Type.Object(
  {
    ask: Prompt,
    as: Type.Optional(Identifier),
    type: Type.Optional(AnswerTypeDocument),
    timeout: Type.Optional(DurationText),
  },
  closed,
);
export type AskDocument = Static<typeof AskDocument>;

const ConfirmDocument = Type.Object({ confirm: Prompt, role: Type.String({ minLength: 1 }) }, closed);
export type ConfirmDocument = Static<typeof ConfirmDocument>;

const ConfigureDocument = Type.Object(
  { configure: Reference, mode: Type.String({ minLength: 1 }), within: Type.Optional(DurationText) },
  closed,
);
export type ConfigureDocument = Static<typeof ConfigureDocument>;
const SetModeDocument = Type.Object({ set_mode: Reference, mode: Type.String({ minLength: 1 }) }, closed);
export type SetModeDocument = Static<typeof SetModeDocument>;

const DownloadDocument = Type.Object(
  {
    download: Reference,
    priority: Type.Optional(
      Type.Integer({ minimum: -2_147_483_648, maximum: 2_147_483_647, description: 'Higher first.' }),
    ),
  },
  closed,
);
export type DownloadDocument = Static<typeof DownloadDocument>;
const UploadDocument = Type.Object(
  { upload: Reference, content: Type.String({ description: '`$name` of a file input.' }) },
  closed,
);
export type UploadDocument = Static<typeof UploadDocument>;

const CallDocument = Type.Object(
  {
    call: Identifier,
    library: Type.Optional(Type.String({ minLength: 1 })),
    roles: Type.Record(Identifier, Identifier, closed),
    inputs: Type.Optional(Type.Record(Identifier, Type.Union([Given, Type.Null()]), closed)),
  },
  closed,
);
export type CallDocument = Static<typeof CallDocument>;

const StepDocument = Type.Object(
  {
    step: Identifier,
    retry: Type.Optional(
      Type.Union([
        Type.Integer({ minimum: 0, maximum: STEP_ATTEMPTS - 1 }),
        Type.Object(
          {
            attempts: Type.Integer({ minimum: 1, maximum: STEP_ATTEMPTS }),
            delay: Type.Optional(DurationText),
          },
          { ...closed, title: 'Retry' },
        ),
      ]),
    ),
    do: NestedStatements,
  },
  closed,
);
export type StepDocument = Static<typeof StepDocument>;
const IfFailedDocument = Type.Object({ 'if failed': NestedStatements }, closed);

/** The shape of each kind. */
export const STATEMENT_SHAPES = {
  send: bounded(SendDocument),
  expect: bounded(ExpectDocument),
  check: bounded(CheckDocument),
  wait_until: bounded(WaitUntilDocument),
  wait: bounded(WaitDocument),
  log: bounded(LogDocument),
  ask: bounded(AskDocument),
  confirm: bounded(ConfirmDocument),
  configure: bounded(ConfigureDocument),
  set_mode: bounded(SetModeDocument),
  download: bounded(DownloadDocument),
  upload: bounded(UploadDocument),
  call: bounded(CallDocument),
  step: bounded(StepDocument),
  'if failed': bounded(IfFailedDocument),
} as const;

export type StatementKind = keyof typeof STATEMENT_SHAPES;
export const STATEMENT_KINDS = Object.keys(STATEMENT_SHAPES) as StatementKind[];
