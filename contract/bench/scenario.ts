/**
 * Scenarios: scripted timelines with assertions, their runs and reports. RF Bench Service, section 2. The fields of
 * ScenarioDRO, ActiveRunDRO and MetricSampleDRO are not shown there.
 */

import Type, { type Static } from 'typebox';
import { bounded } from '../bounded.ts';
import { CHAIN_TARGETS } from './chain.ts';
import { BenchName } from './profile.ts';

const closed = { additionalProperties: false } as const;
const Name = Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' });
const Millis = Type.Integer({ minimum: 0, maximum: 86_400_000 });

export const COMPARISONS = ['==', '!=', '<', '<=', '>', '>='] as const;
const Operand = Type.Union([Type.Number(), Type.Boolean(), Type.String()]);

/** What a step does: a verb of the board, or to wait. */
export const SCENARIO_VERBS = [
  'profile.apply',
  'chain.condition',
  'chain.recover',
  'radio.frequency',
  'radio.gain',
  'radio.loopback',
  'radio.reset',
  'datapath.enable',
  'datapath.disable',
  'datapath.flush',
  'datapath.measure',
  'datapath.transmit',
  'wait',
] as const;

export const ScenarioStep = Type.Object(
  {
    at_ms: Type.Integer({
      minimum: 0,
      description: 'From the beginning of the run; no step is earlier than the one before.',
    }),
    id: Name,
    do: Type.Enum(SCENARIO_VERBS),
    with: Type.Optional(Type.Object({}, { description: 'Body of the route of that verb.' })),
    save: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{1,64}$',
        description: 'Name under which assertions find a measurement.',
      }),
    ),
    until: Type.Optional(
      Type.Object(
        { metric: Type.String(), op: Type.Enum(COMPARISONS), value: Operand, for_ms: Type.Optional(Millis) },
        { ...closed, description: 'Of `wait`: what is waited for.' },
      ),
    ),
    timeout_ms: Type.Optional(Millis),
  },
  closed,
);
export type ScenarioStep = Static<typeof ScenarioStep>;

const shared = { name: Type.String({ minLength: 1, maxLength: 200 }) };
export const ScenarioAssertion = Type.Union([
  Type.Object(
    {
      ...shared,
      source: Type.Literal('measure'),
      ref: Name,
      field: Type.Enum(['verdict', 'overall_ratio', 'worst_block_ratio', 'rotation_slip']),
      op: Type.Enum(COMPARISONS),
      value: Operand,
    },
    closed,
  ),
  Type.Object(
    {
      ...shared,
      source: Type.Literal('metric'),
      metric: Type.String(),
      agg: Type.Enum(['min', 'max', 'mean', 'last', 'all', 'any']),
      window: Type.Optional(
        Type.Tuple([Type.Union([Millis, Name]), Type.Union([Millis, Name])], {
          description:
            'From and to, each in milliseconds of the run or a step: where that step begins, and where it ends. Default: the whole run.',
        }),
      ),
      op: Type.Enum(COMPARISONS),
      value: Operand,
    },
    closed,
  ),
  Type.Object(
    {
      ...shared,
      source: Type.Enum(['event', 'frames']),
      kind: Type.Optional(Type.String()),
      count: Type.Object({ op: Type.Enum(COMPARISONS), value: Type.Integer({ minimum: 0 }) }, closed),
    },
    closed,
  ),
  Type.Object(
    {
      ...shared,
      source: Type.Literal('script'),
      step: Name,
      op: Type.Enum(['==', '!=']),
      value: Type.Enum(['done', 'failed', 'skipped']),
    },
    closed,
  ),
]);
export type ScenarioAssertion = Static<typeof ScenarioAssertion>;

export const Scenario = bounded(
  Type.Object(
    {
      name: BenchName,
      display_name: Type.Optional(Type.String({ maxLength: 200 })),
      description: Type.Optional(Type.String({ maxLength: 2000 })),
      profile_ref: Type.Optional(BenchName),
      target: Type.Optional(Type.Enum(CHAIN_TARGETS)),
      tags: Type.Optional(Type.Array(Name)),
      timeout_s: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400 })),
      sampler: Type.Optional(
        Type.Object(
          {
            interval_ms: Type.Integer({ minimum: 50, maximum: 60_000 }),
            metrics: Type.Array(Type.String(), { minItems: 1 }),
          },
          closed,
        ),
      ),
      timeline: Type.Array(ScenarioStep, { minItems: 1, maxItems: 1000 }),
      assertions: Type.Array(ScenarioAssertion, { maxItems: 1000 }),
      on_end: Type.Optional(
        Type.Array(
          Type.Object({ do: Type.Enum(SCENARIO_VERBS), with: Type.Optional(Type.Object({})) }, closed),
          { description: 'Always done at the end, also of a cancelled run.' },
        ),
      ),
    },
    { ...closed, title: 'ScenarioDRO' },
  ),
);
export type Scenario = Static<typeof Scenario>;

/** A reading of the board or the link while a scenario runs. */
export const MetricSample = Type.Object(
  {
    elapsed_ms: Type.Integer({ minimum: 0 }),
    name: Type.String(),
    value: Type.Union([Type.Number(), Type.Boolean(), Type.String(), Type.Null()]),
    source: Type.Enum(['pl', 'stub']),
  },
  { ...closed, title: 'MetricSampleDRO' },
);
export type MetricSample = Static<typeof MetricSample>;
