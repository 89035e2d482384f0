/**
 * From a sample to its alarm: a datagram that a gateway receives, until a watcher in another process has the event on
 * `/v1/alarms/watch`, all roles on the way in one process. Held against the same way without the service, with one
 * message stored on it and with as many as the service stores.
 */

import { createSocket } from 'node:dgram';
import { compile } from '../../mission/compile.ts';
import { publishConfiguration } from '../../supervision/configuration.ts';
import type { Ground } from '../ground.ts';
import { limitMission } from '../limit-mission.ts';
import type { Peer } from '../peer.ts';
import { type Contender, compare, type Result, type Row, type Settings } from '../row.ts';
import { onGround, type Start } from '../with-peers.ts';

const TARGET = 'sat1';
/** Alarms that cross in turn: each has settled for long before its turn comes again. */
const PAGES = 64;
const PER_SECOND = 100;
const ROLES = ['api', 'gateways', 'drivers', 'telemetry', 'alarms'];
/** Frames, decoded samples, values, the record and the event. */
const STORED = 5;

interface Serving {
  readonly udp: number;
  readonly http: number;
}

export const alarmLatencyRow: Row = {
  name: 'alarms.latency',
  async run(settings) {
    return onGround(async (ground, start) => [await measure(ground, start, settings)]);
  },
};

async function measure(ground: Ground, start: Start, settings: Settings): Promise<Result> {
  const { address } = ground;
  const service = await start('service');
  const serving = await startService(ground, service);
  const [once, often] = [await start('bare-alarms'), await start('bare-alarms')];
  const servingOnce = await once.call<Serving>('start', { address, name: 'once', stored: 1 });
  const servingOften = await often.call<Serving>('start', { address, name: 'often', stored: STORED });
  const contenders = [
    await contender('service', service, serving, await start('alarm-load'), settings),
    await contender('bare, one message stored', once, servingOnce, await start('alarm-load'), settings),
    await contender(
      `bare, ${STORED} messages stored`,
      often,
      servingOften,
      await start('alarm-load'),
      settings,
    ),
  ];
  return compare(
    {
      row: 'alarms.latency',
      unit: 'datagram to WebSocket, samples/s offered',
      note: `open loop, each sample crosses a limit; ${STORED} messages stored for each by the service`,
      contenders,
    },
    settings,
  );
}

async function startService({ address, bus }: Ground, service: Peer): Promise<Serving> {
  const udp = await freeUdpPort();
  const gateway = () => `{ udp: { port: ${udp} } }`;
  const compiled = compile(limitMission({ targets: [TARGET], pages: PAGES + 1, measures: 1, gateway }));
  if (!compiled.ok) throw new Error(compiled.faults.map(({ message }) => message).join('\n'));
  await publishConfiguration(bus, compiled.value);
  const api = await service.call<string>('start', { address, roles: ROLES });
  return { udp, http: Number(new URL(api).port) };
}

async function contender(
  name: string,
  peer: Peer,
  serving: Serving,
  load: Peer,
  { roundMs }: Settings,
): Promise<Contender> {
  await load.call('start', { ...serving, path: '/v1/alarms/watch', pages: PAGES });
  return {
    name,
    async turn() {
      const before = [await peer.cpuUs(), await load.cpuUs()] as const;
      const wanted = { perSecond: PER_SECOND, ms: roundMs };
      const { count, p50Ms, p99Ms } = await load.call<{ count: number; p50Ms: number; p99Ms: number }>(
        'steady',
        wanted,
      );
      const cpuUs = ((await peer.cpuUs()) - before[0]) / count;
      const generator = ((await load.cpuUs()) - before[1]) / 1_000 / roundMs;
      return { rate: PER_SECOND, cpuUs, generator, p50Ms, p99Ms };
    },
  };
}

/** A port that nobody listens on now. */
async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(resolve));
  return port;
}
