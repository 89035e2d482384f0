/** Streams that fill up: said once, before anything gives way, and once when it is over. */

import { expect, it } from 'vitest';
import { Outage } from '../../contract/outage.ts';
import { blockedBy, reasonOf } from '../../messaging/fill-reasons.ts';
import { StreamFills } from '../../messaging/stream-fills.ts';
import type { StreamLevel, StreamLevels } from '../../ports/stream-levels.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { keptLog } from '../support/silent-log.ts';

const NOW = Date.parse('2026-01-02T03:04:05.000Z');

function world(settings?: object, more: Partial<StreamLevels> = {}, open = 0) {
  const clock = new ManualClock(NOW);
  const log = keptLog();
  let bytes = 100;
  let stored = 100;
  const level = (): StreamLevel => ({
    identity: 'a',
    firstSeq: 1,
    lastSeq: bytes,
    messages: bytes,
    bytes,
    firstAt: NOW - 1_000 * bytes,
    lastAt: NOW,
    maxBytes: 1_000,
    maxAgeMs: 86_400_000,
  });
  const levels = {
    stream: async (name: string) => (name === 'TM_VALUES' ? level() : undefined),
    account: async () => ({ bytes: stored, maxBytes: 10_000 }),
    consumer: async () => undefined,
    next: async () => undefined,
    removeConsumer: async () => false,
    ...more,
  };
  const missions = { current: settings === undefined ? undefined : ({ settings } as never) };
  const fills = new StreamFills({
    bus: { connected: true, levels },
    clock,
    log,
    missions,
    descriptors: async () => ({ bytes: open, maxBytes: 256 }),
  });
  const look = async (stream: number, account = 100) => {
    [bytes, stored] = [stream, account];
    await fills.look();
    return fills.all.filter(({ filling }) => filling).map((fill) => reasonOf(fill));
  };
  return { look, log, fills };
}

it('stream-fills.Q1 says that a stream fills up, once, and what follows from it', async () => {
  const { look, log } = world();
  expect(await look(700)).toEqual([]);
  expect(await look(800)).toEqual([
    '80 % of TM_VALUES is taken: in 3 min the oldest messages give way; at this rate it keeps 17 min',
  ]);
  await look(900);
  expect(log.said.map(({ message }) => message)).toEqual(['a stream of the bus fills up']);
  expect(await look(100)).toEqual([]);
  await look(900);
  expect(log.said).toHaveLength(2);
});

it('stream-fills.Q1 the account too, and from the share that the mission states', async () => {
  const { look, log } = world({ streamsWarnAt: 0.5 });
  expect(await look(100, 9_000)).toEqual([
    '90 % of the storage of the account is taken: beyond it nothing is stored any more',
  ]);
  expect((await look(500, 100)).length).toBe(1);
  expect(log.said.map(({ fields }) => (fields as { stream: string }).stream)).toEqual([
    'account',
    'TM_VALUES',
  ]);
});

it('stream-fills.Q1 files, the disk and the largest message too', async () => {
  const disk = () => ({ bytes: 96, maxBytes: 100, isFull: true });
  const { look, fills } = world(undefined, { disk, message: () => ({ bytes: 9, maxBytes: 10 }) }, 250);
  expect(await look(100)).toEqual([
    '96 % of the disk of the bus is taken: beyond it nothing is stored any more; free space on it',
    '90 % of the largest message that the bus takes was the size of one: what is larger is refused; raise `max_payload` of nats-server',
    '98 % of the files and sockets that this process may open is taken: beyond them connections are refused; raise its limit (`ulimit -n`)',
  ]);
  expect(blockedBy(fills.all, fills.silent)).toEqual([expect.stringContaining('the disk of the bus')]);
});

it('stream-fills.Q3 one that does not answer is named, once in the log, and keeps nobody from the others', async () => {
  let isAway = true;
  const full = { share: 1, isFull: true, bytes: 5, maxAgeMs: 0, messages: 5, firstSeq: 1, lastSeq: 5 };
  const stream = async (name: string): Promise<StreamLevel | undefined> => {
    if (name === 'A' && isAway) throw new Outage('bus.timeout', 'no leader');
    return name === 'KV_b' ? (full as StreamLevel) : undefined;
  };
  const { look, log, fills } = world(undefined, { stream, names: () => ['A', 'KV_b'] });
  const full100 = '100 % of KV_b is taken: it takes nothing more; raise its limits, or free space in it';
  expect(await look(0)).toEqual([full100]);
  await look(0);
  expect(blockedBy(fills.all, fills.silent)).toEqual([full100, 'streams of the bus do not answer: A']);
  const silent = log.said.filter(({ message }) => message === 'streams of the bus do not answer');
  expect(silent).toHaveLength(1);
  isAway = false;
  await look(0);
  expect(fills.silent).toEqual([]);
});
