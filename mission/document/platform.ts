/**
 * The platform document: the catalogue of one kind of spacecraft. Mission Control Service, sections 2.11 (catalogue),
 * 2.4 (alarms), 2.5 (parameters), 2.8 (files). Shape only; what the parts mean together is checked in `mission/check`.
 */

import Type, { type Static } from 'typebox';
import { NAME_CHARACTERS } from '../../contract/limits/request.ts';
import { TOKEN_PATTERN } from '../../contract/token.ts';
import { FramingDocument } from './endpoint.ts';
import { Encode, PacketMap } from './layout.ts';
import { AnswerDocument, LineMap } from './line.ts';
import { ConditionText, closed, DurationText, Identifier, IntervalText, Text, Version } from './name.ts';

const TypeName = Type.String({
  pattern: '^[A-Za-z][A-Za-z0-9_-]*$',
  title: 'type',
  description: 'u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 bool string bytes, or an enumeration of this document.',
});

export const CalibrationDocument = Type.Object(
  {
    polynomial: Type.Optional(
      Type.Array(Type.Number(), { minItems: 1, maxItems: 16, description: 'Coefficients, rising powers.' }),
    ),
    points: Type.Optional(
      Type.Array(Type.Tuple([Type.Number(), Type.Number()]), {
        minItems: 2,
        description: '[raw, value], raw rising.',
      }),
    ),
    covers: Type.Optional(
      Type.Tuple([Type.Number(), Type.Number()], { description: 'Raw values it holds for; null outside.' }),
    ),
  },
  { ...closed, title: 'Calibration' },
);
export type CalibrationDocument = Static<typeof CalibrationDocument>;

export const MeasureDocument = Type.Object(
  {
    description: Type.Optional(Text),
    type: TypeName,
    unit: Type.Optional(Type.String()),
    raw: Type.Optional(TypeName),
    calibration: Type.Optional(CalibrationDocument),
    limits: Type.Optional(
      Type.Object({ soft: Type.Optional(IntervalText), hard: Type.Optional(IntervalText) }, closed),
    ),
    derived: Type.Optional(ConditionText),
  },
  { ...closed, title: 'Measure' },
);
export type MeasureDocument = Static<typeof MeasureDocument>;

export const ArgumentDocument = Type.Object(
  {
    description: Type.Optional(Text),
    type: TypeName,
    unit: Type.Optional(Type.String()),
    range: Type.Optional(IntervalText),
    default: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
  },
  { ...closed, title: 'Argument' },
);
export type ArgumentDocument = Static<typeof ArgumentDocument>;

export const VerifyDocument = Type.Object(
  {
    expect: Type.Optional(ConditionText),
    fail: Type.Optional(ConditionText),
    reports: Type.Optional(Type.Enum(['pus-1'])),
    stage: Type.Optional(
      Type.Enum(['acceptance', 'completion'], { description: 'The report awaited; completion unless said.' }),
    ),
    answer: Type.Optional(AnswerDocument),
    within: DurationText,
  },
  { ...closed, title: 'Verify' },
);
export type VerifyDocument = Static<typeof VerifyDocument>;

export const TelecommandDocument = Type.Object(
  {
    description: Type.Optional(Text),
    args: Type.Optional(Type.Record(Identifier, ArgumentDocument, closed)),
    changes_state: Type.Optional(Type.Boolean()),
    hazardous: Type.Optional(Type.Boolean()),
    requires: Type.Optional(
      Type.Array(
        Type.Object(
          { that: ConditionText, max_age: Type.Optional(DurationText) },
          { ...closed, title: 'Requirement' },
        ),
      ),
    ),
    verify: Type.Optional(VerifyDocument),
    encode: Type.Optional(Encode),
    instance: Type.Optional(
      Type.Literal('file', { description: 'In the files component: it names one file.' }),
    ),
  },
  { ...closed, title: 'Telecommand' },
);
export type TelecommandDocument = Static<typeof TelecommandDocument>;

export const AlarmDocument = Type.Object(
  {
    description: Type.Optional(Text),
    when: ConditionText,
    severity: Type.Enum(['warning', 'critical']),
    on_raise: Type.Optional(
      Type.String({ pattern: '^run "[^"]+"$', title: 'reaction', description: 'Like run "shed_load".' }),
    ),
  },
  { ...closed, title: 'Alarm' },
);
export type AlarmDocument = Static<typeof AlarmDocument>;

export const ParameterDocument = Type.Object(
  {
    description: Type.Optional(Text),
    type: TypeName,
    unit: Type.Optional(Type.String()),
    set: Type.Optional(Type.String({ description: '`component.telecommand.argument`.' })),
    readback: Type.Optional(Type.String({ description: '`component.measure`.' })),
  },
  { ...closed, title: 'Parameter' },
);
export type ParameterDocument = Static<typeof ParameterDocument>;

export const ComponentDocument = Type.Object(
  {
    description: Type.Optional(Text),
    instances: Type.Optional(
      Type.Array(Type.Union([Type.String({ pattern: TOKEN_PATTERN, title: 'token' }), Type.Integer()]), {
        minItems: 1,
      }),
    ),
    measures: Type.Optional(Type.Record(Identifier, MeasureDocument, closed)),
    parameters: Type.Optional(Type.Record(Identifier, ParameterDocument, closed)),
    telecommands: Type.Optional(Type.Record(Identifier, TelecommandDocument, closed)),
    alarms: Type.Optional(Type.Record(Identifier, AlarmDocument, closed)),
  },
  { ...closed, title: 'Component' },
);
export type ComponentDocument = Static<typeof ComponentDocument>;

export const FilesDocument = Type.Object(
  {
    component: Type.Optional(Identifier),
    description: Type.Optional(Text),
    types: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^[0-9]{1,9}$', title: 'file type number' }),
        Type.Object(
          {
            name: Identifier,
            decode: Type.Optional(Type.Boolean()),
            frames: Type.Optional(FramingDocument),
          },
          closed,
        ),
        closed,
      ),
    ),
    transfer: Type.Optional(
      Type.Object(
        {
          list: Type.Optional(Identifier),
          read: Type.Optional(Identifier),
          write: Type.Optional(Identifier),
          max_chunk: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
          checksum: Type.Optional(
            Type.String({
              pattern: '^[A-Za-z0-9][A-Za-z0-9-]{0,31}$',
              description:
                'Of a whole file, as it is listed: crc16, crc32, md5, sha256; null or left out: none. Any other is not ' +
                'available: transfers then stay COMPLETE.',
            }),
          ),
          protocol: Type.Optional(Type.Literal('cfdp')),
        },
        { ...closed, title: 'FileTransfer' },
      ),
    ),
    telecommands: Type.Optional(Type.Record(Identifier, TelecommandDocument, closed)),
  },
  { ...closed, title: 'Files' },
);
export type FilesDocument = Static<typeof FilesDocument>;

export const PlatformDocument = Type.Object(
  {
    platform: Identifier,
    version: Version,
    description: Type.Optional(Text),
    enums: Type.Optional(
      Type.Record(
        Identifier,
        Type.Record(
          Type.String({ pattern: `^[A-Za-z_][A-Za-z0-9_-]{0,${NAME_CHARACTERS - 1}}$`, title: 'name' }),
          Type.Integer(),
          closed,
        ),
        closed,
      ),
    ),
    components: Type.Record(Identifier, ComponentDocument, closed),
    files: Type.Optional(FilesDocument),
    packets: Type.Optional(PacketMap),
    lines: Type.Optional(LineMap),
  },
  { ...closed, title: 'Platform' },
);
export type PlatformDocument = Static<typeof PlatformDocument>;
