/** Passes that are long over leave those in use, on a real bus with a clock moved by hand. */

import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { NatsBus } from '../../../bus/nats-bus.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { AGED_REST_MS, AGEING_MS, AGEING_SOON_MS } from '../../../contract/limits/aged.ts';
import { PASS_LIVE_AFTER_LOS_MS, PASSES_AGED_AT_ONCE } from '../../../contract/limits/pass.ts';
import { Outage } from '../../../contract/outage.ts';
import type { Pass, PassSnapshot } from '../../../contract/pass.ts';
import { dayOf } from '../../../messaging/aged-records.ts';
import { PassBook } from '../../../messaging/pass-book.ts';
import { PassWriter } from '../../../messaging/pass-writes.ts';
import { PassesOver } from '../../../messaging/passes-over.ts';
import { replaceWindow } from '../../../mission/pass/merge.ts';
import type { Bus } from '../../../ports/bus.ts';
import { PassAgeing } from '../../../supervision/reconciler/pass-ageing.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { quiet, startNats, type TestNats } from '../../support/nats.ts';
import { until } from '../../support/until.ts';

const MINUTE = 60_000;
/** As the bus has it, which says when an entry was written. */
const NOW = Date.now();

let nats: TestNats;
let bus: NatsBus;
let clock: ManualClock;
let book: PassBook;
let ageing: PassAgeing;
let holds = true;

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
});
afterAll(() => nats.stop());
beforeEach(() => {
  holds = true;
  clock = new ManualClock(NOW);
  book = new PassBook({ bus, clock, log: quiet });
  ageing = started(bus);
});
afterEach(async () => {
  await ageing.stop();
  await book.stop();
  for (const bucket of [buckets.passes, buckets.passGateways, buckets.passesOver])
    for (const { key, revision } of await bus.bucket(bucket).list('>'))
      await bus.bucket(bucket).remove(key, revision);
});

function started(over: Bus): PassAgeing {
  const failed = (error: unknown): void => expect.unreachable(String(error));
  const worker = new PassAgeing({
    bus: over,
    clock,
    log: quiet,
    passes: book,
    epoch: 1,
    holds: () => holds,
    failed,
  });
  worker.start();
  return worker;
}

/** Passes of a target, each over for so long. */
async function passes(target: string, over: Readonly<Record<string, number>>): Promise<void> {
  const at = (ms: number): string => new Date(ms).toISOString();
  const rest = { max_elevation: '40 deg', source: 'fds', status: 'predicted', station: 'kiruna' } as const;
  const all = Object.entries(over).map(([id, ms]): Pass => {
    const window = { aos: at(NOW - ms - 10 * MINUTE), los: at(NOW - ms) };
    return { id, target, ...rest, ...window };
  });
  const snapshot: PassSnapshot = { source: 'fds', target, from: at(0), to: at(2 * NOW), passes: all };
  const written = await new PassWriter({ bus, log: quiet }).write(target, (stored) =>
    replaceWindow(stored, snapshot, { feeder: 'fds', at: at(NOW) }),
  );
  await book.seen(written.revision);
}

const keys = async (): Promise<string[]> =>
  (await bus.bucket(buckets.passes).list('>')).map(({ key }) => key).sort();
const over = async () => (await new PassesOver({ bus, log: quiet }).list({}, 10_000, () => true)) ?? [];
const idsOver = async (): Promise<string[]> => (await over()).map(({ pass }) => pass.id).sort();

/** Lets rounds come until it is so. */
const moved = (what: () => Promise<unknown>, ms = AGEING_MS): Promise<unknown> =>
  until(async () => {
    clock.advance(ms);
    await settled();
    return (await what()) || undefined;
  });

it('pass-ageing.X1 moves what has been over for a day, and that alone; it leaves those in use a while behind', async () => {
  const LONG = PASS_LIVE_AFTER_LOS_MS + MINUTE;
  await passes('sat1', { old: LONG, older: 40 * LONG, fresh: LONG - 30 * MINUTE, soon: -MINUTE });
  await passes('sat2', { other: LONG });
  await moved(async () => (await idsOver()).length === 3, AGEING_SOON_MS);
  expect(await idsOver()).toEqual(['old', 'older', 'other']);
  expect(await keys()).toEqual(['sat1.fresh', 'sat1.old', 'sat1.older', 'sat1.soon', 'sat2.other']);
  clock.advance(AGED_REST_MS - (clock.now() - NOW));
  await moved(async () => (await keys()).length === 2, MINUTE / 6);
  expect(await keys()).toEqual(['sat1.fresh', 'sat1.soon']);
  expect(await idsOver()).toEqual(['old', 'older', 'other']);
});

it('pass-ageing.X2 the check of the gateway goes with a pass, and is removed', async () => {
  await passes('sat1', { old: 2 * PASS_LIVE_AFTER_LOS_MS });
  const check = { gateway: 'kiruna-1', checked_at: new Date(NOW).toISOString() };
  await bus.bucket(buckets.passGateways).overwrite('sat1.old', Buffer.from(JSON.stringify(check)));
  await until(() => book.viewOf(book.find('sat1', 'old')!).gateway !== undefined);
  await moved(async () => (await keys()).length === 0);
  expect(await over()).toEqual([{ pass: expect.objectContaining({ id: 'old' }), gateway: check }]);
  await until(async () => (await bus.bucket(buckets.passGateways).get('sat1.old')) === undefined);
});

it('pass-ageing.X3 nothing is moved by who has lost the lead', async () => {
  await passes('sat1', { old: 2 * PASS_LIVE_AFTER_LOS_MS });
  holds = false;
  for (let round = 0; round < 20; round += 1) {
    clock.advance(AGEING_MS);
    await bus.bucket(buckets.passes).get('sat1.old');
  }
  expect([await keys(), await over()]).toEqual([['sat1.old'], []]);
  holds = true;
  await moved(async () => (await keys()).length === 0);
});

it('pass-ageing.X4 passes that cannot be moved keep no other back', async () => {
  const stuck = Array.from({ length: PASSES_AGED_AT_ONCE }, (_, n) => [`p${n}`, 2 * PASS_LIVE_AFTER_LOS_MS]);
  await passes('sat1', Object.fromEntries(stuck));
  await passes('sat2', { later: 2 * PASS_LIVE_AFTER_LOS_MS });
  const day = dayOf(NOW - 2 * PASS_LIVE_AFTER_LOS_MS - 10 * MINUTE);
  await bus.bucket(buckets.passesOver).put(`${day}.sat1`, Buffer.from('no entry'), 0);
  await moved(async () => (await idsOver()).includes('later'), AGEING_SOON_MS);
  await moved(async () => !(await keys()).includes('sat2.later'));
  expect(await keys()).toHaveLength(PASSES_AGED_AT_ONCE);
});

it('goes on when the bus is back', async () => {
  await ageing.stop();
  let away = true;
  const flaky = {
    bucket: (definition: Parameters<Bus['bucket']>[0]) => {
      if (away) throw new Outage('bus.unavailable', 'away');
      return bus.bucket(definition);
    },
  } as unknown as Bus;
  await passes('sat1', { old: 2 * PASS_LIVE_AFTER_LOS_MS });
  ageing = started(flaky);
  for (let round = 0; round < 3; round += 1) {
    clock.advance(AGEING_MS);
    await settled();
  }
  away = false;
  await moved(async () => (await keys()).length === 0);
  expect(await idsOver()).toEqual(['old']);
});
