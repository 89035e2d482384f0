/** Which submissions are looked through for one that no executor has taken up yet. */

import { expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { isWaiting } from '../../http/waiting-telecommand.ts';
import { markKey } from '../../messaging/mark-entry.ts';
import type { Bus, StreamMessage } from '../../ports/bus.ts';
import { LogBus } from '../actors/telecommand/log-bus.ts';

async function busWith(submissions: readonly string[]): Promise<LogBus> {
  const bus = new LogBus();
  for (const each of submissions)
    await bus.append(streams.telecommands, subject.tcSubmit('sat1'), Buffer.from(each));
  return bus;
}

const submitted = (id: string): string => JSON.stringify({ id, target: 'sat1' });
const takenUpTo = (bus: LogBus, submission: number): Promise<unknown> =>
  bus
    .bucket(buckets.members)
    .overwrite(markKey('lane.sat1'), Buffer.from(JSON.stringify({ epoch: 1, submission })));

it('telecommands.T2 finds what stands behind the low-water mark of the lane, and not what stands before it', async () => {
  const bus = await busWith([submitted('a'), 'no JSON', 'null', submitted('b')]);
  expect(await isWaiting('sat1', 'a', bus)).toBe(true);
  expect(await isWaiting('sat1', 'b', bus)).toBe(true);
  expect(await isWaiting('sat1', 'c', bus)).toBe(false);
  await takenUpTo(bus, 4);
  expect(await isWaiting('sat1', 'a', bus)).toBe(false);
  expect(await isWaiting('sat1', 'b', bus)).toBe(true);
});

it('waiting-telecommand.N1 does not say that one is unknown where more wait than are read', async () => {
  const bus = await busWith(Array.from({ length: 2_001 }, (_, n) => submitted(`${n}`)));
  expect(await isWaiting('sat1', '0', bus)).toBe(true);
  expect(await isWaiting('sat1', 'unknown', bus)).toBeUndefined();
  await takenUpTo(bus, 3);
  expect(await isWaiting('sat1', 'unknown', bus)).toBe(false);
});

it.each([
  ['17', true],
  ['none of them', undefined],
])(
  'waiting-telecommand.N1 ends where it has found %s or read enough, though more come without end',
  async (id, found) => {
    let [read, stopped] = [0, false];
    const bus = {
      bucket: () => ({ get: async () => undefined }),
      follow: async (...[, , , handle]: Parameters<Bus['follow']>) => {
        const pour = (): void => {
          for (let n = 0; n < 100 && !stopped; n += 1) {
            handle({ data: Buffer.from(submitted(`${read}`)) } as unknown as StreamMessage);
            read += 1;
          }
          if (!stopped) setImmediate(pour);
        };
        setImmediate(pour);
        const stop = async (): Promise<void> => {
          stopped = true;
        };
        return { caughtUp: new Promise<number>(() => undefined), stop };
      },
    } as unknown as Bus;
    expect(await isWaiting('sat1', id, bus)).toBe(found);
    expect(stopped).toBe(true);
    expect(read).toBeLessThan(found ? 200 : 2_200);
  },
);
