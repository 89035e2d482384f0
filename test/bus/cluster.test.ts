/**
 * append.W1 and bus/follow.F3: one writer wins and every follower sees everything once, on three copies, over the death
 * of a leader.
 */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { openBus } from '../../bus/nats-bus.ts';
import type { TestCluster } from '../support/cluster.ts';
import { startCluster } from '../support/cluster.ts';
import { quiet } from '../support/nats.ts';
import { until } from '../support/until.ts';

const STREAM = { name: 'C', subjects: ['mcs.c.*'], maxAgeMs: 3_600_000, dedupeMs: 120_000 };
const BUCKET = { name: 'mcs_c', history: 1 };
/** Elections of this server take 4 to 9 s, on a loaded machine longer. */
const PATIENT_MS = 60_000;
const RACERS = 6;
const bytes = (text: string) => new TextEncoder().encode(text);

let cluster: TestCluster;
let racers: NatsBus[];
beforeAll(async () => {
  cluster = await startCluster();
  racers = Array.from({ length: RACERS }, (_, n) =>
    openBus({ url: cluster.url, name: `racer${n}`, replicas: 3, log: quiet }),
  );
  const [first] = racers;
  await first?.append(STREAM, 'mcs.c.first', bytes('x'), { deadlineMs: PATIENT_MS });
  await first?.bucket(BUCKET).put('first', bytes('x'), 0, { deadlineMs: PATIENT_MS });
  await until(() => racers.every((racer) => racer.connected));
}, 90_000);
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
    winners.push(won(await race((racer) => racer.bucket(BUCKET).put(key, bytes('made'), 0))));
    const made = (await bucket?.get(key))?.revision ?? 0;
    winners.push(won(await race((racer) => racer.bucket(BUCKET).put(key, bytes('changed'), made))));
    const changed = (await bucket?.get(key))?.revision ?? 0;
    winners.push(won(await race((racer) => racer.bucket(BUCKET).remove(key, changed))));
    winners.push(won(await race((racer) => racer.bucket(BUCKET).put(key, bytes('again'), 0))));
    const append = (racer: NatsBus) =>
      racer.append(STREAM, `mcs.c.s${round}`, bytes('x'), { expectLastSubjectSeq: 0 });
    winners.push(won(await race(append)));
  }
  expect(winners).toEqual(Array(200).fill(1));
}, 60_000);

it('loses nothing acknowledged and delivers nothing twice when nodes die', async () => {
  const seen: number[][] = racers.map(() => []);
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
    }
  });
  const progress = async () => {
    const before = acknowledged.length;
    await until(() => acknowledged.length > before + 300, { timeoutMs: PATIENT_MS, what: 'the load' });
  };
  await progress();
  for (const node of [0, 1, 2]) {
    await cluster.kill(node);
    await progress();
    cluster.start(node);
    await progress();
    const last = Math.max(...acknowledged);
    await until(() => seen.every((list) => (list.at(-1) ?? 0) >= last), { timeoutMs: PATIENT_MS });
  }
  running = false;
  await Promise.all(writing);
  acknowledged.sort((a, b) => a - b);
  await until(() => seen.every((list) => list.at(-1) === acknowledged.at(-1)), { timeoutMs: PATIENT_MS });
  for (const list of seen) expect(list).toEqual(acknowledged);
}, 180_000);
