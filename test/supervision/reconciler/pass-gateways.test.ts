/** Gateways of passes checked and recorded, on a real bus with a clock moved by hand. */

import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { NatsBus } from '../../../bus/nats-bus.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { PASS_CHECK_AHEAD_MS, PASS_CHECK_MS, PASS_CHECK_SOON_MS } from '../../../contract/limits/pass.ts';
import type { Pass, PassGateway, StoredPass } from '../../../contract/pass.ts';
import { PassBook } from '../../../messaging/pass-book.ts';
import { PassWriter } from '../../../messaging/pass-writes.ts';
import { upsert } from '../../../mission/pass/merge.ts';
import { PassGateways } from '../../../supervision/reconciler/pass-gateways.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { demoMission, TestMissions } from '../../support/missions.ts';
import { quiet, startNats, type TestNats } from '../../support/nats.ts';
import { until } from '../../support/until.ts';

const NOW = Date.UTC(2026, 0, 2, 3);
const demo = demoMission();
const sat1 = demo.targets.get('sat1')!;
/** Its link asks for a gateway by tags. */
const uhf = {
  ...sat1.links.get('uhf')!,
  parameters: () => ({ gateway: undefined, tags: ['s-band'], rate: undefined }),
};
const KIRUNA = { ...demo.gateways.get('sim-1')!, name: 'kiruna-1', tags: ['s-band', 'kiruna'] };
const tagged = {
  ...demo,
  gateways: new Map([['kiruna-1', KIRUNA]]),
  targets: new Map(demo.targets).set('sat1', { ...sat1, links: new Map(sat1.links).set('uhf', uhf) }),
};

let nats: TestNats;
let bus: NatsBus;
let clock: ManualClock;
let missions: TestMissions;
let passes: PassBook;
let checks: PassGateways;
/** Those reported at the last check. */
let soon: string[] = [];
let holds = true;

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
});
afterAll(() => nats.stop());
beforeEach(() => {
  holds = true;
  clock = new ManualClock(NOW);
  missions = new TestMissions(tagged);
  const failed = (error: unknown): void => expect.unreachable(String(error));
  passes = new PassBook({ bus, clock, log: quiet });
  soon = [];
  const reported = (those: readonly StoredPass[]): void => {
    soon = those.map((each) => each.id);
  };
  const tools = { bus, clock, log: quiet, missions, passes, soon: reported };
  checks = new PassGateways({ ...tools, epoch: 1, holds: () => holds, failed });
  checks.start();
});
afterEach(async () => {
  await checks.stop();
  await passes.stop();
  for (const bucket of [buckets.passes, buckets.passGateways])
    for (const { key, revision } of await bus.bucket(bucket).list('>'))
      await bus.bucket(bucket).remove(key, revision);
});

async function pass(id: string, inMs: number, more: Partial<Pass> = {}): Promise<void> {
  const at = (ms: number): string => new Date(NOW + ms).toISOString();
  const window = { aos: at(inMs), los: at(inMs + 600_000) };
  const rest = { max_elevation: '40 deg', source: 'fds', status: 'predicted', station: 'kiruna' } as const;
  await new PassWriter({ bus, log: quiet }).write('sat1', (passes) =>
    upsert(passes, { id, target: 'sat1', ...rest, ...window, ...more }, { feeder: 'fds', at: at(0) }),
  );
}

const recordOf = async (id: string): Promise<{ record: PassGateway; revision: number } | undefined> => {
  const entry = await bus.bucket(buckets.passGateways).get(`sat1.${id}`);
  return entry && { record: JSON.parse(Buffer.from(entry.value).toString()), revision: entry.revision };
};

/** Lets the check come due again and again until it is so. */
const checked = <Value>(what: () => Promise<Value | undefined>): Promise<Value> =>
  until(async () => {
    clock.advance(PASS_CHECK_SOON_MS);
    await settled();
    return what();
  }) as Promise<Value>;

it('MC-PASS-053 MC-PASS-054 MC-LIM-011 are recorded from ten minutes before AOS on, with the time of the check', async () => {
  await pass('soon', PASS_CHECK_AHEAD_MS);
  await pass('later', PASS_CHECK_AHEAD_MS + 3_600_000);
  await pass('running', -60_000);
  const { record } = await checked(() => recordOf('soon'));
  expect(record).toEqual({ gateway: 'kiruna-1', checked_at: expect.stringMatching(/^2026-01-02T03:00:0/) });
  expect((await checked(() => recordOf('running'))).record.gateway).toBe('kiruna-1');
  expect([...soon].sort()).toEqual(['running', 'soon']);
  expect(await recordOf('later')).toBeUndefined();
  clock.advance(3_600_000);
  expect((await checked(() => recordOf('later'))).record.gateway).toBe('kiruna-1');
});

it('MC-PASS-054 say why there is none, and are written again when that changes, and only then (MC-PASS-056)', async () => {
  await pass('p1', 60_000, { station: 'santiago' });
  const first = await checked(() => recordOf('p1'));
  expect(first.record.reason).toBe('no gateway carries the tags s-band, santiago');
  for (let round = 0; round < 5; round += 1) {
    clock.advance(PASS_CHECK_MS);
    await settled();
  }
  await pass('p2', 60_000);
  await checked(() => recordOf('p2'));
  expect((await recordOf('p1'))!.revision).toBe(first.revision);
  const santiago = { ...KIRUNA, name: 'santiago-1', tags: ['santiago', 's-band'] };
  missions.publish({ ...tagged, gateways: new Map(tagged.gateways).set('santiago-1', santiago) });
  await checked(async () => (await recordOf('p1'))?.record.gateway === 'santiago-1' || undefined);
});

it('are not looked for of a pass that is cancelled, or over', async () => {
  await pass('cancelled', 60_000, { status: 'cancelled', station: 'svalbard' });
  await pass('over', -700_000);
  await pass('p1', 60_000);
  await checked(() => recordOf('p1'));
  expect([await recordOf('cancelled'), await recordOf('over')]).toEqual([undefined, undefined]);
});

it('pass-gateways.P3 are recorded by nobody who has lost the lead', async () => {
  holds = false;
  await pass('p1', 60_000);
  for (let round = 0; round < 20; round += 1) {
    clock.advance(PASS_CHECK_MS);
    await bus.bucket(buckets.passes).get('sat1.p1');
  }
  expect(await recordOf('p1')).toBeUndefined();
  holds = true;
  await checked(() => recordOf('p1'));
});
