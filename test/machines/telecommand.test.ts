import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createActor } from 'xstate';
import { getShortestPaths } from 'xstate/graph';
import { isFinalTcState, TC_STATES } from '../../contract/telecommand.ts';
import {
  type TelecommandEvent,
  type TelecommandInput,
  telecommandMachine,
} from '../../machines/telecommand.ts';
import { HeapClock } from '../../supervision/clock.ts';

const INPUT: TelecommandInput = {
  id: '01J0000000000000000000000A',
  target: 'sat1',
  component: 'obc',
  telecommand: 'ping',
  changesState: true,
  verifyWithinMs: 10_000,
  at: 1_000,
};

const checked: TelecommandEvent = { type: 'requires.satisfied', at: 1_001 };
const encoded: TelecommandEvent = {
  type: 'driver.encoded',
  at: 1_002,
  frame: 'c0ffee',
  reference: '1873c015',
};
const sent: TelecommandEvent = { type: 'gateway.sent', at: 1_003 };
const verified: TelecommandEvent = { type: 'verification.satisfied', at: 1_004 };
const unknown: TelecommandEvent = { type: 'gateway.unknown', at: 1_005, detail: 'nobody knows' };

function telecommand(input: Partial<TelecommandInput> = {}, ...events: TelecommandEvent[]) {
  const clock = new HeapClock(1_000);
  const actor = createActor(telecommandMachine, {
    input: { ...INPUT, ...input },
    clock: {
      setTimeout: (fire, ms) => clock.setTimeout(fire, ms),
      clearTimeout: (timer) => clock.clearTimeout(timer),
    },
  });
  const emitted: { type: string; state?: string; detail?: string; at?: number }[] = [];
  actor.on('*', (each) => emitted.push(each));
  actor.subscribe({ error: () => undefined });
  actor.start();
  for (const event of events) actor.send(event);
  const states = (): (string | undefined)[] =>
    emitted.filter((each) => each.type === 'record').map((each) => each.state);
  const effects = (): string[] => emitted.filter((each) => each.type !== 'record').map((each) => each.type);
  return { actor, clock, emitted, states, effects };
}

// [from the events, next event, recorded state] of the transitions read for MC-TC-038
const TRANSITIONS: [name: string, before: TelecommandEvent[], event: TelecommandEvent, state: string][] = [
  ['requires fails', [], { type: 'requires.failed', at: 1, detail: 'd' }, 'REJECTED'],
  ['ACK 1', [checked], encoded, 'ENCODED'],
  ['ACK 1 refused', [checked], { type: 'driver.refused', at: 1, detail: 'd' }, 'ENCODE_FAILED'],
  ['ACK 2', [checked, encoded], sent, 'SENT'],
  ['ACK 2 refused', [checked, encoded], { type: 'gateway.refused', at: 1, detail: 'd' }, 'SEND_FAILED'],
  ['ACK 3', [checked, encoded, sent], verified, 'VERIFIED'],
  [
    'ACK 3 refused',
    [checked, encoded, sent],
    { type: 'verification.failed', at: 1, detail: 'd' },
    'VERIFY_FAILED',
  ],
];

describe('telecommand chart', () => {
  // XState warns of each event to a finished actor, which is what some of these tests send.
  beforeEach(() => void vi.spyOn(console, 'warn').mockReturnValue(undefined));
  afterEach(() => void vi.restoreAllMocks());

  it.each(TRANSITIONS)('MC-TC-038 %s', (_name, before, event, state) => {
    const { states } = telecommand({}, ...before);
    expect(states()).not.toContain(state);
    expect(
      telecommand({}, ...before, event)
        .states()
        .at(-1),
    ).toBe(state);
  });

  it('MC-TC-038 an event not listed for the state changes nothing', () => {
    const all = [checked, encoded, sent, verified, ...TRANSITIONS.map(([, , event]) => event)];
    for (const [, before, expected] of TRANSITIONS) {
      const listed = TRANSITIONS.filter(([, other]) => other.length === before.length).map(
        ([, , event]) => event.type,
      );
      for (const event of all) {
        if (listed.includes(event.type) || event.type === expected.type) continue;
        const quiet = telecommand({}, ...before);
        const records = quiet.states();
        quiet.actor.send(event);
        expect(quiet.states(), `${before.length} steps, then ${event.type}`).toEqual(records);
      }
    }
  });

  it('MC-TC-036 records exactly PENDING, ENCODED, SENT, VERIFIED for a successful telecommand', () => {
    expect(telecommand({}, checked, encoded, sent, verified).states()).toEqual([
      'PENDING',
      'ENCODED',
      'SENT',
      'VERIFIED',
    ]);
  });

  it('MC-TC-037 asks for requires, driver, gateway and verification in this order', () => {
    expect(telecommand({}, checked, encoded, sent).effects()).toEqual([
      'effect.check',
      'effect.encode',
      'effect.send',
      'effect.release',
      'effect.verify',
    ]);
  });

  it('MC-TC-038 ends COMPLETE after SENT when the catalogue declares no verification', () => {
    expect(telecommand({ verifyWithinMs: null }, checked, encoded, sent).states()).toEqual([
      'PENDING',
      'ENCODED',
      'SENT',
      'COMPLETE',
    ]);
  });

  it('MC-TC-038 ends VERIFY_TIMEOUT when nothing verifies it within the window of the catalogue', () => {
    const { states, emitted, clock } = telecommand({}, checked, encoded, sent);
    clock.advance(9_999);
    expect(states().at(-1)).toBe('SENT');
    clock.advance(1);
    expect(states().at(-1)).toBe('VERIFY_TIMEOUT');
    expect(emitted.at(-1)).toMatchObject({ at: 11_003 });
  });

  it('MC-TC-035 leaves no final state, whatever comes', () => {
    const everything = [
      checked,
      encoded,
      sent,
      verified,
      unknown,
      ...TRANSITIONS.map(([, , event]) => event),
    ];
    for (const [, before, event, state] of TRANSITIONS) {
      if (!isFinalTcState(state)) continue;
      const over = telecommand({}, ...before, event);
      const records = over.states();
      for (const late of everything) over.actor.send(late);
      over.clock.advance(60_000);
      expect(over.states()).toEqual(records);
    }
  });

  it('MC-TC-034 uses no other state than those of the specification', () => {
    const paths = getShortestPaths(telecommandMachine, {
      input: INPUT,
      events: [
        checked,
        ...TRANSITIONS.map(([, , event]) => event),
        { type: 'verification.none', at: 1 },
        unknown,
        { type: 'xstate.after.verificationTimeout.telecommand.SENT' } as never,
      ],
      serializeState: (state) => JSON.stringify(state.value),
      filterEvents: (state, event) => state.can(event),
      limit: 1_000,
    });
    const values = new Set(
      paths.map(({ state }) => (typeof state.value === 'string' ? state.value : Object.keys(state.value)[0])),
    );
    expect([...values].filter((value) => !(TC_STATES as readonly string[]).includes(value!))).toEqual([]);
    // And every published state can be reached.
    expect([...values].sort()).toEqual([...TC_STATES].sort());
  });

  it('is rejected at take-up without asking anybody when there is a reason to refuse it', () => {
    const { states, effects, emitted } = telecommand({ refusal: 'sat1 is held by run 01J' });
    expect(states()).toEqual(['PENDING', 'REJECTED']);
    expect(effects()).toEqual(['effect.release']);
    expect(emitted.find((each) => each.state === 'REJECTED')).toMatchObject({
      detail: 'sat1 is held by run 01J',
    });
  });

  it('MC-TC-040 says why it failed', () => {
    for (const [, before, event, state] of TRANSITIONS) {
      if (!('detail' in event)) continue;
      const { emitted } = telecommand({}, ...before, event);
      expect(emitted.find((each) => each.state === state)).toMatchObject({ detail: 'd' });
    }
  });

  it('never sends a state-changing telecommand again whose sending is unknown (O2)', () => {
    const { states, effects } = telecommand({}, checked, encoded, unknown);
    expect(effects().filter((effect) => effect === 'effect.send')).toHaveLength(1);
    expect(states().at(-1)).toBe('SEND_FAILED');
  });

  it('sends a telecommand that changes nothing a second time, not a third (O2)', () => {
    const { states, effects, actor } = telecommand({ changesState: false }, checked, encoded, unknown);
    expect(effects().filter((effect) => effect === 'effect.send')).toHaveLength(2);
    expect(states().at(-1)).toBe('ENCODED');
    actor.send(unknown);
    expect(states().at(-1)).toBe('SEND_FAILED');
  });

  it('MC-TC-041 records an echo without moving the chain, also one heard before SENT is known', () => {
    const echo: TelecommandEvent = { type: 'gateway.echoed', at: 1_003, conforming: true };
    expect(telecommand({}, checked, encoded, echo, sent, verified).states()).toEqual([
      'PENDING',
      'ENCODED',
      'SENT',
      'ECHO',
      'VERIFIED',
    ]);
    expect(telecommand({}, checked, encoded, sent, echo, verified).states()).toEqual([
      'PENDING',
      'ENCODED',
      'SENT',
      'ECHO',
      'VERIFIED',
    ]);
  });
});
