/**
 * `npm run scale -- [--targets N] [--gateways N] [--finished N] [--open N] [--records N] [--calm N] [--watchers N]
 * [--ttl MS] [--alone] [--aged]`: what a cell costs by its size and its past. One process of every role but the
 * archive, a second one that joins while telecommands go on, and its end by SIGKILL; with `--alone`, its end and the
 * start of the next one, which finds low-water marks; with `--aged` the bus has forgotten the ids of what it was given.
 * Beside it the same with one target and no past.
 */

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import WebSocket from 'ws';
import { publishConfiguration } from '../../supervision/configuration.ts';
import { optionsOf } from '../../tools/command-line.ts';
import { compiledFleet, targetNames } from '../fleet.ts';
import type { Ground } from '../ground.ts';
import { short, storeProgram } from '../run-program.ts';
import { onGround, type Start } from '../with-peers.ts';
import { join, type Member, member, owned, timed } from './cell.ts';
import * as fill from './fill.ts';
import { lookAtBus, lookAtService } from './look.ts';
import { numbers } from './numbers.ts';

interface Size {
  readonly targets: number;
  readonly gateways: number;
  readonly finished: number;
  readonly open: number;
  readonly records: number;
  /** Records of alarms that are normal again. */
  readonly calm: number;
  readonly watchers: number;
  readonly ttl: number;
}

type Row = readonly [what: string, value: string];

/** Below those that the system hands out by itself; two of these at once shall not meet. */
const FIRST_PORT = 20_000 + (process.pid % 10) * 1_000;
const IDLE_MS = 20_000;
const SETTLE_MS = 5_000;
const PER_SECOND = 50;
const STEADY_MS = 8_000;
/** The bus remembers the ids of events for ten minutes: in six it was given those of days. */
const IDS_FORGOTTEN_MS = 11 * 60_000;
/** Of a telecommand, its lane and its telemetry. */
const PARTITIONS_OF_A_TARGET = 2;

const values = optionsOf(import.meta.url, {
  targets: { type: 'string', default: '2000' },
  gateways: { type: 'string', default: '500' },
  finished: { type: 'string', default: '0' },
  open: { type: 'string', default: '0' },
  records: { type: 'string', default: '0' },
  calm: { type: 'string', default: '0' },
  watchers: { type: 'string', default: '0' },
  ttl: { type: 'string', default: '3000' },
  alone: { type: 'boolean', default: false },
  aged: { type: 'boolean', default: false },
});

async function fillUp(
  { bus }: Ground,
  size: Size,
  targets: readonly string[],
  config: string,
): Promise<void> {
  const ir = await storeProgram(bus, short(config));
  const { finished, open, records, calm } = size;
  await fill.finishedTelecommands(bus, { targets, count: finished });
  await fill.alarmEvents(bus, { targets, count: finished });
  await fill.finishedRuns(bus, ir, Math.round(finished / 10));
  await fill.oldPrograms(bus, finished);
  await fill.openTelecommands(bus, { targets, count: open });
  await fill.alarmRecords(bus, { targets, count: records });
  await fill.calmAlarmRecords(bus, { targets, count: calm });
}

async function measure(ground: Ground, start: Start, size: Size): Promise<Row[]> {
  const rows: Row[] = [];
  const say = (what: string, value: string): void => {
    rows.push([what, value]);
    console.error(`${what}: ${value}`);
  };
  const names = targetNames(size.targets);
  const targetsOfAGateway = Math.ceil(size.targets / size.gateways);
  const compiled = await compiledFleet(size.targets, {
    targetsOfAGateway,
    within: '2 h',
    udp: { from: FIRST_PORT, to: sink.address().port },
  });
  await publishConfiguration(ground.bus, compiled);
  const filled = await timed(
    ground,
    () => [],
    () => fillUp(ground, size, names, compiled.revision),
  );
  say('filled', seconds(filled.ms));
  if (values.aged && size.finished > 0) await pause(IDS_FORGOTTEN_MS);

  const first = await member(start, 'first');
  const pids = () => [first.peer.pid];
  const ready = await timed(ground, pids, () => join(ground, first, size.ttl));
  say('ready', shown(ready));
  const least = size.targets * PARTITIONS_OF_A_TARGET;
  const whole = await timed(ground, pids, () => owned(ground, ['first'], least));
  say('then all owned', shown(whole));
  await pause(SETTLE_MS);
  const watchers = await watch(first.api, names, size.watchers);
  const idle = await timed(ground, pids, () => pause(IDLE_MS));
  say('idle, share of a core', `${share(idle.cpuMs, idle.ms)}, bus ${share(idle.busMs, idle.ms)}`);
  for (const [what, value] of await standing(ground, first)) say(what, value);
  for (const [what, value] of await asked(first.api, names)) say(what, value);

  const load = await start('telecommand-load');
  await load.call('start', { address: ground.address, events: 'mcs.tc.evt.*.*' });
  const port = Number(new URL(first.api).port);
  const steady = (ms: number): Promise<string> =>
    load
      .call<Latency>('steady', { port, targets: names, perSecond: PER_SECOND, ms })
      .then(latency, (error: Error) => error.message);
  say(`telecommands, ${PER_SECOND}/s`, await steady(STEADY_MS));
  if (values.alone) {
    process.kill(first.peer.pid, 'SIGKILL');
    const next = await member(start, 'next');
    const again = await timed(
      ground,
      () => [next.peer.pid],
      async () => {
        await join(ground, next, size.ttl);
        await owned(ground, ['next'], least);
      },
    );
    say('the next one behind SIGKILL, all owned', shown(again));
    await pause(SETTLE_MS);
    const rest = await timed(
      ground,
      () => [next.peer.pid],
      () => pause(IDLE_MS),
    );
    say(
      'the next one idle, share of a core',
      `${share(rest.cpuMs, rest.ms)}, bus ${share(rest.busMs, rest.ms)}`,
    );
    for (const [what, value] of await standing(ground, next)) say(`the next one: ${what}`, value);
    for (const [what, value] of await asked(next.api, names)) say(`the next one: ${what}`, value);
    return rows;
  }
  const second = await member(start, 'second');
  const both = () => [first.peer.pid, second.peer.pid];
  const meanwhile = pause(500).then(() => steady(STEADY_MS * 2));
  const joined = await timed(ground, both, async () => {
    await join(ground, second, size.ttl);
    await owned(ground, ['first', 'second'], least);
  });
  say('a second one has its share', shown(joined));
  say('telecommands meanwhile', await meanwhile);
  process.kill(second.peer.pid, 'SIGKILL');
  const taken = await timed(ground, pids, () => owned(ground, ['first'], least));
  say('taken over behind SIGKILL', shown(taken));
  for (const watcher of watchers) watcher.terminate();
  return rows;
}

interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

async function standing(ground: Ground, { peer }: Member): Promise<Row[]> {
  const [service, bus] = [await lookAtService(peer), await lookAtBus(ground)];
  return [
    ['service', `${service.rssMb.toFixed(0)} MB resident, ${service.heapMb.toFixed(0)} MB in use`],
    [
      'bus',
      `${bus.rssMb.toFixed(0)} MB resident, ${bus.heapMb.toFixed(0)} MB in use, ${bus.connections} connections`,
    ],
    ['consumers', `${bus.consumers}`],
    ['subscriptions', `${bus.subscriptions}`],
  ];
}

/** The median of some requests of each kind. */
async function asked(api: string, names: readonly string[]): Promise<Row[]> {
  const paths = [
    '/v1/runs',
    '/v1/alarms',
    '/v1/alarms?all=true',
    '/v1/transfers',
    '/v1/schedules',
    `/v1/targets/${names[0]}/values`,
  ];
  const rows: Row[] = [];
  for (const path of paths) {
    const ms: number[] = [];
    for (let n = 0; n < 9; n += 1) {
      const begun = performance.now();
      await (await fetch(`${api}${path}`)).arrayBuffer();
      ms.push(performance.now() - begun);
    }
    rows.push([`GET ${path}`, `${ms.sort((a, b) => a - b)[4]!.toFixed(1)} ms`]);
  }
  return rows;
}

/** Each of everything of which there is one for all: telecommands, alarms, passes, transfers; and of one target. */
async function watch(api: string, names: readonly string[], count: number): Promise<WebSocket[]> {
  const paths = ['tc/watch', 'alarms/watch', 'passes/watch', 'transfers/watch'];
  const all = Array.from({ length: count }, (_, n) => [
    ...paths,
    `targets/${names[n % names.length]}/values/watch`,
  ]).flat();
  return all.map((path) => new WebSocket(`${api.replace(/^http/, 'ws')}/v1/${path}`));
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const share = (part: number, of: number): string => `${((100 * part) / of).toFixed(1)} %`;
const latency = ({ p50Ms, p99Ms }: Latency): string =>
  `p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms`;
const shown = ({ ms, cpuMs, busMs }: { ms: number; cpuMs: number; busMs: number }): string =>
  `${seconds(ms)} (processor ${seconds(cpuMs)}, bus ${seconds(busMs)})`;

const size: Size = numbers(values as Record<keyof Size, string>, [
  'targets',
  'gateways',
  'finished',
  'open',
  'records',
  'calm',
  'watchers',
  'ttl',
]);
const EMPTY: Size = {
  ...size,
  targets: 1,
  gateways: 1,
  finished: 0,
  open: 0,
  records: 0,
  calm: 0,
  watchers: 0,
};
/** What takes every frame. */
const sink = createSocket('udp4').bind(0, '127.0.0.1');
await once(sink, 'listening');
const empty = await onGround((ground, start) => measure(ground, start, EMPTY), { monitored: true });
const full = await onGround((ground, start) => measure(ground, start, size), { monitored: true });
console.log(`${JSON.stringify(size)}\n| what | | beside one target, no past |\n|---|---|---|`);
for (const [n, [what, value]] of full.entries())
  console.log(`| ${what} | ${value} | ${empty[n]?.[1] ?? ''} |`);
sink.close();
