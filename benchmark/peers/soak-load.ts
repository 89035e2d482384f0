/**
 * Generator: the traffic of many demos at once over the API, for as long as it is left alone: telecommands with and
 * without verification, reads, watchers that come and go, logs that are followed to their end.
 *
 * K1. Every telecommand is remembered until its final state is received: what is left at the end was lost.
 */

import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { monotonicFactory } from 'ulid';
import WebSocket from 'ws';
import { isFinalTcState, type TcState } from '../../contract/telecommand-state.ts';
import { answerCalls } from '../peer-side.ts';
import { ask, Refusals } from '../refusals.ts';

interface Load {
  readonly port: number;
  readonly targets: readonly string[];
}

export interface Loaded {
  readonly telecommands: number;
  readonly ends: Readonly<Record<string, number>>;
  readonly open: number;
  readonly reads: number;
  readonly refused: number;
  /** Why, as the service or the connection says, and how often. */
  readonly refusals: Readonly<Record<string, number>>;
  readonly watched: number;
}

/** Of the whole fleet, for each target: a demo sends a telecommand every five seconds, if somebody is busy with it. */
const TELECOMMANDS_PER_S = 0.2;
const READS_PER_S = 0.05;
const WATCHERS = 0.2;
const PATIENCE_MS = 60_000;
const TELECOMMANDS = [
  { telecommand: 'camera.ping' },
  { telecommand: 'obc.ping' },
  { telecommand: 'power.switch', args: { channel: 'payload' } },
] as const;
const LISTS = ['alarms', 'runs', 'schedules', 'transfers', 'passes'] as const;
/** Every so many-th telecommand is followed by its own route. */
const FOLLOWED = 10;

const ulid = monotonicFactory();
/** With a time limit it goes by what an answer says of its connection; without one Node.js does not. */
const agent = new http.Agent({ keepAlive: true, maxSockets: 32, timeout: PATIENCE_MS });
const open = new Set<string>();
const ends: Record<string, number> = {};
const refusals = new Refusals();
const watchers: WebSocket[] = [];
let [telecommands, reads, watched] = [0, 0, 0];
let running: Promise<unknown> = Promise.resolve();
let stopped = false;
let load: Load;

async function start(given: Load): Promise<void> {
  load = given;
  await opened(watch('/v1/tc/watch', hear));
  const { length } = load.targets;
  for (let n = 0; n < Math.ceil(length * WATCHERS); n += 1) watchers.push(watchNext(n));
  running = Promise.all([
    every(1_000 / (length * TELECOMMANDS_PER_S), submit),
    every(1_000 / (length * READS_PER_S), read),
    every(1_000, replaceWatcher),
  ]);
}

/** No new traffic; resolves with the balance when everything that was submitted is over, or too late for it. */
async function stop(): Promise<Loaded> {
  stopped = true;
  await running;
  const end = performance.now() + PATIENCE_MS;
  while (open.size > 0 && performance.now() < end) await pause(20);
  for (const watcher of watchers) watcher.terminate();
  agent.destroy();
  const { count: refused, byReason } = refusals;
  return { telecommands, ends, open: open.size, reads, refused, refusals: byReason, watched };
}

/** What comes due while one is under way waits for nothing: the interval counts from the start. */
async function every(ms: number, work: (n: number) => unknown): Promise<void> {
  const begun = performance.now();
  for (let n = 0; !stopped; n += 1) {
    const early = begun + n * ms - performance.now();
    if (early > 0) await pause(early);
    work(n);
  }
}

function submit(n: number): void {
  const id = ulid();
  const target = load.targets[n % load.targets.length]!;
  open.add(id);
  telecommands += 1;
  const body = JSON.stringify({ id, target, ...TELECOMMANDS[n % TELECOMMANDS.length] });
  ask(agent, { port: load.port, method: 'POST', path: '/v1/tc', body, wanted: 202 }).catch((error: Error) => {
    refusals.note(error);
    open.delete(id);
  });
  if (n % FOLLOWED === 0) watch(`/v1/tc/${target}/${id}/events`, () => (watched += 1));
}

function hear(text: string): void {
  const { tc, state } = JSON.parse(text) as { tc: string; state: TcState };
  if (!isFinalTcState(state) || !open.delete(tc)) return;
  ends[state] = (ends[state] ?? 0) + 1;
}

function read(n: number): void {
  const path =
    n % 2 === 0
      ? `/v1/targets/${load.targets[n % load.targets.length]}/values`
      : `/v1/${LISTS[n % LISTS.length]}`;
  reads += 1;
  ask(agent, { port: load.port, method: 'GET', path, wanted: 200 }).catch((error: Error) =>
    refusals.note(error),
  );
}

/** The oldest goes, another target's comes. */
function replaceWatcher(n: number): void {
  watchers.shift()?.terminate();
  watchers.push(watchNext(n));
}

function watchNext(n: number): WebSocket {
  const target = load.targets[(n * 7) % load.targets.length];
  const path = n % 3 === 0 ? '/v1/alarms/watch' : `/v1/targets/${target}/values/watch`;
  return watch(path, () => (watched += 1));
}

function watch(path: string, take: (text: string) => void): WebSocket {
  const socket = new WebSocket(`ws://127.0.0.1:${load.port}${path}`);
  socket.on('message', (data) => take(String(data)));
  // One that is refused or cut is missing in what was watched.
  socket.on('error', () => undefined);
  return socket;
}

function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
}

answerCalls({ start, stop });
