/** Load on a cell over a cluster, and what became of it: what was acknowledged, and for how long nothing was. */

import { setTimeout as pause } from 'node:timers/promises';
import { connect, type NatsConnection } from 'nats';
import type { LaunchReply, RunStatus } from '../../contract/run.ts';
import type { TcReply } from '../../contract/telecommand.ts';
import { FIELD } from './campaign-field.ts';

/** The longest time between two successes, by what was on at the second one. */
export class Gap {
  readonly longestMs = new Map<string, number>();
  #since = performance.now();

  succeeded(during: string): void {
    const ms = Math.round(performance.now() - this.#since);
    if (ms > (this.longestMs.get(during) ?? 0)) this.longestMs.set(during, ms);
    this.#since = performance.now();
  }
}

/** Of a run: which question was answered, and the reply said that the answer is kept. */
export interface Answered {
  readonly run: string;
  readonly path: string;
}

export interface Load {
  readonly telecommands: string[];
  /** To the spacecraft that counts what it receives. */
  readonly field: string[];
  readonly runs: string[];
  readonly answered: Answered[];
  /** By status and what was said. */
  readonly refusals: Record<string, number>;
  /** ms of the slowest refusals. */
  readonly slowest: { refusalMs: number };
  readonly writes: Gap;
  readonly values: Gap;
  /**
   * Leaders of the streams that a write goes into, and that a value comes by, asked directly: what nobody but the bus
   * can shorten.
   */
  readonly leaders: Readonly<Record<string, Gap>>;
  now: string;
}

const ada = { 'x-mcs-user': 'ada', 'content-type': 'application/json' };
const ANSWER_MS = 15_000;

/** Sends, launches, answers and reads over every API in turn until `signal`; resolves when all of that has ended. */
export async function loadUntil(signal: AbortSignal, apis: readonly string[], load: Load): Promise<void> {
  let turn = 0;
  const api = (): string => apis[turn++ % apis.length]!;
  const every = async (ms: number, step: () => Promise<void>): Promise<void> => {
    while (!signal.aborted) {
      await step().catch(() => undefined);
      await pause(ms);
    }
  };
  await Promise.all([
    every(200, () => telecommand(api(), load, PING)),
    every(200, () => telecommand(api(), load, PING)),
    every(500, () => telecommand(api(), load, SWITCH)),
    every(1_000, () => run(api, load, signal)),
    every(200, () => values(api(), load)),
    every(12_000, () => fault(api(), true)),
    every(17_000, () => fault(api(), false)),
  ]);
}

async function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: ada,
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
}

const PING = { target: 'sat2', telecommand: 'obc.ping' };
/** Changes the state, so it must never leave twice. */
const SWITCH = { target: FIELD, telecommand: 'power.switch', args: { channel: 'payload' } };

async function telecommand(api: string, load: Load, wanted: { readonly target: string }): Promise<void> {
  const start = performance.now();
  const answer = await post(`${api}/v1/tc`, wanted);
  const body = (await answer.json()) as TcReply & { errors?: { code: string; message: string }[] };
  if (answer.status === 202) {
    (wanted.target === FIELD ? load.field : load.telecommands).push(body.id);
    load.writes.succeeded(load.now);
    return;
  }
  const [fault] = body.errors ?? [];
  const why = `${answer.status} ${fault?.code}: ${fault?.message.slice(0, 120)}`;
  load.refusals[why] = (load.refusals[why] ?? 0) + 1;
  load.slowest.refusalMs = Math.max(load.slowest.refusalMs, performance.now() - start);
}

/** A run that asks somebody, and the answer. */
async function run(api: () => string, load: Load, signal: AbortSignal): Promise<void> {
  const request = { run: 'take_image', environment: 'rehearsal', inputs: { exposure: '0.03 s' } };
  const answer = await post(`${api()}/v1/runs`, { ...request, targets: { sat: 'sat1' } });
  if (answer.status !== 202) return;
  const { run: id } = (await answer.json()) as LaunchReply;
  load.runs.push(id);
  while (!signal.aborted) {
    const status = await statusOf(api(), id).catch(() => undefined);
    if (status?.finished !== undefined) return;
    // A run that was taken over in the middle of a step waits for somebody who has looked at it.
    if (status?.suspended === true) await post(`${api()}/v1/runs/${id}/resume`, {}).catch(() => undefined);
    const path = status?.pending?.path;
    const given = { path, accepted: true, value: path === 'downlink' ? '12 dB' : 'abort' };
    if (path !== undefined) {
      const told = await post(`${api()}/v1/runs/${id}/answers`, given).catch(() => undefined);
      if (told?.status === 202) load.answered.push({ run: id, path });
    }
    await pause(500);
  }
}

async function statusOf(api: string, run: string): Promise<RunStatus> {
  const answer = await fetch(`${api}/v1/runs/${run}`, { signal: AbortSignal.timeout(ANSWER_MS) });
  if (answer.status !== 200) throw new Error(`status ${answer.status}`);
  return (await answer.json()) as RunStatus;
}

const lastTexts = new WeakMap<Load, string>();

/** Values count when they have changed: the spacecraft sends some every second. */
async function values(api: string, load: Load): Promise<void> {
  const answer = await fetch(`${api}/v1/targets/sat2/values`, { signal: AbortSignal.timeout(ANSWER_MS) });
  const text = await answer.text();
  if (answer.status !== 200 || text === lastTexts.get(load)) return;
  lastTexts.set(load, text);
  load.values.succeeded(load.now);
}

async function fault(api: string, on: boolean): Promise<void> {
  await post(`${api}/v1/sim/sim-1/faults/cell_drain`, { on });
}

export const LED = ['TC_COMMANDS', 'TM_FRAMES', 'TM', 'TM_VALUES'];
/** The others of a group send something each second. */
const LATELY_NS = 2.5e9;

interface Led {
  readonly cluster?: { readonly replicas?: readonly { readonly active: number }[] };
}

/** Asks the leader of each stream itself five times a second, past everything of ours, over every server. */
export async function watchLeaders(servers: string, signal: AbortSignal, load: Load): Promise<void> {
  const all = servers.split(',');
  await Promise.all(all.map((_, at) => watchOver([...all.slice(at), ...all.slice(0, at)], signal, load)));
}

/** Over the first of these, and over another one while that is away. */
async function watchOver(servers: string[], signal: AbortSignal, load: Load): Promise<void> {
  const connection = await connect({
    servers,
    noRandomize: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
  });
  await Promise.all(LED.map((stream) => watchLeader(connection, signal, load, stream)));
  await connection.close();
}

async function watchLeader(
  connection: NatsConnection,
  signal: AbortSignal,
  load: Load,
  stream: string,
): Promise<void> {
  while (!signal.aborted) {
    const asked = connection.request(`$JS.API.STREAM.INFO.${stream}`, undefined, { timeout: 1_000 });
    const led = await asked.then(
      (reply) => reply.json<Led>(),
      () => undefined,
    );
    // Only a leader answers, and one that is cut off as well.
    if (led?.cluster?.replicas?.some(({ active }) => active < LATELY_NS) === true)
      load.leaders[stream]!.succeeded(load.now);
    await pause(200);
  }
}
