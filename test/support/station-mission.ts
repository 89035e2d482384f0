/** The demo mission with its sat1 behind gateways at stations, and situations of passes with the gateway of each. */

import type { Pass, StoredPass } from '../../contract/pass.ts';
import type { Gateway, Link, LinkParameters, Mission } from '../../mission/mission.ts';
import { demoMission } from './missions.ts';
import { storedPass } from './passes.ts';

export const NOW = Date.UTC(2026, 0, 2, 3);
const MINUTE = 60_000;

/** The gateway of the link outside passes is svalbard-1, the first that carries its tag. */
export function stationMission(own: Partial<LinkParameters> = { tags: ['s-band'] }): Mission {
  const demo = demoMission();
  const sat1 = demo.targets.get('sat1')!;
  const parameters = (): LinkParameters => ({ gateway: undefined, tags: [], rate: undefined, ...own });
  const uhf: Link = { ...sat1.links.get('uhf')!, parameters };
  const other: Link = { ...uhf, name: 'other', isDefault: false };
  const links = new Map([uhf, other].map((link) => [link.name, link]));
  const at = (name: string, ...tags: string[]): [string, Gateway] => [
    name,
    { ...demo.gateways.get('sim-1')!, name, tags },
  ];
  return {
    ...demo,
    targets: new Map([['sat1', { ...sat1, links, environments: ['bench', 'in_orbit'] }]]),
    gateways: new Map([
      at('svalbard-1', 's-band', 'svalbard'),
      at('kiruna-1', 's-band', 'kiruna'),
      at('santiago-1', 'santiago', 's-band'),
    ]),
  };
}

export const pass = (fromMinute: number, toMinute: number, more: Partial<Pass> = {}): StoredPass =>
  storedPass(NOW + fromMinute * MINUTE, NOW + toMinute * MINUTE, more);

export interface Situation {
  readonly name: string;
  readonly passes: readonly StoredPass[];
  /** Of the link; default: the tag s-band. */
  readonly own?: Partial<LinkParameters>;
  readonly bench: string;
  /** Default: as in bench. */
  readonly inOrbit?: string | undefined;
  /** Who may have received a frame now. */
  readonly receiving: readonly string[];
}

const BOOKED = { source: 'provider', status: 'booked' } as const;
const BOTH = ['svalbard-1', 'kiruna-1'];

export const SITUATIONS: readonly Situation[] = [
  { name: 'no pass', passes: [], bench: 'svalbard-1', receiving: ['svalbard-1'] },
  { name: 'a pass tomorrow', passes: [pass(1_440, 1_450)], bench: 'svalbard-1', receiving: ['svalbard-1'] },
  { name: 'half a minute before AOS', passes: [pass(0.5, 10)], bench: 'svalbard-1', receiving: BOTH },
  { name: 'at AOS', passes: [pass(0, 10)], bench: 'kiruna-1', receiving: BOTH },
  { name: 'in a pass', passes: [pass(-5, 5)], bench: 'kiruna-1', receiving: BOTH },
  {
    name: 'in a pass that is receive-only',
    passes: [pass(-5, 5, { uplink: false })],
    bench: 'kiruna-1',
    receiving: BOTH,
  },
  { name: 'at LOS', passes: [pass(-10, 0)], bench: 'svalbard-1', receiving: BOTH },
  { name: 'after LOS', passes: [pass(-12, -2)], bench: 'svalbard-1', receiving: ['svalbard-1'] },
  {
    name: 'a pass that is cancelled',
    passes: [pass(-5, 5, { status: 'cancelled' })],
    bench: 'svalbard-1',
    receiving: ['svalbard-1'],
  },
  {
    name: 'a pass of another target',
    passes: [pass(-5, 5, { target: 'sat2' })],
    bench: 'svalbard-1',
    receiving: ['svalbard-1'],
  },
  {
    name: 'two passes: the booked one',
    passes: [pass(-6, 5), pass(-5, 5, { id: 'q', station: 'santiago', ...BOOKED })],
    bench: 'santiago-1',
    receiving: [...BOTH, 'santiago-1'],
  },
  {
    name: 'two passes alike: the one with the earlier AOS',
    passes: [pass(-5, 5, { station: 'santiago' }), pass(-6, 4, { id: 'q' })],
    bench: 'kiruna-1',
    receiving: [...BOTH, 'santiago-1'],
  },
  {
    name: 'two passes: the one whose station has a gateway, though the other is booked and earlier',
    passes: [pass(-6, 5, { station: 'kourou', ...BOOKED }), pass(-5, 5, { id: 'q' })],
    bench: 'kiruna-1',
    receiving: BOTH,
  },
  {
    name: 'a station without a gateway',
    passes: [pass(-5, 5, { station: 'kourou' })],
    bench: 'svalbard-1',
    inOrbit: undefined,
    receiving: ['svalbard-1'],
  },
  {
    name: 'a link that names its gateway',
    passes: [pass(-5, 5)],
    own: { gateway: 'santiago-1' },
    bench: 'santiago-1',
    receiving: ['santiago-1'],
  },
];

/** The gateway of the default link in the environment. */
export function expected(situation: Situation, environment: string): string | undefined {
  return environment === 'in_orbit' && 'inOrbit' in situation ? situation.inOrbit : situation.bench;
}
