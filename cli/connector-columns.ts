/** Connectors as columns, a line for each reader. Pure but for the zone, as `pass-look.ts`. */

import type { ConnectorLagView, ConnectorView } from '../contract/connector.ts';
import { standingOf } from '../contract/connector-standing.ts';
import { Columns } from './columns.ts';
import { lasting, momentText, type Tone } from './pass-look.ts';

const LISTED = [
  'NAME',
  'ALIVE',
  'HEALTH',
  'HEARD',
  'DATA',
  'CONSUMER',
  'STREAM',
  'FILL',
  'UNREAD',
  'LAG',
  'HELD',
  'STORES',
  'RISK',
] as const;
type ConnectorColumn = (typeof LISTED)[number];

/** A connector with one of its readers. */
export interface ConnectorRow {
  readonly connector: ConnectorView;
  readonly lag: ConnectorLagView;
}

export type ConnectorColumns = Columns<ConnectorColumn, ConnectorRow>;

export function rowsOf(connectors: readonly ConnectorView[]): ConnectorRow[] {
  return connectors.flatMap((connector) => connector.lags.map((lag) => ({ connector, lag })));
}

export function connectorColumns(local: boolean): ConnectorColumns {
  return new Columns<ConnectorColumn, ConnectorRow>({
    columns: LISTED,
    cell: (column, row) => cellOf(column, row, local),
    tone: toneOf,
    right: ['FILL', 'UNREAD', 'LAG', 'HELD'],
    spared: ['HEARD', 'HEALTH', 'STREAM', 'FILL', 'STORES', 'HELD'],
  });
}

function cellOf(column: ConnectorColumn, { connector, lag }: ConnectorRow, local: boolean): string {
  const { name, instance } = connector;
  switch (column) {
    case 'NAME':
      return name;
    case 'ALIVE':
      return instance === null ? 'left' : instance.alive ? 'yes' : 'NO';
    case 'HEALTH':
      return healthText(instance);
    case 'HEARD':
      return instance === null ? '' : momentText(instance.last_heard, local);
    case 'DATA':
      return lag.kind;
    case 'CONSUMER':
      return lag.consumer;
    case 'STREAM':
      return lag.stream;
    case 'FILL':
      return lag.fill === undefined ? '' : `${Math.round(100 * lag.fill)} %`;
    case 'UNREAD':
      return String(standingOf(lag).waiting);
    case 'LAG':
      return lasting(standingOf(lag).behindMs);
    case 'HELD':
      return String(standingOf(lag).held);
    case 'STORES':
      return lag.stores_at === undefined ? '' : momentText(lag.stores_at, local);
    case 'RISK':
      return lag.at_risk ? 'AT RISK' : lag.reason === undefined ? '' : 'see below';
  }
}

function healthText(instance: ConnectorView['instance']): string {
  if (instance === null) return '';
  const { state, reason } = instance.health;
  return reason === undefined ? state : `${state}: ${reason}`;
}

function toneOf({ connector: { instance }, lag }: ConnectorRow): Tone | undefined {
  if (lag.at_risk || instance?.alive === false) return 'red';
  return instance === null || instance.health.state === 'degraded' ? 'bright' : undefined;
}
