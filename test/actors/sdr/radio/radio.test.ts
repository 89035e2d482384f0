/**
 * Who may command the radio, in what order, and what is left when the board or the daemon goes. RF Bench Service,
 * sections 1 and 3.
 */

import { afterEach, describe, expect, it } from 'vitest';
import type { BoardHolder, ScriptedAction } from '../../../../actors/sdr/radio/board-user.ts';
import { BENCH_RECORD_MS, BOARD_RETRY_FIRST_MS } from '../../../../contract/limits/bench.ts';
import { Modem } from '../../../../radio/board/modem.ts';
import { controlBit, register } from '../../../../radio/board/registers.ts';
import { errno } from '../../../../radio/iio/context.ts';
import { prbs } from '../../../../radio/prbs.ts';
import { createStub, type StubBoard } from '../../../../radio/stub/stub.ts';
import { realClock } from '../../../../supervision/clock.ts';
import { ManualClock, settled } from '../../../support/manual-clock.ts';
import { until } from '../../../support/until.ts';
import { accepted, type BenchWorld, refused, startBenchWorld } from '../bench-world.ts';

const RUN: BoardHolder = { kind: 'scenario', id: '7d1a1c1e-0000-4000-8000-000000000001' };
const OTHER_RUN: BoardHolder = { kind: 'campaign', id: '01J0000000000000000000000A' };
const PRBS = prbs(15, 8 * 4096);
const RX_TUNE = 'ad9361-phy altvoltage0 (out) frequency';

let world: BenchWorld;
afterEach(async () => world.stop());

/** Every command that writes, as a client asks for it, but those that stop the transmitter. */
function commands({ bench: { radio, chain, datapath, profiles } }: BenchWorld) {
  return [
    radio.tune({ center_frequency_hz: 2_400_000_000 }),
    radio.gain({ rx_gain_db: 10 }),
    radio.loopback(true),
    radio.reset('rx'),
    chain.condition({ target: 'air' }),
    chain.recover(),
    profiles.apply('fast'),
    datapath.enable(),
    datapath.capture({ blocks: 0 }),
    datapath.loopback(PRBS, {}),
    datapath.measure(PRBS, {}),
    datapath.flush({}),
    datapath.transmit({ packets: [{ protocol: 'raw', payload_hex: '00' }] }),
    datapath.feed({ protocol: 'raw', payload_hex: '00' }, undefined),
  ];
}

describe('while a run holds the board', () => {
  it('every command but its own is refused as busy and names it; reading goes on', async () => {
    world = await startBenchWorld();
    const { bench, user } = world;
    await accepted(user.hold(RUN));
    const asked = commands(world);
    for (const outcome of asked)
      expect(await refused(outcome)).toMatchObject({
        code: 'board_busy',
        message: expect.stringContaining(RUN.id),
      });
    expect(bench.events.events({ kind: 'manual_interference', limit: 99 })).toHaveLength(asked.length);
    await accepted(bench.radio.status());
    await accepted(bench.radio.aux());
    await accepted(bench.chain.state(undefined));
    await accepted(user.perform({ do: 'profile.apply', with: { profile: 'fast' } }, RUN));
    expect(bench.profiles.revisions('fast')).toMatchObject([{ applied_by: `scenario ${RUN.id}` }]);
    await user.release(RUN);
    await accepted(bench.radio.gain({ rx_gain_db: 10 }));
  });

  it('another run is refused, and who does not hold it does nothing', async () => {
    world = await startBenchWorld();
    const { user } = world;
    await accepted(user.hold(RUN));
    await accepted(user.hold(RUN));
    expect(await refused(user.hold(OTHER_RUN))).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(RUN.id),
    });
    const action: ScriptedAction = { do: 'radio.gain', with: { rx_gain_db: 3 } };
    expect(await refused(user.perform(action, OTHER_RUN))).toMatchObject({ code: 'board_busy' });
    await user.release(OTHER_RUN);
    await accepted(user.perform(action, RUN));
    await user.release(RUN);
    expect(await refused(user.perform(action, RUN))).toMatchObject({ code: 'conflict' });
    await accepted(user.hold(OTHER_RUN));
  });

  it('what was asked before is done first', async () => {
    world = await startBenchWorld();
    const { bench, user } = world;
    const order: string[] = [];
    const before = bench.profiles.apply('fast').then(() => order.push('manual'));
    const later = bench.radio.gain({ rx_gain_db: 5 }).then(() => order.push('manual'));
    await accepted(user.hold(RUN));
    const own = user
      .perform({ do: 'radio.gain', with: { rx_gain_db: 7 } }, RUN)
      .then(() => order.push('run'));
    await Promise.all([before, later, own]);
    expect(order).toEqual(['manual', 'manual', 'run']);
    expect(await accepted(bench.radio.status())).toMatchObject({ rx_gain_db: 7 });
  });
});

describe('a lost board', () => {
  it('refuses what is under way and what waits, reports who holds it, and is found again', async () => {
    world = await startBenchWorld();
    const { user, bench } = world;
    await accepted(bench.chain.condition({ target: 'pl-loopback', profile: 'fast' }));
    await accepted(user.hold(RUN));
    const reasons: string[] = [];
    const stop = user.onLost((reason) => reasons.push(reason));
    world.board().inject({ stalled: { receive: true } });
    const running = user.perform({ do: 'datapath.measure', with: { blocks: 4, timeout_ms: 60_000 } }, RUN);
    const waiting = user.perform({ do: 'datapath.measure', with: { blocks: 1 } }, RUN);
    await until(() => world.context().waiting.length === 1);
    const old = world.board();
    old.lose('the plug is out');
    for (const outcome of [running, waiting])
      expect(await refused(outcome)).toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('the plug is out'),
      });
    expect(reasons).toHaveLength(1);
    expect({ source: user.source, provider: user.provider }).toEqual({
      source: undefined,
      provider: expect.stringContaining('no board'),
    });
    await until(() => world.context().board !== undefined);
    expect(world.board()).not.toBe(old);
    expect(await bench.profiles.active()).toEqual({ dirty: false });
    expect(bench.datapath.state()).toEqual({ acquired: false });
    expect(world.context().holder).toEqual(RUN);
    expect({ source: user.source, provider: user.provider }).toEqual({
      source: 'stub',
      provider: 'stub board, seed 1',
    });
    expect(bench.events.events({ kind: 'board.lost', limit: 9 })).toHaveLength(1);
    expect(bench.events.events({ kind: 'board.attached', limit: 9 })).toHaveLength(2);
    stop();
    world.board().lose('again');
    await until(() => world.context().board === undefined);
    expect(reasons).toHaveLength(1);
  });

  it('is looked for with a growing delay, and what is asked meanwhile is refused with the reason', async () => {
    const clock = new ManualClock(0);
    world = await startBenchWorld({ clock });
    world.away = true;
    world.board().lose('the plug is out');
    await settled();
    clock.advance(BOARD_RETRY_FIRST_MS);
    await until(() => world.context().failures === 2);
    expect(await refused(world.bench.radio.reset('rx'))).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('no board on the bench'),
      help: expect.any(String),
    });
    expect(await refused(world.user.hold(RUN))).toMatchObject({ code: 'unavailable' });
    world.away = false;
    clock.advance(2 * BOARD_RETRY_FIRST_MS - 1);
    await settled();
    expect(world.context().board).toBeUndefined();
    clock.advance(1);
    await until(() => world.context().board !== undefined);
    expect(world.bench.events.events({ kind: 'board.missing', limit: 9 })).toHaveLength(1);
    await accepted(world.bench.radio.reset('rx'));
  });
});

describe('another life of the daemon', () => {
  it('does nothing that an earlier one was asked for, and knows of no profile and no holder', async () => {
    world = await startBenchWorld();
    await accepted(world.bench.profiles.apply('fast'));
    await accepted(world.user.hold(RUN));
    world.board().inject({ stalled: { receive: true } });
    const asked = world.user.perform(
      { do: 'datapath.measure', with: { blocks: 1, timeout_ms: 60_000 } },
      RUN,
    );
    await until(() => world.context().running.length > 0);
    await until(() => world.kind.peek('board')?.quiet === false);
    world = await world.restart();
    expect(await refused(asked)).toMatchObject({ code: 'unavailable' });
    expect(world.context()).toMatchObject({ holder: undefined, running: [], waiting: [] });
    expect(world.context().record).toMatchObject({ epoch: 1, applied: undefined });
    expect(world.board().truth().transmitting).toBe(false);
    expect(world.bench.frames.page({ limit: 1 }).frames).toEqual([]);
    await accepted(world.bench.radio.gain({ rx_gain_db: 3 }));
  });

  it('a cell that died in the middle of a command goes on with it, once', async () => {
    world = await startBenchWorld();
    const { bench, kind } = world;
    await accepted(bench.profiles.apply('fast'));
    const asked = bench.profiles.apply('other');
    await until(() => world.context().running.length > 0);
    world.store.before = () => {
      world.store.before = () => undefined;
      throw new Error('the store is broken');
    };
    const outcome = await accepted(asked);
    expect(outcome.cfg_epoch).toBe(2);
    expect(bench.events.events({ kind: 'profile.applied', limit: 9 })).toHaveLength(2);
    await until(() => kind.peek('board') !== undefined);
    expect(await accepted(bench.profiles.apply('fast'))).toMatchObject({ cfg_epoch: 3 });
  });

  it.each([3, 4, 5, 6, 7, 8, 9])(
    'one that is lost while it is found, at question %i, is looked for again',
    async (last) => {
      const boards: StubBoard[] = [];
      const open = async (): Promise<StubBoard> => {
        const board = createStub({ seed: 1, clock: realClock });
        if (boards.push(board) > 1) return board;
        const read = board.read.bind(board);
        let asked = 0;
        board.read = async (at) => {
          asked += 1;
          if (asked === last) board.lose('its plug was pulled');
          return read(at);
        };
        // So that there is something to silence.
        await new Modem(board).change(register.control, controlBit.egress, controlBit.egress);
        return board;
      };
      world = await startBenchWorld({ attached: false, board: { kind: 'given', open } });
      await until(() => boards.length > 1, { what: 'another look for the board' });
      await until(() => world.context().board !== undefined, { what: 'the board' });
      await accepted(world.bench.profiles.apply('fast'));
    },
  );

  it('whoever waits when the daemon ends is answered', async () => {
    world = await startBenchWorld();
    await accepted(world.bench.chain.condition({ target: 'pl-loopback', profile: 'fast' }));
    world.board().inject({ stalled: { receive: true } });
    const asked = world.bench.datapath.measure(PRBS, { timeoutMs: 60_000 });
    await until(() => world.context().running.length > 0);
    await world.radio.stop();
    expect(await refused(asked)).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('stopping'),
    });
  });
});

describe('commands', () => {
  it('are done one at a time and in order, however many are asked', async () => {
    world = await startBenchWorld();
    const gains = Array.from({ length: 30 }, (_, index) => index);
    const outcomes = await Promise.all(gains.map((rx_gain_db) => world.bench.radio.gain({ rx_gain_db })));
    expect(outcomes.map((outcome) => outcome.ok && outcome.value.rx_gain_db)).toEqual(gains);
  });

  it('beyond the bound they are refused', async () => {
    world = await startBenchWorld();
    const outcomes = await Promise.all(
      Array.from({ length: 110 }, () => world.bench.radio.gain({ rx_gain_db: 1 })),
    );
    const refusals = outcomes.filter(({ ok }) => !ok);
    expect(refusals.length).toBeGreaterThan(0);
    expect(refusals.every((outcome) => !outcome.ok && outcome.faults[0].code === 'unavailable')).toBe(true);
  });

  it('command-queue.K4 one that cannot be recorded is refused in time, and not done when it can be', async () => {
    const clock = new ManualClock(0);
    world = await startBenchWorld({ clock });
    const { radio } = world.bench;
    await accepted(radio.gain({ rx_gain_db: 1 }));
    // That of the next look at the board.
    const atRest = clock.waiting;
    let recorded = (): void => undefined;
    const stuck = new Promise<void>((resolve) => {
      recorded = resolve;
    });
    world.store.before = () => stuck;
    const asked = [radio.gain({ rx_gain_db: 2 }), radio.gain({ rx_gain_db: 3 })];
    await settled();
    clock.advance(BENCH_RECORD_MS);
    for (const outcome of asked)
      expect(await refused(outcome)).toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('recorded'),
      });
    recorded();
    await until(() => world.context().running.length === 0 && world.context().waiting.length === 0);
    expect(await accepted(radio.status())).toMatchObject({ rx_gain_db: 1 });
    expect(await accepted(radio.gain({ rx_gain_db: 4 }))).toMatchObject({ rx_gain_db: 4 });
    await until(() => clock.waiting === atRest, { what: 'no timer of the commands' });
    expect(atRest).toBe(1);
  });

  it('command-queue.K5 a defect in one throws where it was asked, and the next is done', async () => {
    world = await startBenchWorld();
    const open = world.board().open;
    world.board().open = () => {
      throw new TypeError('a defect');
    };
    await expect(world.bench.datapath.enable()).rejects.toThrow('a defect');
    world.board().open = open;
    await accepted(world.bench.datapath.enable());
    expect(world.log.said.some(({ level }) => level === 'error')).toBe(true);
  });

  it('one that the board refuses leaves the radio ready for the next', async () => {
    world = await startBenchWorld();
    world.board().inject({ attributes: { [RX_TUNE]: errno.EIO } });
    expect(await refused(world.bench.radio.tune({ center_frequency_hz: 2_400_000_000 }))).toMatchObject({
      code: 'board_failed',
    });
    world.board().inject({ attributes: {} });
    await accepted(world.bench.radio.tune({ center_frequency_hz: 2_400_000_000 }));
  });
});

describe('while another daemon has its record', () => {
  it('what waits is refused at once, and neither a withdrawal nor the end of this one takes the record back', async () => {
    world = await startBenchWorld();
    const second = await world.beside();
    const withdrawn = new AbortController();
    const asked = world.bench.datapath.capture({ blocks: 1 }, withdrawn.signal);
    expect(await refused(asked)).toMatchObject({
      code: 'unavailable',
      message: 'another bench has taken the records of this one',
    });
    withdrawn.abort();
    await world.radio.silence();
    await settled();
    expect(world.kind.live).toBe(0);
    await accepted(second.bench.radio.gain({ rx_gain_db: 10 }));
    await second.stop();
  });
});
