/**
 * The library document: procedures. Mission Control Service, section 4.2. The shape of a procedure is checked here:
 * roles, inputs and a list of statements of known kinds; what a statement means is compiled by the step language.
 */

import Type, { type Static } from 'typebox';
import { closed, Identifier, Name, PlatformReference, Text, Version } from './name.ts';

/** The first key of a statement is its kind. */
export const STATEMENT_KINDS = [
  'send',
  'expect',
  'check',
  'wait_until',
  'wait',
  'log',
  'ask',
  'confirm',
  'configure',
  'set_mode',
  'download',
  'upload',
  'call',
  'step',
  'if failed',
] as const;

export const Statement = Type.Record(Type.String(), Type.Unknown(), { title: 'Statement', minProperties: 1 });
export type Statement = Static<typeof Statement>;

export const InputDocument = Type.Object(
  {
    description: Type.Optional(Text),
    type: Identifier,
    unit: Type.Optional(Type.String()),
    of: Type.Optional(Type.String()),
    range: Type.Optional(Type.Array(Type.Unknown(), { minItems: 2, maxItems: 2 })),
    default: Type.Optional(Type.Unknown()),
  },
  { ...closed, title: 'Input' },
);

export const ProcedureDocument = Type.Object(
  {
    description: Type.Optional(Text),
    status: Type.Optional(Type.Enum(['draft', 'released'])),
    allowed_in: Type.Optional(Type.Array(Name, { minItems: 1 })),
    roles: Type.Record(Identifier, Identifier, { ...closed, minProperties: 1 }),
    inputs: Type.Optional(Type.Record(Identifier, InputDocument, closed)),
    steps: Type.Array(Statement, { minItems: 1 }),
  },
  { ...closed, title: 'Procedure' },
);
export type ProcedureDocument = Static<typeof ProcedureDocument>;

export const LibraryDocument = Type.Object(
  {
    library: Identifier,
    version: Version,
    description: Type.Optional(Text),
    imports: Type.Array(PlatformReference),
    procedures: Type.Record(Identifier, ProcedureDocument, closed),
  },
  { ...closed, title: 'Library' },
);
export type LibraryDocument = Static<typeof LibraryDocument>;
