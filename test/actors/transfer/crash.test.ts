import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { objectStores } from '../../../contract/bus/buckets.ts';
import { Outage } from '../../../contract/outage.ts';
import type { Bus } from '../../../ports/bus.ts';
import { counted } from './lives.ts';
import { seededBytes, TransferWorld } from './world.ts';

/** More of them: MCS_TRANSFER_LIVES=200. */
const RUNS = Number(process.env['MCS_TRANSFER_LIVES'] ?? 6);

describe('a leader that dies', () => {
  const content = seededBytes(5_000);

  it('MC-XFER-049 transfer/service.S2 before or behind any of its writes: the next one goes on, and the file is what the spacecraft has', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 160 }), { minLength: 1, maxLength: 4 }),
        async (lives) => {
          const world = await TransferWorld.start();
          const answers = ['chunk', 'doubled', 'late', 'lost'] as const;
          world.answer = (_, n) => (n < 200 ? answers[(n * 5) % answers.length]! : 'chunk');
          await world.list('7', content);
          await world.download('7');
          for (const [n, points] of lives.entries()) {
            let left = points;
            let isDead = false;
            const process = await world.manager(`life${n}`, (bus, kill) =>
              counted(() => {
                left -= 1;
                if (isDead || left > 0) return;
                isDead = true;
                kill();
              })(bus),
            );
            for (let ms = 0; ms < 60_000 && !isDead; ms += 250) await world.run(250);
            process.kill();
            await world.run(20);
          }
          const last = await world.manager('last');
          const stored = await world.until('sat1.7.1', 'VERIFIED', 20 * 60_000);
          expect((await world.content(stored))?.equals(content)).toBe(true);
          for (let ms = 0; ms < 30_000 && world.open().length > 0; ms += 250) await world.run(250);
          expect(world.open()).toEqual([]);
          const states = world.published.map(({ transfer }) => transfer);
          expect(states).toEqual(expect.arrayContaining(['REQUESTED', 'PARTIAL', 'COMPLETE', 'VERIFIED']));
          expect(last.failures).toEqual([]);
          await last.stop();
        },
      ),
      { numRuns: RUNS },
    );
  }, 600_000);

  it('MC-XFER-049 the next one asks for what is missing alone', async () => {
    const world = await TransferWorld.start();
    const one = await world.manager('one');
    await world.list('7', content);
    await world.download('7');
    world.answer = (_, n) => (n < 20 ? 'chunk' : 'silent');
    await world.run(12_000);
    one.kill();
    const { received } = world.stored('sat1.7.1')!;
    expect(received).toEqual([[0, 4_000]]);
    const asked = world.requests.length;
    world.answer = () => 'chunk';
    await world.manager('two');
    await world.until('sat1.7.1', 'VERIFIED');
    expect(Math.min(...world.requests.slice(asked).map(({ offset }) => offset))).toBe(4_000);
  });

  it('transfer/transfer-store.R2 one that leads no more writes nothing', async () => {
    const world = await TransferWorld.start();
    const one = await world.manager('one');
    one.resign();
    await world.list('7', content);
    await world.download('7');
    await world.run(5_000);
    expect(world.requests).toEqual([]);
    expect(world.stored('sat1.7.1')?.state).toBe('REQUESTED');
  });
});

describe('a store without room', () => {
  it('transfer/storing.T1 is a reason in the record, and the file comes down once there is room', async () => {
    const world = await TransferWorld.start();
    let isFull = true;
    const full = async (): Promise<never> => {
      throw new Outage('bus.unavailable', 'the file store is full', { remedy: 'Make room.' });
    };
    const manager = await world.manager(
      'one',
      (bus) =>
        new Proxy(bus, {
          get: (on, name) => {
            const value: unknown = Reflect.get(on, name, on);
            if (name !== 'objects') return typeof value === 'function' ? value.bind(on) : value;
            return (definition: typeof objectStores.files) => {
              const objects = on.objects(definition);
              return {
                ...objects,
                replace: (...given: never[]) =>
                  isFull ? full() : objects.replace(...(given as [never, never])),
              };
            };
          },
        }) as unknown as Bus,
    );
    const content = seededBytes(5_000);
    await world.list('7', content);
    const stored = await world.download('7');
    await world.run(8_000);
    expect(world.stored('sat1.7.1')).toMatchObject({
      state: 'REQUESTED',
      reason: 'the file store is full. Make room.',
    });
    isFull = false;
    expect((await world.until('sat1.7.1', 'VERIFIED')).reason).toBeUndefined();
    expect((await world.content(stored))?.equals(content)).toBe(true);
    expect(manager.failures).toEqual([]);
  });
});
