/**
 * `NATS_SERVER=… npm run elections -- [--rounds N] [--streams N]`: for how long a cluster of three stores nothing when
 * a server is lost, without the service, and what it stores twice; `npm run cluster` measures the same with it. Streams
 * of three copies are written to all the time, over each server; a stream stands still while none of the three stores.
 * In each round one server is killed or paused, in turn, and the round ends when all streams are back.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { connect, type JetStreamClient, nuid } from 'nats';
import { startCluster } from '../../test/support/cluster.ts';
import { optionsOf } from '../../tools/command-line.ts';
import { numbers } from './numbers.ts';

const FAULTS = ['killed', 'paused'] as const;
const AWAY_MS = 12_000;
const WRITE_EVERY_MS = 50;
const WRITE_WITHIN_MS = 300;
const BACK_WITHIN_MS = 60_000;

/** A stream that somebody writes to. */
class Written {
  readonly #over: readonly JetStreamClient[];
  readonly #subject: string;
  #storedAt = performance.now();
  #longestMs = 0;
  #ended = false;

  constructor(over: readonly JetStreamClient[], subject: string) {
    this.#over = over;
    this.#subject = subject;
  }

  async write(): Promise<void> {
    await Promise.all(this.#over.map((jetstream) => this.#writeOver(jetstream)));
  }

  /** What is not acknowledged is published again under the same id, as the service does. */
  async #writeOver(jetstream: JetStreamClient): Promise<void> {
    for (let msgID = nuid.next(); !this.#ended; await pause(WRITE_EVERY_MS)) {
      const stored = await jetstream
        .publish(this.#subject, msgID, { timeout: WRITE_WITHIN_MS, msgID })
        .catch(() => undefined);
      const now = performance.now();
      this.#longestMs = Math.max(this.#longestMs, now - this.#storedAt);
      if (stored === undefined) continue;
      this.#storedAt = now;
      msgID = nuid.next();
    }
  }

  get storedAt(): number {
    return this.#storedAt;
  }

  /** The longest time without a message stored since it was asked last, ms. */
  take(): number {
    const longest = this.#longestMs;
    this.#longestMs = 0;
    return longest;
  }

  end(): void {
    this.#ended = true;
  }
}

async function rounds(count: number, streams: number): Promise<void> {
  const cluster = await startCluster();
  const connections = await Promise.all(
    cluster.url
      .split(',')
      .map((servers) =>
        connect({ servers, maxReconnectAttempts: -1, reconnectTimeWait: 100, ignoreClusterUpdates: true }),
      ),
  );
  const over = connections.map((connection) => connection.jetstream());
  const manager = await connections[0]!.jetstreamManager();
  const written: Written[] = [];
  for (let n = 0; n < streams; n += 1) {
    await manager.streams.add({ name: `S${n}`, subjects: [`s.${n}`], num_replicas: 3 });
    written.push(new Written(over, `s.${n}`));
  }
  const writing = Promise.all(written.map((each) => each.write()));
  const seen = new Map<string, number[]>(FAULTS.map((fault) => [fault, []]));
  for (let round = 0; round < count * FAULTS.length; round += 1) {
    const fault = FAULTS[round % FAULTS.length]!;
    const node = round % 3;
    await pause(5_000);
    for (const each of written) each.take();
    if (fault === 'killed') await cluster.kill(node);
    else cluster.pause(node);
    await pause(AWAY_MS);
    if (fault === 'killed') cluster.start(node);
    else cluster.resume(node);
    const [since, end] = [performance.now(), performance.now() + BACK_WITHIN_MS];
    while (written.some(({ storedAt }) => storedAt < since) && performance.now() < end) await pause(20);
    const away = written.map((each) => each.take());
    seen.get(fault)!.push(...away);
    const longest = Math.max(...away);
    process.stderr.write(`${fault} server ${node}: longest ${(longest / 1_000).toFixed(1)} s\n`);
  }
  for (const [fault, all] of seen) process.stdout.write(`${lineOf(fault, all, streams)}\n`);
  for (const each of written) each.end();
  await writing;
  const states = await Promise.all(written.map(async (_, n) => (await manager.streams.info(`S${n}`)).state));
  const lost = states.reduce((sum, { num_deleted = 0 }) => sum + num_deleted, 0);
  process.stdout.write(`positions without a message, of ${sum(states)} messages: ${lost}\n`);
  const twice = await Promise.all(written.map((_, n) => storedTwice(over[0]!, `S${n}`, states[n]!.messages)));
  process.stdout.write(`stored twice under one id: ${twice.reduce((count, each) => count + each, 0)}\n`);
  await Promise.all(connections.map((connection) => connection.close()));
  await cluster.stop();
}

async function storedTwice(jetstream: JetStreamClient, stream: string, messages: number): Promise<number> {
  const seen = new Set<string>();
  let left = messages;
  const consumer = await jetstream.consumers.get(stream);
  while (left > 0)
    for await (const message of await consumer.fetch({
      max_messages: Math.min(left, 1_000),
      expires: 5_000,
    })) {
      seen.add(message.string());
      left -= 1;
    }
  return messages - seen.size;
}

function sum(states: readonly { readonly messages: number }[]): number {
  return states.reduce((count, { messages }) => count + messages, 0);
}

function lineOf(fault: string, all: readonly number[], streams: number): string {
  const sorted = [...all].sort((a, b) => a - b);
  const away = sorted.filter((ms) => ms > 1_000);
  const at = (share: number): string =>
    ((away[Math.floor(share * (away.length - 1))] ?? 0) / 1_000).toFixed(1);
  const beyond = away.filter((ms) => ms > 10_000).length;
  return (
    `${fault}: ${all.length / streams} rounds of ${streams} streams, ${away.length} stood still for more than 1 s: ` +
    `median ${at(0.5)} s, p95 ${at(0.95)} s, longest ${at(1)} s, ${beyond} beyond 10 s`
  );
}

const values = optionsOf(import.meta.url, {
  rounds: { type: 'string', default: '10' },
  streams: { type: 'string', default: '16' },
});
const { rounds: count, streams } = numbers(values, ['rounds', 'streams']);
await rounds(count, streams);
