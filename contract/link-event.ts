/**
 * What a watcher of a link sees: frames as they pass, with what they say. The route and its messages are ours; values
 * are those of Mission Control Service, section 2.1 (DecodedSample).
 */

import Type, { type Static } from 'typebox';
import { LINK_STATES } from './link.ts';
import { DecodedSample } from './telecommand.ts';

const closed = { additionalProperties: false } as const;

const common = {
  at: Type.String({ format: 'date-time', description: 'When the gateway received it or tried to send it.' }),
  gateway: Type.String(),
  size: Type.Integer({ minimum: 0, description: 'Bytes of the frame.' }),
  frame: Type.String({
    pattern: '^([0-9a-f]{2})*$',
    description: 'Hexadecimal; its first 16 bytes unless the watcher asked for the whole.',
  }),
};

export const FrameReceived = Type.Object(
  {
    kind: Type.Literal('received'),
    ...common,
    link: Type.Optional(
      Type.String({
        description: 'The link whose driver found samples or reports in it; absent when none did.',
      }),
    ),
    samples: Type.Array(DecodedSample),
    more: Type.Optional(Type.Integer({ minimum: 1, description: 'Samples beyond those shown.' })),
    reports: Type.Optional(
      Type.Array(
        Type.Object(
          {
            stage: Type.Enum(['acceptance', 'start', 'progress', 'completion']),
            ok: Type.Boolean(),
            reference: Type.String({ description: 'The telecommand, as its driver refers to it.' }),
            code: Type.Optional(Type.Integer()),
          },
          closed,
        ),
        { description: 'What the spacecraft says of telecommands it received.' },
      ),
    ),
  },
  { ...closed, title: 'FrameReceived' },
);
export type FrameReceived = Static<typeof FrameReceived>;

export const FrameSent = Type.Object(
  {
    kind: Type.Literal('sent'),
    ...common,
    outcome: Type.Enum(['sent', 'refused', 'unknown']),
    detail: Type.Optional(Type.String()),
    tc: Type.Optional(Type.String({ description: 'Identifier of the telecommand it carries.' })),
    telecommand: Type.Optional(
      Type.String({ description: '`component.name`, or `component[instance].name`.' }),
    ),
  },
  { ...closed, title: 'FrameSent' },
);
export type FrameSent = Static<typeof FrameSent>;

export const LinkChanged = Type.Object(
  {
    kind: Type.Literal('state'),
    at: Type.String({ format: 'date-time' }),
    gateway: Type.String(),
    state: Type.Enum([...LINK_STATES]),
    since: Type.Optional(Type.String({ format: 'date-time' })),
    reason: Type.Optional(Type.String()),
  },
  { ...closed, title: 'LinkChanged' },
);
export type LinkChanged = Static<typeof LinkChanged>;

export const FramesSkipped = Type.Object(
  {
    kind: Type.Literal('skipped'),
    at: Type.String({ format: 'date-time' }),
    frames: Type.Integer({ minimum: 1, description: 'Frames that passed here and were not shown.' }),
  },
  { ...closed, title: 'FramesSkipped' },
);
export type FramesSkipped = Static<typeof FramesSkipped>;

export const LinkEvent = Type.Union([FrameReceived, FrameSent, LinkChanged, FramesSkipped], {
  title: 'LinkEvent',
  examples: [
    {
      kind: 'sent',
      at: '2026-01-02T03:04:05.678Z',
      gateway: 'sim-1',
      size: 16,
      frame: '1873c00000092908010000020078faf1',
      outcome: 'sent',
      tc: '01J5ZK3M8QW7V9XH2C4T6R8YAB',
      telecommand: 'obc.set_watchdog',
    },
  ],
});
export type LinkEvent = Static<typeof LinkEvent>;
