/** A process that sleeps while it decodes a file, and another one that decodes it meanwhile. */

import { expect, it } from 'vitest';
import { demoReader, hours, LttmWorld, samplesOf } from './lttm-world.ts';

/** Three seconds of decoding. */
const FILE = hours(60);
const SAMPLES = 108_000;
const MINUTE = 60_000;

function whole(): string[] {
  const reader = demoReader();
  return [...reader.push(FILE), reader.end()].flatMap((batch) =>
    batch === undefined ? [] : samplesOf(batch),
  );
}

const sent = (world: LttmWorld): string[] => world.published().flatMap(({ batch }) => samplesOf(batch));

/** How many are there, and whether they are those of the file in their order: a difference would take minutes to print. */
function published(world: LttmWorld): readonly [number, boolean] {
  const [found, expected] = [sent(world), whole()];
  return [found.length, expected.every((sample, at) => sample === found[at])];
}

it.each([
  { asleepMs: MINUTE / 2, arrivalsFirst: true },
  { asleepMs: 3 * MINUTE, arrivalsFirst: true },
  { asleepMs: 3 * MINUTE, arrivalsFirst: false },
  { asleepMs: 4.9 * MINUTE, arrivalsFirst: true },
])(
  'decode-file.F5 what another process has published of the file is not published again: %o',
  async (how) => {
    const { asleepMs, arrivalsFirst } = how;
    const world = new LttmWorld();
    const one = await world.decoder('one');
    await world.store('1', FILE);
    const first = world.offered('1');
    await world.run(1_340);
    one.sleep();
    const wakesAt = world.clock.now() + asleepMs;
    expect(sent(world).length).toBeGreaterThan(20_000);
    await world.decoder('two');
    world.chosen = 1;
    expect(await world.offer('1')).toEqual({ outcome: 'decoded', samples: SAMPLES });
    await world.run(wakesAt - world.clock.now());
    one.wake({ arrivalsFirst, pullsExpired: false });
    await world.run(10_000);
    expect(published(world)).toEqual([SAMPLES, true]);
    expect(await first).toMatchObject({ outcome: expect.stringMatching(/decoded|failed/) });
  },
);

it('decode-file.F5 a process that slept alone goes on where it was', async () => {
  const world = new LttmWorld();
  const one = await world.decoder('one');
  await world.store('1', FILE);
  const first = world.offered('1');
  await world.run(1_340);
  one.sleep();
  await world.run(3 * MINUTE);
  one.wake({ arrivalsFirst: true, pullsExpired: true });
  await world.run(10_000);
  expect(await first).toEqual({ outcome: 'decoded', samples: SAMPLES });
  expect(published(world)).toEqual([SAMPLES, true]);
});
