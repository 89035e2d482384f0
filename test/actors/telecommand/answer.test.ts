/** Telecommands whose answer does not name them: one outstanding at a time, and whose answer a line is. */

import { describe, expect, it } from 'vitest';
import { awaitAnswer } from '../../../actors/telecommand/answer.ts';
import { encodeBatch, type VerificationReport } from '../../../contract/batch.ts';
import { header } from '../../../contract/bus/headers.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type { TcEvent } from '../../../contract/telecommand.ts';
import type { Verification } from '../../../mission/platform.ts';
import { compiled } from '../../mission/condition-platform.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import {
  eventsOf,
  idOf,
  type LaneWorld,
  laneWorld,
  missionOf,
  obliging,
  recorded,
  submit,
} from './lane-world.ts';
import { LogBus } from './log-bus.ts';
import { batch, platformOf } from './platform.ts';

const HERE = platformOf('here');
const ANSWERED: Verification = {
  expect: undefined,
  fail: undefined,
  reports: 'completion',
  withinMs: 10_000,
  answer: { reference: 'ref', withinMs: 2_000 },
};

function world(verify: Verification = ANSWERED, earlier?: LaneWorld, changesState = true): LaneWorld {
  const clock = earlier?.clock ?? new ManualClock(1_000_000);
  const bus = earlier?.bus ?? new LogBus();
  obliging(bus, clock);
  return laneWorld({
    bus,
    clock,
    mission: missionOf(verify, 'one', changesState),
    epoch: earlier === undefined ? 1 : 2,
  });
}

/** The target says something at a time. */
async function say({ bus }: LaneWorld, at: number, more: Partial<VerificationReport> = {}): Promise<void> {
  const report: VerificationReport = { reference: 'ref', stage: 'completion', ok: true, at, ...more };
  await bus.append(streams.values, subject.values('sat1'), encodeBatch(batch(HERE, [], [report])));
}

const failure = { stage: 'acceptance', ok: false, code: 3, detail: '"ERR 3 busy"' } as const;
const last = (one: LaneWorld, n: number) => one.states(n).at(-1);
const SENT = ['PENDING', 'ENCODED', 'SENT'];

describe('where the bus stood at the hand-over', () => {
  it('MC-TC-038 telecommand/sending.H4 is recorded with SENT, and an heir counts what came behind it before SENT was recorded', async () => {
    const before = world();
    await say(before, 1_000_000 - 5);
    await submit(before.bus, 1);
    // It answers before anybody knows that it was sent.
    let answered = false;
    const obliges = before.bus.answer;
    before.bus.answer = async (to, call) => {
      if (to.endsWith('.send') && !answered) {
        answered = true;
        await say(before, 1_000_000);
      }
      return obliges(to, call);
    };
    // And the owner dies with SENT on its way.
    before.bus.fate = (id) =>
      id.endsWith('-VERIFIED') || id.endsWith('-VERIFY_FAILED') ? 'lost' : undefined;
    await before.lane.start();
    await before.run(100);
    await before.lane.stop();
    before.bus.fate = () => undefined;
    const sent = before.bus
      .messages(streams.telecommandEvents)
      .find(({ data }) => Buffer.from(data).includes('"SENT"'));
    expect(JSON.parse(sent?.headers[header.handed] ?? 'null')).toEqual({ frames: 0, decoded: 0, values: 1 });
    const heir = world(ANSWERED, before);
    await heir.lane.start();
    await heir.run(500);
    expect(last(heir, 1)).toBe('VERIFIED');
    await heir.lane.stop();
  });

  it('MC-TC-038 telecommand/sending.H4 is what the gateway remembers, where an owner died before SENT', async () => {
    const one = world();
    await say(one, 1_000_000 - 5);
    await submit(one.bus, 1);
    await recorded(one.bus, 1, 'PENDING', 'ENCODED');
    // Answered meanwhile, behind the position that the owner before had read.
    await say(one, 1_000_000);
    one.bus.answer = (to) =>
      to.endsWith('.encode')
        ? { ok: true, value: { frame: 'c0ffee', reference: 'ref' } }
        : { outcome: 'sent', at: 1_000_000, handed: { frames: 0, decoded: 0, values: 1 } };
    await one.lane.start();
    await one.run(100);
    const sent = one.bus
      .messages(streams.telecommandEvents)
      .find(({ data }) => Buffer.from(data).includes('"SENT"'));
    expect(JSON.parse(sent?.headers[header.handed] ?? 'null')).toEqual({ frames: 0, decoded: 0, values: 1 });
    await one.lane.stop();
  });
});

describe('an answer', () => {
  it('lane.J7 is waited for before the next telecommand leaves', async () => {
    const one = world();
    await submit(one.bus, 1);
    await submit(one.bus, 2);
    await one.lane.start();
    await one.run(500);
    expect([one.states(1), one.states(2)]).toEqual([SENT, ['PENDING']]);
    await say(one, one.clock.now());
    await one.run(100);
    expect([last(one, 1), one.states(2)]).toEqual(['VERIFIED', SENT]);
    await say(one, one.clock.now(), failure);
    await one.run(100);
    expect(eventsOf(one.bus, 2).at(-1)).toMatchObject({
      state: 'VERIFY_FAILED',
      detail: 'acceptance failed, code 3, "ERR 3 busy"',
    });
    await one.lane.stop();
  });

  it('MC-TC-038 telecommand/answer.N1 that the bus had before the sending is of an earlier telecommand, one behind it counts whatever its millisecond', async () => {
    const one = world();
    await submit(one.bus, 1);
    // Said before, though its clock says after.
    await say(one, 1_000_000 + 10);
    await one.lane.start();
    await one.run(100);
    expect(last(one, 1)).toBe('SENT');
    await say(one, 1_000_000 - 10);
    await one.run(100);
    expect(last(one, 1)).toBe('VERIFIED');
    await one.lane.stop();
  });

  it('that does not come in its time ends the telecommand, and lets the next one go', async () => {
    const one = world();
    await submit(one.bus, 1);
    await submit(one.bus, 2);
    await one.lane.start();
    await one.run(2_100);
    expect([last(one, 1), one.states(2)]).toEqual(['SENT', ['PENDING']]);
    await one.run(500);
    expect(eventsOf(one.bus, 1).at(-1)).toMatchObject({
      state: 'VERIFY_FAILED',
      detail: 'no answer within 2 s of sending',
    });
    expect(one.states(2)).toEqual(SENT);
    await one.lane.stop();
  });

  it('that comes in its time and is received after it counts', async () => {
    const one = world();
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(2_100);
    await say(one, 1_001_990);
    await one.run(100);
    expect(last(one, 1)).toBe('VERIFIED');
    await one.lane.stop();
  });

  it('that comes too late does not count, although the telecommand is still open', async () => {
    const one = world();
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(2_100);
    await say(one, 1_002_050);
    await one.run(500);
    expect(eventsOf(one.bus, 1).at(-1)).toMatchObject({ detail: 'no answer within 2 s of sending' });
    await one.lane.stop();
  });

  it('is the first one: a later line does not take it back', async () => {
    const one = world({ ...ANSWERED, expect: compiled('obc.counter == 5') });
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(100);
    await say(one, one.clock.now());
    await one.run(100);
    await say(one, one.clock.now(), failure);
    await one.run(100);
    expect(last(one, 1)).toBe('SENT');
    await one.lane.stop();
  });

  it('awaited for the whole window ends in VERIFY_TIMEOUT', async () => {
    const one = world({ ...ANSWERED, withinMs: 2_000 });
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(2_500);
    expect(last(one, 1)).toBe('VERIFY_TIMEOUT');
    await one.lane.stop();
  });

  it('lets the next telecommand go while a condition is still awaited, and what comes later is of that one', async () => {
    const one = world({ ...ANSWERED, expect: compiled('obc.counter == 5') });
    await submit(one.bus, 1);
    await submit(one.bus, 2);
    await one.lane.start();
    await one.run(100);
    await say(one, one.clock.now());
    await one.run(100);
    expect([one.states(1), one.states(2)]).toEqual([SENT, SENT]);
    await say(one, one.clock.now(), failure);
    await one.run(100);
    expect([last(one, 1), last(one, 2)]).toEqual(['SENT', 'VERIFY_FAILED']);
    await one.lane.stop();
  });

  it('telecommand/answer.N4 of a frame that may have left is not taken for the answer of the next telecommand', async () => {
    const one = world();
    const obliged = one.bus.answer;
    let sendings = 0;
    one.bus.answer = (to, call) => {
      if (!to.endsWith('.send')) return obliged(to, call);
      sendings += 1;
      return sendings === 1 ? { outcome: 'unknown', detail: 'half of it left' } : obliged(to, call);
    };
    await submit(one.bus, 1);
    await submit(one.bus, 2);
    await one.lane.start();
    await one.run(500);
    // It had left after all.
    await say(one, one.clock.now());
    await one.run(1_400);
    expect([last(one, 1), one.states(2)]).toEqual(['SEND_FAILED', ['PENDING']]);
    await one.run(200);
    expect(one.states(2)).toEqual(SENT);
    await one.lane.stop();
  });

  it('telecommand/answer.N4 of a frame that left twice is not taken for the answer of the next telecommand', async () => {
    const one = world(ANSWERED, undefined, false);
    const obliged = one.bus.answer;
    let sendings = 0;
    one.bus.answer = (to, call) => {
      if (!to.endsWith('.send')) return obliged(to, call);
      sendings += 1;
      return sendings === 1 ? { outcome: 'unknown', detail: 'half of it left' } : obliged(to, call);
    };
    await submit(one.bus, 1);
    await submit(one.bus, 2);
    await one.lane.start();
    await one.run(100);
    await say(one, one.clock.now());
    await one.run(100);
    expect([last(one, 1), one.states(2)]).toEqual(['VERIFIED', ['PENDING']]);
    await say(one, one.clock.now());
    await one.run(2_000);
    expect(one.states(2)).toEqual(SENT);
    await one.lane.stop();
  });

  it('telecommand/answer.N4 is not awaited of a frame that was refused, nor by a lane that stops', async () => {
    const one = world();
    one.bus.answer = (to) =>
      to.endsWith('.encode')
        ? { ok: true, value: { frame: 'c0ffee', reference: 'ref' } }
        : { outcome: one.sent.length < 3 ? 'refused' : 'unknown', detail: 'no' };
    for (let n = 1; n <= 4; n += 1) await submit(one.bus, n);
    await one.lane.start();
    await one.run(100);
    expect([1, 2, 3].map((n) => last(one, n))).toEqual(['SEND_FAILED', 'SEND_FAILED', 'SEND_FAILED']);
    expect(one.states(4)).toEqual(['PENDING']);
    await one.lane.stop();
    expect(one.clock.waiting).toBe(0);
  });

  it('telecommand/answer.N4 of a frame that left twice is awaited once: a lane that stops meanwhile waits for nothing', async () => {
    const one = world(ANSWERED, undefined, false);
    const obliged = one.bus.answer;
    one.bus.answer = (to, call) =>
      to.endsWith('.send') && one.sent.length === 1
        ? { outcome: 'unknown', detail: 'half of it left' }
        : obliged(to, call);
    await submit(one.bus, 1);
    await submit(one.bus, 2);
    await one.lane.start();
    await one.run(100);
    await say(one, one.clock.now());
    await one.run(100);
    expect([last(one, 1), one.states(2)]).toEqual(['VERIFIED', ['PENDING']]);
    await one.lane.stop();
    expect(one.clock.waiting).toBe(0);
  });

  it('holds up nothing when the telecommand ends before it is sent', async () => {
    const one = world();
    one.bus.answer = (to) =>
      to.endsWith('.encode') ? { ok: false, faults: [{ message: 'no' }] } : undefined;
    await submit(one.bus, 1);
    await submit(one.bus, 2);
    await one.lane.start();
    await one.run(100);
    expect([last(one, 1), last(one, 2)]).toEqual(['ENCODE_FAILED', 'ENCODE_FAILED']);
    await one.lane.stop();
  });
});

describe('an answer and a new owner', () => {
  it('who comes late reads first what was said before it gives up', () => {
    const clock = new ManualClock(1_010_000);
    let missed = 0;
    awaitAnswer(clock, ANSWERED.answer!, 1_000_000, () => (missed += 1));
    clock.advance(4_999);
    expect(missed).toBe(0);
    clock.advance(1);
    expect(missed).toBe(1);
  });

  it('keeps the telecommand it finds SENT outstanding, and finds the answer that came meanwhile', async () => {
    const before = world();
    await submit(before.bus, 1);
    await submit(before.bus, 2);
    await recorded(before.bus, 1, 'PENDING');
    const headers = { [header.epoch]: '0', [header.frame]: 'c0ffee', [header.reference]: 'ref' };
    for (const state of ['ENCODED', 'SENT']) {
      const body = Buffer.from(JSON.stringify({ tc: idOf(1), state, at: new Date(1_000_000).toISOString() }));
      await before.bus.append(streams.telecommandEvents, subject.tcEvent('sat1', idOf(1)), body, { headers });
    }
    before.clock.advance(900);
    await say(before, 1_000_800);
    before.clock.advance(30_000);
    const one = world(ANSWERED, before);
    await one.lane.start();
    await one.run(100);
    expect([last(one, 1), one.states(2)]).toEqual(['VERIFIED', SENT]);
    const order = one.bus.messages(streams.telecommandEvents).map(({ data }) => {
      const { tc, state } = JSON.parse(Buffer.from(data).toString()) as TcEvent;
      return `${tc === idOf(1) ? 1 : 2} ${state}`;
    });
    expect(order.indexOf('1 VERIFIED')).toBeLessThan(order.indexOf('2 PENDING'));
    await one.lane.stop();
  });
});
