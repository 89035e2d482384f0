/**
 * The conditioning state of the transmit and receive chain. RF Bench Service, section 2 and rules 5 and 6 of section 4.
 */

import Type, { type Static } from 'typebox';
import { BenchName } from './profile.ts';

const closed = { additionalProperties: false } as const;

/** Where what is transmitted goes: the connector, back inside the AD9361, or back inside the programmable logic. */
export const CHAIN_TARGETS = ['air', 'device-loopback', 'pl-loopback'] as const;
export type ChainTarget = (typeof CHAIN_TARGETS)[number];

/** In the order of conditioning. */
export const CHAIN_STAGES = [
  'session',
  'board',
  'pl',
  'clocks',
  'converter',
  'rf',
  'datapath',
  'switch',
  'egress',
  'lock',
  'proof',
] as const;
export type ChainStage = (typeof CHAIN_STAGES)[number];

export const CONDITION_VERDICTS = ['met', 'unmet', 'unknown'] as const;
export type ConditionVerdict = (typeof CONDITION_VERDICTS)[number];

export const Condition = Type.Object(
  {
    key: Type.String(),
    stage: Type.Enum(CHAIN_STAGES),
    source: Type.Enum(['board', 'session'], {
      description: 'Read back from the board, or known to the daemon.',
    }),
    required: Type.String(),
    observed: Type.String(),
    verdict: Type.Enum(CONDITION_VERDICTS, { description: 'Unknown blocks.' }),
    breaks: Type.String({ description: 'What goes wrong while it is not met.' }),
    fix: Type.String({ description: 'The command that fixes it.' }),
  },
  { ...closed, title: 'ConditionDRO' },
);
export type Condition = Static<typeof Condition>;

export const NextStep = Type.Object(
  { condition: Type.String({ description: 'Key of the first condition not met.' }), command: Type.String() },
  { ...closed, title: 'NextStep' },
);
export type NextStep = Static<typeof NextStep>;

export const ChainState = Type.Object(
  {
    target: Type.Enum(CHAIN_TARGETS),
    current_target: Type.Union([Type.Enum(CHAIN_TARGETS), Type.Null()], {
      description: 'Null when the two loopback switches could not be read.',
    }),
    reaches_the_connector: Type.Boolean({ description: 'False for both loopbacks.' }),
    stage: Type.Enum([...CHAIN_STAGES, 'ready'], { description: 'Of the first condition not met.' }),
    ready: Type.Boolean(),
    next: Type.Union([NextStep, Type.Null()]),
    conditions: Type.Array(Condition),
  },
  { ...closed, title: 'ChainStateDRO' },
);
export type ChainState = Static<typeof ChainState>;

export const DroppedBytes = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description:
      'Bytes that waited for the transmitter on another path, or in buffers that were given back, and are dropped, at most; absent: none.',
  }),
);

export const ConditionBody = Type.Object(
  {
    target: Type.Optional(Type.Enum(CHAIN_TARGETS, { description: 'Default `air`.' })),
    profile: Type.Optional(BenchName),
    rate_sps: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  },
  { ...closed, title: 'ConditionBody', examples: [{ target: 'pl-loopback' }] },
);
export type ConditionBody = Static<typeof ConditionBody>;

export const Conditioned = Type.Object(
  {
    steps: Type.Array(Type.String(), {
      description: 'Keys of the conditions that were fixed, in the order run.',
    }),
    detail: Type.Array(Type.String(), { description: 'What was done for each, in the same order.' }),
    dropped_bytes: DroppedBytes,
    state: ChainState,
  },
  { ...closed, title: 'ConditionReply' },
);
export type Conditioned = Static<typeof Conditioned>;

export const Recovered = Type.Object(
  {
    pulsed: Type.Array(
      Type.Object(
        {
          reg: Type.String(),
          bit: Type.Integer(),
          before: Type.Integer(),
          during: Type.Integer(),
          after: Type.Integer(),
        },
        { ...closed, title: 'PulseDRO' },
      ),
    ),
    read_back: Type.Array(
      Type.Object({ name: Type.String(), value: Type.Integer() }, { ...closed, title: 'ReadBackDRO' }),
    ),
    note: Type.String({ description: 'Measure to see whether it worked.' }),
  },
  { ...closed, title: 'RecoverReply' },
);
export type Recovered = Static<typeof Recovered>;
