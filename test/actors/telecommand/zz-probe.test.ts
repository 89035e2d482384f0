import { describe, expect, it } from 'vitest';
import { subject } from '../../../contract/subject.ts';
import { Outage } from '../../../contract/outage.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { cellOf, type LaneWorld, laneWorld, missionOf, obliging, submit, eventsOf } from './lane-world.ts';
import { LogBus } from './log-bus.ts';
function world(earlier?: LaneWorld, mission?: any): LaneWorld {
  const clock = earlier?.clock ?? new ManualClock(1_000_000);
  const bus = earlier?.bus ?? new LogBus();
  if (!earlier) obliging(bus, clock);
  return laneWorld({ bus, clock, epoch: earlier ? 2 : 1, ...(mission && { mission }) });
}
const poison = (one: LaneWorld, verb: string, n: () => boolean) => {
  const good = one.bus.answer;
  one.bus.answer = (to, call) => {
    if (to.endsWith(verb) && n()) throw new Error('boom');
    return good(to, call);
  };
};
describe('probe', () => {
  it('T1/T2 quarantine before send, resume', async () => {
    const one = world();
    let bad = true; let count = 0;
    poison(one, '.encode', () => bad && (count += 1) <= 6);
    await submit(one.bus, 1); await submit(one.bus, 2);
    await one.lane.start();
    await one.run(10_000);
    expect(one.kind.look(cellOf(1))?.status).toBe('quarantined');
    expect(one.states(2)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    expect(one.kind.resume(cellOf(1))).toBe(true);
    await one.run(1000);
    expect(one.states(1)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    expect(one.sent).toHaveLength(2);
    await one.lane.stop();
  });
  it('T3 send crashes, quarantined, resumed while 2 waits, lane stops, next owner', async () => {
    const one = world();
    let count = 0; let block = false;
    const good = one.bus.answer;
    one.bus.answer = (to, call) => {
      if (to.endsWith('.send') && String(call['key']).includes(cellOf(1)) && (count += 1) <= 6) throw new Error('boom');
      if (to.endsWith('.send') && block) return new Promise(() => undefined);
      return good(to, call);
    };
    await submit(one.bus, 1); 
    await one.lane.start();
    await one.run(10_000);
    expect(one.kind.look(cellOf(1))?.status).toBe('quarantined');
    block = true;
    await submit(one.bus, 2);
    await one.run(100);
    expect(one.kind.resume(cellOf(1))).toBe(true);
    await one.run(1000);
    expect(one.states(1)).toEqual(['PENDING', 'ENCODED']);
    await one.lane.stop();
    block = false;
    const two = world(one);
    await two.lane.start();
    await two.run(1000);
    expect(two.states(1)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    expect(two.states(2)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    expect(two.failures).toEqual([]);
    console.log(JSON.stringify(two.sent));
    await two.lane.stop();
  });
  it('T4 reset during an outage; T6 before PENDING', async () => {
    const one = world();
    one.bus.fate = (id) => id.includes('0001-') || id.includes('01-PENDING') ? 'defect' : undefined;
    await submit(one.bus, 1); await submit(one.bus, 2);
    await one.lane.start();
    await one.run(10_000);
    expect(one.kind.look(cellOf(1))?.status).toBe('quarantined');
    expect(one.states(2)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    let n = 0;
    one.bus.fate = (id) => (id.includes('01-') ? ((n += 1) % 3 === 1 ? 'lost' : n % 3 === 2 ? 'unanswered' : undefined) : undefined);
    expect(one.kind.reset(cellOf(1), 'op')).toBe(true);
    await one.run(3000);
    expect(one.states(1)).toEqual(['PENDING', 'REJECTED']);
    expect(one.failures).toEqual([]);
    await one.lane.stop();
  });
  it('T7 all combos: quarantined 1, 2, resume both, order', async () => {
    const one = world();
    let bad = true;
    poison(one, '.encode', () => bad);
    await submit(one.bus, 1); await submit(one.bus, 2); await submit(one.bus, 3);
    await one.lane.start();
    await one.run(40_000);
    bad = false;
    for (const n of [1, 2, 3]) expect(one.kind.look(cellOf(n))?.status).toBe('quarantined');
    for (const n of [2, 1, 3]) expect(one.kind.resume(cellOf(n))).toBe(true);
    await one.run(1000);
    for (const n of [1, 2, 3]) expect(one.states(n)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    expect(one.sent.map((s) => s.key.slice(12+5+24, 12+5+26))).toEqual(['02', '01', '03']);
    await one.lane.stop();
  });
  it('T8 quarantined, resumed, broken again, resumed', async () => {
    const one = world();
    let bad = true;
    poison(one, '.encode', () => bad);
    await submit(one.bus, 1);
    await one.lane.start();
    for (let i = 0; i < 3; i += 1) {
      await one.run(10_000);
      expect(one.kind.look(cellOf(1))?.status).toBe('quarantined');
      if (i === 2) bad = false;
      one.kind.resume(cellOf(1));
    }
    await submit(one.bus, 2);
    await one.run(1000);
    expect(one.states(1)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    expect(one.states(2)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    await one.lane.stop();
  });
  it('T9 unknown outcome of an answered telecommand: next leaves at once', async () => {
    const one = world(undefined, missionOf({ expect: undefined, fail: undefined, reports: 'completion', withinMs: 10_000, answer: { reference: 'ref', withinMs: 2_000 } } as never));
    let count = 0; const good = one.bus.answer;
    one.bus.answer = (to, call) => to.endsWith('.send') && (count += 1) <= 1 ? { outcome: 'unknown', detail: 'half' } : good(to, call);
    await submit(one.bus, 1); await submit(one.bus, 2);
    await one.lane.start();
    await one.run(100);
    console.log(one.states(1), one.states(2));
    await one.lane.stop();
  });
  it('T10 fenced quarantined resumed; stop while resume waits; failure while holding the turn', async () => {
    const one = world();
    const good = one.bus.answer;
    one.bus.answer = (to, call) => { if (to.endsWith('.encode')) throw new Error('x'); return good(to, call); };
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(300);
    await one.lane.stop(); // while restarting
    one.bus.answer = good;
    const two = world(one);
    await two.lane.start();
    await submit(one.bus, 2);
    await two.run(1000);
    expect(two.states(1)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    expect(two.states(2)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    expect(one.failures).toEqual([]);
    await two.lane.stop();
  });
});
