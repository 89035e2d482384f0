/**
 * Connectors: who takes which data out of the bus, and how far behind each is. Mission Control Service, sections 2.11
 * and 4.9. Taking one out of the list is ours.
 */

import { type ConnectorLagView, ConnectorsView, type ConnectorView } from '../../contract/connector.ts';
import { CONNECTOR_DATA } from '../../contract/connector-wire.ts';
import type { ConnectorLag } from '../../messaging/connector-lag.ts';
import { removeConnector } from '../../messaging/connector-writes.ts';
import type { Connector } from '../../messaging/connectors.ts';
import type { Caller } from '../caller.ts';
import { busUnavailable, refuse } from '../errors.ts';
import { currentMission } from '../mission-of.ts';
import { connectorInPath } from '../parameters.ts';
import type { RoutePorts } from '../ports.ts';
import { defineRoute, NO_CONTENT } from '../route.ts';

const SUPERVISOR = 'supervisor';

export const listConnectors = defineRoute({
  method: 'GET',
  path: '/v1/connectors',
  operationId: 'listConnectors',
  summary: 'Every connector that registered, whether it lives, and how far behind it is',
  description:
    'Lags are computed from the bus, also for connectors that are dead, at most once in three seconds however many ask. ' +
    'One that takes every target has all of them in `targets`.',
  tag: 'Connectors',
  replies: { 200: ConnectorsView },
  errors: ['api::no-configuration', 'api::unavailable'],
  async handle(_request, ports) {
    const mission = currentMission(ports);
    if (!mission.ok) return mission;
    const { connectors, connectorLags } = ports;
    if (!connectors.live) return busUnavailable();
    const every = [...mission.value.targets.keys()].sort();
    const lags = await connectorLags.lags();
    const views = connectors.all().map((each) => {
      const own = lags.filter(({ connector }) => connector === each.name);
      return viewOf(each, every, own);
    });
    return { ok: true, value: { status: 200, body: { connectors: views } satisfies ConnectorsView } };
  },
});

export const removeConnectorRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/connectors/:connector',
  operationId: 'removeConnector',
  summary: 'Take a connector that is no more out of the list, with its durable consumers',
  description:
    'For supervisors. Where it read to is forgotten: what stands in the streams and was not read is not kept for it. One that ' +
    'lives is refused: end it first.',
  tag: 'Connectors',
  params: { connector: connectorInPath },
  admits: (_params, caller) => supervisorRefusal(caller),
  replies: { 204: NO_CONTENT },
  errors: ['connector::not-supervisor', 'connector::unknown', 'connector::alive', 'api::unavailable'],
  async handle({ params: { connector: name }, caller }, ports) {
    const { bus, connectors, log } = ports;
    if (!connectors.live) return busUnavailable();
    const connector = connectors.get(name);
    if (connector === undefined)
      return refuse('connector::unknown', `there is no connector ${name}`, {
        help: 'GET /v1/connectors lists those there are.',
      });
    if (connector.alive)
      return refuse(
        'connector::alive',
        `connector ${name} lives: its instance is ${connector.document.instance}`,
        {
          help: 'End it first; it is taken out when nothing came from it for three of its heartbeat periods.',
        },
      );
    const consumers = await removeConsumers(connector, ports);
    await removeConnector({ bus }, name);
    connectors.book.gone(name);
    log.info(
      { connector: name, consumers, by: caller.kind === 'anonymous' ? '' : caller.name },
      'connector removed',
    );
    return { ok: true, value: { status: 204 } };
  },
});

/** Its consumers first: with the record their names would be gone. */
async function removeConsumers({ document }: Connector, { bus }: RoutePorts): Promise<string[]> {
  const removed: string[] = [];
  for (const { kind, consumer, by } of document.connector.data) {
    if (by !== 'consumer' || bus.levels === undefined) continue;
    if (await bus.levels.removeConsumer(CONNECTOR_DATA[kind].name, consumer)) removed.push(consumer);
  }
  return removed;
}

function viewOf(
  connector: Connector,
  every: readonly string[],
  lags: readonly ConnectorLag[],
): ConnectorView {
  const { name, document, alive, left, health, lastHeard } = connector;
  const { instance, software } = document;
  const { targets = every, data } = document.connector;
  return {
    name,
    data: [...new Set(data.map(({ kind }) => kind))],
    targets: [...targets],
    instance: left
      ? null
      : {
          kind: 'connector',
          instance,
          software,
          alive,
          health,
          last_heard: new Date(lastHeard).toISOString(),
        },
    lags: lags.map(lagViewOf),
  };
}

function lagViewOf(lag: ConnectorLag): ConnectorLagView {
  const { connector, read, stream, active, at, atRisk, pending, unacked, oldestAt, reason, taken } = lag;
  const { lagS = 0, fill, retentionS } = lag.lag ?? {};
  return {
    connector,
    kind: read.kind,
    stream,
    consumer: read.consumer,
    active,
    at: new Date(at).toISOString(),
    at_risk: atRisk,
    pending,
    unacked,
    lag_seconds: lagS,
    ...(oldestAt !== undefined && { oldest_unread: new Date(oldestAt).toISOString() }),
    ...(taken !== undefined && { held: taken.held, behind_seconds: taken.behindS }),
    ...(taken?.storesAt !== undefined && { stores_at: taken.storesAt }),
    ...(fill !== undefined && { fill }),
    ...(retentionS !== undefined && Number.isFinite(retentionS) && { retention_seconds: retentionS }),
    ...(reason !== undefined && { reason }),
  };
}

function supervisorRefusal(caller: Caller) {
  if (caller.kind !== 'anonymous' && caller.roles.includes(SUPERVISOR)) return undefined;
  const who = caller.kind === 'anonymous' ? 'the caller has no name and so' : caller.name;
  return refuse('connector::not-supervisor', `${who} has no role ${SUPERVISOR}`, {
    help: 'A supervisor removes connectors.',
  });
}

export const connectorRoutes = [listConnectors, removeConnectorRoute];
