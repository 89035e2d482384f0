/** One driver or gateway being reported, over a bus of the test that answers as it is reported. */

import { beforeEach, describe, expect, it } from 'vitest';
import {
  BINDINGS_AT_ONCE,
  BINDINGS_CHARACTERS,
  LINK_RETRY_FIRST_MS,
  LINK_RETRY_LONGEST_MS,
} from '../../../contract/limits/link.ts';
import type { BindCall, BindingContent, BindReply, LinkBinding } from '../../../contract/mode.ts';
import { Outage } from '../../../contract/outage.ts';
import type { Bus } from '../../../ports/bus.ts';
import { Receiver } from '../../../supervision/reconciler/receiver.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { keptLog } from '../../support/silent-log.ts';
import { until } from '../../support/until.ts';

let clock: ManualClock;
let reported: LinkBinding[];
/** How many bindings each delivery had. */
let deliveries: number[];
let underWay: number;
let most: number;
let answer: () => Promise<BindReply>;
let leads: boolean;
let failures: unknown[];
let receiver: Receiver;

const kept = async (): Promise<BindReply> => ({ outcome: 'kept' });
const silent = async (): Promise<BindReply> => {
  throw new Outage('bus.no-responder', 'nobody');
};
const binding = (mode: string, link = 'uhf'): BindingContent => ({
  target: 'sat1',
  link,
  mode,
  parameters: { 'obc.watchdog': 60 },
  overrides: {},
});
/** One of those that go alone: two of them are more than a delivery may be. */
const large = (mode: string, link: string): BindingContent => ({
  ...binding(mode, link),
  parameters: { 'obc.text': 'x'.repeat(BINDINGS_CHARACTERS / 2) },
});
/** How often work takes the next one of a map or a set, or looks something up in them. */
async function countedLooks(work: () => Promise<void>): Promise<number> {
  let looks = 0;
  const counted: (() => void)[] = [];
  const count = (of: object, method: string): void => {
    const real = (of as Record<string, (...args: unknown[]) => unknown>)[method]!;
    const put = (value: unknown): void =>
      void Object.defineProperty(of, method, { value, configurable: true, writable: true });
    put(function (this: unknown, ...args: unknown[]) {
      looks += 1;
      return real.apply(this, args);
    });
    counted.push(() => put(real));
  };
  for (const method of ['get', 'has']) count(Map.prototype, method);
  count(Set.prototype, 'has');
  count(Object.getPrototypeOf(new Map().keys()) as object, 'next');
  count(Object.getPrototypeOf(new Set().keys()) as object, 'next');
  try {
    await work();
  } finally {
    for (const end of counted) end();
  }
  return looks;
}

const modes = () => reported.map(({ link, mode }) => `${link} ${mode}`);

beforeEach(() => {
  clock = new ManualClock(1_000_000);
  [reported, deliveries] = [[], []];
  [underWay, most, leads, failures] = [0, 0, true, []];
  answer = kept;
  let seq = 0;
  const request = async (_subject: string, data: Uint8Array): Promise<Uint8Array> => {
    underWay += 1;
    most = Math.max(most, underWay);
    const { bindings, ...stamp } = JSON.parse(Buffer.from(data).toString()) as BindCall;
    reported.push(...bindings.map((each) => ({ ...each, ...stamp })));
    deliveries.push(bindings.length);
    try {
      return Buffer.from(JSON.stringify(await answer()));
    } finally {
      underWay -= 1;
    }
  };
  receiver = new Receiver({
    bus: { request } as unknown as Bus,
    clock,
    random: { next: () => 1 },
    log: keptLog(),
    subject: 'mcs.ctl.rpc.driver.pus.bind',
    stamp: () => {
      seq += 1;
      return leads ? { epoch: 7, seq } : undefined;
    },
    failed: (error) => void failures.push(error),
  });
});

describe('a receiver', () => {
  it('is reported each binding once, with the token of the leader and a rising number', async () => {
    receiver.want([binding('safe'), binding('safe', 'sband')]);
    await until(() => reported.length === 2 && underWay === 0);
    receiver.want([binding('safe'), binding('nominal', 'sband')]);
    await until(() => reported.length === 3 && underWay === 0);
    receiver.want([binding('safe'), binding('nominal', 'sband')]);
    await clock.run(10);
    expect(reported).toEqual([
      { ...binding('safe'), epoch: 7, seq: 1 },
      { ...binding('safe', 'sband'), epoch: 7, seq: 1 },
      { ...binding('nominal', 'sband'), epoch: 7, seq: 2 },
    ]);
  });

  it('receiver.R5 is reported many at once, and no more than a message of the bus holds', async () => {
    const links = Array.from({ length: 2 * BINDINGS_AT_ONCE + 3 }, (_, n) => `link-${n}`);
    receiver.want(links.map((link) => binding('safe', link)));
    await until(() => reported.length === links.length && underWay === 0);
    expect(deliveries).toEqual([BINDINGS_AT_ONCE, BINDINGS_AT_ONCE, 3]);
    expect(reported.map(({ link }) => link)).toEqual(links);
    deliveries = [];
    receiver.want([large('safe', 'a'), binding('safe', 'b'), large('safe', 'c'), large('safe', 'd')]);
    await until(() => reported.length === links.length + 4 && underWay === 0);
    expect(deliveries).toEqual([2, 1, 1]);
  });

  it('receiver.R5 is reported one that is larger than a delivery by itself', async () => {
    const parameters = { 'obc.text': 'x'.repeat(BINDINGS_CHARACTERS + 1) };
    receiver.want([{ ...binding('safe', 'a'), parameters }, binding('safe', 'b')]);
    await until(() => reported.length === 2 && underWay === 0);
    expect(deliveries).toEqual([1, 1]);
  });

  it('receiver.R1 is reported the newest, one at a time, also when it changes while one is under way', async () => {
    let release = (): void => undefined;
    answer = () => new Promise((resolve) => (release = () => resolve({ outcome: 'kept' })));
    receiver.want([binding('a')]);
    await until(() => underWay === 1);
    for (const mode of ['b', 'c', 'd']) receiver.want([binding(mode)]);
    answer = kept;
    release();
    await until(() => reported.length === 2 && underWay === 0);
    expect([modes(), most]).toEqual([['uhf a', 'uhf d'], 1]);
  });

  it('receiver.R2 is tried again after growing waits while nobody answers, then has it', async () => {
    answer = silent;
    receiver.want([binding('safe')]);
    await until(() => clock.waiting === 1);
    await clock.run(LINK_RETRY_FIRST_MS - 1);
    expect(reported).toHaveLength(1);
    await clock.run(1);
    await until(() => reported.length === 2 && clock.waiting === 1);
    await clock.run(2 * LINK_RETRY_FIRST_MS - 1);
    expect(reported).toHaveLength(2);
    await clock.run(1);
    await until(() => reported.length === 3);
    await clock.run(2 * LINK_RETRY_LONGEST_MS, 50);
    const tries = reported.length;
    expect(tries).toBeLessThan(12);
    answer = kept;
    await clock.run(LINK_RETRY_LONGEST_MS, 50);
    expect(reported).toHaveLength(tries + 1);
    expect(clock.waiting).toBe(0);
  });

  it('receiver.R2 is reported a change at once, whatever it waits for', async () => {
    answer = silent;
    receiver.want([binding('a')]);
    await until(() => clock.waiting === 1);
    answer = kept;
    receiver.want([binding('b')]);
    await until(() => reported.length === 2 && underWay === 0);
    expect([modes(), clock.waiting]).toEqual([['uhf a', 'uhf b'], 0]);
  });

  it('receiver.R2 is reported at once what changed while it was being asked in vain', async () => {
    let fail = (): void => undefined;
    answer = () =>
      new Promise((_resolve, reject) => (fail = () => reject(new Outage('bus.timeout', 'late'))));
    receiver.want([binding('a')]);
    await until(() => underWay === 1);
    receiver.want([binding('b')]);
    answer = kept;
    fail();
    await until(() => reported.length === 2 && underWay === 0);
    expect([modes(), clock.waiting]).toEqual([['uhf a', 'uhf b'], 0]);
  });

  it('receiver.R2 is reported at once where one of those that it was asked for in vain has changed', async () => {
    let fail = (): void => undefined;
    answer = () =>
      new Promise((_resolve, reject) => (fail = () => reject(new Outage('bus.timeout', 'late'))));
    receiver.want([binding('a'), binding('a', 'sband')]);
    await until(() => underWay === 1);
    receiver.want([binding('a'), binding('b', 'sband')]);
    answer = kept;
    fail();
    await until(() => reported.length === 4 && underWay === 0);
    expect([modes().slice(2), clock.waiting]).toEqual([['uhf a', 'sband b'], 0]);
  });

  it('link-bindings.K2 is reported again what was under way when it began again: another process may have taken it', async () => {
    let release = (): void => undefined;
    answer = () => new Promise((resolve) => (release = () => resolve({ outcome: 'kept' })));
    receiver.want([binding('a')]);
    await until(() => underWay === 1);
    receiver.again();
    answer = kept;
    release();
    await until(() => reported.length === 2 && underWay === 0);
    expect(modes()).toEqual(['uhf a', 'uhf a']);
  });

  it('is informed of what it is to know from the very moment it has received the last', async () => {
    receiver.want([binding('a')]);
    for (let mode = 0; mode < 50; mode += 1) {
      await Promise.resolve();
      receiver.want([binding(`m${mode}`)]);
    }
    await until(() => reported.at(-1)?.mode === 'm49');
  });

  it('receiver.R3 is left alone once it says that somebody else leads', async () => {
    answer = async () => ({ outcome: 'older' });
    receiver.want([large('a', 'uhf'), large('a', 'sband')]);
    await clock.run(LINK_RETRY_LONGEST_MS, 100);
    expect([modes(), clock.waiting]).toEqual([['uhf a'], 0]);
  });

  it('link-bindings.K3 is reported nothing by a process that leads no more', async () => {
    leads = false;
    receiver.want([binding('a')]);
    await clock.run(LINK_RETRY_LONGEST_MS, 100);
    expect([reported, failures]).toEqual([[], []]);
  });

  it('link-bindings.K2 is reported everything again when it may have lost it', async () => {
    receiver.want([binding('a'), binding('a', 'sband')]);
    await until(() => reported.length === 2 && underWay === 0);
    receiver.again();
    await until(() => reported.length === 4 && underWay === 0);
    expect(modes().slice(2)).toEqual(['uhf a', 'sband a']);
  });

  it('link-bindings.K2 is reported a part of it once more, then the next, and begins again behind the last', async () => {
    const links = ['a', 'b', 'c', 'd', 'e'];
    const said = () => reported.map(({ link }) => link).join('');
    receiver.want(links.map((link) => binding('safe', link)));
    await until(() => reported.length === 5 && underWay === 0);
    for (const [repeated, so] of [
      [2, 'abcdeab'],
      [2, 'abcdeabcd'],
      [1, 'abcdeabcde'],
      [2, 'abcdeabcdeab'],
    ] as const) {
      expect(receiver.repeat(2)).toBe(repeated);
      await until(() => said() === so && underWay === 0);
    }
    receiver.want([]);
    expect(receiver.repeat(2)).toBe(0);
  });

  it('link-bindings.K2 is reported once more what is under way when its turn comes, and nothing else for that', async () => {
    let confirm: () => void = () => undefined;
    answer = async () => {
      if (reported.length === 2)
        await new Promise<void>((resolve) => {
          confirm = resolve;
        });
      return { outcome: 'kept' };
    };
    receiver.want(['a', 'b', 'c'].map((link) => large('safe', link)));
    await until(() => reported.length === 2);
    expect(receiver.repeat(2)).toBe(2);
    confirm();
    await until(() => reported.length >= 5 && underWay === 0);
    expect(reported.map(({ link }) => link).join('')).toBe('abbca');
    answer = kept;
    expect(receiver.repeat(2)).toBe(1);
    await until(() => reported.length === 6 && underWay === 0);
  });

  it('receiver.R4 is reported sixteen times as much with sixteen times the looks at what there is', async () => {
    const looks = async (count: number): Promise<number> => {
      let taken = 0;
      const request = async (_subject: string, data: Uint8Array): Promise<Uint8Array> => {
        taken += (JSON.parse(Buffer.from(data).toString()) as BindCall).bindings.length;
        return Buffer.from('{"outcome":"kept"}');
      };
      const many = new Receiver({
        bus: { request } as unknown as Bus,
        clock,
        random: { next: () => 1 },
        log: keptLog(),
        subject: 'mcs.ctl.rpc.driver.pus.bind',
        stamp: () => ({ epoch: 7, seq: taken + 1 }),
        failed: (error) => void failures.push(error),
      });
      const bindings = Array.from({ length: count }, (_, n) => binding('safe', `link-${n}`));
      return countedLooks(async () => {
        many.want(bindings);
        await until(() => taken === count);
        await many.stop();
      });
    };
    const few = await looks(20 * BINDINGS_AT_ONCE);
    expect(few).toBeGreaterThan(20 * BINDINGS_AT_ONCE);
    expect((await looks(320 * BINDINGS_AT_ONCE)) / few).toBeLessThan(17);
  });

  it('is not asked for ever what it refuses, but is reported when it changes', async () => {
    answer = async () => ({ outcome: 'refused', reason: 'no' });
    receiver.want([binding('a')]);
    await clock.run(LINK_RETRY_LONGEST_MS, 100);
    expect(modes()).toEqual(['uhf a']);
    receiver.want([binding('b')]);
    await until(() => reported.length === 2);
  });

  it('is reported nothing behind its end', async () => {
    answer = silent;
    receiver.want([binding('a')]);
    await until(() => clock.waiting === 1);
    await receiver.stop();
    receiver.want([binding('b')]);
    await clock.run(LINK_RETRY_LONGEST_MS, 100);
    expect([modes(), clock.waiting]).toEqual([['uhf a'], 0]);
  });
});
