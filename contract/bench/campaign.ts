/** Campaign documents: ordered steps. RF Bench Service, section 2; the shape of the document is not shown there. */

import Type, { type Static } from 'typebox';
import { bounded } from '../bounded.ts';
import { BenchName } from './profile.ts';

const closed = { additionalProperties: false } as const;
const Id = Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' });

export const STEP_OUTCOMES = ['passed', 'failed', 'error', 'aborted', 'skipped', 'inconclusive'] as const;
export type StepOutcome = (typeof STEP_OUTCOMES)[number];

const shared = {
  id: Id,
  needs: Type.Optional(Type.Array(Id, { description: 'Earlier steps that must have passed.' })),
  optional: Type.Optional(Type.Boolean({ description: 'Does not decide the verdict.' })),
  retries: Type.Optional(Type.Integer({ minimum: 0, maximum: 5 })),
  retry_on: Type.Optional(Type.Array(Type.Enum(['failed', 'error']))),
  timeout_s: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400 })),
};

const Range = Type.Object({ from: Type.Number(), to: Type.Number(), step: Type.Number() }, closed);

export const CampaignStep = Type.Union([
  Type.Object({ ...shared, kind: Type.Literal('scenario'), scenario: BenchName }, closed),
  Type.Object({ ...shared, kind: Type.Literal('profile'), profile: BenchName }, closed),
  Type.Object(
    {
      ...shared,
      kind: Type.Literal('action'),
      do: Type.String({ description: 'A verb, as in the timeline of a scenario.' }),
      with: Type.Optional(Type.Object({})),
    },
    closed,
  ),
  Type.Object(
    {
      ...shared,
      kind: Type.Literal('sweep'),
      profile: BenchName,
      vary: Type.Object(
        { tx_gain_db: Type.Optional(Range), rx_gain_db: Type.Optional(Range) },
        { ...closed, minProperties: 1, maxProperties: 1 },
      ),
      measure: Type.Object(
        { blocks: Type.Integer({ minimum: 1, maximum: 4096 }), prbs: Type.Optional(Type.Enum([9, 15, 23])) },
        closed,
      ),
      expect: Type.Optional(
        Type.Object(
          {
            min_ratio_at: Type.Optional(
              Type.Record(Type.String(), Type.Number({ minimum: 0, maximum: 1 }), {
                description: 'Least byte ratio at a value of what is varied.',
              }),
            ),
          },
          closed,
        ),
      ),
    },
    closed,
  ),
]);
export type CampaignStep = Static<typeof CampaignStep>;

export const Campaign = bounded(
  Type.Object(
    {
      name: BenchName,
      display_name: Type.Optional(Type.String({ maxLength: 200 })),
      description: Type.Optional(Type.String({ maxLength: 2000 })),
      cron: Type.Optional(
        Type.String({ description: 'Five fields; the campaign then starts automatically, in UTC.' }),
      ),
      tags: Type.Optional(Type.Array(Id)),
      board: Type.Optional(
        Type.Object(
          {
            provider: Type.Optional(Type.Enum(['any', 'stub', 'pl'])),
            require: Type.Optional(Type.Object({ mock: Type.Optional(Type.Boolean()) }, closed)),
          },
          closed,
        ),
      ),
      stop_on: Type.Optional(Type.Enum(['fail', 'never'], { description: 'Default `fail`.' })),
      steps: Type.Array(CampaignStep, { minItems: 1, maxItems: 1000 }),
    },
    { ...closed, title: 'CampaignDocument' },
  ),
);
export type Campaign = Static<typeof Campaign>;
