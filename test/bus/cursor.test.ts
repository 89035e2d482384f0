/** cursor.C1, C4, C6 and pull.K1, K2: every message soon and once, whatever becomes of the consumer and its pulls. */

import type { Msg } from 'nats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Assets } from '../../bus/assets.ts';
import { Connection } from '../../bus/connection.ts';
import { Cursors } from '../../bus/cursors.ts';
import { follow } from '../../bus/follow.ts';
import type { FollowTools } from '../../bus/follow-request.ts';
import { JetStream } from '../../bus/jetstream.ts';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { Past } from '../../bus/past.ts';
import type { Pace } from '../../bus/pull.ts';
import { PACE } from '../../bus/pull.ts';
import { Tails } from '../../bus/stream-tail.ts';
import { TAIL_FROM } from '../../contract/limits/archive.ts';
import { Outage } from '../../contract/outage.ts';
import type { Log } from '../../ports/log.ts';
import type { TestNats } from '../support/nats.ts';
import { quiet, startNats } from '../support/nats.ts';
import { ownTime } from '../support/own-time.ts';
import { keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';

const STREAM = { name: 'T', subjects: ['mcs.t.*'], maxAgeMs: 3_600_000, dedupeMs: 120_000 };
const bytes = (text: string) => new TextEncoder().encode(text);

let nats: TestNats;
let bus: NatsBus;
let connection: Connection;
let admin: JetStream;
beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
  connection = new Connection({ url: nats.url, name: 'admin', credentials: nats.credentials, log: quiet });
  admin = new JetStream(connection);
});
afterAll(async () => {
  await connection.close();
  await nats.stop();
});

/** The tools of a bus over the connection of the test, at a pace of its own. */
function toolsAt(pace: Pace): FollowTools {
  const tools = {
    jetstream: admin,
    assets: new Assets(admin, { replicas: 1, overrides: {}, log: quiet }),
    cursors: new Cursors(admin, quiet, pace),
    past: new Past(admin),
    log: quiet,
  };
  return { ...tools, tails: new Tails(tools, TAIL_FROM) };
}

/** Ends the one consumer of a stream on the server, as its loss would. */
async function deleteConsumer(stream: string): Promise<void> {
  const name = await until(async () => {
    const { consumers } = await admin.read<{ consumers: string[] | null }>(
      `CONSUMER.NAMES.${stream}`,
      undefined,
    );
    return consumers?.[0];
  });
  await admin.read(`CONSUMER.DELETE.${stream}.${name}`, undefined);
}

it('delivers nothing twice after the loss of its consumer, and takes no loss of messages for granted', async () => {
  const stream = { ...STREAM, name: 'ONCE', subjects: ['mcs.once.*'] };
  const errors: string[] = [];
  const log: Log = {
    ...quiet,
    error: (_fields: object, text: string) => errors.push(text),
    child: () => log,
  };
  const watched = await nats.connected({ name: 'watched', log });
  const seen: number[] = [];
  await watched.follow(stream, 'mcs.once.*', { from: 'start' }, ({ seq }) => {
    seen.push(seq);
  });
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 5; n++) await bus.append(stream, 'mcs.once.a', bytes('x'));
    await until(() => seen.length >= 5 * (round + 1));
    await deleteConsumer('ONCE');
  }
  await bus.append(stream, 'mcs.once.a', bytes('x'));
  await until(() => seen.at(-1) === 16);
  expect(seen).toEqual(Array.from({ length: 16 }, (_, n) => n + 1));
  expect(errors).toEqual([]);
});

it('delivers every message soon and once while pulls grow old', async () => {
  const pace = { ...PACE, expiresMs: 600, renewMs: 200, heartbeatMs: 100, tendMs: 20 };
  const tools = toolsAt(pace);
  const received: number[][] = Array.from({ length: 20 }, () => []);
  for (const seen of received)
    await follow(tools, {
      stream: STREAM,
      filter: 'mcs.t.*',
      from: { from: 'start' },
      handle: ({ seq }) => {
        seen.push(seq);
      },
    });
  let longest = 0;
  let last = 0;
  const end = performance.now() + 6_000;
  while (performance.now() < end || last <= 100) {
    const { seq } = (await bus.append(STREAM, 'mcs.t.a', bytes('x'))) as { seq: number };
    const spent = ownTime();
    await until(() => received.every((seen) => seen.at(-1) === seq));
    longest = Math.max(longest, spent());
    last = seq;
  }
  tools.cursors.close();
  const all = Array.from({ length: last }, (_, n) => n + 1);
  for (const seen of received) expect(seen).toEqual(all);
  // None had to wait until its consumer counted as silent.
  expect(longest).toBeLessThan(1_000);
}, 90_000);

it('takes up again at once after a handler that outlasted its pull', async () => {
  const stream = { ...STREAM, name: 'SLOW', subjects: ['mcs.slow.*'] };
  const tools = toolsAt({ ...PACE, expiresMs: 300, renewMs: 100, heartbeatMs: 50, tendMs: 60_000 });
  const seen: number[] = [];
  let release = () => {};
  await follow(tools, {
    stream,
    filter: 'mcs.slow.*',
    from: { from: 'start' },
    handle: ({ seq }) => {
      seen.push(seq);
      return seq > 1 ? undefined : new Promise<void>((resolve) => (release = resolve));
    },
  });
  await bus.append(stream, 'mcs.slow.a', bytes('x'));
  await until(() => seen.length === 1);
  const took = performance.now();
  await until(() => performance.now() - took > 500);
  release();
  const spent = ownTime();
  await bus.append(stream, 'mcs.slow.a', bytes('x'));
  await until(() => seen.length === 2);
  expect(spent()).toBeLessThan(1_000);
  tools.cursors.close();
  expect(seen).toEqual([1, 2]);
});

describe('cursor.C6 a server that makes no consumer', () => {
  /** What was asked of the server; the first so many questions for a consumer meet nobody, or are answered later. */
  async function asked(replicas: number, unanswered: number, answersLate = false) {
    const stream = {
      ...STREAM,
      name: `AWAY_${replicas}_${unanswered}_${answersLate}`,
      subjects: [`mcs.away.${replicas}.${unanswered}.${answersLate}`],
    };
    await bus.append(stream, stream.subjects[0]!, bytes('x'));
    const { assets } = toolsAt(PACE);
    const timeouts: number[] = [];
    const answer: (() => Promise<{ readonly name: string }>)[] = [];
    const ask = <Reply>(verb: string, body: object | undefined, timeoutMs: number): Promise<Reply> => {
      if (!verb.startsWith('CONSUMER.CREATE.')) return admin.ask<Reply>(verb, body, timeoutMs);
      timeouts.push(timeoutMs);
      if (timeouts.length > unanswered) return admin.ask<Reply>(verb, body, timeoutMs);
      return new Promise((resolve, reject) => {
        if (answersLate)
          answer.push(async () => {
            const made = await admin.ask<Reply & { readonly name: string }>(verb, body, timeoutMs);
            resolve(made);
            return made;
          });
        else setTimeout(() => reject(new Outage('bus.timeout', 'nobody answered')), timeoutMs);
      });
    };
    const jetstream: JetStream = Object.assign(Object.create(admin), { ask });
    const asset = assets.stream(stream);
    const cursors = new Cursors(jetstream, quiet);
    await new Promise<void>((resolve) => {
      cursors.open({
        stream: stream.name,
        filter: stream.subjects[0]!,
        asset: { ...asset, look: async (ms) => ({ ...(await asset.look(ms)), replicas }) },
        start: () => ({ deliver_policy: 'by_start_sequence', opt_start_seq: 1 }),
        wanted: () => true,
        deliver: () => resolve(),
        atHead: () => undefined,
      });
    });
    const late = await Promise.all(answer.map((each) => each()));
    return { stream, timeouts, cursors, late };
  }

  it('is asked again while the question is pending in a cluster, where another one is drawn', async () => {
    const { timeouts, cursors } = await asked(3, 3);
    cursors.close();
    expect(timeouts).toHaveLength(4);
    // All within the time of the first.
    for (const [n, left] of timeouts.entries()) expect(left).toBeLessThan(2_000 - n * 400 + 10);
  });

  it('whose answer comes behind that of another question is not kept', async () => {
    const { stream, cursors, late } = await asked(3, 2, true);
    expect(late).toHaveLength(2);
    const named = async () =>
      (await admin.read<{ consumers: string[] | null }>(`CONSUMER.NAMES.${stream.name}`, undefined))
        .consumers ?? [];
    await until(async () => (await named()).length === 1);
    cursors.close();
    await until(async () => (await named()).length === 0);
  });

  it('is waited for where it is the only one', async () => {
    const { timeouts, cursors } = await asked(1, 2);
    cursors.close();
    expect(timeouts.map(Math.round)).toEqual([2_000, 2_000, 2_000]);
  });
});

it('a consumer that is made and ends each time is made less and less often, and it is said', async () => {
  const stream = { ...STREAM, name: 'ENDING', subjects: ['mcs.ending'] };
  await bus.append(stream, 'mcs.ending', bytes('x'));
  const made: number[] = [];
  const ask = async <Reply>(verb: string, body: object | undefined, timeoutMs: number): Promise<Reply> => {
    const reply = await admin.ask<Reply>(verb, body, timeoutMs);
    if (!verb.startsWith('CONSUMER.CREATE.')) return reply;
    made.push(performance.now());
    const { name } = reply as { readonly name: string };
    // Once it is pulled from; the last one goes with its reader.
    const end = () => admin.ask(`CONSUMER.DELETE.${stream.name}.${name}`, undefined, timeoutMs);
    setTimeout(() => void end().catch(() => undefined), 30);
    return reply;
  };
  const log = keptLog();
  const cursors = new Cursors(Object.assign(Object.create(admin), { ask }) as JetStream, log);
  cursors.open({
    stream: stream.name,
    filter: stream.subjects[0]!,
    asset: toolsAt(PACE).assets.stream(stream),
    start: () => ({ deliver_policy: 'by_start_sequence', opt_start_seq: 2 }),
    wanted: () => true,
    deliver: () => undefined,
    atHead: () => undefined,
  });
  await until(() => made.length >= 7);
  cursors.close();
  expect(log.said.map(({ message }) => message)).toEqual(['cursor failed to read its stream']);
  expect(made[6]! - made[5]!).toBeGreaterThan(made[2]! - made[1]!);
});

it('pulls on from the same consumer behind a batch that the server calls complete, as nats-server 2.10 does', async () => {
  const stream = { ...STREAM, name: 'BATCHES', subjects: ['mcs.batches'] };
  const count = 3 * 512 + 1;
  const appends = Array.from({ length: count }, () => bus.append(stream, 'mcs.batches', bytes('x')));
  await Promise.all(appends);
  const questions: string[] = [];
  const pulls: string[] = [];
  const ask = <Reply>(verb: string, body: object | undefined, timeoutMs: number): Promise<Reply> => {
    questions.push(verb.split('.', 2).join('.'));
    return admin.ask<Reply>(verb, body, timeoutMs);
  };
  let received = 0;
  const send: Connection['send'] = (subject, data, options) => {
    if (subject.includes('CONSUMER.MSG.NEXT')) pulls.push(options!.reply!);
    Connection.prototype.send.call(connection, subject, data, options);
  };
  const subscribe: Connection['subscribe'] = (subject, handle) => {
    const completed = () => {
      const headers = { code: 409, description: 'Batch Completed' };
      handle({ subject: pulls.at(-1)!, data: new Uint8Array(0), headers } as unknown as Msg);
    };
    const take = (message: Msg): void => {
      handle(message);
      if (message.headers?.code) return;
      received += 1;
      if (received % 512 === 0) completed();
    };
    return Connection.prototype.subscribe.call(connection, subject, take);
  };
  const watched = new Proxy(connection, {
    get: (on, name) => {
      const value: unknown = { send, subscribe }[name as string] ?? Reflect.get(on, name, on);
      return typeof value === 'function' ? (value.bind(on) as unknown) : value;
    },
  });
  const jetstream = Object.assign(Object.create(admin), { ask, connection: watched }) as JetStream;
  const cursors = new Cursors(jetstream, quiet);
  const seen: number[] = [];
  await new Promise<void>((resolve) => {
    cursors.open({
      stream: stream.name,
      filter: stream.subjects[0]!,
      asset: toolsAt(PACE).assets.stream(stream),
      start: () => ({ deliver_policy: 'by_start_sequence', opt_start_seq: (seen.at(-1) ?? 0) + 1 }),
      wanted: () => true,
      deliver: (_message, { seq }) => {
        seen.push(seq);
        if (seen.length === count) resolve();
      },
      atHead: () => undefined,
    });
  });
  cursors.close();
  expect(seen).toEqual(Array.from({ length: count }, (_, n) => n + 1));
  expect(questions.filter((verb) => verb === 'CONSUMER.CREATE')).toHaveLength(1);
});

it('lists every key of a bucket whose values exceed what is pulled at once', async () => {
  const bucket = bus.bucket({ name: 'mcs_large', history: 1 });
  // Large ones in a row behind many small ones: the mean says little about them.
  const sizes = [...Array.from({ length: 600 }, () => 10), ...Array.from({ length: 80 }, () => 500_000)];
  for (const [n, size] of sizes.entries()) await bucket.put(`k${n}`, new Uint8Array(size), 0);
  // 40 MB within the time of a request, of which a busy machine may leave little.
  const listed = (await until(() => bucket.list('>').catch(() => undefined))).map((entry) => entry.key);
  expect(listed).toEqual(sizes.map((_, n) => `k${n}`));
});
