/** Fields that the bodies and the log events of runs share. Mission Control Service, section 2.3. */

import Type, { type Static } from 'typebox';
import { STEP_PATH_CHARACTERS } from './limits/run.ts';
import { ULID_PATTERN } from './token.ts';

const closed = { additionalProperties: false } as const;
export const EXAMPLE_RUN = '01J5ZK3M8QW7V9XH2C4T6R8YAC';
export const EXAMPLE_IR = '9f2c3b1e5f0a47d8a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718';

export const RunId = Type.String({ pattern: ULID_PATTERN, description: 'Run identifier, a ULID.' });
export const Path = Type.String({
  maxLength: STEP_PATH_CHARACTERS,
  description: 'Names of steps separated by `/`; an unnamed inline step is `#<n>`.',
});
/** RFC 3339 */
export const At = Type.String({ format: 'date-time' });
export const Question = Type.Integer({
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

/** Of a question, beside its text. */
export const asking = {
  answer: Type.Optional(AskedAnswer),
  deadline: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Without an answer by then the step fails; absent: none.',
    }),
  ),
};
