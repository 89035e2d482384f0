import { decodeTime, ulid } from 'ulid';
import { describe, expect, it } from 'vitest';
import { buckets } from '../../../contract/bus/buckets.ts';
import { type StreamDefinition, streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import {
  eventsOf,
  idOf,
  type LaneWorld,
  laneWorld,
  markOf,
  obliging,
  recorded,
  submit,
} from './lane-world.ts';
import { LogBus } from './log-bus.ts';

const START = 1_000_000;

function world(bus = new LogBus(), clock = new ManualClock(START), epoch = 1): LaneWorld {
  obliging(bus, clock);
  return laneWorld({ bus, clock, epoch });
}

/** What was stored behind a position never was. */
function goBack(bus: LogBus, stream: StreamDefinition, last: number): void {
  bus.messages(stream).splice(last);
}

/** Submissions of another target, which move the head of the stream. */
async function others(bus: LogBus, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1)
    await bus.append(streams.telecommands, subject.tcSubmit('sat2'), Buffer.from(String(n)));
}

describe('what a start reads', () => {
  it('an idle lane brings its low-water mark to the head when it is taken, also one that an earlier version left at 1 (lane.J2)', async () => {
    const one = world();
    await others(one.bus, 500);
    const before = Buffer.from(JSON.stringify({ epoch: 1, submission: 1, event: 1 }));
    await one.bus.bucket(buckets.members).overwrite('checkpoint.lane.sat1', before);
    await one.lane.start();
    await one.run(2_000);
    expect(markOf(one.bus)).toBe(501);
    await one.lane.stop();
  });

  it('asks about what stands behind the low-water mark and nothing else, and reads no history of what is over (taking-over.R1)', async () => {
    const one = world();
    for (let n = 1; n <= 20; n += 1) {
      await submit(one.bus, n);
      await recorded(one.bus, n, 'PENDING', n === 20 ? 'ENCODED' : 'REJECTED');
    }
    const before = Buffer.from(JSON.stringify({ epoch: 1, submission: 11, event: 1 }));
    await one.bus.bucket(buckets.members).overwrite('checkpoint.lane.sat1', before);
    const asked: string[] = [];
    const { last, follow } = one.bus;
    one.bus.last = (...of) => {
      if (of[0].name === streams.telecommandEvents.name) asked.push(`last ${of[1].slice(-2)}`);
      return last.apply(one.bus, of);
    };
    one.bus.follow = (...of) => {
      if (of[0].name === streams.telecommandEvents.name) asked.push(`follow ${of[1].slice(-2)}`);
      return follow.apply(one.bus, of);
    };
    await one.lane.start();
    await one.run(10);
    const numbers = Array.from({ length: 10 }, (_, n) => `last ${n + 11}`);
    expect(asked).toEqual([...numbers, 'follow 20']);
    expect(one.states(20)).toContain('SENT');
    // What is submitted since has no history that anybody could have begun.
    await submit(one.bus, 21);
    await one.run(10);
    expect(one.states(21)).toContain('SENT');
    expect(asked).toHaveLength(11);
    await one.lane.stop();
  });
});

/** Written now, by the clock of the bus. */
function marked({ bus, clock }: LaneWorld, value: Uint8Array): void {
  const key = 'checkpoint.lane.sat1';
  bus.bucket(buckets.members).entries.set(key, { key, value, revision: 1, at: clock.now() });
}

describe('a low-water mark behind the end of its stream', () => {
  it('of an idle lane that knew no message: what is submitted since the stream was deleted is sent (low-water-mark.F8)', async () => {
    const one = world();
    const before = Buffer.from(JSON.stringify({ epoch: 1, submission: 501 }));
    marked(one, before);
    one.clock.advance(3_000);
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(1_500);
    expect(one.failures).toEqual([]);
    expect(one.states(1)).toContain('SENT');
    expect(markOf(one.bus)).toBeLessThanOrEqual(2);
    await one.lane.stop();
  });

  it('of a lane whose stream went back: what was read before is not sent again (O2)', async () => {
    const one = world();
    await submit(one.bus, 1);
    one.clock.advance(10);
    marked(one, Buffer.from(JSON.stringify({ epoch: 1, submission: 501 })));
    await one.lane.start();
    await one.run(1_500);
    expect(one.states(1).at(-1)).toBe('SEND_FAILED');
    expect(one.sent).toEqual([]);
    await one.lane.stop();
  });
});

describe('a message that cannot be read', () => {
  const garbage = [
    ['bytes that are no JSON', 'ÿ{'],
    ['null', 'null'],
    [
      'a state of a newer version',
      JSON.stringify({ tc: idOf(1), state: 'QUEUED', at: new Date(0).toISOString() }),
    ],
    ['no time', JSON.stringify({ tc: idOf(1), state: 'SENT', at: 'soon' })],
  ] as const;

  it.each(garbage)(
    '%s in the history ends that telecommand, and the lane goes on, again and again (lane.J9)',
    async (_, bytes) => {
      const one = world();
      await submit(one.bus, 1);
      await submit(one.bus, 2);
      await recorded(one.bus, 1, 'PENDING', 'ENCODED');
      await one.bus.append(streams.telecommandEvents, subject.tcEvent('sat1', idOf(1)), Buffer.from(bytes));
      await one.lane.start();
      await one.run(1_500);
      const readable = () =>
        one.bus
          .messages(streams.telecommandEvents)
          .flatMap(({ data }) =>
            Buffer.from(data).toString() === bytes ? [] : [JSON.parse(Buffer.from(data).toString())],
          )
          .filter((event) => event.tc === idOf(1));
      expect(readable().map(({ state }) => state)).toEqual(['PENDING', 'ENCODED', 'SEND_FAILED']);
      expect(readable().at(-1).detail).toContain('nobody knows whether it left');
      expect(one.sent).toHaveLength(1);
      expect(one.failures).toEqual([]);
      await one.lane.stop();

      await submit(one.bus, 3);
      const next = world(one.bus, one.clock, 2);
      await next.lane.start();
      await next.run(10);
      expect(readable()).toHaveLength(3);
      expect(next.sent.length).toBeGreaterThanOrEqual(2);
      expect(next.failures).toEqual([]);
      await next.lane.stop();
    },
  );

  it.each([
    ['bytes that are no JSON', 'ÿ{'],
    ['a submission without a target', JSON.stringify({ id: idOf(1), telecommand: 'act' })],
    ['a list', '[]'],
    ['a submission to another target', JSON.stringify({ id: idOf(1), target: 'sat2', telecommand: 'act' })],
  ])('%s among the submissions is skipped (lane.J9)', async (_, bytes) => {
    const one = world();
    await one.bus.append(streams.telecommands, subject.tcSubmit('sat1'), Buffer.from(bytes));
    await submit(one.bus, 2);
    await one.lane.start();
    await one.run(10);
    expect([one.states(1), one.states(2)]).toEqual([[], ['PENDING', 'ENCODED', 'SENT']]);
    expect(one.failures).toEqual([]);
    await one.lane.stop();
  });

  it('a submission whose configuration cannot be read ends, and nothing else (lane.J9)', async () => {
    const clock = new ManualClock(START);
    const bus = new LogBus();
    obliging(bus, clock);
    const at = (revision: string): never => {
      throw new Error(`revision ${revision} cannot be read`);
    };
    const one = laneWorld({ bus, clock, at });
    await submit(bus, 1, { revision: 'newer' });
    await submit(bus, 2);
    await one.lane.start();
    await one.run(10);
    expect(one.states(1)).toEqual(['PENDING', 'REJECTED']);
    expect(eventsOf(bus, 1).at(-1)?.detail).toBe('it was not sent: what it was resolved with cannot be read');
    expect(one.states(2)).toContain('SENT');
    expect(one.failures).toEqual([]);
    await one.lane.stop();
  });
});

describe('streams that went back', () => {
  /** A low-water mark of an owner that knew of no loss. */
  const atHead = (submission: number): Buffer => Buffer.from(JSON.stringify({ epoch: 1, submission }));

  /** A lane that has handled three telecommands, the last of them sent a moment ago. */
  async function handled(): Promise<LaneWorld> {
    const one = world();
    for (const n of [1, 2, 3]) {
      await submit(one.bus, n);
      if (n === 1) await one.lane.start();
      await one.run(3_000);
    }
    expect([1, 2, 3].map((n) => one.states(n).at(-1))).toEqual(['SENT', 'SENT', 'SENT']);
    await one.lane.stop();
    await one.clock.run(5_000, 5_000);
    return one;
  }

  it('submissions: what is submitted since is taken, at positions that were used before (lane.J10)', async () => {
    const one = await handled();
    goBack(one.bus, streams.telecommands, 1);
    for (const n of [4, 5, 6]) await submit(one.bus, n);
    const next = world(one.bus, one.clock, 2);
    await next.lane.start();
    await next.run(2_000);
    expect([4, 5, 6].map((n) => next.states(n).at(-1))).toEqual(['SENT', 'SENT', 'SENT']);
    expect(next.failures).toEqual([]);
    // Those whose submission is lost have an end that says so, as far as anybody knows.
    for (const n of [2, 3]) {
      expect(next.states(n)).toEqual(['PENDING', 'ENCODED', 'SENT', 'VERIFY_FAILED']);
      expect(eventsOf(one.bus, n).at(-1)?.detail).toContain('its submission is lost');
    }
    await next.lane.stop();
    expect(markOf(one.bus)).toBeLessThanOrEqual(5);
  });

  it('submissions and events: of one that is left with its beginning alone nobody knows whether it left (taking-over.R3)', async () => {
    const one = await handled();
    goBack(one.bus, streams.telecommands, 1);
    goBack(one.bus, streams.telecommandEvents, 4);
    for (const n of [4, 5, 6]) await submit(one.bus, n);
    const next = world(one.bus, one.clock, 2);
    await next.lane.start();
    await next.run(2_000);
    expect(next.states(2)).toEqual(['PENDING', 'ENCODED', 'SEND_FAILED']);
    expect(eventsOf(one.bus, 2).at(-1)?.detail).toMatch(
      /^nobody knows whether it left: .*its submission is lost/,
    );
    expect(next.failures).toEqual([]);
    await next.lane.stop();
  });

  it('events: what was handled and has no history any more is ended, and is not sent again (lane.J10)', async () => {
    const one = await handled();
    const sent = one.sent.length;
    goBack(one.bus, streams.telecommandEvents, 4);
    await submit(one.bus, 4);
    const next = world(one.bus, one.clock, 2);
    await next.lane.start();
    await next.run(2_000);
    // Of the second its PENDING is left, of the third nothing.
    for (const n of [2, 3]) {
      expect(next.states(n)).toEqual(['PENDING', 'ENCODED', 'SEND_FAILED']);
      expect(eventsOf(one.bus, n).at(-1)?.detail).toContain('nobody knows whether it left');
    }
    expect(next.states(4).at(-1)).toBe('SENT');
    expect(next.sent).toHaveLength(sent + 1);
    expect(next.failures).toEqual([]);
    await next.lane.stop();
  });

  it('a telecommand of before the loss that is submitted again is ended and not sent, whoever has dealt with the loss (taking-over.R4)', async () => {
    const clock = new ManualClock(decodeTime(idOf(1)) + 1_000);
    const one = world(new LogBus(), clock);
    await one.lane.start();
    await submit(one.bus, 1);
    await one.run(3_000);
    expect(one.states(1).at(-1)).toBe('SENT');
    await one.lane.stop();
    await clock.run(5_000, 5_000);
    goBack(one.bus, streams.telecommands, 0);
    goBack(one.bus, streams.telecommandEvents, 0);
    const sent = one.sent.length;
    const next = world(one.bus, clock, 2);
    await next.lane.start();
    await next.run(2_000);
    await next.lane.stop();
    const heir = world(one.bus, clock, 3);
    await heir.lane.start();
    await heir.run(100);
    await submit(one.bus, 1);
    await submit(one.bus, 2);
    await heir.run(2_000);
    for (const n of [1, 2]) {
      expect(heir.states(n)).toEqual(['PENDING', 'ENCODED', 'SEND_FAILED']);
      expect(eventsOf(one.bus, n).at(-1)?.detail).toContain('nobody knows whether it left');
    }
    const drawnSince = ulid(clock.now());
    await submit(one.bus, 3, { id: drawnSince });
    await heir.run(2_000);
    expect(heir.sent).toHaveLength(sent + 1);
    await heir.lane.stop();
  });

  it.each(['before', 'behind'] as const)(
    'a lane taken %s the loss became known ends what is submitted again, also one that is only taken up (taking-over.R4)',
    async (when) => {
      const clock = new ManualClock(decodeTime(idOf(1)) + 1_000);
      const one = world(new LogBus(), clock);
      // Taken up by an owner that died before it could say more.
      await submit(one.bus, 1);
      await recorded(one.bus, 1, 'PENDING');
      if (when === 'behind') one.bus.lostUntil = clock.now() - 500;
      if (when === 'before') {
        await one.bus.bucket(buckets.members).overwrite('checkpoint.lane.sat1', atHead(2));
        await one.lane.start();
        await one.run(100);
        one.bus.lostUntil = clock.now() - 50;
        await submit(one.bus, 2);
      } else await one.lane.start();
      await one.run(2_000);
      expect(one.states(when === 'before' ? 2 : 1)).toEqual(['PENDING', 'ENCODED', 'SEND_FAILED']);
      expect(one.sent).toEqual([]);
      await submit(one.bus, 3, { id: ulid(clock.now()) });
      await one.run(2_000);
      expect(one.sent).toHaveLength(1);
      await one.lane.stop();
    },
  );

  it('events that the bus lost unnoticed: what was drawn before and has no frame is ended and not sent (taking-over.R7)', async () => {
    const clock = new ManualClock(decodeTime(idOf(1)) + 1_000);
    const one = world(new LogBus(), clock);
    const since = ulid(clock.now());
    await submit(one.bus, 4, { id: since });
    await submit(one.bus, 1);
    await submit(one.bus, 2);
    await recorded(one.bus, 2, 'PENDING');
    await submit(one.bus, 3);
    await recorded(one.bus, 3, 'PENDING', 'ENCODED');
    one.bus.emptyUntil = clock.now() - 50;
    const asked: string[] = [];
    const { holesUntil } = one.bus;
    one.bus.holesUntil = (...[stream]: readonly StreamDefinition[]) => {
      asked.push(stream!.name);
      return holesUntil.call(one.bus);
    };
    await one.lane.start();
    await one.run(2_000);
    for (const n of [1, 2]) {
      expect(one.states(n)).toEqual(['PENDING', 'ENCODED', 'SEND_FAILED']);
      expect(eventsOf(one.bus, n).at(-1)?.detail).toContain('the bus lost messages');
      expect(eventsOf(one.bus, n).at(-1)?.detail).toContain('nobody knows whether it left');
    }
    // The gateway knows of a frame whether it left, and what was drawn since has lost nothing.
    expect(one.states(3)).toContain('SENT');
    expect(one.sent).toHaveLength(2);
    expect(one.bus.lostUntil).toBe(one.bus.emptyUntil);
    expect(new Set(asked)).toEqual(new Set(['TC_EVENTS']));
    // What is submitted to an owner that lives has no events that could be lost.
    const before = asked.length;
    await submit(one.bus, 5, { id: ulid(clock.now()) });
    await one.run(2_000);
    expect(asked).toHaveLength(before);
    await one.lane.stop();
  });

  it('what was submitted before the stream keeps any event is over, and nothing is written of it (taking-over.R8)', async () => {
    const one = world();
    const DAY_MS = 24 * 3_600_000;
    one.bus.keptMs = ({ name }) => (name === 'TC_EVENTS' ? DAY_MS : 30 * DAY_MS);
    await submit(one.bus, 1);
    await one.clock.run(DAY_MS - 1_000, DAY_MS);
    await submit(one.bus, 2);
    await one.clock.run(2_000, 2_000);
    await one.lane.start();
    await one.run(2_000);
    expect([one.states(1), one.states(2).length > 0]).toEqual([[], true]);
    await one.lane.stop();
    expect(markOf(one.bus)).toBe(2);
  });

  it('an end that its owner only began is gone on with: nobody knows, and no gateway is asked (taking-over.R5)', async () => {
    const one = world();
    await submit(one.bus, 1);
    await recorded(one.bus, 1, 'PENDING');
    const at = new Date(one.clock.now()).toISOString();
    const bare = Buffer.from(JSON.stringify({ tc: idOf(1), state: 'ENCODED', at }));
    await one.bus.append(streams.telecommandEvents, subject.tcEvent('sat1', idOf(1)), bare);
    await one.lane.start();
    await one.run(2_000);
    expect(one.states(1)).toEqual(['PENDING', 'ENCODED', 'SEND_FAILED']);
    expect(eventsOf(one.bus, 1).at(-1)?.detail).toContain('nobody knows whether it left');
    expect(one.sent).toEqual([]);
    await one.lane.stop();
  });

  it('is found also where the stream has grown past the low-water mark again', async () => {
    const one = await handled();
    goBack(one.bus, streams.telecommands, 2);
    goBack(one.bus, streams.telecommandEvents, 3);
    await others(one.bus, 10);
    await submit(one.bus, 4);
    const sent = one.sent.length;
    const next = world(one.bus, one.clock, 2);
    await next.lane.start();
    await next.run(2_000);
    expect(next.states(4).at(-1)).toBe('SENT');
    expect(next.states(2)).toEqual(['PENDING', 'ENCODED', 'SEND_FAILED']);
    expect(next.sent).toHaveLength(sent + 1);
    await next.lane.stop();
  });

  it('goes on under epochs lower than those of the past that is gone (low-water-mark.F4)', async () => {
    const one = world(new LogBus(), new ManualClock(START), 900);
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(3_000);
    await one.lane.stop();
    const members = one.bus.bucket(buckets.members);
    const mark = members.entries.get('checkpoint.lane.sat1')!;
    // The bucket went back as well: the revisions it gives are lower than the epochs that were written.
    members.entries.set(mark.key, { ...mark, revision: 500 });
    const next = world(one.bus, one.clock, 501);
    await next.lane.start();
    await next.run(70_000);
    expect(next.states(1).at(-1)).toBe('VERIFY_TIMEOUT');
    expect(next.failures).toEqual([]);
    await next.lane.stop();
  });
});
