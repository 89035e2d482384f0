/** Procedures that a target can be given to, as a client sees them. Mission Control Service, section 4.2 (ours). */

import Type, { type Static } from 'typebox';

const closed = { additionalProperties: false } as const;

const InputView = Type.Object(
  {
    name: Type.String(),
    type: Type.String({ description: 'As in the procedure; `file` is the SHA-256 of stored content.' }),
    of: Type.Optional(
      Type.String({ description: 'Of an instance its component, of a file_id its file type.' }),
    ),
    unit: Type.Optional(Type.String()),
    range: Type.Optional(
      Type.Tuple([Type.Union([Type.Number(), Type.Null()]), Type.Union([Type.Number(), Type.Null()])]),
    ),
    choices: Type.Optional(Type.Array(Type.String(), { description: 'Of an enumeration its values.' })),
    required: Type.Boolean({ description: 'It has no default.' }),
    default: Type.Optional(
      Type.Union([Type.Number(), Type.Boolean(), Type.String(), Type.Null()], {
        description: 'Where nothing is given, in `unit`; null: no value.',
      }),
    ),
    description: Type.Optional(Type.String()),
  },
  closed,
);

const UploadView = Type.Object(
  {
    role: Type.String(),
    file: Type.String({ description: 'Input that names the file.' }),
    content: Type.String({ description: 'Input that names the content.' }),
  },
  closed,
);

export const ProcedureView = Type.Object(
  {
    procedure: Type.String(),
    library: Type.String({ description: '`name@version`' }),
    description: Type.Optional(Type.String()),
    draft: Type.Boolean(),
    allowed_in: Type.Optional(Type.Array(Type.String(), { description: 'Environments; absent: all.' })),
    roles: Type.Record(Type.String(), Type.String(), { description: 'The platform of each role.' }),
    inputs: Type.Array(InputView),
    uploads: Type.Array(UploadView, {
      description: 'Files that it uploads, of those that its inputs name; also in what it calls.',
    }),
    max_duration_ms: Type.Optional(
      Type.Union([Type.Integer(), Type.Null()], { description: 'Retries included; null: unbounded.' }),
    ),
    sends: Type.Optional(Type.Boolean({ description: 'Telecommands, also in what it calls.' })),
    hazardous: Type.Optional(
      Type.Array(Type.Object({ path: Type.String(), telecommand: Type.String() }, closed), {
        description: 'Steps that send hazardous telecommands, also in what it calls.',
      }),
    ),
  },
  { ...closed, title: 'ProcedureView' },
);
export type ProcedureView = Static<typeof ProcedureView>;

export const ProcedureList = Type.Object(
  {
    environments: Type.Array(Type.String(), { description: 'Where the target is engaged.' }),
    procedures: Type.Array(ProcedureView, { description: 'By library, in the order of the document.' }),
  },
  {
    ...closed,
    title: 'ProcedureList',
    examples: [
      {
        environments: ['bench'],
        procedures: [
          {
            procedure: 'put_file',
            library: 'ops@1.0.0',
            draft: false,
            roles: { sat: 'cubesat-6u@1.0.0' },
            inputs: [
              { name: 'file', type: 'file_id', of: 'image', required: true },
              { name: 'content', type: 'file', required: true },
            ],
            uploads: [{ role: 'sat', file: 'file', content: 'content' }],
          },
        ],
      },
    ],
  },
);
export type ProcedureList = Static<typeof ProcedureList>;
