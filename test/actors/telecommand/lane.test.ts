import { describe, expect, it } from 'vitest';
import { buckets } from '../../../contract/bus/buckets.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { DRIVER_COMES_MS, DRIVER_RETRY_MS, GATEWAY_ANSWER_MS } from '../../../contract/limits/link.ts';
import { CLOCK_SKEW_MS } from '../../../contract/limits/membership.ts';
import { ECHO_WAIT_MS, ENCODED_AHEAD_MS, LANE_AHEAD } from '../../../contract/limits/telecommand.ts';
import { Outage } from '../../../contract/outage.ts';
import { TooLarge } from '../../../contract/too-large.ts';
import type { Requirement } from '../../../mission/platform.ts';
import {
  cellOf,
  eventsOf,
  type LaneWorld,
  laneWorld,
  markOf,
  missionOf,
  obligingWorld,
  recorded,
  submit,
  verified,
} from './lane-world.ts';

/** A requirement that holds whatever is known. */
const ALWAYS = {
  that: { source: 'true', open: () => ({ reads: [], truth: () => true, feed: () => undefined }) },
  maxAgeMs: 1_000,
} as unknown as Requirement;

describe('a telecommand that does not fit into a message of the bus', () => {
  it.each([
    ['.encode', ['PENDING', 'REJECTED'], 'it was not sent'],
    ['.send', ['PENDING', 'ENCODED', 'SEND_FAILED'], 'nobody knows whether it left'],
  ])('kind.C12 ends with its reason at %s, and the lane goes on', async (verb, states, consequence) => {
    const one = obligingWorld();
    const oblige = one.bus.answer;
    let fits = false;
    one.bus.answer = (to, call) => {
      if (!to.endsWith(verb) || fits) return oblige(to, call);
      throw new TooLarge('a message', 2_000_000, 1_048_576);
    };
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(1_000);
    fits = true;
    await submit(one.bus, 2);
    await one.run(1_000);
    expect(one.states(1)).toEqual(states);
    const last = eventsOf(one.bus, 1).at(-1)!;
    expect(last.detail).toMatch(new RegExp(`^${consequence}: a message takes 2000000 bytes.*1048576`));
    expect(one.states(2)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    expect(one.failures).toEqual([]);
    expect(one.kind.trouble()).toEqual({});
    await one.lane.stop();
  });
});

describe('a telecommand that is withdrawn', () => {
  it('O4 never leaves, whatever is submitted under its identifier later', async () => {
    const one = obligingWorld();
    await submit(one.bus, 1, { withdrawn: 'withdrawn by executor-2' });
    await one.lane.start();
    await one.run(10);
    await submit(one.bus, 1, { messageId: 'once more' });
    await submit(one.bus, 2);
    await one.run(10);
    expect(one.states(1)).toEqual(['PENDING', 'REJECTED']);
    expect(eventsOf(one.bus, 1).at(-1)?.detail).toBe('withdrawn by executor-2');
    expect(one.states(2)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    expect(one.sent).toHaveLength(1);
    expect(one.failures).toEqual([]);
    await one.lane.stop();
  });

  it('O2 goes its way where it was submitted before', async () => {
    const one = obligingWorld();
    await submit(one.bus, 1);
    await one.lane.start();
    await submit(one.bus, 1, { withdrawn: 'too late', messageId: 'once more' });
    await one.run(10);
    expect(one.states(1)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    expect(one.sent).toHaveLength(1);
    await one.lane.stop();
  });
});

describe('a target that a reaction takes', () => {
  it('MC-REACT-017 between the requirements and the gateway: the frame does not leave', async () => {
    const unheld = async (): Promise<string> => 'sat1 was taken from run r by alarm a';
    const one = obligingWorld({
      holds: { refusal: async () => undefined, unheld, stop: async () => undefined },
    });
    await submit(one.bus, 1, { run: 'r' });
    await one.lane.start();
    await one.run(10);
    expect(one.states(1)).toEqual(['PENDING', 'ENCODED', 'SEND_FAILED']);
    expect(eventsOf(one.bus, 1).at(-1)?.detail).toContain('was taken from run r');
    expect(one.bus.asked.map(({ subject: to }) => to.split('.').at(-1))).toEqual(['encode']);
    await one.lane.stop();
  });
});

describe('a lane handed over', () => {
  it('lets the next telecommand go while one that an earlier owner sent is still being verified', async () => {
    const one = obligingWorld();
    one.bus.now = () => one.clock.now();
    await submit(one.bus, 1);
    await submit(one.bus, 2);
    await recorded(one.bus, 1, 'PENDING', 'ENCODED', 'SENT');
    await one.lane.start();
    await one.run(10);
    expect(one.states(2)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    await one.lane.stop();
  });

  it('continues what was open in a lane that failed: the low-water mark does not pass a telecommand that was overtaken (lane.J5)', async () => {
    const one = obligingWorld();
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(10);
    expect(one.states(1)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    // Somebody else writes: the cell is fenced at its next append.
    await recorded(one.bus, 1, 'ECHO');
    const echo = { key: `telecommand:${cellOf(1)}:2:0`, target: 'sat1', conforming: true, at: 1_000_010 };
    one.bus.publish(subject.echo('gw'), Buffer.from(JSON.stringify(echo)));
    await one.run(2_000);
    expect(one.failures).toHaveLength(1);
    await one.lane.stop();
    expect(markOf(one.bus)).toBe(1);

    const next = laneWorld({ bus: one.bus, clock: one.clock, epoch: 2 });
    await next.lane.start();
    await next.run(70_000);
    expect(next.states(1).at(-1)).toBe('VERIFY_TIMEOUT');
    await next.lane.stop();
  });

  it('goes on behind a PENDING that is stored and whose answer was still on its way (lane.J3)', async () => {
    const one = obligingWorld({ mission: missionOf({ ...verified_(), withinMs: 5_000 }) });
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(10);
    let answered = (): void => undefined;
    const answer = new Promise<void>((resolve) => {
      answered = resolve;
    });
    one.bus.fate = (id) => (id.endsWith('02-PENDING') ? answer : undefined);
    await submit(one.bus, 2);
    await one.run(10);
    // The other one ends behind it, which moves the low-water mark.
    await one.run(8_000);
    expect(one.states(1).at(-1)).toBe('VERIFY_TIMEOUT');
    expect(markOf(one.bus)).toBe(2);
    await one.lane.stop();
    answered();
    one.bus.fate = () => undefined;

    const next = laneWorld({ bus: one.bus, clock: one.clock, epoch: 2 });
    await next.lane.start();
    await next.run(10);
    expect(next.states(2)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    expect(next.failures).toEqual([]);
    await next.lane.stop();
  });

  it('ends a telecommand whose configuration is gone after ENCODED, and goes on with the next', async () => {
    const one = obligingWorld({ at: (revision) => (revision === 'gone' ? undefined : verified) });
    await submit(one.bus, 1, { revision: 'gone' });
    await submit(one.bus, 2);
    await recorded(one.bus, 1, 'PENDING', 'ENCODED');
    await one.lane.start();
    await one.run(10);
    expect(one.states(1).at(-1)).toBe('SEND_FAILED');
    expect(one.sent).toHaveLength(1);
    expect(one.states(2)).toContain('SENT');
    await one.lane.stop();
  });

  it('is not taken from a newer owner by one that was only asleep (O1)', async () => {
    const newer = obligingWorld({ epoch: 7 });
    await newer.lane.start();
    await newer.lane.stop();
    const older = obligingWorld({ bus: newer.bus, clock: newer.clock, epoch: 6 });
    await expect(older.lane.start()).rejects.toThrow('another owner');
    await older.lane.stop();
  });
});

/** The lane with what leaves held back at its gateway until `leave` is called. */
function heldBack(options: Parameters<typeof laneWorld>[0] = {}): LaneWorld & { leave(): void } {
  const one = obligingWorld(options);
  const { answer } = one.bus;
  let leave: (() => void) | undefined;
  one.bus.answer = (to, call) => {
    if (!to.endsWith('.send') || leave !== undefined) return answer(to, call);
    return new Promise((resolve) => {
      leave = () => resolve(answer(to, call));
    });
  };
  return Object.assign(one, { leave: () => leave?.() });
}

const verbsOf = ({ bus }: LaneWorld): (string | undefined)[] =>
  bus.asked.map(({ subject: to }) => to.split('.').at(-1));

describe('the turn of a telecommand', () => {
  it('is waited for from its requirements on: only PENDING is recorded before (lane.J1)', async () => {
    const one = heldBack({ mission: missionOf(undefined, 'one', true, [ALWAYS]) });
    for (let n = 1; n <= 3; n += 1) await submit(one.bus, n);
    await one.lane.start();
    await one.run(100);
    expect([1, 2, 3].map(one.states)).toEqual([['PENDING', 'ENCODED'], ['PENDING'], ['PENDING']]);
    expect(verbsOf(one)).toEqual(['encode', 'send']);
    one.leave();
    await one.run(100);
    expect([1, 2, 3].map((n) => one.states(n).at(-1))).toEqual(['COMPLETE', 'COMPLETE', 'COMPLETE']);
    expect(one.sent).toHaveLength(3);
    await one.lane.stop();
  });

  it('encode.E4 is not waited for by the driver where nothing is required: it is asked while those before leave', async () => {
    const one = heldBack();
    for (let n = 1; n <= 3; n += 1) await submit(one.bus, n);
    await one.lane.start();
    await one.run(100);
    expect([1, 2, 3].map(one.states)).toEqual([['PENDING', 'ENCODED'], ['PENDING'], ['PENDING']]);
    expect(verbsOf(one).sort()).toEqual(['encode', 'encode', 'encode', 'send']);
    one.leave();
    await one.run(100);
    expect([1, 2, 3].map((n) => one.states(n).at(-1))).toEqual(['SENT', 'SENT', 'SENT']);
    expect(verbsOf(one).filter((verb) => verb === 'encode')).toHaveLength(3);
    expect(one.sent).toHaveLength(3);
    await one.lane.stop();
  });

  it('turn.T1 the driver is asked in the order in which they leave, however long it takes for one', async () => {
    const one = obligingWorld();
    const asked: (() => void)[] = [];
    const frames = ['aa', 'bb', 'cc'];
    one.bus.answer = (to) => {
      if (!to.endsWith('.encode')) return { outcome: 'sent', at: one.clock.now() };
      const frame = frames[asked.length];
      return new Promise((resolve) => asked.push(() => resolve({ ok: true, value: { frame } })));
    };
    for (let n = 1; n <= 3; n += 1) await submit(one.bus, n);
    await one.lane.start();
    for (let n = 1; n <= 3; n += 1) {
      await one.run(100);
      expect(asked).toHaveLength(n);
      asked[n - 1]!();
    }
    await one.run(100);
    expect(one.sent.map(({ frame }) => frame)).toEqual(frames);
    await one.lane.stop();
  });

  it('encode.E4 a frame that waited for its turn too long is encoded again', async () => {
    const one = heldBack();
    for (let n = 1; n <= 2; n += 1) await submit(one.bus, n);
    await one.lane.start();
    await one.run(100);
    await one.clock.run(ENCODED_AHEAD_MS + 1, 100);
    one.leave();
    await one.run(100);
    expect(verbsOf(one).filter((verb) => verb === 'encode')).toHaveLength(3);
    expect(one.states(2)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    await one.lane.stop();
  });

  it('encode.E4 what its driver refused before its turn is asked again, and fails in its turn', async () => {
    const one = heldBack();
    const { answer } = one.bus;
    let refusals = 0;
    one.bus.answer = (to, call) => {
      if (!to.endsWith('.encode')) return answer(to, call);
      if (refusals === 3) return answer(to, call);
      if (verbsOf(one).includes('send')) refusals += 1;
      return verbsOf(one).includes('send')
        ? { ok: false, faults: [{ message: 'not now' }] }
        : answer(to, call);
    };
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(100);
    for (let n = 2; n <= 3; n += 1) await submit(one.bus, n);
    await one.run(100);
    expect(one.states(2)).toEqual(['PENDING']);
    one.leave();
    await one.run(100);
    expect(one.states(2)).toEqual(['PENDING', 'ENCODE_FAILED']);
    expect(one.states(3)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    await one.lane.stop();
  });

  it('encode.E5 MC-TC-038 a driver that comes a moment behind the submission encodes it; one that does not come is waited for once', async () => {
    const absent = (to: string, isThere: boolean, at: number): unknown => {
      if (!to.endsWith('.encode')) return { outcome: 'sent', at };
      if (!isThere) throw new Outage('bus.no-responder', to);
      return { ok: true, value: { frame: 'c0ffee' } };
    };
    const one = obligingWorld();
    const begun = one.clock.now();
    one.bus.answer = (to) => absent(to, one.clock.now() >= begun + 2_000, one.clock.now());
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(1_900);
    expect(one.states(1)).toEqual(['PENDING']);
    await one.run(500);
    expect(one.states(1)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    one.bus.answer = (to) => absent(to, false, 0);
    for (let n = 2; n <= 9; n += 1) await submit(one.bus, n);
    await one.run(DRIVER_COMES_MS + 2 * DRIVER_RETRY_MS);
    for (let n = 2; n <= 9; n += 1) expect(one.states(n), `${n}`).toEqual(['PENDING', 'ENCODE_FAILED']);
    expect(eventsOf(one.bus, 9)[1]!.detail).toBe('driver drv is not running');
    await one.lane.stop();
  });

  it('takes up no more than a few before the one that is leaving has left', async () => {
    const one = obligingWorld();
    one.bus.answer = (to) =>
      to.endsWith('.encode') ? new Promise(() => undefined) : { outcome: 'sent', at: one.clock.now() };
    for (let n = 1; n <= LANE_AHEAD + 5; n += 1) await submit(one.bus, n);
    await one.lane.start();
    await one.run(100);
    expect(one.states(LANE_AHEAD)).toEqual(['PENDING']);
    expect(one.states(LANE_AHEAD + 1)).toEqual([]);
    await one.lane.stop();
  });

  it('takes up no more than a few also when as many have left before', async () => {
    const one = obligingWorld();
    const before = 2 * LANE_AHEAD;
    for (let n = 1; n <= before; n += 1) await submit(one.bus, n);
    await one.lane.start();
    await one.run(100);
    expect(one.sent).toHaveLength(before);
    one.bus.answer = () => new Promise(() => undefined);
    for (let n = 1; n <= LANE_AHEAD + 5; n += 1) await submit(one.bus, before + n);
    await one.run(100);
    expect(one.states(before + LANE_AHEAD)).toEqual(['PENDING']);
    expect(one.states(before + LANE_AHEAD + 1)).toEqual([]);
    await one.lane.stop();
  });

  it('is over once SENT is stored, also while what follows it is not', async () => {
    const one = obligingWorld({ mission: missionOf(undefined) });
    one.bus.fate = (id) => (id.endsWith('01-COMPLETE') ? new Promise(() => undefined) : undefined);
    await submit(one.bus, 1);
    await submit(one.bus, 2);
    await one.lane.start();
    await one.run(100);
    expect(one.states(2)).toContain('COMPLETE');
    await one.lane.stop();
  });
});

describe('the time to leave', () => {
  it('ends before the lane gives up asking, and is a new one for each asking', async () => {
    const one = obligingWorld();
    const { answer } = one.bus;
    one.bus.answer = (to, call) => {
      if (to.endsWith('.send')) throw new Outage('bus.timeout', 'silent');
      return answer(to, call);
    };
    const asked = one.clock.now();
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(10);
    expect(one.sent).toHaveLength(2);
    for (const { notAfter } of one.sent) {
      expect(notAfter).toBeGreaterThan(asked);
      expect(notAfter + CLOCK_SKEW_MS).toBeLessThanOrEqual(asked + GATEWAY_ANSWER_MS / 2);
    }
    await one.lane.stop();
  });

  it('MC-TC-059 is over for a submission that has grown too old in ENCODED, whoever takes it over', async () => {
    const one = obligingWorld();
    await submit(one.bus, 1);
    await recorded(one.bus, 1, 'PENDING', 'ENCODED');
    const submitted = one.clock.now();
    await one.clock.run(3_600_000, 600_000);
    await one.lane.start();
    await one.run(10);
    expect(one.sent.map(({ notAfter }) => notAfter)).toEqual([submitted + 300_000]);
    await one.lane.stop();
  });
});

describe('an outage of the bus', () => {
  it.each(['PENDING', 'ENCODED', 'SENT'])(
    'does not make a lane take its own %s for that of another owner',
    async (state) => {
      const one = obligingWorld();
      let lost = 1;
      one.bus.fate = (id) => (id.endsWith(state) && lost-- > 0 ? 'unanswered' : undefined);
      await submit(one.bus, 1);
      await one.lane.start();
      await one.run(1_000);
      expect(one.failures).toEqual([]);
      expect(one.states(1)).toEqual(['PENDING', 'ENCODED', 'SENT']);
      expect(one.sent).toHaveLength(1);
      await one.lane.stop();
    },
  );

  it('goes on in the middle of a commit of several events, without a gap or a repetition', async () => {
    const one = obligingWorld({ mission: missionOf(undefined) });
    let lost = 2;
    one.bus.fate = (id) =>
      id.endsWith('COMPLETE') && lost-- > 0 ? (lost === 1 ? 'lost' : 'unanswered') : undefined;
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(1_000);
    expect(one.failures).toEqual([]);
    expect(one.states(1)).toEqual(['PENDING', 'ENCODED', 'SENT', 'COMPLETE']);
    await one.lane.stop();
  });

  it('does not make a lane take its own low-water mark for that of another owner', async () => {
    const one = obligingWorld({ mission: missionOf(undefined) });
    await one.lane.start();
    one.bus.bucket(buckets.members).loseAnswer = true;
    await submit(one.bus, 1);
    await one.run(2_000);
    await submit(one.bus, 2);
    await one.run(3_000);
    expect(one.failures).toEqual([]);
    expect(markOf(one.bus)).toBe(3);
    await one.lane.stop();
  });

  it('is waited for by the check of a hold, at no cost of patience', async () => {
    const one = obligingWorld();
    let away = 20;
    let asked = 0;
    const holds = {
      unheld: async () => undefined,
      refusal: async () => {
        asked += 1;
        // The first look is that of the lane at take-up.
        if (asked > 1 && away-- > 0) throw new Outage('bus.unavailable', 'away');
        return undefined;
      },
      stop: async () => undefined,
    };
    const held = obligingWorld({ bus: one.bus, clock: one.clock, holds });
    await submit(held.bus, 1);
    await held.lane.start();
    await held.run(10_000);
    expect(held.states(1)).toContain('SENT');
    expect(held.kind.trouble()).toEqual({});
    await held.lane.stop();
  });
});

describe('a telecommand that nobody may lose', () => {
  it('begins again when its cell died before PENDING was stored', async () => {
    const one = obligingWorld();
    let refusals = 2;
    one.bus.fate = (id) => (id.endsWith('PENDING') && refusals-- > 0 ? 'defect' : undefined);
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(2_000);
    expect(one.states(1)).toEqual(['PENDING', 'ENCODED', 'SENT']);
    await one.lane.stop();
  });
});

describe('drivers and gateways of others (telecommand/binding.W3)', () => {
  const replies: [name: string, reply: unknown][] = [
    ['no JSON', 'garbage'],
    ['no outcome', {}],
    ['an unknown outcome', { outcome: 'perhaps' }],
    ['sent without a time', { outcome: 'sent' }],
    ['sent at a time that is none', { outcome: 'sent', at: 1e300 }],
    ['null', null],
  ];

  it.each(replies)(
    'a gateway that answers with %s ends in SEND_FAILED, and the lane goes on',
    async (_name, reply) => {
      const one = obligingWorld();
      let first = true;
      const { answer } = one.bus;
      one.bus.answer = (to, call) => {
        if (!to.endsWith('.send') || !first) return answer(to, call);
        first = false;
        return reply;
      };
      await submit(one.bus, 1);
      await submit(one.bus, 2);
      await one.lane.start();
      await one.run(1_000);
      expect(one.states(1)).toEqual(['PENDING', 'ENCODED', 'SEND_FAILED']);
      expect(eventsOf(one.bus, 1).at(-1)!.detail).toContain('nobody knows');
      expect(one.states(2)).toContain('SENT');
      await one.lane.stop();
    },
  );

  it.each([
    ['no JSON', 'garbage'],
    ['no frame', { ok: true, value: {} }],
    ['a frame that is not hexadecimal', { ok: true, value: { frame: 'xyz' } }],
    ['a frame and no word whether it is one', { value: { frame: 'c0' } }],
    ['a frame that is no text', { ok: true, value: { frame: 12 } }],
    ['a reference that is no text', { ok: true, value: { frame: 'c0', reference: 5 } }],
    ['a reference of two lines', { ok: true, value: { frame: 'c0', reference: 'a\nb' } }],
    ['faults that are none', { ok: false, faults: [null] }],
    ['a frame too large to be recorded', { ok: true, value: { frame: 'ab'.repeat(60_000) } }],
  ])('a driver that answers with %s ends in ENCODE_FAILED', async (_name, reply) => {
    const one = obligingWorld();
    one.bus.answer = () => reply;
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(1_000);
    expect(one.states(1)).toEqual(['PENDING', 'ENCODE_FAILED']);
    expect(one.sent).toEqual([]);
    await one.lane.stop();
  });

  it('a malformed echo harms nobody', async () => {
    const one = obligingWorld();
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(10);
    const key = `telecommand:${cellOf(1)}:2:0`;
    const never = JSON.stringify({ key, target: 'sat1', conforming: true, at: 1e300 });
    const unclear = JSON.stringify({ key, target: 'sat1', conforming: 'yes', at: 1_000 });
    const ofOthers = JSON.stringify({ key, target: 'sat2', conforming: true, at: 1_000 });
    const unnamed = JSON.stringify({ target: 'sat1', conforming: true, at: 1_000 });
    for (const text of ['garbage', 'null', '{}', never, unclear, ofOthers, unnamed])
      expect(() => one.bus.publish(subject.echo('gw'), Buffer.from(text))).not.toThrow();
    await one.run(10);
    expect(one.kind.crashes(cellOf(1))).toBe(0);
    expect(one.states(1)).not.toContain('ECHO');
    await one.lane.stop();
  });

  it('MC-TC-045 an echo received before the answer of the gateway was lost is recorded behind SEND_FAILED', async () => {
    const one = obligingWorld();
    const { answer } = one.bus;
    one.bus.answer = (to, call) => {
      if (!to.endsWith('.send')) return answer(to, call);
      const echo = { key: call['key'], target: 'sat1', conforming: true, at: 1_000_000 };
      one.bus.publish(subject.echo('gw'), Buffer.from(JSON.stringify(echo)));
      throw new Outage('bus.timeout', 'silent');
    };
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(1_000);
    expect(one.states(1).slice(2, 4)).toEqual(['SEND_FAILED', 'ECHO']);
    await one.lane.stop();
  });

  describe('an echo that comes after the final state', () => {
    const echoed = ({ bus, sent, clock }: LaneWorld, conforming = true): void => {
      const echo = { key: sent[0]!.key, target: 'sat1', conforming, at: clock.now() };
      bus.publish(subject.echo('gw'), Buffer.from(JSON.stringify(echo)));
    };

    const crash = async (one: LaneWorld): Promise<void> => {
      one.kind.tell(cellOf(1), { type: 'gateway.echoed', at: Number.NaN, conforming: true } as never);
      await one.run(1);
    };
    const quarantine = async (one: LaneWorld): Promise<void> => {
      for (let n = 0; n < 8 && one.kind.look(cellOf(1))?.status !== 'quarantined'; n += 1) {
        await one.run(5_000);
        await crash(one);
      }
    };

    it('MC-TC-045 echoes.K2 is recorded behind it, and leaves what it ended in as it is', async () => {
      const one = obligingWorld({ mission: missionOf(undefined) });
      await submit(one.bus, 1);
      await one.lane.start();
      await one.run(10);
      expect(one.states(1)).toEqual(['PENDING', 'ENCODED', 'SENT', 'COMPLETE']);
      echoed(one, false);
      await one.run(10);
      expect(one.states(1)).toEqual(['PENDING', 'ENCODED', 'SENT', 'COMPLETE', 'ECHO']);
      expect(eventsOf(one.bus, 1).at(-1)).toMatchObject({ conforming: false });
      await one.lane.stop();
    });

    it('MC-TC-045 is recorded of one that was reset by a person', async () => {
      const one = obligingWorld();
      await submit(one.bus, 1);
      await one.lane.start();
      await one.run(10);
      await quarantine(one);
      expect(one.kind.reset(cellOf(1), 'ada')).toBe(true);
      await one.run(10);
      expect(one.states(1).at(-1)).toBe('VERIFY_FAILED');
      echoed(one);
      await one.run(10);
      expect(one.states(1).slice(-2)).toEqual(['VERIFY_FAILED', 'ECHO']);
      await one.lane.stop();
    });

    it('MC-TC-045 echoes.K3 is recorded of one in quarantine, which goes on behind it when it is resumed', async () => {
      const one = obligingWorld();
      await submit(one.bus, 1);
      await one.lane.start();
      await one.run(10);
      await quarantine(one);
      expect(one.states(1)).toEqual(['PENDING', 'ENCODED', 'SENT']);
      echoed(one, false);
      await one.run(10);
      expect(one.states(1)).toEqual(['PENDING', 'ENCODED', 'SENT', 'ECHO']);
      expect(eventsOf(one.bus, 1).at(-1)).toMatchObject({ conforming: false });
      expect(one.kind.look(cellOf(1))?.status).toBe('quarantined');
      expect(one.kind.resume(cellOf(1))).toBe(true);
      await one.run(60_000);
      expect(one.states(1).slice(3)).toEqual(['ECHO', 'VERIFY_TIMEOUT']);
      expect([one.sent.length, one.failures]).toEqual([1, []]);
      await one.lane.stop();
    });

    it('echoes.K3 waits for one that starts again', async () => {
      const one = obligingWorld();
      await submit(one.bus, 1);
      await one.lane.start();
      await one.run(10);
      await crash(one);
      expect(one.kind.look(cellOf(1))?.status).toBe('restarting');
      echoed(one);
      await one.run(10_000);
      expect(one.states(1)).toEqual(['PENDING', 'ENCODED', 'SENT', 'ECHO']);
      await one.lane.stop();
    });

    it('echoes.K2 is recorded once, also where others have ended since', async () => {
      const one = obligingWorld({ mission: missionOf(undefined) });
      for (const n of [1, 2]) {
        await submit(one.bus, n);
        if (n === 1) await one.lane.start();
        await one.run(10);
      }
      expect(one.states(2).at(-1)).toBe('COMPLETE');
      echoed(one);
      await one.run(10);
      expect(one.states(1).slice(-2)).toEqual(['COMPLETE', 'ECHO']);
      await one.lane.stop();
    });

    it('echoes.K2 is not recorded when none can be expected any more', async () => {
      const one = obligingWorld({ mission: missionOf(undefined) });
      await submit(one.bus, 1);
      await one.lane.start();
      await one.run(ECHO_WAIT_MS + 10);
      // Those whose time is over are forgotten when another one ends.
      await submit(one.bus, 2);
      await one.run(10);
      echoed(one);
      await one.run(10);
      expect(one.states(1).at(-1)).toBe('COMPLETE');
      await one.lane.stop();
    });
  });
});

function verified_() {
  return { expect: undefined, fail: undefined, reports: 'completion' as const };
}
