/** What a bench is: which board it drives and how that is wired; `bench/bench.yaml` of a mission folder. */

import Type, { type Static } from 'typebox';
import { bounded } from '../bounded.ts';
import { CHAIN_TARGETS } from './chain.ts';

const closed = { additionalProperties: false } as const;
const Port = Type.Integer({ minimum: 1, maximum: 65_535 });

const StubConfig = Type.Object(
  {
    seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 0xffff_ffff, description: 'Default 1.' })),
    loss_db: Type.Optional(
      Type.Number({ minimum: 0, maximum: 200, description: 'Of the cable and its pad; default 60.' }),
    ),
    iiod_port: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 65_535,
        description:
          'Serves the model to IIO tools, on the loopback address; 0: a free one. Default: not served.',
      }),
    ),
  },
  closed,
);

const IiodConfig = Type.Object(
  {
    host: Type.String({ minLength: 1, maxLength: 253 }),
    port: Type.Optional(Type.Integer({ ...Port, description: 'Default 30431.' })),
    deadline_ms: Type.Optional(
      Type.Integer({ minimum: 10, maximum: 600_000, description: 'Of each question; default 3000.' }),
    ),
  },
  closed,
);

export const BenchConfig = bounded(
  Type.Object(
    {
      board: Type.Optional(Type.Enum(['stub', 'iiod'], { description: 'Default: the model.' })),
      wired: Type.Optional(
        Type.Enum(CHAIN_TARGETS, {
          description: 'Where the transmitter leads without being switched; default `air`.',
        }),
      ),
      stub: Type.Optional(StubConfig),
      iiod: Type.Optional(IiodConfig),
    },
    { ...closed, title: 'BenchConfig' },
  ),
);
export type BenchConfig = Static<typeof BenchConfig>;
