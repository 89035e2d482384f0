/** The life of the radio against its table: every listed pair goes there, every other stays put. */

import { describe, expect, it } from 'vitest';
import type { Profile } from '../../../contract/bench/profile.ts';
import {
  BENCH_COMMANDS_WAITING,
  BENCH_REVISIONS_IN_ALL,
  BENCH_REVISIONS_KEPT,
  BOARD_RETRY_FIRST_MS,
  BOARD_RETRY_LARGEST_MS,
} from '../../../contract/limits/bench.ts';
import { radioMachine } from '../../../machines/bench/radio.ts';
import type { BoardPart, Holder } from '../../../machines/bench/radio-protocol.ts';
import {
  afterFact,
  NOTHING_APPLIED,
  type RadioFact,
  type RadioRecord,
} from '../../../machines/bench/radio-record.ts';
import { type Driven, drive, type EventOf, walkTable } from '../../harness/harness.ts';

type Event = EventOf<typeof radioMachine>;

const NOON = Date.parse('2026-01-02T12:00:00.000Z');
const QPSK: Profile = {
  name: 'qpsk',
  modulation: 'qpsk',
  symbol_rate_baud: 1_000_000,
  center_frequency_hz: 2_400_000_000,
  rx: { gain_db: 40 },
  tx: { gain_db: -10 },
};
const RUN: Holder = { kind: 'scenario', id: 's1' };
const OTHER: Holder = { kind: 'campaign', id: 'c1' };

const started: Event = { type: 'daemon.started', session: 'one' };
const attached: Event = { type: 'board.attached', board: { attachment: 1, name: 'a board' } };
const missed: Event = { type: 'board.missed', reason: 'no cable' };
const lost: Event = { type: 'board.lost', attachment: 1, reason: 'the plug is out' };
const asked = (id: string, by?: Holder): Event => ({
  type: 'operator.command',
  command: { id, route: 'POST /x', uses: ['settings'] },
  ...(by && { by }),
});
const ended = (id: string, ...facts: RadioFact[]): Event => ({ type: 'command.ended', id, facts });
const withdraw = (id: string): Event => ({ type: 'operator.withdraw', id });
const hold = (holder: Holder): Event => ({ type: 'run.hold', request: 'r', holder });
const release = (holder: Holder): Event => ({ type: 'run.release', holder });
const applied: RadioFact = { type: 'profile.applied', profile: QPSK, by: 'manual', message: 'tuned' };

function radio(...events: readonly Event[]): Driven<typeof radioMachine> {
  return drive(radioMachine, { at: NOON }).send(...events);
}

const effects = (driven: Driven<typeof radioMachine>): string[] => driven.effects.map(({ type }) => type);
const last = (driven: Driven<typeof radioMachine>) => driven.effects.at(-1);

describe('the states of the radio', () => {
  it('RB-RAD-014 goes as its table says, and nowhere else', () => {
    const anywhere = ['unstarted', 'attaching', 'absent', 'attached.idle', 'attached.working'] as const;
    const elsewhere = ['unstarted', 'attaching', 'absent'] as const;
    const walked = walkTable(radioMachine, {
      at: NOON,
      rows: [
        ...anywhere.map((from) => ({ from, on: started, to: 'attaching' as const })),
        { from: 'attaching', on: attached, to: 'attached.idle' },
        { from: 'attaching', on: missed, to: 'absent' },
        { from: 'absent', on: 'deadline', to: 'attaching' },
        ...elsewhere.map((from) => ({ from, on: asked('1'), to: from })),
        ...elsewhere.map((from) => ({ from, on: hold(RUN), to: from })),
        { from: 'attached.idle', on: asked('1'), to: 'attached.working' },
        { from: 'attached.working', on: asked('1'), to: 'attached.working' },
        { from: 'attached.working', on: ended('1'), to: 'attached' },
        { from: 'attached.idle', on: lost, to: 'absent' },
        { from: 'attached.working', on: lost, to: 'absent' },
        { from: 'attached.idle', on: hold(RUN), to: 'attached.idle' },
        { from: 'attached.working', on: hold(RUN), to: 'attached.working' },
      ],
      alien: [ended('9'), withdraw('9'), release(OTHER), { ...lost, attachment: 7 }],
    });
    expect(walked.states.length).toBeGreaterThanOrEqual(5);
  });
});

describe('commands', () => {
  const ready = [started, attached] as const;

  it('machines/bench/radio.R1 are done one at a time, in the order they were asked', () => {
    const driven = radio(...ready, asked('1'), asked('2'), asked('3'));
    const begun = (): unknown[] =>
      driven.effects.flatMap((effect) => (effect.type === 'effect.command' ? [effect.id] : []));
    expect(begun()).toEqual(['1']);
    driven.send(ended('1'));
    expect(begun()).toEqual(['1', '2']);
    driven.send(ended('2'));
    expect(begun()).toEqual(['1', '2', '3']);
    expect(driven.state).toBe('attached.working');
    expect(driven.send(ended('3')).state).toBe('attached.idle');
  });

  it('machines/bench/radio.R1 a setting never waits for blocks, what is asked behind it does, and blocks for those of the same part', () => {
    const using = (id: string, ...uses: BoardPart[]): Event => ({
      type: 'operator.command',
      command: { id, route: 'POST /x', uses },
    });
    const driven = radio(...ready);
    const now = (): [string[], string[]] => {
      const { running, waiting } = driven.context;
      return [running.map(({ id }) => id), waiting.map(({ id }) => id)];
    };
    driven.send(
      using('rx', 'receiver'),
      using('tx', 'transmitter'),
      using('both', 'receiver', 'transmitter'),
    );
    expect(now()).toEqual([['rx', 'tx'], ['both']]);
    driven.send(using('set', 'settings'), using('rx2', 'receiver'), using('set2', 'settings'));
    expect(now()).toEqual([
      ['rx', 'tx', 'set'],
      ['both', 'rx2', 'set2'],
    ]);
    driven.send(ended('rx'));
    expect([driven.state, ...now()]).toEqual(['attached.working', ['tx', 'set'], ['both', 'rx2', 'set2']]);
    driven.send(ended('tx'), ended('both'));
    expect(now()).toEqual([['set'], ['both', 'rx2', 'set2']]);
    driven.send(ended('set'));
    expect(now()).toEqual([['both', 'set2'], ['rx2']]);
    driven.send(ended('both'), ended('set2'));
    expect(now()).toEqual([['rx2'], []]);
    driven.send(ended('rx2'));
    expect([driven.state, ...now()]).toEqual(['attached.idle', [], []]);
  });

  it('machines/bench/radio.R1 while one of two is under way the radio is at work', () => {
    const [rx, tx] = (['receiver', 'transmitter'] as const).map(
      (part): Event => ({
        type: 'operator.command',
        command: { id: part, route: 'POST /x', uses: [part] },
      }),
    );
    for (const [first, second] of [
      ['receiver', 'transmitter'],
      ['transmitter', 'receiver'],
    ] as const) {
      const driven = radio(...ready, rx!, tx!, ended(first));
      expect(driven.state).toBe('attached.working');
      expect(driven.send(ended(second)).state).toBe('attached.idle');
    }
  });

  it('a withdrawal takes nothing else out of the row', () => {
    const driven = radio(...ready, asked('1'), asked('2'), asked('3'), withdraw('2'), ended('1'));
    expect(driven.context.running.map(({ id }) => id)).toEqual(['3']);
  });

  it('each effect names its command and the life of the daemon', () => {
    const driven = radio(...ready, asked('1'), asked('2'), withdraw('2'), ended('1'), lost);
    expect(driven.effects).toMatchObject([
      { type: 'effect.attach', session: 'one' },
      { type: 'effect.command', session: 'one', id: '1' },
      {
        type: 'effect.refuse',
        session: 'one',
        id: '2',
        code: 'conflict',
        message: 'withdrawn before it began',
      },
      { type: 'effect.answer', session: 'one', id: '1' },
      { type: 'effect.tell-lost', session: 'one', reason: 'the plug is out' },
    ]);
  });

  it('what is under way is not withdrawn', () => {
    const driven = radio(...ready, asked('1'), asked('2'), withdraw('1'));
    expect(effects(driven)).not.toContain('effect.refuse');
    expect(driven.context.running.map(({ id }) => id)).toEqual(['1']);
  });

  it('machines/bench/radio.R1 wait up to a bound, and are refused beyond it', () => {
    const many = Array.from({ length: BENCH_COMMANDS_WAITING + 1 }, (_, index) => asked(String(index)));
    const driven = radio(...ready, ...many);
    expect(effects(driven)).not.toContain('effect.refuse');
    driven.send(asked('more'));
    expect(last(driven)).toMatchObject({ type: 'effect.refuse', id: 'more', code: 'unavailable' });
  });

  it('are refused while there is no board, with the reason', () => {
    const driven = radio(started, missed, asked('1'));
    expect(last(driven)).toMatchObject({ code: 'unavailable', message: expect.stringContaining('no cable') });
    driven.advance(BOARD_RETRY_FIRST_MS).send(attached, lost, asked('2'));
    expect(last(driven)).toMatchObject({ id: '2', message: expect.stringContaining('the plug is out') });
    expect(driven.context.board).toBeUndefined();
  });

  it('a withdrawn one is not begun', () => {
    const driven = radio(...ready, asked('1'), asked('2'), withdraw('2'), ended('1'));
    expect(driven.state).toBe('attached.idle');
    expect(driven.effects).toContainEqual(expect.objectContaining({ type: 'effect.refuse', id: '2' }));
  });
});

describe('the holder of the board', () => {
  const held = [started, attached, hold(RUN)] as const;

  it('machines/bench/radio.R2 keeps manual commands out, and lets its own in', () => {
    const driven = radio(...held, asked('1'));
    expect(last(driven)).toMatchObject({
      type: 'effect.refuse',
      code: 'board_busy',
      message: expect.stringContaining('scenario run s1'),
    });
    expect(last(driven.send(asked('2', RUN)))).toMatchObject({ type: 'effect.command', id: '2' });
    expect(last(driven.send(asked('3', OTHER)))).toMatchObject({ code: 'board_busy' });
  });

  it('machines/bench/radio.R2 what was asked before it held is still done, before its own', () => {
    const driven = radio(started, attached, asked('1'), asked('2'), hold(RUN), asked('3', RUN), ended('1'));
    expect(last(driven)).toMatchObject({ type: 'effect.command', id: '2' });
    expect(last(driven.send(ended('2')))).toMatchObject({ type: 'effect.command', id: '3' });
  });

  it('one holds at a time; who holds may ask again, and a release by another changes nothing', () => {
    const driven = radio(...held, hold(OTHER));
    expect(last(driven)).toMatchObject({ type: 'effect.hold-answer', code: 'conflict' });
    expect(last(driven.send(hold(RUN)))).not.toHaveProperty('code');
    driven.send(release(OTHER));
    expect(driven.context.holder).toEqual(RUN);
    expect(driven.send(release(RUN)).context.holder).toBeUndefined();
  });

  it('machines/bench/radio.R2 a run of the same name and another kind is another', () => {
    const driven = radio(...held, asked('1', { ...OTHER, id: RUN.id }));
    expect(last(driven)).toMatchObject({ code: 'board_busy' });
    expect(last(driven.send(hold({ ...RUN, id: 's2' })))).toMatchObject({ code: 'conflict' });
    expect(driven.send(release({ ...RUN, id: 's2' })).context.holder).toEqual(RUN);
  });

  it('machines/bench/radio.R2 also while another command is under way', () => {
    const driven = radio(...held, asked('1', RUN), asked('2'));
    expect(last(driven)).toMatchObject({ type: 'effect.refuse', id: '2', code: 'board_busy' });
  });

  it('who held no more is refused', () => {
    expect(last(radio(started, attached, asked('1', RUN)))).toMatchObject({ code: 'conflict' });
  });

  it('nobody holds a board that is not there', () => {
    expect(last(radio(started, missed, hold(RUN)))).toMatchObject({ code: 'unavailable' });
  });
});

describe('a lost board', () => {
  it('machines/bench/radio.R3 refuses what waits and what is under way, reports its holder, and is looked for again', () => {
    const driven = radio(
      started,
      attached,
      asked('1'),
      ended('1', applied),
      hold(RUN),
      asked('2', RUN),
      asked('3', RUN),
      lost,
    );
    const refused = driven.effects.flatMap((effect) => (effect.type === 'effect.refuse' ? [effect.id] : []));
    expect(refused).toEqual(['2', '3']);
    expect(driven.effects).toContainEqual({
      type: 'effect.refuse',
      session: 'one',
      id: '3',
      code: 'unavailable',
      message: 'the board is lost: the plug is out',
    });
    expect([driven.context.running, driven.context.waiting]).toEqual([[], []]);
    expect(effects(driven)).toContain('effect.tell-lost');
    expect(driven.context.record).toMatchObject({ applied: undefined, epoch: 1 });
    expect(driven.advance(BOARD_RETRY_FIRST_MS).state).toBe('attaching');
    driven.send(attached, ended('2'));
    expect(driven.state).toBe('attached.idle');
  });

  it('is asked for with a growing delay', () => {
    const driven = radio(started);
    for (const delayMs of [
      1_000,
      2_000,
      4_000,
      8_000,
      16_000,
      BOARD_RETRY_LARGEST_MS,
      BOARD_RETRY_LARGEST_MS,
    ]) {
      driven.send(missed);
      expect(driven.advance(delayMs - 1).state).toBe('absent');
      expect(driven.advance(1).state).toBe('attaching');
    }
    driven.send(attached, lost);
    expect(driven.advance(BOARD_RETRY_FIRST_MS).state).toBe('attaching');
  });
});

describe('another life of the daemon', () => {
  it('machines/bench/radio.R4 keeps the count of applies and the revisions, and knows of no profile, command or holder', () => {
    const driven = radio(started, attached, asked('1'), ended('1', applied), hold(RUN), asked('2', RUN));
    driven.send({ type: 'daemon.started', session: 'one and a half' } as Event);
    driven.send({ type: 'daemon.started', session: 'two' } as Event);
    expect(driven.state).toBe('attaching');
    expect(last(driven)).toEqual({ type: 'effect.attach', session: 'two' });
    const { record, holder, running, waiting, session } = driven.context;
    expect({ holder, running, waiting, session }).toEqual({
      holder: undefined,
      running: [],
      waiting: [],
      session: 'two',
    });
    expect(record).toMatchObject({ epoch: 1, applied: undefined, proof: undefined });
    expect(record.revisions['qpsk']).toHaveLength(1);
  });
});

describe('what is done and seen beside the commands', () => {
  const ready = [started, attached, asked('1'), ended('1', applied)] as const;
  const stopped: Event = {
    type: 'transmitter.stopped',
    facts: [{ type: 'manual.changed', route: 'POST /mute' }],
  };
  const differs = (what: string): Event => ({ type: 'board.differs', what });
  const dirty = ({ context }: Driven<typeof radioMachine>) => context.record.applied?.dirtyReason;

  it('a stop of the transmitter is recorded, whatever is under way', () => {
    expect(dirty(radio(...ready, stopped))).toBe('POST /mute');
    expect(dirty(radio(...ready, asked('2'), stopped))).toBe('POST /mute');
  });

  it('RB-PROF-003 of what other tools do the first is the reason, and nothing where nothing is applied', () => {
    const driven = radio(...ready, differs('gain 3'), differs('gain 4'));
    expect(dirty(driven)).toBe('gain 3');
    expect(driven.context.record.changes).toBe(2);
    expect(dirty(driven.send(stopped))).toBe('POST /mute');
    const { record } = radio(started, attached, differs('gain 3')).context;
    expect(record).toEqual(NOTHING_APPLIED);
  });
});

describe('what is kept of the radio', () => {
  const fold = (...facts: RadioFact[]): RadioRecord =>
    facts.reduce((record, fact) => afterFact(record, fact, NOON), NOTHING_APPLIED);
  const byHand: RadioFact = { type: 'manual.changed', route: 'POST /api/v1/radio/gain' };
  const proof: RadioFact = { type: 'link.measured', target: 'air', verdict: 'BytePerfect', changes: 1 };

  it('RB-PROF-003 a manual change makes the applied profile dirty, with its route; an apply and a conditioning clean it', () => {
    expect(fold(applied, byHand).applied?.dirtyReason).toBe('POST /api/v1/radio/gain');
    expect(fold(applied, byHand, applied).applied?.dirtyReason).toBeUndefined();
    expect(fold(applied, byHand, { type: 'chain.conditioned' }).applied?.dirtyReason).toBeUndefined();
    expect(fold(byHand).applied).toBeUndefined();
    expect(fold({ type: 'chain.conditioned' }).applied).toBeUndefined();
    const conditioned = fold(applied, byHand, { type: 'chain.conditioned' });
    expect(conditioned).toEqual({ ...fold(applied), changes: 2 });
    expect(fold(applied, byHand, byHand).changes).toBe(3);
    expect(fold(applied)).toMatchObject({ changes: 1, applied: { profile: QPSK, sampleRateSps: undefined } });
    expect(fold({ ...applied, sampleRateSps: 2_000_000 }).applied?.sampleRateSps).toBe(2_000_000);
  });

  it('radio-record.F2 of a record without a count of changes none is counted', () => {
    const { changes: _, ...older } = fold(applied);
    expect(afterFact(older, { ...proof, changes: 0 } as RadioFact, NOON).proof).toBeDefined();
    expect(afterFact(older, byHand, NOON).changes).toBe(1);
  });

  it('radio-record.F2 a proof is that of its configuration', () => {
    expect(fold(applied, proof).proof).toEqual({ target: 'air', verdict: 'BytePerfect' });
    expect(fold(applied, proof, byHand).proof).toBeUndefined();
    expect(fold(applied, proof, applied).proof).toBeUndefined();
    expect(fold(applied, byHand, proof).proof).toBeUndefined();
  });

  it('RB-PROF-012 revisions count up by profile, and only so many are kept', () => {
    const many = fold(...Array.from({ length: BENCH_REVISIONS_KEPT + 5 }, () => applied));
    expect(many.revisions['qpsk']).toHaveLength(BENCH_REVISIONS_KEPT);
    expect(many.revisions['qpsk']!.at(-1)).toMatchObject({ version: BENCH_REVISIONS_KEPT + 5 });
    const names = Array.from({ length: BENCH_REVISIONS_IN_ALL + 10 }, (_, index) => `p${index}`);
    const wide = fold(
      ...names.map((name): RadioFact => ({ ...applied, profile: { ...QPSK, name } }) as RadioFact),
    );
    expect(Object.keys(wide.revisions)).toHaveLength(BENCH_REVISIONS_IN_ALL);
    expect(wide.revisions).not.toHaveProperty('p0');
    expect(wide.epoch).toBe(BENCH_REVISIONS_IN_ALL + 10);
    expect(wide.revisions['p10']).toEqual([
      { version: 1, epoch: 11, at: NOON, by: 'manual', message: 'tuned' },
    ]);
    expect(wide.revisions).not.toHaveProperty('p9');
  });
});
