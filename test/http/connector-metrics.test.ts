/** What Prometheus is given of connectors: the lag of what is not stored, and whether one is really behind. */

import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { registerConnectorMetrics } from '../../http/connector-metrics.ts';
import type { ConnectorLag, Taken } from '../../messaging/connector-lag.ts';

function lag(connector: string, taken?: Taken): ConnectorLag {
  return {
    connector,
    read: { kind: 'alarms', consumer: 'at', by: 'position' },
    stream: 'ALARMS',
    active: true,
    at: 0,
    atRisk: false,
    pending: 3,
    unacked: 1,
    lag: { lagS: 240 },
    ...(taken !== undefined && { taken }),
  } as unknown as ConnectorLag;
}

it('one that stores many messages at once is behind by what it has not taken, any other by what it has not read', async () => {
  const registry = new Registry();
  const last = [
    lag('archive', { held: 3, behindS: 0, storesAt: undefined }),
    lag('slow-archive', { held: 1, behindS: 12, storesAt: undefined }),
    lag('warehouse'),
  ];
  registerConnectorMetrics(registry, { last });
  const values = async (name: string): Promise<unknown> => {
    const metric = await registry.getSingleMetric(name)!.get();
    return Object.fromEntries(metric.values.map(({ labels, value }) => [labels['connector'], value]));
  };
  expect(await values('mcs_connector_behind_seconds')).toEqual({
    archive: 0,
    'slow-archive': 12,
    warehouse: 240,
  });
  expect(await values('mcs_connector_lag_seconds')).toEqual({
    archive: 240,
    'slow-archive': 240,
    warehouse: 240,
  });
  expect(await values('mcs_connector_unread_messages')).toEqual({
    archive: 4,
    'slow-archive': 4,
    warehouse: 4,
  });
});
