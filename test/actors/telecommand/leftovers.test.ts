/** What is kept of telecommands that are over while the bus is away (leftovers.F1). */

import { expect, it } from 'vitest';
import { Leftovers } from '../../../actors/telecommand/leftovers.ts';
import { Outage } from '../../../contract/outage.ts';
import type { KeptEnvelopes } from '../../../messaging/kept-envelopes.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { keptLog } from '../../support/silent-log.ts';

const MANY = 30;

it('leftovers.F1 is removed behind the outage, however many wait for the bus, and nobody warns of them', async () => {
  const clock = new ManualClock(0);
  const removed: string[] = [];
  let isAway = true;
  const kept = {
    mayBeKept: () => true,
    remove: async (cell: string) => {
      if (isAway) throw new Outage('bus.unavailable', 'away');
      removed.push(cell);
    },
  } as unknown as KeptEnvelopes;
  let moves = 0;
  const moved = (): void => {
    moves += 1;
  };
  const leftovers = new Leftovers({ target: 'sat1', kept, clock, log: keptLog(), moved });
  const warnings: string[] = [];
  const warned = ({ name, message }: Error): void => {
    if (name === 'MaxListenersExceededWarning') warnings.push(message);
  };
  process.on('warning', warned);
  try {
    for (let n = 0; n < MANY; n += 1) leftovers.add(`sat1.${n}`, n + 1);
    await clock.run(1_000, 50);
    await new Promise(setImmediate);
    expect([warnings, removed, leftovers.first]).toEqual([[], [], 1]);
    isAway = false;
    await clock.run(1_000, 50);
    expect([removed.length, leftovers.first, moves]).toEqual([MANY, undefined, MANY]);
  } finally {
    process.off('warning', warned);
  }
});
