/** Inputs of procedures and types of answers as they are written. Mission Control Service, section 2.3. Shape only. */

import Type, { type Static } from 'typebox';
import { closed, Identifier, IntervalText, Text } from './name.ts';

const shape = {
  type: Identifier,
  unit: Type.Optional(Type.String()),
  of: Type.Optional(
    Type.String({ description: 'Of an instance its component, of a file_id its file type.' }),
  ),
  range: Type.Optional(IntervalText),
};

export const AnswerTypeDocument = Type.Object(shape, { ...closed, title: 'AnswerType' });
export type AnswerTypeDocument = Static<typeof AnswerTypeDocument>;

export const InputDocument = Type.Object(
  {
    description: Type.Optional(Text),
    ...shape,
    default: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
  },
  { ...closed, title: 'Input' },
);
export type InputDocument = Static<typeof InputDocument>;
