/** The program of a run that is launched, over what stands under its hash. */

import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { keepProgram, storeProgram } from '../../messaging/run-launch.ts';
import { readStoredProgram } from '../../messaging/stored-program.ts';
import { ScheduleWorld } from '../actors/schedule/world.ts';

const CANONICAL = '{"format":1}';
const IR = createHash('sha256').update(CANONICAL).digest('hex');

async function started() {
  const world = await ScheduleWorld.start([]);
  onTestFinished(() => world.stop());
  const { bus } = world.observer;
  const bucket = bus.bucket(buckets.programs);
  const store = () => world.finish(storeProgram(bus, world.clock, { ir: IR, canonical: CANONICAL }));
  const keep = () => world.finish(keepProgram(bus, world.clock, IR));
  const get = () => world.finish(bucket.get(IR));
  return { world, bucket, store, keep, get };
}

describe('run-launch.U2 a program', () => {
  it.each(['garbage', '{"format":2}', '\u001f\u008b', ''])(
    'that is damaged is stored by the next launch, however young what stands there is: %j',
    async (damage) => {
      const { world, bucket, store, keep, get } = await started();
      await store();
      await world.finish(bucket.overwrite(IR, Buffer.from(damage, 'latin1')));
      expect(await keep()).toBe(false);
      await store();
      expect(readStoredProgram((await get())!.value, IR)).toEqual({ format: 1 });
      expect(await keep()).toBe(true);
    },
  );

  it('is written once a day at most', async () => {
    const { world, store, keep, get } = await started();
    expect(await keep()).toBe(false);
    await store();
    const { revision } = (await get())!;
    await store();
    await keep();
    expect((await get())!.revision).toBe(revision);
    await world.run(86_400_000);
    await keep();
    const kept = (await get())!.revision;
    expect(kept).toBeGreaterThan(revision);
    await world.run(86_400_000);
    await store();
    expect((await get())!.revision).toBeGreaterThan(kept);
  });
});
