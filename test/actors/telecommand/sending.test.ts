/**
 * How a frame is handed to its gateway: only while the run that sends it holds the target, and once whatever is lost.
 */

import { describe, expect, it } from 'vitest';
import { type Sending, sendFrame } from '../../../actors/telecommand/sending.ts';
import type { TelecommandPorts } from '../../../actors/telecommand/services.ts';
import { BUS_RETRY_MS } from '../../../contract/limits/bus.ts';
import { ABSENCE_KNOWN_MS } from '../../../contract/limits/membership.ts';
import { SEND_WITHIN_MS } from '../../../contract/limits/telecommand.ts';
import type { SendCall } from '../../../contract/link.ts';
import { Outage, type OutageCode } from '../../../contract/outage.ts';
import { HandOvers, handOverMs } from '../../../messaging/hand-overs.ts';
import type { Bus } from '../../../ports/bus.ts';
import type { Clock, TimerHandle } from '../../../ports/clock.ts';

const hold = { run: 'run-a', position: 7 };
const frame = { target: 'sat1', key: 'k', epoch: 1, frame: 'c0ffee' };
const SENT = { outcome: 'sent', at: 5 } as const;
const EXPIRES = 1_000_000;

interface World {
  readonly asked: SendCall[];
  now: number;
  send(changes?: Partial<Sending>): ReturnType<typeof sendFrame>;
}

/** Answers in turn, the last one again and again. */
function world(...answers: readonly unknown[]): World {
  const asked: SendCall[] = [];
  const request = async (_to: string, call: Uint8Array): Promise<Uint8Array> => {
    asked.push(JSON.parse(Buffer.from(call).toString()) as SendCall);
    const answer = answers[Math.min(asked.length, answers.length) - 1];
    if (answer instanceof Outage) throw answer;
    return Buffer.from(JSON.stringify(answer));
  };
  const made: World = {
    asked,
    now: 1_000,
    send: (changes = {}) =>
      sendFrame(ports, {
        gateway: 'gw',
        isOfCell: true,
        frame,
        recovering: undefined,
        expiresAt: EXPIRES,
        hold: undefined,
        unheld: async () => undefined,
        position: async () => undefined,
        signal: new AbortController().signal,
        ...changes,
      }),
  };
  /** Time passes by pauses alone. */
  const clock: Clock = {
    now: () => made.now,
    monotonic: () => made.now,
    setTimeout: (fire, ms) => {
      made.now += ms;
      queueMicrotask(fire);
      return {} as TimerHandle;
    },
    clearTimeout: () => undefined,
  };
  const ports: TelecommandPorts = {
    bus: { request } as unknown as Bus,
    clock,
    handOvers: new HandOvers(clock),
  };
  return made;
}

const outage = (code: OutageCode, unsettled = false): Outage => new Outage(code, code, { unsettled });

describe('a frame of a run', () => {
  it('A-71 telecommand/sending.H1 names the hold it needs, and has the time to leave from before that was read', async () => {
    const one = world(SENT);
    const unheld = async (): Promise<undefined> => {
      one.now += 2_500;
      return undefined;
    };
    expect(await one.send({ hold, unheld })).toEqual(SENT);
    expect(one.asked).toEqual([{ ...frame, hold, notAfter: 1_000 + SEND_WITHIN_MS }]);
  });

  it('A-71 is handed to nobody once the run does not hold the target', async () => {
    const one = world(SENT);
    const unheld = async (): Promise<string> => 'run-a does not hold sat1 any more';
    expect(await one.send({ hold, unheld })).toEqual({
      outcome: 'refused',
      detail: 'run-a does not hold sat1 any more',
    });
    expect(one.asked).toEqual([]);
  });

  it.each([
    ['that was asked before', { recovering: { since: 900 } }, []],
    ['whose answer was lost', {}, [outage('bus.timeout')]],
    ['asked of a bus that went away', {}, [outage('bus.unavailable')]],
  ] as const)(
    'A-71 telecommand/sending.H2 one %s, and whose run lost the target, is asked for and has no time left',
    async (_name, changes, before) => {
      const refused = { outcome: 'refused', detail: 'late' };
      const one = world(...before, refused);
      let reads = 0;
      const unheld = async (): Promise<string | undefined> => {
        reads += 1;
        return reads > before.length ? 'given back' : undefined;
      };
      expect(await one.send({ hold, unheld, ...changes })).toEqual({
        outcome: 'refused',
        detail: 'given back',
      });
      expect(one.asked.at(-1)).toMatchObject({ notAfter: 0, recovering: { since: expect.any(Number) } });
      const known = world(...before, SENT);
      reads = 0;
      expect(await known.send({ hold, unheld, ...changes })).toEqual(SENT);
    },
  );

  it('one of nobody is asked for without any reading of holds', async () => {
    const one = world(SENT);
    const unheld = async (): Promise<string> => expect.fail('read');
    await one.send({ unheld });
    expect(one.asked).toEqual([{ ...frame, notAfter: 1_000 + SEND_WITHIN_MS }]);
    await one.send({ expiresAt: 1_500 });
    expect(one.asked.at(-1)?.notAfter).toBe(1_500);
  });
});

describe('a gateway that says nothing', () => {
  it('of others, that nobody serves, is not running: nothing left', async () => {
    expect(await world(outage('bus.no-responder')).send({ isOfCell: false })).toEqual({
      outcome: 'refused',
      detail: 'gateway gw is not running',
    });
  });

  const ABSENT = outage('bus.no-responder');
  const LEAVING = { outcome: 'refused', detail: 'the gateway was stopped', leaving: true };

  it.each([
    ['that is between two processes', [ABSENT, ABSENT]],
    ['that is about to leave its process', [LEAVING, ABSENT]],
  ])(
    'telecommand/sending.H5 %s is waited for, and sends as if asked for the first time',
    async (_name, before) => {
      const one = world(...before, SENT);
      expect(await one.send()).toEqual(SENT);
      expect(one.asked.map(({ recovering, key }) => ({ recovering, key }))).toEqual(
        Array.from({ length: 3 }, () => ({ recovering: undefined, key: 'k' })),
      );
      expect(one.asked[2]!.notAfter).toBe(one.now + SEND_WITHIN_MS);
    },
  );

  it('telecommand/sending.H5 MC-TC-040 that nobody takes over ends it, with how long was waited; those behind it at once', async () => {
    const one = world(ABSENT);
    const gone = {
      outcome: 'refused',
      detail: `gateway gw is not running: nobody has served it for ${handOverMs() / 1000} s`,
    };
    expect(await one.send()).toEqual(gone);
    expect(one.now).toBe(1_000 + handOverMs());
    one.now += ABSENCE_KNOWN_MS;
    const asked = one.asked.length;
    expect(await one.send()).toMatchObject({ outcome: 'refused' });
    expect(one.asked).toHaveLength(asked + 1);
    // It may have come and gone since.
    one.now += ABSENCE_KNOWN_MS + 1;
    const [from, before] = [one.now, one.asked.length];
    expect(await one.send()).toEqual(gone);
    // At 0, 25, 50, 100, 200 and 400 ms, then four times a second, and at the end.
    const slow = Math.floor((handOverMs() - 400) / BUS_RETRY_MS);
    expect([one.now - from, one.asked.length - before]).toEqual([handOverMs(), 6 + slow + 1]);
  });

  it('telecommand/sending.H5 is not waited for beyond the age of the telecommand, nor for a run without the target', async () => {
    const old = world(ABSENT);
    expect(await old.send({ expiresAt: 1_600 })).toMatchObject({ outcome: 'refused' });
    expect(old.now).toBeLessThan(1_600 + BUS_RETRY_MS);
    const one = world(ABSENT);
    const unheld = async (): Promise<string | undefined> => (one.now > 1_000 ? 'given back' : undefined);
    expect(await one.send({ hold, unheld })).toEqual({ outcome: 'refused', detail: 'given back' });
    expect(one.asked).toHaveLength(1);
  });

  it('telecommand/sending.H5 O2 may have been asked before: the next process learns so, and has the last word', async () => {
    const unknown = { outcome: 'unknown', detail: 'the gateway cannot tell' };
    const one = world(outage('bus.timeout'), ABSENT, unknown);
    expect(await one.send()).toEqual(unknown);
    expect(one.asked[2]).toMatchObject({ recovering: { since: 1_000 } });
    expect(await world(ABSENT).send({ recovering: { since: 1 } })).toMatchObject({
      outcome: 'unknown',
      detail: expect.stringMatching(/nobody has served it for 10 s: nobody knows/),
    });
  });

  it('telecommand/sending.H3 that is not there yet is asked again as if for the first time', async () => {
    const one = world(outage('bus.timeout', true), outage('bus.timeout', true), SENT);
    expect(await one.send()).toEqual(SENT);
    expect(one.asked.map(({ recovering }) => recovering)).toEqual([undefined, undefined, undefined]);
  });

  it('telecommand/sending.H3 that is not there for as long as the frame may leave has sent nothing', async () => {
    const one = world(outage('bus.timeout', true));
    one.now = EXPIRES;
    expect(await one.send()).toMatchObject({ outcome: 'refused' });
    const doubted = world(outage('bus.timeout', true), outage('bus.no-responder'));
    doubted.now = EXPIRES;
    expect(await doubted.send({ recovering: { since: 1 } })).toMatchObject({ outcome: 'unknown' });
  });

  it('twice is unknown; what it says the second time counts', async () => {
    const silent = world(outage('bus.timeout'));
    expect(await silent.send()).toMatchObject({
      outcome: 'unknown',
      detail: 'gateway gw did not answer within 10 s: nobody knows whether it sent the frame',
    });
    expect(silent.asked).toHaveLength(2);
    expect(await world(outage('bus.timeout'), SENT).send()).toEqual(SENT);
    expect(await world(outage('bus.timeout'), outage('bus.no-responder')).send()).toMatchObject({
      outcome: 'unknown',
    });
  });

  it.each([null, {}, { outcome: 'sent' }, { outcome: 'sent', at: Number.NaN }, { outcome: 'unknown' }])(
    'telecommand/binding.W3 what is no outcome is unknown: %j',
    async (answer) => {
      expect(await world(answer).send()).toMatchObject({ outcome: 'unknown' });
    },
  );
});
