import { expect, it } from 'vitest';
import { buckets } from '../../contract/subject.ts';
import { Position } from '../../supervision/position.ts';
import { LogBus } from '../actors/telecommand/log-bus.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { keptLog } from '../support/silent-log.ts';

function positionOf(bus: LogBus, epoch: number) {
  const clock = new ManualClock(0);
  let losses = 0;
  const lost = (): void => {
    losses += 1;
  };
  const position = new Position({ bus, clock, log: keptLog(), name: 'decoder.gw', epoch, lost });
  return { clock, position, losses: () => losses };
}

const next = (bus: LogBus): number => {
  const entry = bus.bucket(buckets.members).entries.get('checkpoint.decoder.gw');
  return (JSON.parse(Buffer.from(entry!.value).toString()) as { next: number }).next;
};

it('a write whose answer an outage took is not taken for that of another owner', async () => {
  const bus = new LogBus();
  const { clock, position, losses } = positionOf(bus, 1);
  await position.take();
  bus.bucket(buckets.members).loseAnswer = true;
  for (const seq of [5, 6, 7, 8]) {
    position.done(seq);
    await clock.run(1_000, 100);
  }
  expect(losses()).toBe(0);
  expect(next(bus)).toBe(9);
  await position.stop();
});

it('an owner is told when another one has taken the position', async () => {
  const bus = new LogBus();
  const old = positionOf(bus, 1);
  await old.position.take();
  await positionOf(bus, 2).position.take();
  old.position.done(5);
  await old.clock.run(1_000, 100);
  expect(old.losses()).toBe(1);
  await old.position.stop();
});
