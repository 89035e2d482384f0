/**
 * Generator: submits telecommands and receives their events, over a connection of its own. Submissions stand on the bus
 * as the API puts them there.
 *
 * G1. Open loop: a telecommand's latency counts from the moment it was due, whenever it was really sent.
 */

import http from 'node:http';
import { headers as newHeaders } from 'nats';
import { monotonicFactory } from 'ulid';
import { type BareBus, connectBare } from '../bare-bus.ts';
import type { BusAddress } from '../ground.ts';
import { answerCalls } from '../peer-side.ts';
import { ask } from '../refusals.ts';
import { percentile } from '../spread.ts';

interface Burst {
  /** Without the target. */
  readonly submit: string;
  readonly targets: readonly string[];
  readonly count: number;
  readonly revision: string;
}

interface Steady {
  readonly port: number;
  readonly targets: readonly string[];
  readonly perSecond: number;
  readonly ms: number;
}

const WINDOW = 64;
const SUBMISSION = { component: 'camera', telecommand: 'ping', args: {}, link: 'uhf' };
/** Of the state in `{"tc":"<26 characters>","state":"`. */
const STATE_AT = 44;
const ID_AT = 7;
const [S, C] = [0x53, 0x43];
/** From one target to the next: partitions move in the order of their names, and not along with the telecommands. */
const STRIDE = 7_919;
/** A burst that takes longer has lost a telecommand. */
const PATIENCE_MS = 60_000;

const ulid = monotonicFactory();
let bus: BareBus;
let completed = 0;
let wanted = Number.POSITIVE_INFINITY;
let reached: () => void = () => undefined;
const sentAt = new Map<string, number>();

async function start({ address, events }: { address: BusAddress; events: string }): Promise<void> {
  bus = await connectBare(address);
  bus.connection.subscribe(events, { callback: (_error, message) => hear(message.data) });
  await bus.connection.flush();
}

function hear(data: Uint8Array): void {
  if (data[STATE_AT] === C) {
    completed += 1;
    if (completed >= wanted) reached();
  } else if (data[STATE_AT] === S && data[STATE_AT + 4] === 0x22 && sentAt.size > 0) {
    note(Buffer.from(data.buffer, data.byteOffset + ID_AT, 26).toString('latin1'));
  } else if (sentAt.size > 0) {
    const id = Buffer.from(data.buffer, data.byteOffset + ID_AT, 26).toString('latin1');
    if (sentAt.has(id)) lastOf.set(id, Buffer.from(data).toString());
  }
}

/** The last event of each that is not sent yet. */
const lastOf = new Map<string, string>();

const latencies: number[] = [];

function note(id: string): void {
  const due = sentAt.get(id);
  if (due === undefined) return;
  sentAt.delete(id);
  lastOf.delete(id);
  latencies.push(performance.now() - due);
}

/** Submits `count` telecommands, in turn to each target, and waits for the last to be complete. */
async function burst({ submit, targets, count, revision }: Burst): Promise<number> {
  completed = 0;
  wanted = count;
  const done = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const start = performance.now();
  let next = 0;
  const submitNext = async (): Promise<void> => {
    while (next < count) {
      const target = targets[next % targets.length]!;
      next += 1;
      await submitOne(`${submit}.${target}`, target, revision);
    }
  };
  await Promise.all(Array.from({ length: WINDOW }, submitNext));
  await within(done, () => `${completed} of ${count} telecommands of ${submit} are complete`);
  return performance.now() - start;
}

async function submitOne(subject: string, target: string, revision: string): Promise<void> {
  const id = ulid();
  const headers = newHeaders();
  headers.set('Mcs-Config', revision);
  await bus.jetstream.publish(subject, Buffer.from(JSON.stringify({ id, target, ...SUBMISSION })), {
    msgID: id,
    headers,
  });
}

/** Posts at a steady rate; percentiles of the time from the moment due to SENT. */
async function steady({
  port,
  targets,
  perSecond,
  ms,
}: Steady): Promise<{ count: number; p50Ms: number; p99Ms: number }> {
  latencies.length = 0;
  const agent = new http.Agent({ keepAlive: true, maxSockets: WINDOW, timeout: PATIENCE_MS });
  const count = Math.floor((perSecond * ms) / 1_000);
  const start = performance.now();
  const posts: Promise<void>[] = [];
  for (let n = 0; n < count; n += 1) {
    const due = start + (n * 1_000) / perSecond;
    const early = due - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    posts.push(post(agent, port, targets[(n * STRIDE) % targets.length]!, due));
  }
  await Promise.all(posts);
  const end = performance.now() + PATIENCE_MS;
  while (sentAt.size > 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 5));
  agent.destroy();
  if (sentAt.size > 0) {
    const how = [...sentAt.keys()].map((id) => lastOf.get(id) ?? `${id}: not one event`);
    throw new Error([`${sentAt.size} telecommands were not sent`, ...how].join('\n'));
  }
  return { count, p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99) };
}

function post(agent: http.Agent, port: number, target: string, due: number): Promise<void> {
  const id = ulid();
  sentAt.set(id, due);
  const body = JSON.stringify({ id, target, telecommand: 'camera.ping' });
  return ask(agent, { port, method: 'POST', path: '/v1/tc', body, wanted: 202 }).then(() => undefined);
}

function within(done: Promise<void>, state: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(state())), PATIENCE_MS);
    void done.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

answerCalls({ start, burst, steady });
