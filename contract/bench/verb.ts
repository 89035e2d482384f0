/**
 * The verbs of scenarios and campaigns with the shape of their `with`: the body of the route of that verb, where it has
 * one. RF Bench Service, section 4.
 */

import Type, { type Static } from 'typebox';
import { MEASURE_PAYLOAD_BYTES } from '../limits/bench.ts';
import { ConditionBody } from './chain.ts';
import { FlushBody, TransmitBody } from './datapath.ts';
import { BenchName } from './profile.ts';
import { FrequencyBody, GainBody, LoopbackBody, ResetBody } from './radio.ts';
import type { SCENARIO_VERBS } from './scenario.ts';

const closed = { additionalProperties: false } as const;

const Nothing = Type.Object({}, { ...closed, description: 'This verb takes nothing.' });

export const ApplyScript = Type.Object(
  { profile: Type.Optional(BenchName) },
  { ...closed, description: 'Default: the `profile_ref` of the scenario.' },
);

/** A script has no payload to send along, so it names one that is made. */
export const MeasureScript = Type.Object(
  {
    blocks: Type.Integer({ minimum: 1, maximum: 4096 }),
    warmup: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 4096, description: 'Blocks discarded first; default 0.' }),
    ),
    prbs: Type.Optional(Type.Enum([9, 15, 23], { description: 'Order of the payload; default 15.' })),
    seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 0xffff_ffff, description: 'Of the PRBS.' })),
    payload_hex: Type.Optional(
      Type.String({
        pattern: '^([0-9a-fA-F]{2})+$',
        maxLength: 2 * MEASURE_PAYLOAD_BYTES,
        description: 'Instead of a PRBS.',
      }),
    ),
    timeout_ms: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400_000 })),
    force: Type.Optional(
      Type.Boolean({
        description:
          'Over the air also where the chain is not as the profile asks: behind a gain that a step before has set.',
      }),
    ),
  },
  closed,
);
export type MeasureScript = Static<typeof MeasureScript>;

export type ScenarioVerb = (typeof SCENARIO_VERBS)[number];

export const VERB_BODIES = {
  'profile.apply': ApplyScript,
  'chain.condition': ConditionBody,
  'chain.recover': Nothing,
  'radio.frequency': FrequencyBody,
  'radio.gain': GainBody,
  'radio.loopback': LoopbackBody,
  'radio.reset': ResetBody,
  'datapath.enable': Nothing,
  'datapath.disable': Nothing,
  'datapath.flush': FlushBody,
  'datapath.measure': MeasureScript,
  'datapath.transmit': TransmitBody,
  wait: Nothing,
} as const satisfies Record<ScenarioVerb, Type.TSchema>;
