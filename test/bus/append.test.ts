/** append.W1 and W2: what a write says when its acknowledgement is lost on the way. */

import { connect, jwtAuthenticator, type Msg, type NatsConnection } from 'nats';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Connection } from '../../bus/connection.ts';
import { JetStream } from '../../bus/jetstream.ts';
import type { NatsBus } from '../../bus/nats-bus.ts';
import type { TestNats } from '../support/nats.ts';
import { quiet, startNats } from '../support/nats.ts';
import { partlyOther } from '../support/partly-other.ts';
import type { Relay } from '../support/relay.ts';
import { startRelay } from '../support/relay.ts';
import { until } from '../support/until.ts';

const STREAM = { name: 'T', subjects: ['mcs.t.*'], maxAgeMs: 3_600_000, dedupeMs: 120_000 };
const BUCKET = { name: 'mcs_t', history: 1 };
const PATIENT = { deadlineMs: 20_000 };
const bytes = (text: string) => new TextEncoder().encode(text);

let nats: TestNats;
let direct: NatsBus;
let relay: Relay;
let unlucky: NatsBus;
let count = 0;
let at = '';
let key = '';

beforeAll(async () => {
  nats = await startNats();
  direct = await nats.connected({ name: 'direct' });
});
afterAll(() => nats.stop());
beforeEach(async () => {
  relay = await startRelay(Number(new URL(nats.url).port));
  unlucky = await nats.connected({ name: 'unlucky', url: `nats://127.0.0.1:${relay.port}` });
  count += 1;
  at = `mcs.t.s${count}`;
  key = `k${count}`;
  // Assets are ensured before the answers get lost.
  await unlucky.last(STREAM, at);
  await unlucky.bucket(BUCKET).get(key);
});
afterEach(async () => {
  await unlucky.close();
  await relay.stop();
});

/** Loses the acknowledgement of `write`, lets `meanwhile` happen, and heals the line. */
async function unacknowledged<Value>(
  write: () => Promise<Value>,
  landed: () => Promise<unknown>,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<Value> {
  relay.swallowing = true;
  const outcome = write();
  await until(landed, { what: 'the write at the server' });
  await meanwhile();
  relay.swallowing = false;
  relay.cut();
  return outcome;
}

it.each([
  ['an id', { id: 'own-id' }],
  ['an expectation', { expectLastSubjectSeq: 0 }],
  ['an id and an expectation', { id: 'own-both', expectLastSubjectSeq: 0 }],
  ['neither', {}],
])('an append with %s finds its own earlier attempt and says stored', async (_, options) => {
  const outcome = await unacknowledged(
    () => unlucky.append(STREAM, at, bytes('x'), { ...options, ...PATIENT }),
    () => direct.last(STREAM, at),
  );
  const last = await direct.last(STREAM, at);
  expect(outcome).toEqual({ outcome: 'stored', seq: last?.seq });
});

it('an append on an earlier position finds its own earlier attempt and says stored', async () => {
  const first = await direct.append(STREAM, at, bytes('1'));
  const seq = first.outcome === 'stored' ? first.seq : 0;
  const outcome = await unacknowledged(
    () => unlucky.append(STREAM, at, bytes('2'), { expectLastSubjectSeq: seq, ...PATIENT }),
    async () => (await direct.last(STREAM, at))?.seq !== seq,
    () => direct.append(STREAM, at, bytes('3')),
  );
  expect(outcome).toEqual({ outcome: 'stored', seq: seq + 1 });
});

it('finds its own earlier attempt when the window of the id is over', async () => {
  const brief = { ...STREAM, name: 'BRIEF', subjects: ['mcs.brief.*'], dedupeMs: 100 };
  await unlucky.last(brief, 'mcs.brief.a');
  const outcome = await unacknowledged(
    () => unlucky.append(brief, 'mcs.brief.a', bytes('x'), { expectLastSubjectSeq: 0, ...PATIENT }),
    () => direct.last(brief, 'mcs.brief.a'),
    async () => {
      const append = () => direct.append(brief, 'mcs.brief.b', bytes('x'), { id: 'clock' });
      await append();
      await until(async () => (await append()).outcome === 'stored', { what: 'the end of the window' });
    },
  );
  expect(outcome).toEqual({ outcome: 'stored', seq: 1 });
});

it('a put finds its own earlier attempt and says written', async () => {
  const bucket = unlucky.bucket(BUCKET);
  const made = await unacknowledged(
    () => bucket.put(key, bytes('1'), 0, PATIENT),
    () => direct.bucket(BUCKET).get(key),
  );
  const revision = (await direct.bucket(BUCKET).get(key))?.revision ?? 0;
  expect(made).toEqual({ outcome: 'written', revision });
  await until(() => unlucky.connected);
  await bucket.get(key);
  const changed = await unacknowledged(
    () => bucket.put(key, bytes('2'), revision, PATIENT),
    async () => (await direct.bucket(BUCKET).get(key))?.revision !== revision,
  );
  expect(changed).toEqual({ outcome: 'written', revision: revision + 1 });
});

it('a put that somebody else replaced before it could know says conflict', async () => {
  await direct.bucket(BUCKET).put(key, bytes('0'), 0);
  const revision = (await direct.bucket(BUCKET).get(key))?.revision ?? 0;
  const outcome = await unacknowledged(
    () => unlucky.bucket(BUCKET).put(key, bytes('mine'), revision, PATIENT),
    async () => (await direct.bucket(BUCKET).get(key))?.revision !== revision,
    () => direct.bucket(BUCKET).put(key, bytes('theirs'), revision + 1),
  );
  expect(outcome).toEqual({ outcome: 'conflict' });
});

it('a removal finds its own earlier attempt and says written', async () => {
  await direct.bucket(BUCKET).put(key, bytes('0'), 0);
  const revision = (await direct.bucket(BUCKET).get(key))?.revision ?? 0;
  const removing = unacknowledged(
    () => unlucky.bucket(BUCKET).remove(key, revision),
    async () => (await direct.bucket(BUCKET).get(key)) === undefined,
  );
  expect(await removing).toEqual({ outcome: 'written', revision: revision + 1 });
  expect(await direct.bucket(BUCKET).put(key, bytes('again'), 0)).toMatchObject({ outcome: 'written' });
});

it('an append that lost against another writer of the same id while it was away says duplicate', async () => {
  relay.cut();
  await until(() => !unlucky.connected);
  const winner = await direct.append(STREAM, at, bytes('theirs'), { id: `foreign-${count}` });
  const outcome = await unlucky.append(STREAM, at, bytes('mine'), { id: `foreign-${count}`, ...PATIENT });
  expect(outcome).toEqual({ ...winner, outcome: 'duplicate' });
});

it('an append to a stream that does not hold the subject is refused and stores nothing', async () => {
  const elsewhere = { ...STREAM, name: 'U', subjects: ['mcs.u.*'] };
  await direct.last(elsewhere, 'mcs.u.a');
  await expect(direct.append(STREAM, 'mcs.u.a', bytes('x'))).rejects.toThrow(/stream/);
  expect(await direct.last(elsewhere, 'mcs.u.a')).toBeUndefined();
});

it('a message larger than the bus takes is refused at once', async () => {
  const huge = new Uint8Array(9 * 1024 * 1024);
  await expect(direct.append(STREAM, at, huge)).rejects.toThrow(RangeError);
  expect(() => direct.publish(at, huge)).toThrow(RangeError);
});

describe('jetstream.J5 an acknowledgement that has no position', () => {
  const AS_2_10 = { stream: STREAM.name, seq: 0, duplicate: true };
  const AS_LATER = {
    error: { code: 409, err_code: 10158, description: 'duplicate message id is in process' },
  };
  let answering: NatsConnection;
  let asked = 0;

  beforeAll(async () => {
    const { jwt, seed } = nats.credentials;
    answering = await connect({ servers: nats.url, authenticator: jwtAuthenticator(jwt, bytes(seed)) });
  });
  afterAll(() => answering.close());

  /** A subject of no stream, where one answers as a leader does: each of `answers` once, the last one from then on. */
  async function answeredBy(answers: readonly unknown[]): Promise<string> {
    const subject = `mcs.in-process.${count}`;
    asked = 0;
    answering.subscribe(subject, {
      callback: (_, message) => {
        message.respond(bytes(JSON.stringify(answers[Math.min(asked, answers.length - 1)])));
        asked += 1;
      },
    });
    await answering.flush();
    return subject;
  }

  it.each([
    ['by its position, an id given', AS_2_10, { id: 'given' }],
    ['by its position, an expectation alone', AS_2_10, { expectLastSubjectSeq: 0 }],
    ['by its number', AS_LATER, { id: 'given' }],
  ])('says that the message is being stored, and is asked for again (%s)', async (_, said, options) => {
    const subject = await answeredBy([said, said, { stream: STREAM.name, seq: 7 }]);
    const outcome = await direct.append(STREAM, subject, bytes('x'), options);
    expect(outcome).toEqual({ outcome: 'stored', seq: 7 });
    expect(asked).toBe(3);
  });

  it('is an outage where nothing else comes: neither stored nor a duplicate', async () => {
    const subject = await answeredBy([AS_2_10]);
    const write = direct.append(STREAM, subject, bytes('x'), { id: 'given', deadlineMs: 3_000 });
    await expect(write).rejects.toMatchObject({ code: 'bus.unavailable' });
    expect(asked).toBeGreaterThan(1);
  });

  /** A bus whose API says that the stream is led and followed, and whose stream answers what `acked` says. */
  function scripted(acked: (subjects: readonly string[]) => unknown): {
    readonly asked: string[];
    readonly write: (deadlineMs: number) => Promise<unknown>;
    readonly close: () => Promise<void>;
  } {
    const { credentials, url } = nats;
    const connection = new Connection({ url, credentials, name: 'stuck', log: quiet });
    const cluster = { leader: 'n1', replicas: [{ name: 'n2', current: true, active: 0 }] };
    const asked: string[] = [];
    const request: Connection['request'] = async (subject) => {
      asked.push(subject);
      const answer = subject.startsWith('$JS.API.') ? { cluster } : acked(asked);
      return { data: bytes(JSON.stringify(answer)) } as Msg;
    };
    const jetstream = new JetStream(partlyOther(connection, { request }));
    const headers = { 'Nats-Msg-Id': 'lost', 'Nats-Expected-Stream': STREAM.name };
    const write = (deadlineMs: number): Promise<unknown> =>
      jetstream.retrying(deadlineMs, (left) => jetstream.publish('mcs.t.stuck', bytes('x'), headers, left()));
    return { asked, write, close: () => connection.close() };
  }

  const HAND_OVER = `$JS.API.STREAM.LEADER.STEPDOWN.${STREAM.name}`;

  it('stuck-ids.B2 is stored under its id once another server leads, where the leader had lost it', async () => {
    const { write, close } = scripted((asked) =>
      asked.includes(HAND_OVER) ? { stream: STREAM.name, seq: 7 } : AS_2_10,
    );
    expect(await write(20_000)).toMatchObject({ seq: 7 });
    await close();
  });

  it('stuck-ids.B1 asks nobody to lead where another answer comes between: that may be an election', async () => {
    const away = { error: { code: 503, err_code: 10008, description: 'temporarily unavailable' } };
    let count = 0;
    const { asked, write, close } = scripted(() => {
      count += 1;
      return count % 4 === 0 ? away : AS_2_10;
    });
    await expect(write(3_500)).rejects.toMatchObject({ code: 'bus.unavailable' });
    expect(count).toBeGreaterThan(8);
    expect(asked).not.toContain(HAND_OVER);
    await close();
  });
});
