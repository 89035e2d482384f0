/** Holds that cannot be read: freed where no open run may have them, named to a person where one may. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { OpenRuns, shardOf } from '../../../actors/run/open-runs.ts';
import type { NatsBus } from '../../../bus/nats-bus.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { readHolds } from '../../../contract/target-holds.ts';
import { programDocument } from '../../../mission/procedure/program-document.ts';
import { type BusCheck, checkBus } from '../../../supervision/bus-check/check.ts';
import { realClock } from '../../../supervision/clock.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { leaf, ping, programOf } from '../../support/run-program.ts';

const HOLDING = '01J5ZK3M8QW7V9XH2C4T6R0001';
const UNKNOWN = '01J5ZK3M8QW7V9XH2C4T6R0002';
const SOON = { ...realClock, setTimeout: (due: () => void) => realClock.setTimeout(due, 0) };

let nats: TestNats;
let bus: NatsBus;
let looking: NatsBus;

beforeAll(async () => {
  nats = await startNats();
  [bus, looking] = await Promise.all([nats.connected(), nats.connected({ looksOnly: true })]);
  await bus.ensureAssets({ deadlineMs: 20_000 });
});
afterAll(() => nats.stop());

async function unreadable(): Promise<BusCheck['findings']> {
  const { findings } = await checkBus({ bus: looking, clock: SOON, bringUp: async () => true });
  return findings.filter(({ where }) => where.startsWith(buckets.leases.name));
}
const damage = (target: string): Promise<number> =>
  bus.bucket(buckets.leases).overwrite(target, Buffer.from('{"holders":'));
const holds = async (target: string) => readHolds((await bus.bucket(buckets.leases).get(target))?.value);

it('a hold that cannot be read is freed by --repair once no open run asks for its target, and not before', async () => {
  const { ir, canonical } = programDocument(programOf('c'.repeat(64), [leaf('1', [ping()])]));
  await bus.bucket(buckets.programs).put(ir, Buffer.from(canonical), 0);
  await new OpenRuns(bus, shardOf(HOLDING)).enter({ run: HOLDING, ir, submittedAt: 1 });
  await damage('sat1');
  await damage('sat2');
  const [one, two, ...others] = await unreadable();
  expect(others).toEqual([]);
  expect(one).toMatchObject({ check: 'unreadable-record', where: 'mcs_leases sat1' });
  expect(one!.remedy).toContain(HOLDING);
  expect(one!.repair).toBeUndefined();
  expect(await two!.repair!()).toBe(true);
  expect(await holds('sat2')).toEqual({ holders: [] });

  await new OpenRuns(bus, shardOf(HOLDING)).remove(HOLDING);
  const [again] = await unreadable();
  expect(await again!.repair!()).toBe(true);
  expect(await unreadable()).toEqual([]);
});

it('is never freed while the targets of an open run are not known, nor when it was written meanwhile', async () => {
  await damage('sat3');
  const [found] = await unreadable();
  await bus
    .bucket(buckets.leases)
    .overwrite('sat3', Buffer.from(JSON.stringify({ holders: [{ run: HOLDING, mode: 'exclusive' }] })));
  expect(await found!.repair!()).toBe(false);
  await damage('sat3');
  await new OpenRuns(bus, shardOf(UNKNOWN)).enter({ run: UNKNOWN, ir: 'f'.repeat(64), submittedAt: 1 });
  const [stays] = await unreadable();
  expect(stays!.remedy).toContain(UNKNOWN);
  expect(stays!.repair).toBeUndefined();
});
