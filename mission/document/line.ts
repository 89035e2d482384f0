/**
 * Lines of text in a platform document: patterns that telemetry is read by, and the answers to telecommands. What a
 * pattern is stands in `mission/line/pattern.ts`.
 */

import Type, { type Static } from 'typebox';
import { closed, DurationText, Identifier, Text } from './name.ts';

const PatternText = Type.String({
  minLength: 1,
  title: 'pattern',
  description: 'Like `TEMP {value:number} C`.',
});

export const LineDocument = Type.Object(
  {
    description: Type.Optional(Text),
    match: PatternText,
    to: Type.Optional(
      Type.Record(
        Identifier,
        Type.String({ description: '`component[instance].measure`, or `skip`.' }),
        closed,
      ),
    ),
  },
  { ...closed, title: 'Line' },
);
export type LineDocument = Static<typeof LineDocument>;

export const LineMap = Type.Record(Identifier, LineDocument, closed);

export const AnswerDocument = Type.Object(
  {
    ok: PatternText,
    error: Type.Optional(PatternText),
    within: Type.Optional(DurationText),
  },
  { ...closed, title: 'Answer', description: 'The line that answers a telecommand written as a line.' },
);
export type AnswerDocument = Static<typeof AnswerDocument>;
