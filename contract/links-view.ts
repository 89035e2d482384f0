/** The links of a target as people look at them: who serves each, and whether it knows how the link is bound. Ours. */

import Type, { type Static } from 'typebox';
import { LINK_STATES } from './link.ts';

const closed = { additionalProperties: false } as const;

const LinkEnd = Type.Object(
  {
    name: Type.String(),
    environments: Type.Optional(
      Type.Array(Type.String(), { description: 'Of a gateway: those in which it serves the link.' }),
    ),
    state: Type.Enum(['running', 'absent', ...LINK_STATES], {
      description: 'Of a driver `running`, of a gateway that of its radio; `absent`: nothing answers for it.',
    }),
    reason: Type.Optional(Type.String()),
    pass: Type.Optional(
      Type.String({ description: 'Of a gateway: the pass in progress because of which it serves the link.' }),
    ),
    bound: Type.Optional(
      Type.Enum(['current', 'outdated', 'never'], {
        description:
          'Whether it has the current mode and parameters; absent where it does not answer or does not report it.',
      }),
    ),
    mode: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'The mode it received last.' }),
    ),
  },
  closed,
);
export type LinkEnd = Static<typeof LinkEnd>;

export const LinksView = Type.Object(
  {
    target: Type.String(),
    mode: Type.Union([Type.String(), Type.Null()]),
    links: Type.Array(
      Type.Object(
        {
          link: Type.String(),
          default: Type.Boolean(),
          driver: Type.Union([LinkEnd, Type.Null()], { description: 'Null: none is bound to the link.' }),
          gateways: Type.Array(LinkEnd, { description: 'Those that serve it now in any environment.' }),
          reason: Type.Optional(
            Type.String({ description: 'Why a pass in progress leaves it without a gateway in orbit.' }),
          ),
        },
        closed,
      ),
      { description: 'In the order of the topology.' },
    ),
  },
  {
    ...closed,
    title: 'LinksView',
    examples: [
      {
        target: 'sat1',
        mode: 'imaging',
        links: [
          {
            link: 'uhf',
            default: true,
            driver: { name: 'pus', state: 'running', bound: 'current', mode: 'imaging' },
            gateways: [
              {
                name: 'sim-1',
                environments: ['bench'],
                state: 'up',
                bound: 'outdated',
                mode: 'nominal',
              },
            ],
          },
        ],
      },
    ],
  },
);
export type LinksView = Static<typeof LinksView>;
