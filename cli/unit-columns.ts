/** Units as columns. Pure but for the zone, as `pass-look.ts`. */

import type { UnitGateway, UnitView } from '../contract/unit.ts';
import { Columns } from './columns.ts';
import { momentText, type Tone } from './pass-look.ts';

const LISTED = [
  'SERIAL',
  'ALIVE',
  'HEALTH',
  'SOFTWARE',
  'HARDWARE',
  'LAST SEEN',
  'DOING',
  'GATEWAYS',
] as const;
type UnitColumn = (typeof LISTED)[number];
export type UnitColumns = Columns<UnitColumn, UnitView>;

export function unitColumns(local: boolean): UnitColumns {
  return new Columns<UnitColumn, UnitView>({
    columns: LISTED,
    cell: (column, unit) => cellOf(column, unit, local),
    tone: toneOf,
    right: [],
    spared: ['HARDWARE', 'LAST SEEN', 'DOING', 'SOFTWARE'],
  });
}

/** What a unit is busy with: `update: installing 40 %`; empty for an idle one. */
export function activityText({ activity }: Pick<UnitView, 'activity'>): string {
  if (activity === undefined) return '';
  const { verb, phase, percent } = activity;
  return `${verb}: ${phase}${percent === undefined ? '' : ` ${Math.floor(percent)} %`}`;
}

function cellOf(column: UnitColumn, unit: UnitView, local: boolean): string {
  const { serial, alive, health, software, hardware_revision, last_heard, gateways } = unit;
  switch (column) {
    case 'SERIAL':
      return serial;
    case 'ALIVE':
      return alive ? 'yes' : 'NO';
    case 'HEALTH':
      return health.reason === undefined ? health.state : `${health.state}: ${health.reason}`;
    case 'SOFTWARE':
      return `${software.name} ${software.version}`;
    case 'HARDWARE':
      return hardware_revision;
    case 'LAST SEEN':
      return momentText(last_heard, local);
    case 'DOING':
      return activityText(unit);
    case 'GATEWAYS':
      return gateways.map(gatewayText).join(', ');
  }
}

function gatewayText({ name, health, links }: UnitGateway): string {
  const bound = links.map(({ target, link }) => `${target}.${link}`).join(' ');
  return `${name} ${health.state}${bound === '' ? '' : ` (${bound})`}`;
}

function toneOf({ alive, health }: UnitView): Tone | undefined {
  if (!alive) return 'red';
  return health.state === 'degraded' ? 'bright' : undefined;
}
