/**
 * append.W1 and bus/follow.F3: one writer wins and every follower sees everything once, on three copies, over the death
 * of a leader.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Markers } from '../../bus/bucket.ts';
import { Connection } from '../../bus/connection.ts';
import { JetStream } from '../../bus/jetstream.ts';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { openBus } from '../../bus/nats-bus.ts';
import { inTurns } from '../../messaging/in-turns.ts';
import type { Written } from '../../ports/bus.ts';
import type { TestCluster } from '../support/cluster.ts';
import { startCluster } from '../support/cluster.ts';
import { quiet } from '../support/nats.ts';
import { until } from '../support/until.ts';

const STREAM = { name: 'C', subjects: ['mcs.c.*'], maxAgeMs: 3_600_000, dedupeMs: 120_000 };
const BUCKET = { name: 'mcs_c', history: 1 };
const BEATS = { name: 'mcs_beats', history: 1 };
/** Elections of this server take 4 to 9 s, on a loaded machine longer. */
const PATIENT_MS = 60_000;
const PATIENT = { deadlineMs: PATIENT_MS };
const RACERS = 6;
const bytes = (text: string) => new TextEncoder().encode(text);

/** Of a write that won. */
async function revisionOf(written: Written | Promise<Written>): Promise<number> {
  const known = await written;
  if (known.outcome !== 'written') throw new Error('the write is not the first');
  return known.revision;
}

let cluster: TestCluster;
let racers: NatsBus[];
beforeAll(async () => {
  cluster = await startCluster();
  racers = Array.from({ length: RACERS }, (_, n) =>
    openBus({ url: cluster.url, name: `racer${n}`, replicas: 3, log: quiet }),
  );
  const [first] = racers;
  await first?.append(STREAM, 'mcs.c.first', bytes('x'), PATIENT);
  // Made here, where an election is waited for: a watch waits for its bucket no longer than a request may take.
  for (const bucket of [BUCKET, BEATS]) await first?.bucket(bucket).put('first', bytes('x'), 0, PATIENT);
  await until(() => racers.every((racer) => racer.connected));
}, 200_000);
afterAll(async () => {
  await Promise.all(racers.map((racer) => racer.close()));
  await cluster.stop();
});

it('lets one racer change, make and remake a key, and append to a subject', async () => {
  const won = (outcomes: readonly { outcome: string }[]) =>
    outcomes.filter(({ outcome }) => outcome === 'written' || outcome === 'stored').length;
  const race = (write: (racer: NatsBus) => Promise<{ outcome: string }>) => Promise.all(racers.map(write));
  const bucket = racers[0]?.bucket(BUCKET);
  const winners: number[] = [];
  for (let round = 0; round < 40; round++) {
    const key = `k${round}`;
    winners.push(won(await race((racer) => racer.bucket(BUCKET).put(key, bytes('made'), 0, PATIENT))));
    const made = (await bucket?.get(key))?.revision ?? 0;
    winners.push(won(await race((racer) => racer.bucket(BUCKET).put(key, bytes('changed'), made, PATIENT))));
    const changed = (await bucket?.get(key))?.revision ?? 0;
    winners.push(won(await race((racer) => racer.bucket(BUCKET).remove(key, changed))));
    winners.push(won(await race((racer) => racer.bucket(BUCKET).put(key, bytes('again'), 0, PATIENT))));
    const append = (racer: NatsBus) =>
      racer.append(STREAM, `mcs.c.s${round}`, bytes('x'), { expectLastSubjectSeq: 0, ...PATIENT });
    winners.push(won(await race(append)));
  }
  expect(winners).toEqual(Array(200).fill(1));
}, 180_000);

it('bucket.B4 lets one racer make a key again while the marker of its removal is deleted', async () => {
  const [first] = racers;
  const bucket = first!.bucket(BUCKET);
  const connection = new Connection({ url: cluster.url, name: 'remover', log: quiet });
  const markers = new Markers(new JetStream(connection));
  await until(() => connection.connected);
  const winners: number[] = [];
  for (let round = 0; round < 60; round += 1) {
    const key = `m${round}`;
    const removed = await bucket.remove(key, await revisionOf(bucket.put(key, bytes('made'), 0, PATIENT)));
    const seq = await revisionOf(removed);
    const removal = pause(round % 8).then(() => markers.delete({ stream: 'KV_mcs_c', seq }));
    const made = racers.map(async (racer, n) => {
      await pause((n * 3 + round) % 11);
      return racer.bucket(BUCKET).put(key, bytes('again'), 0, PATIENT);
    });
    winners.push((await Promise.all(made)).filter(({ outcome }) => outcome === 'written').length);
    await removal;
  }
  await connection.close();
  expect(winners).toEqual(Array(60).fill(1));
}, 180_000);

it('bus/view.H4 past.H2 loses nothing acknowledged, delivers nothing twice, and takes nothing for lost when nodes die', async () => {
  const seen: number[][] = racers.map(() => []);
  const rewound: string[] = [];
  for (const racer of racers) {
    const bucket = racer.bucket(BEATS);
    const watch = await bucket.watch('>', (key, entry) => {
      if (entry?.rewound) rewound.push(key);
    });
    await watch.ready;
  }
  for (const [n, racer] of racers.entries())
    await racer.follow(STREAM, 'mcs.c.load', { from: 'now' }, (message) => {
      seen[n]?.push(message.seq);
    });
  const acknowledged: number[] = [];
  let running = true;
  const writing = racers.slice(0, 3).map(async (racer, n) => {
    for (let count = 0; running; count++) {
      const options = { id: `${n}-${count}`, deadlineMs: PATIENT_MS };
      const outcome = await racer.append(STREAM, 'mcs.c.load', bytes('x'), options);
      expect(outcome.outcome).toBe('stored');
      if (outcome.outcome === 'stored') acknowledged.push(outcome.seq);
      // Elections take longer than an unconditional write waits.
      await racer
        .bucket(BEATS)
        .overwrite(`racer${n}`, bytes(String(count)))
        .catch(() => undefined);
    }
  });
  const progress = async () => {
    const before = acknowledged.length;
    await until(() => acknowledged.length > before + 300, { timeoutMs: PATIENT_MS, what: 'the load' });
  };
  try {
    await progress();
    for (const node of [0, 1, 2]) {
      await cluster.kill(node);
      // Also where nothing was stored without it: the test behind this one needs all of them.
      await progress().finally(() => cluster.start(node));
      await progress();
      const last = Math.max(...acknowledged);
      await until(() => seen.every((list) => (list.at(-1) ?? 0) >= last), { timeoutMs: PATIENT_MS });
    }
  } finally {
    running = false;
    await Promise.allSettled(writing);
  }
  await Promise.all(writing);
  acknowledged.sort((a, b) => a - b);
  await until(() => seen.every((list) => list.at(-1) === acknowledged.at(-1)), {
    timeoutMs: PATIENT_MS,
    what: () =>
      `the end ${acknowledged.at(-1)} at each follower, who has ${seen.map((list) => list.at(-1))},`,
  });
  for (const list of seen) expect(list).toEqual(acknowledged);
  expect(rewound).toEqual([]);
  expect(racers.map(({ lostUntil }) => lostUntil)).toEqual(racers.map(() => undefined));
}, 180_000);

it('bus/connection.N5 leaves a node that is cut off from the others, while it is', async () => {
  const connections = Array.from(
    { length: RACERS },
    (_, n) => new Connection({ url: cluster.url, name: `cut-off${n}`, log: quiet }),
  );
  await until(() => connections.every(({ connected }) => connected));
  const serverOf = (node: number) => cluster.url.split(',')[node]!.replace('nats://', '');
  const on = (node: number) => connections.filter(({ server }) => server === serverOf(node));
  const node = [0, 1, 2].reduce((most, each) => (on(each).length > on(most).length ? each : most));
  const stranded = on(node);
  expect(stranded.length).toBeGreaterThan(0);
  cluster.part(node);
  try {
    // What is on its way between the nodes may still arrive.
    await inTurns(stranded, stranded.length, async (connection) => {
      const jetstream = new JetStream(connection);
      const write = () =>
        jetstream.retrying(PATIENT_MS, (left) => jetstream.publish('mcs.c.cut-off', bytes('x'), {}, left()));
      await until(async () => (await write()).seq > 0 && connection.server !== serverOf(node), {
        timeoutMs: PATIENT_MS,
        what: 'a write over another node',
      });
    });
  } finally {
    cluster.join(node);
    await Promise.all(connections.map((each) => each.close()));
  }
}, 90_000);
