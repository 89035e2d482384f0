/** Connectors as the API shows them. Mission Control Service, sections 2.11 and 4.9. */

import Type, { type Static } from 'typebox';
import { CONNECTOR_DATA_KINDS } from './connector-wire.ts';
import { HEALTH_STATES } from './unit-wire.ts';

const closed = { additionalProperties: false } as const;
const moment = { format: 'date-time' } as const;

/** As an entry of the fleet shows a unit (MC-CONN-005). */
const InstanceView = Type.Object(
  {
    kind: Type.Literal('connector'),
    instance: Type.String(),
    software: Type.Object({ name: Type.String(), version: Type.String() }, closed),
    alive: Type.Boolean({
      description: 'False when nothing came from it for three of its heartbeat periods.',
    }),
    health: Type.Object(
      {
        state: Type.Enum([...HEALTH_STATES, 'unknown'], {
          description: 'As its last heartbeat said; `unknown` before the first.',
        }),
        reason: Type.Optional(Type.String()),
      },
      closed,
    ),
    last_heard: Type.String(moment),
  },
  closed,
);

const ConnectorLagView = Type.Object(
  {
    connector: Type.String(),
    kind: Type.Enum([...CONNECTOR_DATA_KINDS]),
    stream: Type.String(),
    consumer: Type.String({
      description: 'The durable consumer, or the name of the position that the connector keeps itself.',
    }),
    active: Type.Boolean({ description: 'Whether the connector lives and its consumer is there.' }),
    at: Type.String({ ...moment, description: 'When it was looked at: at most some seconds ago.' }),
    at_risk: Type.Boolean({
      description:
        'Whether the stream is about to discard what is not read, as it grows and is read now; `reason` has when.',
    }),
    pending: Type.Integer({
      minimum: 0,
      description:
        'Messages that were not delivered. Of a connector that keeps its position itself and takes some targets only, ' +
        'the most that it can be: all of the stream behind the first one.',
    }),
    unacked: Type.Integer({ minimum: 0, description: 'Messages delivered and not acknowledged.' }),
    lag_seconds: Type.Number({
      minimum: 0,
      description: 'Age of the oldest unread message; 0 when nothing is unread.',
    }),
    oldest_unread: Type.Optional(Type.String(moment)),
    held: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Of `pending`: what the connector has taken and stores later, many at once, as its last heartbeat said. ' +
          'Absent of one that does not say so.',
      }),
    ),
    behind_seconds: Type.Optional(
      Type.Number({
        minimum: 0,
        description:
          'Age of the oldest message that it had not taken when it said so; of a dead one, now. 0: it had taken all.',
      }),
    ),
    stores_at: Type.Optional(
      Type.String({
        ...moment,
        description: 'When it stores what it has taken; absent where it holds nothing.',
      }),
    ),
    fill: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'Share of its size that the stream takes.' }),
    ),
    retention_seconds: Type.Optional(
      Type.Number({ description: 'For how long the stream keeps a message at its present rate.' }),
    ),
    reason: Type.Optional(
      Type.String({ description: 'Why it is at risk, and what was discarded before it was read.' }),
    ),
  },
  closed,
);
export type ConnectorLagView = Static<typeof ConnectorLagView>;

const ConnectorView = Type.Object(
  {
    name: Type.String(),
    data: Type.Array(Type.Enum([...CONNECTOR_DATA_KINDS])),
    targets: Type.Array(Type.String()),
    instance: Type.Union([InstanceView, Type.Null()], {
      description: 'The process that registered last; null when it ended in order.',
    }),
    lags: Type.Array(ConnectorLagView),
  },
  closed,
);
export type ConnectorView = Static<typeof ConnectorView>;

const EXAMPLE_AT = '2026-01-02T03:04:05.678Z';

export const ConnectorsView = Type.Object(
  { connectors: Type.Array(ConnectorView) },
  {
    ...closed,
    title: 'ConnectorsView',
    examples: [
      {
        connectors: [
          {
            name: 'warehouse',
            data: ['alarms'],
            targets: ['sat1'],
            instance: {
              kind: 'connector',
              instance: 'warehouse-1',
              software: { name: 'warehouse', version: '2.1.0' },
              alive: true,
              health: { state: 'ok' },
              last_heard: EXAMPLE_AT,
            },
            lags: [
              {
                connector: 'warehouse',
                kind: 'alarms',
                stream: 'ALARMS',
                consumer: 'warehouse-alarms',
                active: true,
                at: EXAMPLE_AT,
                at_risk: false,
                pending: 3,
                unacked: 1,
                lag_seconds: 0.4,
                oldest_unread: '2026-01-02T03:04:05.278Z',
                retention_seconds: 7_776_000,
              },
            ],
          },
        ],
      },
    ],
  },
);
export type ConnectorsView = Static<typeof ConnectorsView>;
