/** A telecommand whose cell is quarantined: resumed it goes on from its history, reset it is given a final state. */

import { describe, expect, it } from 'vitest';
import { buckets } from '../../../contract/bus/buckets.ts';
import { header } from '../../../contract/bus/headers.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { Outage } from '../../../contract/outage.ts';
import {
  cellOf,
  eventsOf,
  idOf,
  type LaneWorld,
  laneWorld,
  missionOf,
  obliging,
  submit,
} from '../../actors/telecommand/lane-world.ts';
import { LogBus } from '../../actors/telecommand/log-bus.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const LONG = { expect: undefined, fail: undefined, reports: 'completion' as const, withinMs: 600_000 };

interface Broken extends LaneWorld {
  /** The appends of this telecommand and state are defects until repaired. */
  mend(): void;
}

/** A lane in which telecommand 1 cannot store a state, and telecommand 2 can. */
async function broken(state: string, verify: typeof LONG | undefined = LONG): Promise<Broken> {
  const clock = new ManualClock(1_000_000);
  const bus = new LogBus();
  obliging(bus, clock);
  const world = laneWorld({ bus, clock, mission: missionOf(verify) });
  let isBroken = true;
  bus.fate = (id) => (isBroken && id.endsWith(`01-${state}`) ? 'defect' : undefined);
  await submit(bus, 1);
  await submit(bus, 2);
  await world.lane.start();
  await world.run(60_000);
  expect(world.kind.look(cellOf(1))?.status).toBe('quarantined');
  return {
    ...world,
    get sent() {
      return world.sent;
    },
    mend: () => {
      isBroken = false;
    },
  };
}

const markOf = async (bus: LogBus) => {
  const entry = await bus.bucket(buckets.members).get('checkpoint.lane.sat1');
  return (JSON.parse(Buffer.from(entry!.value).toString()) as { submission: number }).submission;
};

describe('a quarantined telecommand that is resumed (lane.J6)', () => {
  it.each([
    ['PENDING', []],
    ['ENCODED', ['PENDING']],
    ['SENT', ['PENDING', 'ENCODED']],
  ])('goes on where its history stands when storing %s had failed', async (state, before) => {
    const one = await broken(state);
    expect(one.states(1)).toEqual(before);
    expect(one.states(2)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    expect(await markOf(one.bus)).toBe(1);
    one.mend();
    expect(one.kind.resume(cellOf(1))).toBe(true);
    await one.run(2_000);
    expect(one.states(1)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    // The gateway was asked before: it is asked under the same key, and reported so.
    if (state === 'SENT') {
      const asked = one.sent.filter(({ key }) => key.startsWith(`telecommand:${cellOf(1)}:`));
      expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
      expect(asked.at(-1)?.recovering).toBeDefined();
    }
    expect(one.failures).toEqual([]);
    expect(one.kind.trouble()).toEqual({});
    await one.lane.stop();
  });

  it('is counted by the lane again: the low-water mark passes it when it is over', async () => {
    const one = await broken('SENT', { ...LONG, withinMs: 70_000 });
    one.mend();
    one.kind.resume(cellOf(1));
    await one.run(200_000);
    expect([one.states(1).at(-1), one.states(2).at(-1)]).toEqual(['VERIFY_TIMEOUT', 'VERIFY_TIMEOUT']);
    expect(await markOf(one.bus)).toBe(3);
    await one.lane.stop();
  });

  it('waits for its turn behind the one that is leaving, and the next waits for it (lane.J1)', async () => {
    const one = await broken('ENCODED');
    one.mend();
    const { answer } = one.bus;
    const held = new Map<string, () => void>();
    one.bus.answer = (to, call) => {
      if (!to.endsWith('.send')) return answer(to, call);
      const cell = String(call['key']).split(':')[1]!;
      return new Promise((resolve) => held.set(cell, () => resolve(answer(to, call))));
    };
    await submit(one.bus, 3);
    await one.run(10);
    one.kind.resume(cellOf(1));
    await submit(one.bus, 4);
    await one.run(1_000);
    expect([3, 1, 4].map(one.states)).toEqual([['PENDING', 'ENCODED'], ['PENDING'], ['PENDING']]);
    held.get(cellOf(3))!();
    await one.run(1_000);
    expect([1, 4].map(one.states)).toEqual([['PENDING', 'ENCODED'], ['PENDING']]);
    held.get(cellOf(1))!();
    await one.run(1_000);
    expect([1, 4].map(one.states)).toEqual([
      ['PENDING', 'ENCODED', 'SENT'],
      ['PENDING', 'ENCODED'],
    ]);
    held.get(cellOf(4))!();
    await one.run(1_000);
    expect(one.states(4)).toContain('SENT');
    await one.lane.stop();
  });

  it('is rejected rather than sent late when it has grown too old', async () => {
    const one = await broken('ENCODED');
    await one.run(300_000);
    one.mend();
    one.kind.resume(cellOf(1));
    await one.run(2_000);
    expect(one.states(1)).toEqual(['PENDING', 'REJECTED']);
    expect(eventsOf(one.bus, 1).at(-1)!.detail).toContain('s ago');
    await one.lane.stop();
  });

  it('that breaks again is quarantined again, and holds nobody up', async () => {
    const one = await broken('ENCODED');
    one.kind.resume(cellOf(1));
    await submit(one.bus, 3);
    await one.run(60_000);
    expect(one.kind.look(cellOf(1))?.status).toBe('quarantined');
    expect(one.states(3)).toContain('SENT');
    await one.lane.stop();
  });

  it('does not begin in a lane that has stopped meanwhile', async () => {
    const one = await broken('ENCODED');
    one.mend();
    await one.lane.stop();
    expect(one.kind.resume(cellOf(1))).toBe(false);
    await one.run(1_000);
    expect(one.states(1)).toEqual(['PENDING']);
  });
});

describe('a quarantined telecommand that is reset (lane.J6)', () => {
  it.each([
    ['PENDING', ['PENDING', 'REJECTED'], 'it was not sent'],
    ['ENCODED', ['PENDING', 'REJECTED'], 'it was not sent'],
    ['SENT', ['PENDING', 'ENCODED', 'SEND_FAILED'], 'nobody knows whether it left'],
    ['VERIFY_TIMEOUT', ['PENDING', 'ENCODED', 'SENT', 'VERIFY_FAILED'], 'it left and was not verified'],
  ])(
    'ends finally, saying what had happened and who gave it up, when storing %s had failed',
    async (state, states, said) => {
      const one = await broken(state, { ...LONG, withinMs: 1_000 });
      one.mend();
      expect(one.kind.reset(cellOf(1), 'ada')).toBe(true);
      await one.run(2_000);
      expect(one.states(1)).toEqual(states);
      const { detail } = eventsOf(one.bus, 1).at(-1)!;
      expect(detail).toBe(`${said}: refused by the bus; given up by ada`);
      expect(one.kind.look(cellOf(1))).toBeUndefined();
      expect(await markOf(one.bus)).toBe(3);
      expect(one.failures).toEqual([]);
      await one.lane.stop();
    },
  );

  it('stays open until its end is stored: an outage is waited for', async () => {
    const one = await broken('ENCODED');
    one.mend();
    let lost = 3;
    one.bus.fate = (id) =>
      id.endsWith('01-REJECTED') && lost-- > 0 ? (lost === 0 ? 'unanswered' : 'lost') : undefined;
    one.kind.reset(cellOf(1), 'ada');
    await one.run(50);
    expect(await markOf(one.bus)).toBe(1);
    await one.run(2_000);
    expect(one.states(1)).toEqual(['PENDING', 'REJECTED']);
    expect(one.failures).toEqual([]);
    await one.lane.stop();
  });

  it('is not ended by an owner that a newer one has replaced (O1)', async () => {
    const one = await broken('ENCODED');
    one.mend();
    const body = Buffer.from(
      JSON.stringify({ tc: idOf(1), state: 'ENCODED', at: new Date(0).toISOString() }),
    );
    const headers = { [header.epoch]: '2' };
    // Whoever owns a lane says so in its low-water mark before it writes anything.
    const newer = Buffer.from(JSON.stringify({ epoch: 2, submission: 1 }));
    await one.bus.bucket(buckets.members).overwrite('checkpoint.lane.sat1', newer);
    await one.bus.append(streams.telecommandEvents, subject.tcEvent('sat1', idOf(1)), body, { headers });
    one.kind.reset(cellOf(1), 'ada');
    await one.run(500);
    expect(one.states(1)).toEqual(['PENDING', 'ENCODED']);
    expect(one.failures).toHaveLength(1);
    await one.lane.stop();
  });

  it('is continued by a new owner when its end could not be stored', async () => {
    const one = await broken('ENCODED');
    one.bus.fate = (id) => {
      if (id.endsWith('01-REJECTED')) throw new Outage('bus.unavailable', 'away');
      return undefined;
    };
    one.kind.reset(cellOf(1), 'ada');
    await one.run(500);
    await one.lane.stop();
    expect(one.states(1)).toEqual(['PENDING']);
    const next = laneWorld({ bus: one.bus, clock: one.clock, epoch: 2, mission: missionOf(LONG) });
    one.bus.fate = () => undefined;
    await next.lane.start();
    await next.run(2_000);
    // Its end was never stored, so it was never given up: the new owner goes on with it.
    expect(next.states(1)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    await next.lane.stop();
  });
});
