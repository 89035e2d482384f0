/** When it is known that no files are left. */

import { describe, expect, it } from 'vitest';
import { LeftFiles } from '../../../actors/transfer/left-files.ts';
import { FILE_DECODE_AGAIN_MS } from '../../../contract/limits/transfer.ts';
import { Outage } from '../../../contract/outage.ts';
import type { StoredTransfer } from '../../../contract/transfer.ts';
import type { Entry } from '../../../ports/bus.ts';
import { settled } from '../../support/manual-clock.ts';

const RECORD = { target: 'sat1', file: '7', generation: 1 } as unknown as StoredTransfer;

/** Files that were left in a bucket whose lists are answered one after the other as it is said. */
function world(...answers: (() => Promise<Entry[]>)[]) {
  let lists = 0;
  let now = 0;
  const failures: unknown[] = [];
  const bucket = {
    list: () => answers[lists++]?.() ?? Promise.resolve([]),
    overwrite: async () => 1,
  };
  const left = new LeftFiles({
    bus: { bucket: () => bucket } as never,
    over: {} as never,
    room: () => 0,
    holds: () => true,
    failed: (error) => failures.push(error),
  });
  const looks = async (times: number): Promise<number> => {
    for (let n = 0; n < times; n += 1) {
      now += FILE_DECODE_AGAIN_MS;
      left.tick(now);
      await settled();
    }
    return lists;
  };
  return { left, looks, failures };
}

const away = async (): Promise<never> => {
  throw new Outage('bus.unavailable', 'away');
};

describe('left-files.L3 files that were left', () => {
  it('are looked at again behind a look that the bus did not answer, and not any more when there are none', async () => {
    const { looks, failures } = world(away, away, async () => []);
    expect(await looks(2)).toBe(2);
    expect(await looks(3)).toBe(3);
    expect(failures).toEqual([]);
  });

  it('are looked at again behind a look that failed otherwise, which is reported', async () => {
    const { looks, failures } = world(async () => {
      throw new Error('broken');
    });
    expect(await looks(3)).toBe(2);
    expect(failures).toMatchObject([{ message: 'broken' }]);
  });

  it('are looked at again where one was left while they were listed', async () => {
    let answer: (entries: Entry[]) => void = () => undefined;
    const { left, looks } = world(() => new Promise((resolve) => (answer = resolve)));
    expect(await looks(1)).toBe(1);
    await left.leave(RECORD);
    answer([]);
    await settled();
    expect(await looks(1)).toBe(2);
    expect(await looks(2)).toBe(2);
  });
});
