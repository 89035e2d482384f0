/**
 * What is reported to Prometheus of connectors: as it was computed last, so that scraping asks the bus nothing. Mission
 * Control Service, section 2.11.
 */

import { Gauge, type Registry } from 'prom-client';
import type { ConnectorLag } from '../messaging/connector-lag.ts';
import type { ConnectorLags } from '../messaging/connector-lags.ts';

const GAUGES: readonly [name: string, help: string, of: (lag: ConnectorLag) => number][] = [
  [
    'mcs_connector_unread_messages',
    'Messages that a connector has not read and acknowledged.',
    ({ pending, unacked }) => pending + unacked,
  ],
  [
    'mcs_connector_lag_seconds',
    'Age of the oldest message that a connector has not read.',
    ({ lag }) => lag?.lagS ?? 0,
  ],
  [
    'mcs_connector_behind_seconds',
    'Age of the oldest message that a connector has not taken; of one that does not say what it has taken, not read.',
    ({ lag, taken }) => taken?.behindS ?? lag?.lagS ?? 0,
  ],
  [
    'mcs_connector_at_risk',
    'Whether a stream is about to discard what a connector has not read (1) or not (0).',
    ({ atRisk }) => (atRisk ? 1 : 0),
  ],
  [
    'mcs_connector_lost_messages',
    'Messages that a stream discarded before a connector had read them.',
    ({ lost }) => lost?.messages ?? 0,
  ],
];

export function registerConnectorMetrics(registry: Registry, lags: Pick<ConnectorLags, 'last'>): void {
  for (const [name, help, of] of GAUGES) {
    const metric: Gauge = new Gauge({
      name,
      help,
      labelNames: ['connector', 'consumer', 'stream'],
      registers: [registry],
      collect: () => {
        metric.reset();
        for (const lag of lags.last)
          metric.set({ connector: lag.connector, consumer: lag.read.consumer, stream: lag.stream }, of(lag));
      },
    });
  }
}
