/**
 * HTTP: reading current values and submitting telecommands, against bare uWebSockets.js handlers that answer the same
 * bytes and against fastify. Every server runs in a process of its own, the generator in another.
 */

import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { publishConfiguration } from '../../supervision/configuration.ts';
import { until } from '../../test/support/until.ts';
import { compiledDemo, demoMission } from '../demo-mission.ts';
import type { Ground } from '../ground.ts';
import type { Peer } from '../peer.ts';
import {
  type Comparison,
  type Contender,
  compare,
  type Result,
  type Row,
  type Settings,
  type Turn,
} from '../row.ts';
import { valueMessage } from '../value-message.ts';
import { onGround, type Start } from '../with-peers.ts';

const CONNECTIONS = 64;
const VALUES = '/v1/targets/sat1/values';
const TELECOMMAND = JSON.stringify({
  target: 'sat1',
  telecommand: 'obc.set_watchdog',
  args: { period: '120 s' },
});
const AIM = { share: 0.7, by: 'processor time' } as const;

const get = `GET ${VALUES} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const post = `POST /v1/tc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${TELECOMMAND.length}\r\n\r\n${TELECOMMAND}`;

interface Served {
  readonly name: string;
  readonly peer: Peer;
  readonly port: number;
  readonly ground?: Ground;
}

export const httpRow: Row = {
  name: 'http',
  async run(settings) {
    return onGround(async (ground, start) => measure(settings, ground, start));
  },
};

async function measure(settings: Settings, ground: Ground, start: Start): Promise<Result[]> {
  await prepare(ground);
  const generator = await start('http-load');
  const [alone, service, bare, bareBus, fastify] = [
    await start('front-end'),
    await start('service'),
    await start('bare-http'),
    await start('bare-http'),
    await start('fastify-http'),
  ];
  const alonePort = await alone.call<number>('start');
  const api = await service.call<string>('start', { address: ground.address, roles: ['api'] });
  const answers = await answersOf(api);
  const bus = { bus: ground.address };
  const turnOf = (request: string, served: Served): Contender => ({
    name: served.name,
    turn: () => turn(generator, request, served, settings.roundMs),
  });
  const onBus: Served = { name: 'service', peer: service, port: Number(new URL(api).port), ground };
  const inFront: Served = { name: 'front end', peer: alone, port: alonePort };
  const bareOne: Served = { name: 'bare uWS', peer: bare, port: await bare.call<number>('start', answers) };
  const bareStoring: Served = {
    name: 'bare uWS + JetStream',
    peer: bareBus,
    port: await bareBus.call<number>('start', { ...answers, ...bus }),
    ground,
  };
  const known: Served = {
    name: 'fastify',
    peer: fastify,
    port: await fastify.call<number>('start', answers),
  };
  const rows: Comparison[] = [
    {
      row: 'http.values',
      unit: 'requests/s',
      note: `GET ${VALUES}, ${answers.answer.length} bytes, ${CONNECTIONS} connections`,
      contenders: [onBus, bareOne, known].map((served) => turnOf(get, served)),
      aim: { ...AIM, of: 'bare uWS' },
    },
    {
      row: 'http.tc-layer',
      unit: 'requests/s',
      note: `POST /v1/tc, ${TELECOMMAND.length} bytes, the bus acknowledges at once`,
      contenders: [inFront, bareOne, known].map((served) => turnOf(post, served)),
      aim: { ...AIM, of: 'bare uWS' },
    },
    {
      row: 'http.tc-stored',
      unit: 'requests/s',
      note: 'POST /v1/tc, 202 once JetStream has it',
      contenders: [onBus, bareStoring].map((served) => turnOf(post, served)),
      aim: { ...AIM, of: 'bare uWS + JetStream' },
    },
  ];
  const results: Result[] = [];
  for (const row of rows) results.push(await compare(row, settings));
  return results;
}

/** The demo published, with one sample of each measure of sat1. */
async function prepare({ bus }: Ground): Promise<void> {
  await publishConfiguration(bus, await compiledDemo());
  const platform = (await demoMission()).targets.get('sat1')!.platform!;
  const { data, headers } = valueMessage(platform, {
    target: 'sat1',
    seq: 1,
    groundMs: Date.now(),
    value: 1_000,
  });
  await bus.append(streams.values, subject.values('sat1'), data, { headers });
}

async function answersOf(api: string): Promise<{ answer: string; accepted: string }> {
  const answer = await until(async () => {
    const text = await (await fetch(`${api}${VALUES}`)).text();
    return text.includes('"sample"') && text;
  });
  const posted = await fetch(`${api}/v1/tc`, { method: 'POST', body: TELECOMMAND });
  if (posted.status !== 202) throw new Error(`POST /v1/tc answers ${posted.status}: ${await posted.text()}`);
  return { answer, accepted: await posted.text() };
}

async function turn(generator: Peer, request: string, served: Served, ms: number): Promise<Turn> {
  const { peer, port, ground } = served;
  const [cpu, bus] = [await peer.cpuUs(), await ground?.cpuUs()];
  const load = { port, request, connections: CONNECTIONS, ms };
  const loaded = await generator.call<{ operations: number; ms: number; cpuUs: number }>('load', load);
  const { operations } = loaded;
  const cpuUs = ((await peer.cpuUs()) - cpu) / operations;
  const busUs = ((await ground?.cpuUs()) ?? 0) - (bus ?? 0);
  return {
    rate: (operations / loaded.ms) * 1_000,
    cpuUs,
    generator: loaded.cpuUs / 1_000 / loaded.ms,
    ...(ground !== undefined && { busUs: busUs / operations }),
  };
}
