/** Dead letters and the bus that keeps them: away for a while, or too small for one of them. */

import { expect, it, onTestFinished } from 'vitest';
import { streams } from '../../../contract/bus/streams.ts';
import { createDeadLetters, type DeadLetter } from '../../../supervision/cells/dead-letters.ts';
import { ScheduleWorld } from '../../actors/schedule/world.ts';
import { keptLog } from '../../support/silent-log.ts';

async function started() {
  const world = await ScheduleWorld.start([]);
  onTestFinished(() => world.stop());
  const letters = createDeadLetters(world.observer.bus, keptLog());
  const stored = (): DeadLetter[] =>
    world.server
      .stream(streams.deadLetters)
      .messages.map(({ data }) => JSON.parse(Buffer.from(data).toString()) as DeadLetter);
  return { world, letters, stored };
}

const letter = (id: string, event: object = {}): DeadLetter => ({
  kind: 'order',
  id,
  at: 1,
  event: { type: 'poison', ...event },
  error: 'Error: broken',
});

it('dead-letters.Y1 what the bus could not take is stored once it is back, and once', async () => {
  const { world, letters, stored } = await started();
  letters.add(letter('a'));
  await world.run(1_000);
  world.server.turn(false);
  letters.add(letter('b'));
  await world.run(120_000);
  letters.add(letter('c'));
  await world.run(120_000);
  expect(stored().map(({ id }) => id)).toEqual(['a']);
  world.server.turn(true);
  await world.run(10_000);
  expect(
    stored()
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(['a', 'b', 'c']);
  letters.add(letter('d'));
  await world.run(10_000);
  expect(
    stored()
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(['a', 'b', 'c', 'd']);
});

it('dead-letters.Y2 one that is too large for the bus is stored without its event', async () => {
  const { world, letters, stored } = await started();
  world.server.maxPayload = 1_000;
  letters.add(letter('large', { text: 'x'.repeat(1_000) }));
  letters.add(letter('y'.repeat(1_000)));
  await world.run(1_000);
  expect(stored()).toMatchObject([{ kind: 'order', id: 'large', at: 1 }]);
  const [{ event, error } = letter('')] = stored();
  expect([event, error]).toEqual([
    { type: 'poison' },
    expect.stringMatching(/^Error: broken; its event is left out/),
  ]);
});
