/** Files on board as clients see them. Mission Control Service, section 2.8. */

import Type, { type Static } from 'typebox';

const closed = { additionalProperties: false } as const;

export const OnboardFile = Type.Object(
  {
    id: Type.String({ description: 'Decimal digits.' }),
    file_type: Type.Optional(Type.Integer({ minimum: 0 })),
    size: Type.Optional(Type.Integer({ minimum: 0, description: 'Bytes.' })),
    checksum: Type.Optional(Type.String({ description: 'Hexadecimal.' })),
    generation: Type.Optional(Type.Integer({ minimum: 0, description: 'A rewritten file gets the next.' })),
    transfer: Type.Optional(Type.String({ description: 'State of its last transfer.' })),
    listed_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'When the last listing that has it was received.' }),
    ),
  },
  { ...closed, title: 'OnboardFile' },
);
export type OnboardFile = Static<typeof OnboardFile>;

export const OnboardDirectory = Type.Object(
  { component: Type.String(), files: Type.Array(OnboardFile, { description: 'By identifier.' }) },
  {
    ...closed,
    title: 'OnboardDirectory',
    examples: [
      {
        component: 'files',
        files: [
          {
            id: '7',
            file_type: 1,
            size: 48_213,
            checksum: '1c291ca3',
            generation: 2,
            transfer: 'VERIFIED',
            listed_at: '2026-01-02T03:04:05.702Z',
          },
        ],
      },
    ],
  },
);
export type OnboardDirectory = Static<typeof OnboardDirectory>;
