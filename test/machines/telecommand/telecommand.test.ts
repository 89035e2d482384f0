import { describe, expect, it } from 'vitest';
import { isFinalTcState, TC_STATES } from '../../../contract/telecommand-state.ts';
import {
  type TelecommandEvent,
  type TelecommandInput,
  telecommandMachine,
} from '../../../machines/telecommand/telecommand.ts';
import { type Driven, drive, type EventOf, explore, type Row, walkTable } from '../../harness/harness.ts';

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

type Telecommand = Driven<typeof telecommandMachine>;

/** A telecommand taken up at 1 s that has had the events. */
function telecommand(input: Partial<TelecommandInput> = {}, ...events: TelecommandEvent[]): Telecommand {
  return drive(telecommandMachine, { input: { ...INPUT, ...input }, at: 1_000 }).send(...events);
}

const states = ({ records }: Telecommand): string[] => records.map(({ state }) => state);
const effects = (driven: Telecommand): string[] => driven.effects.map(({ type }) => type);

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

// The whole chart: every pair that is not here stays put.
const echoed = { type: 'gateway.echoed', at: 1, conforming: true } as const;
const none = { type: 'verification.none', at: 1 } as const;
const ROWS: Row<typeof telecommandMachine>[] = [
  { from: 'PENDING.checking', on: checked, to: 'PENDING.encoding' },
  { from: 'PENDING.checking', on: { type: 'requires.failed', at: 1, detail: 'd' }, to: 'REJECTED' },
  { from: 'PENDING.encoding', on: encoded, to: 'ENCODED' },
  { from: 'PENDING.encoding', on: { type: 'driver.refused', at: 1, detail: 'd' }, to: 'ENCODE_FAILED' },
  { from: 'ENCODED', on: sent, to: 'SENT' },
  { from: 'ENCODED', on: { type: 'gateway.refused', at: 1, detail: 'd' }, to: 'SEND_FAILED' },
  { from: 'ENCODED', on: unknown, to: 'SEND_FAILED' },
  { from: 'ENCODED', on: echoed, to: 'ENCODED' },
  { from: 'SENT', on: verified, to: 'VERIFIED' },
  { from: 'SENT', on: none, to: 'COMPLETE' },
  { from: 'SENT', on: { type: 'verification.failed', at: 1, detail: 'd' }, to: 'VERIFY_FAILED' },
  { from: 'SENT', on: echoed, to: 'SENT' },
  { from: 'SENT', on: 'deadline', to: 'VERIFY_TIMEOUT' },
];

const everything: EventOf<typeof telecommandMachine>[] = [
  ...ROWS.flatMap(({ on }) => (on === 'deadline' ? [] : [on])),
  { ...echoed, conforming: false },
];

/** Every corner of the chart, with and without the licence to send twice. */
const explored = (input: Partial<TelecommandInput> = {}) =>
  explore(telecommandMachine, {
    input: { ...INPUT, ...input },
    at: 1_000,
    events: everything,
    distinguish: ({ context }) => `${context.sendings} ${context.earlyEchoes.length > 0}`,
    limit: 100,
  });

describe('telecommand chart', () => {
  it.each(TRANSITIONS)('MC-TC-038 %s', (_name, before, event, state) => {
    expect(states(telecommand({}, ...before))).not.toContain(state);
    expect(states(telecommand({}, ...before, event)).at(-1)).toBe(state);
  });

  it('MC-TC-038 an event not listed for the state changes nothing', () => {
    const walked = walkTable(telecommandMachine, { input: INPUT, at: 1_000, rows: ROWS });
    expect(walked.states).toHaveLength(11);
    expect(walked.unlisted).toBeGreaterThan(100);
  });

  it('MC-TC-036 records exactly PENDING, ENCODED, SENT, VERIFIED for a successful telecommand', () => {
    expect(states(telecommand({}, checked, encoded, sent, verified))).toEqual([
      'PENDING',
      'ENCODED',
      'SENT',
      'VERIFIED',
    ]);
  });

  it('MC-TC-037 asks for requires, driver, gateway and verification in this order', () => {
    telecommand()
      .expectEffects('effect.check')
      .send(checked)
      .expectEffects('effect.encode')
      .send(encoded)
      .expectEffects({ type: 'effect.send', frame: 'c0ffee' })
      .send(sent)
      .expectEffects('effect.release', { type: 'effect.verify', sentAt: 1_003, reference: '1873c015' })
      .send(verified)
      .expectEffects();
  });

  it('MC-TC-038 ends COMPLETE after SENT when the catalogue declares no verification', () => {
    expect(states(telecommand({ verifyWithinMs: null }, checked, encoded, sent))).toEqual([
      'PENDING',
      'ENCODED',
      'SENT',
      'COMPLETE',
    ]);
  });

  it('MC-TC-038 ends VERIFY_TIMEOUT when nothing verifies it within the window of the catalogue', () => {
    const driven = telecommand({}, checked, encoded, sent).advance(9_999);
    expect(states(driven).at(-1)).toBe('SENT');
    driven.advance(1).expectState('VERIFY_TIMEOUT');
    expect(driven.records.at(-1)).toMatchObject({ state: 'VERIFY_TIMEOUT', at: 11_003 });
  });

  it('MC-TC-035 leaves no final state, whatever comes', () => {
    for (const { state, drive: there } of explored().paths) {
      if (!isFinalTcState(state)) continue;
      const over = there();
      expect(over.ended, state).toBe(true);
      const records = states(over);
      over.send(...everything).advance('60 s');
      expect(states(over)).toEqual(records);
    }
  });

  it('MC-TC-034 uses no other state than those of the specification', () => {
    const found = new Set(explored().states.map((name) => name.split('.')[0]!));
    expect([...found].filter((name) => !(TC_STATES as readonly string[]).includes(name))).toEqual([]);
    // And every published state can be reached.
    expect([...found].sort()).toEqual([...TC_STATES].sort());
    expect(explored().unreached).toEqual([]);
  });

  it('records each state of a telecommand once, whatever the path (telecommand.L1)', () => {
    for (const changesState of [true, false]) {
      for (const { drive: there } of explored({ changesState }).paths) {
        const recorded = states(there()).filter((state) => state !== 'ECHO');
        expect(recorded).toEqual([...new Set(recorded)]);
      }
    }
  });

  it('hands a frame to the gateway only in ENCODED, in every reachable state and whatever comes (telecommand.L2)', () => {
    for (const changesState of [true, false]) {
      explored({ changesState }).everyPath(({ to, effects: asked }) => {
        if (asked.some(({ type }) => type === 'effect.send')) expect(to).toBe('ENCODED');
      });
    }
  });

  it('keeps what is left of the verification window when its process dies', () => {
    telecommand({}, checked, encoded, sent)
      .advance('4 s')
      .crash('5 s')
      .expectState('SENT')
      .advance(999)
      .expectState('SENT.verifying')
      .advance(1)
      .expectState('VERIFY_TIMEOUT');
  });

  it('is rejected at take-up without asking anybody when there is a reason to refuse it', () => {
    const driven = telecommand({ refusal: 'sat1 is held by run 01J' });
    expect(states(driven)).toEqual(['PENDING', 'REJECTED']);
    expect(effects(driven)).toEqual(['effect.release']);
    expect(driven.records.find((each) => each.state === 'REJECTED')).toMatchObject({
      detail: 'sat1 is held by run 01J',
    });
  });

  it('MC-TC-040 says why it failed', () => {
    for (const [, before, event, state] of TRANSITIONS) {
      if (!('detail' in event)) continue;
      const { records } = telecommand({}, ...before, event);
      expect(records.find((each) => each.state === state)).toMatchObject({ detail: 'd' });
    }
  });

  it('never sends a state-changing telecommand again whose sending is unknown (O2)', () => {
    const driven = telecommand({}, checked, encoded, unknown).expectState('SEND_FAILED');
    expect(effects(driven).filter((effect) => effect === 'effect.send')).toHaveLength(1);
    explored().everyPath(({ before, effects: asked }) => {
      if (asked.some(({ type }) => type === 'effect.send')) expect(before.sendings).toBe(0);
    });
  });

  it('sends a telecommand that changes nothing a second time, not a third (O2)', () => {
    const driven = telecommand({ changesState: false }, checked, encoded, unknown).expectState('ENCODED');
    expect(effects(driven).filter((effect) => effect === 'effect.send')).toHaveLength(2);
    expect(states(driven).at(-1)).toBe('ENCODED');
    expect(states(driven.send(unknown)).at(-1)).toBe('SEND_FAILED');
  });

  it('does not say that a telecommand never left when only its second sending was refused', () => {
    const refused = { type: 'gateway.refused', at: 1_006, detail: 'not running' } as const;
    const twice = telecommand({ changesState: false }, checked, encoded, unknown, refused);
    expect(twice.records.at(-1)).toMatchObject({
      state: 'SEND_FAILED',
      detail: 'not running; of an earlier sending: nobody knows',
    });
    const once = telecommand({ changesState: false }, checked, encoded, refused);
    expect(once.records.at(-1)).toMatchObject({ state: 'SEND_FAILED', detail: 'not running' });
  });

  it('MC-TC-041 records an echo without moving the chain, also one received before SENT is known', () => {
    const echo: TelecommandEvent = { type: 'gateway.echoed', at: 1_003, conforming: true };
    const expected = ['PENDING', 'ENCODED', 'SENT', 'ECHO', 'VERIFIED'];
    expect(states(telecommand({}, checked, encoded, echo, sent, verified))).toEqual(expected);
    expect(states(telecommand({}, checked, encoded, sent, echo, verified))).toEqual(expected);
  });
});

describe('what the records and effects carry', () => {
  const handed = { stream: 'TM_VALUES', seq: 17 } as never;
  const by = { ...encoded, gateway: 'gw-2' } as TelecommandEvent;
  const bare: TelecommandEvent = { type: 'driver.encoded', at: 1_002, frame: 'c0ffee' };
  const refused: TelecommandEvent = { type: 'gateway.refused', at: 1_006, detail: 'too late' };

  it('MC-TC-037 the frame, its reference, its gateway and where it was handed over, to whoever needs them', () => {
    const driven = telecommand({}, checked, by, { ...sent, handed } as TelecommandEvent);
    expect(driven.records.slice(1)).toEqual([
      {
        type: 'record',
        state: 'ENCODED',
        at: 1_002,
        frame: 'c0ffee',
        reference: '1873c015',
        gateway: 'gw-2',
      },
      { type: 'record', state: 'SENT', at: 1_003, handed },
    ]);
    expect(driven.effects.filter(({ type }) => type === 'effect.send' || type === 'effect.verify')).toEqual([
      { type: 'effect.send', frame: 'c0ffee', gateway: 'gw-2' },
      { type: 'effect.verify', sentAt: 1_003, handed, reference: '1873c015' },
    ]);
  });

  it('nothing that is not known', () => {
    const driven = telecommand({}, checked, bare, sent);
    expect(driven.records.slice(1)).toEqual([
      { type: 'record', state: 'ENCODED', at: 1_002, frame: 'c0ffee' },
      { type: 'record', state: 'SENT', at: 1_003 },
    ]);
    expect(driven.effects.find(({ type }) => type === 'effect.send')).toEqual({
      type: 'effect.send',
      frame: 'c0ffee',
    });
    expect(driven.effects.find(({ type }) => type === 'effect.verify')).toEqual({
      type: 'effect.verify',
      sentAt: 1_003,
    });
  });

  it.each<[string, Partial<TelecommandInput>, TelecommandEvent[], object]>([
    [
      'refused by its gateway',
      {},
      [by, refused],
      { at: 1_006, detail: 'too late', failure: { outcome: 'refused' }, gateway: 'gw-2' },
    ],
    [
      'that its gateway cannot tell of',
      {},
      [bare, unknown],
      { at: 1_005, detail: 'nobody knows', failure: { outcome: 'unknown' } },
    ],
    [
      'refused behind a sending that nobody knows of',
      { changesState: false },
      [bare, unknown, refused],
      {
        at: 1_006,
        detail: 'too late; of an earlier sending: nobody knows',
        failure: { outcome: 'refused', earlier: 'unknown', own: 'too late'.length },
      },
    ],
    [
      'unknown twice',
      { changesState: false },
      [bare, unknown, { ...unknown, at: 1_007, detail: 'still not' }],
      { at: 1_007, detail: 'still not', failure: { outcome: 'unknown', earlier: 'unknown' } },
    ],
  ])(
    'MC-TC-040 O2 of one %s, why it is SEND_FAILED, and what is known of what left',
    (_what, input, events, note) => {
      const driven = telecommand(input, checked, ...events);
      expect(driven.records.at(-1)).toEqual({ type: 'record', state: 'SEND_FAILED', ...note });
    },
  );

  it('MC-TC-040 of one that fails on board, why, and no gateway', () => {
    const failed: TelecommandEvent = { type: 'verification.failed', at: 1_009, detail: 'code 4' };
    const driven = telecommand({}, checked, by, sent, failed);
    expect(driven.records.at(-1)).toEqual({
      type: 'record',
      state: 'VERIFY_FAILED',
      at: 1_009,
      detail: 'code 4',
    });
  });

  it('MC-TC-040 of one that nothing verified, how long that was waited for, at the end of its window', () => {
    const driven = telecommand({}, checked, bare, sent).toNextDeadline();
    expect(driven.records.at(-1)).toEqual({
      type: 'record',
      state: 'VERIFY_TIMEOUT',
      at: 11_003,
      detail: 'not verified within 10 s of sending',
    });
  });

  it('MC-TC-041 MC-TC-045 of echoes that came before SENT or SEND_FAILED, each once and as it came', () => {
    const early: TelecommandEvent[] = [
      { type: 'gateway.echoed', at: 1_001, conforming: false },
      { type: 'gateway.echoed', at: 1_002, conforming: true },
    ];
    const echoes = [
      { type: 'record', state: 'ECHO', at: 1_001, conforming: false },
      { type: 'record', state: 'ECHO', at: 1_002, conforming: true },
    ];
    for (const end of [sent, unknown]) {
      const driven = telecommand({}, checked, bare, ...early, end);
      expect(driven.records.slice(-2)).toEqual(echoes);
      expect(driven.effects.filter(({ type }) => type === 'effect.release')).toHaveLength(1);
    }
  });
});
