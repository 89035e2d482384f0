/**
 * The library document: procedures. Mission Control Service, section 4.2. The shape of a procedure is checked here:
 * roles, inputs and a list of statements; those of each kind are in `statement.ts`.
 */

import Type, { type Static } from 'typebox';
import { InputDocument } from './input.ts';
import { closed, Identifier, Name, PlatformReference, Text, Version } from './name.ts';

export const Statement = Type.Record(Type.String(), Type.Unknown(), { title: 'Statement', minProperties: 1 });
export type Statement = Static<typeof Statement>;

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
