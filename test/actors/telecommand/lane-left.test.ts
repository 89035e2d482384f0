/** A lane whose target leaves the mission: what is open in it, and what is still submitted, gets an end that says so. */

import { describe, expect, it } from 'vitest';
import { subject } from '../../../contract/bus/subjects.ts';
import { LANE_AHEAD } from '../../../contract/limits/telecommand.ts';
import type { Mission } from '../../../mission/mission.ts';
import {
  cellOf,
  eventsOf,
  heldUp,
  type LaneWorld,
  markOf,
  missionOf,
  obligingWorld,
  SENT,
  submit,
  verified,
} from './lane-world.ts';

const WITHOUT: Mission = { ...verified, revision: 'without', targets: new Map() };
const WHY = 'sat1 is not in the topology any more';

const detailOf = ({ bus }: LaneWorld, n: number): string | undefined => eventsOf(bus, n).at(-1)?.detail;

describe('a target that leaves the mission (lane.J12)', () => {
  it('what is open of it ends at once, by what had become of it, and no verdict comes behind that', async () => {
    const one = obligingWorld();
    const { answer } = one.bus;
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(100);
    one.bus.answer = (to, call) => (to.endsWith('.send') ? new Promise(() => undefined) : answer(to, call));
    for (const n of [2, 3]) await submit(one.bus, n);
    await one.run(100);
    one.publish(WITHOUT);
    await one.run(3_000);
    expect(one.states(1)).toEqual([...SENT, 'VERIFY_FAILED']);
    expect(one.states(2)).toEqual(['PENDING', 'ENCODED', 'SEND_FAILED']);
    expect(one.states(3)).toEqual(['PENDING', 'REJECTED']);
    expect([1, 2, 3].map((n) => detailOf(one, n))).toEqual([
      `it left and was not verified: ${WHY}`,
      `nobody knows whether it left: ${WHY}`,
      `it was not sent: ${WHY}`,
    ]);
    expect([...one.kind.ids()]).toEqual([]);
    expect(markOf(one.bus)).toBe(4);
    await one.run(70_000);
    expect(one.states(1)).toEqual([...SENT, 'VERIFY_FAILED']);
    expect(one.failures).toEqual([]);
    await one.lane.stop();
  });

  it('what is still submitted to it ends likewise, and is not begun', async () => {
    const one = obligingWorld();
    await one.lane.start();
    one.publish(WITHOUT);
    await submit(one.bus, 1);
    await one.run(3_000);
    expect([one.states(1), detailOf(one, 1)]).toEqual([['PENDING', 'REJECTED'], `it was not sent: ${WHY}`]);
    expect(one.bus.asked).toEqual([]);
    expect(markOf(one.bus)).toBe(2);
    await one.lane.stop();
  });

  it('what waits for its place in the lane as it leaves ends too, in the order of submission', async () => {
    const one = obligingWorld();
    one.bus.answer = () => new Promise(() => undefined);
    const all = Array.from({ length: LANE_AHEAD + 3 }, (_, n) => n + 1);
    for (const n of all) await submit(one.bus, n);
    await one.lane.start();
    await one.run(100);
    one.publish(WITHOUT);
    await one.run(3_000);
    for (const n of all) expect(one.states(n), `${n}`).toEqual(['PENDING', 'REJECTED']);
    expect([...one.kind.ids()]).toEqual([]);
    await one.lane.stop();
  });

  it('what is being looked at as it leaves ends too, and is not begun', async () => {
    const { holds, look } = heldUp();
    const one = obligingWorld({ holds });
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(100);
    one.publish(WITHOUT);
    look();
    await one.run(100);
    expect([one.states(1), detailOf(one, 1)]).toEqual([['PENDING', 'REJECTED'], `it was not sent: ${WHY}`]);
    expect(one.bus.asked).toEqual([]);
    await one.lane.stop();
  });

  it('MC-TC-045 an echo of one that had left is recorded behind its end', async () => {
    const one = obligingWorld();
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(100);
    one.publish(WITHOUT);
    await one.run(100);
    const echo = { key: one.sent[0]!.key, target: 'sat1', conforming: true, at: one.clock.now() };
    one.bus.publish(subject.echo('gw'), Buffer.from(JSON.stringify(echo)));
    await one.run(100);
    expect(one.states(1)).toEqual([...SENT, 'VERIFY_FAILED', 'ECHO']);
    await one.lane.stop();
  });

  it('another mission that has it ends nothing', async () => {
    const one = obligingWorld();
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(100);
    one.publish(missionOf(undefined, 'two'));
    await one.run(3_000);
    expect(one.states(1)).toEqual(SENT);
    expect([...one.kind.ids()]).toEqual([cellOf(1)]);
    await one.lane.stop();
  });

  it('while nobody owns its lane: the next owner ends what is open as it starts', async () => {
    const one = obligingWorld();
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(100);
    await one.lane.stop();
    one.publish(WITHOUT);
    await one.run(3_000);
    expect(one.states(1)).toEqual(SENT);
    const next = obligingWorld({ bus: one.bus, clock: one.clock, epoch: 2, mission: WITHOUT });
    await next.lane.start();
    await next.run(100);
    expect(next.states(1)).toEqual([...SENT, 'VERIFY_FAILED']);
    await next.lane.stop();
  });

  it('an end that the bus refuses fails the lane, and its next owner records it', async () => {
    const one = obligingWorld();
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(100);
    one.bus.fate = (id) => (id.endsWith('VERIFY_FAILED') ? 'defect' : undefined);
    one.publish(WITHOUT);
    await one.run(100);
    expect(one.failures).toEqual([new Error('refused by the bus')]);
    await one.lane.stop();
    one.bus.fate = () => undefined;
    expect(markOf(one.bus)).toBe(1);
    const next = obligingWorld({ bus: one.bus, clock: one.clock, epoch: 2, mission: WITHOUT });
    await next.lane.start();
    await next.run(100);
    expect(next.states(1)).toEqual([...SENT, 'VERIFY_FAILED']);
    await next.lane.stop();
  });
});
