/** What is over of the telecommands behind low-water marks that are far behind: read once for all lanes. */

import { describe, expect, it } from 'vitest';
import { FinishedBefore } from '../../../actors/telecommand/finished-before.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { FINISHED_BEFORE } from '../../../contract/limits/telecommand.ts';
import type { StreamMessage } from '../../../ports/bus.ts';
import { seededRandom } from '../../../ports/seeded-random.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { keptLog } from '../../support/silent-log.ts';
import { eventsOf, idOf, laneWorld, obliging, recorded, submit } from './lane-world.ts';
import { LogBus } from './log-bus.ts';

const { gatherMs, usuallyOverMs, eventsForEach, from } = FINISHED_BEFORE;
const START = 10_000_000;

function world(kept?: number) {
  const clock = new ManualClock(START);
  const bus = new LogBus();
  let at = START;
  bus.now = () => at;
  const finished = new FinishedBefore({ bus, clock, log: keptLog(), ...(kept !== undefined && { kept }) });
  const event = async (target: string, n: number, state: string, atMs = at) => {
    at = atMs;
    const body = Buffer.from(JSON.stringify({ tc: idOf(n), state, at: new Date(at).toISOString() }));
    await bus.append(streams.telecommandEvents, subject.tcEvent(target, idOf(n)), body);
  };
  /** As a lane asks; what is not known yet is `undefined`. */
  const ask = (lane: ReturnType<FinishedBefore['join']>, n: number, atMs: number, pending = 1_000) => {
    const asked = { is: undefined as boolean | undefined };
    const said = lane.isOver(idOf(n), { at: atMs, pending });
    if (typeof said === 'boolean') asked.is = said;
    else
      void said.then((is) => {
        asked.is = is;
      });
    return asked;
  };
  const gathered = async () => {
    clock.advance(gatherMs);
    await settled();
    await settled();
  };
  return { clock, bus, finished, event, ask, gathered };
}

describe('what is over', () => {
  it('finished-before.N1 is what ends with a final event; of all others their lane asks', async () => {
    const { finished, event, ask, gathered } = world();
    for (const state of ['PENDING', 'ENCODED', 'SENT', 'VERIFIED']) await event('sat1', 1, state);
    for (const state of ['PENDING', 'ENCODED', 'SENT']) await event('sat1', 2, state);
    for (const state of ['PENDING', 'REJECTED', 'ECHO']) await event('sat1', 3, state);
    await event('sat2', 4, 'VERIFIED');
    await event('sat1', 5, 'NONSENSE');
    const lane = finished.join('sat1');
    // As long as others may join nobody waits.
    expect(ask(lane, 1, START).is).toBe(false);
    await gathered();
    expect([1, 2, 3, 4, 5].map((n) => ask(lane, n, START).is)).toEqual([true, false, true, false, false]);
    // It is said once of each: submitted once more it is another one.
    expect(ask(lane, 1, START).is).toBe(false);
  });

  it('finished-before.N2 is not read where that is more work than the questions', async () => {
    const { bus, finished, event, ask, gathered } = world();
    for (let n = 0; n < 2 * eventsForEach; n += 1) await event('sat2', n, 'VERIFIED');
    await event('sat1', 100, 'VERIFIED');
    const little = finished.join('sat1');
    ask(little, 99, START, 1);
    await gathered();
    expect([bus.listening, ask(little, 100, START, 1).is]).toEqual([0, false]);
    little.leave();
    const enough = finished.join('sat1');
    ask(enough, 99, START, 2);
    await gathered();
    expect(ask(enough, 100, START, 2).is).toBe(true);
  });

  it('is read once for all lanes, from the submission on that is the earliest', async () => {
    const { clock, bus, finished, event, ask, gathered } = world();
    const later = START + 100_000;
    for (const n of [1, 2]) await event('sat1', n, 'VERIFIED', START + n);
    await event('sat2', 3, 'VERIFIED', START + 50_000);
    await event('sat2', 4, 'VERIFIED', later);
    await event('sat2', 4, 'VERIFIED', later);
    const [late, early] = [finished.join('sat2'), finished.join('sat1')];
    expect(clock.waiting).toBe(1);
    ask(late, 9, later);
    ask(early, 9, START);
    let follows = 0;
    const follow = bus.follow.bind(bus);
    bus.follow = (...args) => {
      follows += 1;
      return follow(...args);
    };
    await gathered();
    expect(follows).toBe(1);
    // Of those of the later lane what ended before its submission is not kept, and nothing is kept twice.
    expect(finished.count).toBe(3);
    expect([ask(early, 1, START).is, ask(late, 4, later).is]).toEqual([true, true]);
    // One that leaves takes nothing from the other.
    late.leave();
    expect(ask(early, 2, START).is).toBe(true);
  });

  it('is of the lane that asks last for a target, whatever becomes of the one before', async () => {
    const { finished, event, ask, gathered } = world();
    await event('sat1', 1, 'VERIFIED');
    const before = finished.join('sat1');
    const next = finished.join('sat1');
    ask(next, 9, START);
    before.leave();
    await gathered();
    before.leave();
    expect(ask(next, 1, START).is).toBe(true);
  });

  it('goes on to be read for one lane when another has left', async () => {
    const { bus, finished, event, ask, gathered } = world();
    bus.headAfter = new Promise(() => undefined);
    await event('sat1', 1, 'PENDING');
    const [one, other] = [finished.join('sat1'), finished.join('sat2')];
    for (const lane of [one, other]) ask(lane, 9, START);
    await gathered();
    other.leave();
    const found = ask(one, 1, START);
    await event('sat1', 1, 'VERIFIED');
    await settled();
    expect(found.is).toBe(true);
    one.leave();
  });

  it('finished-before.N3 is not kept without a bound: the reading waits for the lanes, and they do not wait for it', async () => {
    const { finished, event, ask, gathered } = world(4);
    for (let n = 1; n <= 6; n += 1) await event('sat1', n, 'VERIFIED', START + n * 10_000);
    await event('sat2', 7, 'VERIFIED', START + 70_000);
    const [slow, other] = [finished.join('sat1'), finished.join('sat2')];
    ask(slow, 0, START);
    ask(other, 0, START);
    await gathered();
    expect(finished.count).toBe(4);
    expect(ask(other, 7, START + 70_000).is).toBe(false);
    expect([1, 2].map((n) => ask(slow, n, START + n * 10_000).is)).toEqual([true, true]);
    await settled();
    expect(finished.count).toBe(4);
    // What ended before a later one was submitted is dropped.
    expect(ask(slow, 6, START + 59_000).is).toBe(true);
    expect(finished.count).toBe(0);
    await settled();
    expect(ask(other, 8, START + 70_000).is).toBe(false);
  });

  it('finished-before.N4 is waited for until it is found, or what came usually behind a submission has been read', async () => {
    const { bus, finished, event, ask, gathered } = world();
    const behind = START + usuallyOverMs;
    await event('sat1', 1, 'PENDING');
    let go = (): void => undefined;
    bus.headAfter = new Promise((resolve) => {
      go = resolve;
    });
    const [one, two] = [finished.join('sat1'), finished.join('sat2')];
    for (const lane of [one, two]) ask(lane, 0, START);
    await gathered();
    const found = ask(one, 1, START);
    const never = ask(two, 2, START);
    await settled();
    expect([found.is, never.is]).toEqual([undefined, undefined]);
    await event('sat1', 1, 'VERIFIED', behind);
    await settled();
    expect([found.is, never.is]).toEqual([true, undefined]);
    await event('sat1', 3, 'PENDING', behind + 1);
    await settled();
    expect([never.is, ask(two, 3, START).is]).toEqual([false, false]);
    const later = ask(two, 4, START + 5_000);
    expect(later.is).toBeUndefined();
    go();
    await settled();
    expect([later.is, ask(two, 5, START + 5_000).is]).toEqual([false, false]);
    expect(bus.listening).toBe(0);
  });

  it('finished-before.N4 is asked for one by one where the log cannot be followed', async () => {
    const { bus, finished, event, ask, gathered } = world();
    await event('sat1', 1, 'VERIFIED');
    bus.followsToFail = 1;
    const lane = finished.join('sat1');
    ask(lane, 0, START);
    await gathered();
    expect(ask(lane, 1, START).is).toBe(false);
  });
});

describe('finished-before.N5 what is known of it ends', () => {
  async function known() {
    const made = world();
    for (const n of [1, 2]) await made.event('sat1', n, 'VERIFIED');
    const lane = made.finished.join('sat1');
    made.ask(lane, 0, START);
    made.bus.headAfter = new Promise(() => undefined);
    await made.gathered();
    expect([made.finished.count, made.bus.listening]).toEqual([2, 1]);
    return { ...made, lane, waits: made.ask(lane, 9, START) };
  }

  it('with the lanes that asked', async () => {
    const { bus, finished, lane, waits } = await known();
    lane.leave();
    await settled();
    expect([finished.count, bus.listening, waits.is]).toEqual([0, 0, false]);
  });

  it('with the lanes that asked, also before it is read', async () => {
    const { clock, bus, finished } = world();
    finished.join('sat1').leave();
    expect(clock.waiting).toBe(0);
    expect(bus.listening).toBe(0);
  });

  it('where the stream went back', async () => {
    const { bus, finished, ask, lane, waits } = await known();
    bus.wentBack(streams.telecommandEvents);
    await settled();
    expect([finished.count, bus.listening, waits.is, ask(lane, 1, START).is]).toEqual([0, 0, false, false]);
  });

  it('with the connection, behind which it may be another stream', async () => {
    const { bus, finished, ask, lane, waits } = await known();
    bus.connection(false);
    await settled();
    expect([finished.count, waits.is, ask(lane, 1, START).is]).toEqual([0, false, undefined]);
    lane.leave();
  });

  it('but not with the connection, once it is stopped', async () => {
    const { bus, finished } = await known();
    finished.stop();
    bus.connection(true);
    expect(finished.count).toBe(2);
  });
});

it('finished-before.N1, N3 nothing that is open is taken for over, nearly all that is over is found, and nobody waits for ever', async () => {
  let [foundOfAll, overOfAll] = [0, 0];
  for (let seed = 1; seed <= 40; seed += 1) {
    const { next } = seededRandom(seed);
    const draw = (most: number): number => Math.floor(next() * most);
    const kept = 1 + draw(120);
    const { bus, finished, event, ask, gathered } = world(kept);
    const targets = ['a', 'b', 'c'];
    const submitted = Array.from({ length: 200 }, (_, n) => ({
      n,
      target: targets[draw(3)]!,
      at: START + n * 100,
    }));
    const ends = submitted
      .filter(() => next() < 0.9)
      .map((each) => ({ ...each, end: each.at + draw(3_000) }));
    for (const { target, n, end } of ends.toSorted((a, b) => a.end - b.end))
      await event(target, n, next() < 0.5 ? 'VERIFIED' : 'SEND_FAILED', end);
    const over = new Set(ends.map(({ n }) => n));
    const lanes = targets.map((target) => ({
      lane: finished.join(target),
      rest: submitted.filter((each) => each.target === target),
    }));
    for (const { lane } of lanes) ask(lane, 999, START);
    await gathered();
    let found = 0;
    while (lanes.some(({ rest }) => rest.length > 0)) {
      const { lane, rest } = lanes[draw(3)]!;
      const one = rest.shift();
      if (one === undefined) continue;
      const asked = ask(lane, one.n, one.at, rest.length);
      for (let turn = 0; asked.is === undefined && turn < 50; turn += 1) await settled();
      expect(asked.is).toBeDefined();
      if (asked.is) expect(over.has(one.n)).toBe(true);
      if (asked.is) found += 1;
      expect(finished.count).toBeLessThanOrEqual(kept);
      expect(finished.count).toBeGreaterThanOrEqual(0);
    }
    for (const { lane } of lanes) lane.leave();
    expect([finished.count, bus.listening]).toEqual([0, 0]);
    foundOfAll += found;
    overOfAll += over.size;
  }
  expect(foundOfAll).toBeGreaterThan(overOfAll * 0.6);
});

/** Each question takes its time. */
class AskedBus extends LogBus {
  readonly questions: string[] = [];
  readonly #clock: ManualClock;

  constructor(clock: ManualClock) {
    super();
    this.#clock = clock;
  }

  override async last(...about: Parameters<LogBus['last']>): Promise<StreamMessage | undefined> {
    this.questions.push(about[1]);
    await new Promise<void>((resolve) => void this.#clock.setTimeout(resolve, 20));
    return super.last(...about);
  }
}

describe('a lane whose low-water mark is lost', () => {
  const FINISHED = 4 * from;
  const [open, unbegun] = [FINISHED + 1, FINISHED + 2];

  async function behind(isShared: boolean) {
    const clock = new ManualClock(1_000_000);
    const bus = new AskedBus(clock);
    const finished = new FinishedBefore({ bus, clock, log: keptLog() });
    const one = laneWorld({ bus, clock, ...(isShared && { finished }) });
    obliging(bus, clock);
    for (let n = 1; n <= FINISHED; n += 1) {
      await submit(bus, n);
      await recorded(bus, n, 'PENDING', 'ENCODED', 'SENT', 'VERIFIED');
    }
    await submit(bus, open);
    await recorded(bus, open, 'PENDING', 'ENCODED', 'SENT');
    await submit(bus, unbegun);
    const events = bus.messages(streams.telecommandEvents).length;
    await one.lane.start();
    await one.run(gatherMs + 2_000);
    return { ...one, bus, events, finished };
  }

  it('goes on at once behind all that is over, with what is open and what is new', async () => {
    const one = await behind(true);
    expect(one.states(unbegun)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    expect(one.states(open)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    expect(one.kind.live).toBe(2);
    // Nothing is written of what is over.
    expect(one.bus.messages(streams.telecommandEvents)).toHaveLength(one.events + 3);
    expect(eventsOf(one.bus, 1)).toHaveLength(4);
    // Those of the time in which others could join, and those of which nothing final is known.
    expect(one.bus.questions.length).toBeLessThan(gatherMs / 20 + 10);
    expect(one.finished.count).toBe(0);
    await one.lane.stop();
    expect(one.bus.listening).toBe(0);
    expect(one.failures).toEqual([]);
  });

  it('asks for each of them where it is alone', async () => {
    const one = await behind(false);
    expect(one.states(unbegun)).toEqual([]);
    await one.lane.stop();
  });

  it('that is stopped while it waits leaves nothing behind', async () => {
    const clock = new ManualClock(1_000_000);
    const bus = new AskedBus(clock);
    const finished = new FinishedBefore({ bus, clock, log: keptLog() });
    const one = laneWorld({ bus, clock, finished });
    for (let n = 1; n <= 4 * from; n += 1) await submit(bus, n);
    bus.headAfter = new Promise(() => undefined);
    await one.lane.start();
    await one.run(gatherMs + 500);
    const asked = bus.questions.length;
    await one.run(1_000);
    // It waits for events that do not come.
    expect(bus.questions.length).toBe(asked);
    await one.lane.stop();
    await settled();
    expect(bus.listening).toBe(0);
    expect(one.failures).toEqual([]);
  });
});
