/** The board for scenarios and campaigns: the verbs of their scripts and the readings of their samplers. */

import { afterEach, describe, expect, it } from 'vitest';
import type { BoardHolder, ScriptedAction } from '../../../../actors/sdr/radio/board-user.ts';
import { METRICS, type MetricName } from '../../../../contract/bench/metric.ts';
import { BENCH_RECORD_MS } from '../../../../contract/limits/bench.ts';
import { prbs } from '../../../../radio/prbs.ts';
import { ManualClock, settled } from '../../../support/manual-clock.ts';
import { until } from '../../../support/until.ts';
import { accepted, type BenchWorld, refused, startBenchWorld } from '../bench-world.ts';

const RUN: BoardHolder = { kind: 'scenario', id: '7d1a1c1e-0000-4000-8000-000000000001' };
const PRBS = prbs(15, 8 * 4096);

let world: BenchWorld;
afterEach(async () => world.stop());

describe('the verbs of a script', () => {
  it('RB-CHAIN-013 do what their routes do, and say it in words', async () => {
    world = await startBenchWorld();
    const { user, bench } = world;
    await accepted(user.hold(RUN));
    const actions: [ScriptedAction, RegExp][] = [
      [{ do: 'profile.apply', with: { profile: 'fast' } }, /^tuned to/],
      [
        { do: 'chain.condition', with: { target: 'pl-loopback' } },
        /^conditioned to pl-loopback: .*tx.egress/,
      ],
      [{ do: 'chain.condition', with: { target: 'pl-loopback' } }, /was ready/],
      [{ do: 'datapath.measure', with: { blocks: 4 } }, /^BytePerfect, 100.000 %/],
      [{ do: 'datapath.measure', with: { blocks: 1, prbs: 9, seed: 3, warmup: 9 } }, /^BytePerfect/],
      [
        { do: 'datapath.measure', with: { blocks: 2, payload_hex: 'aa55aa56', timeout_ms: 900 } },
        /of 8192 bytes/,
      ],
      [
        { do: 'datapath.transmit', with: { packets: [{ protocol: 'raw', payload_hex: '00' }] } },
        /^1 packets, 1 bytes queued/,
      ],
      [{ do: 'datapath.flush', with: {} }, /^1 bytes flushed/],
      [{ do: 'chain.recover', with: {} }, /3 bits pulsed/],
      [{ do: 'radio.frequency', with: { center_frequency_hz: 2_401_000_000 } }, /2401000000/],
      [{ do: 'radio.gain', with: { rx_gain_db: 3 } }, /receiver at 3 dB/],
      [{ do: 'radio.loopback', with: { enabled: true } }, /loopback of the part on/],
      [{ do: 'radio.reset', with: { scope: 'rx' } }, /reset of rx/],
      [{ do: 'datapath.disable', with: {} }, /disabled/],
      [{ do: 'datapath.enable', with: {} }, /enabled/],
    ];
    for (const [action, words] of actions)
      expect((await accepted(user.perform(action, RUN))).detail).toMatch(words);
    expect(await bench.profiles.active()).toMatchObject({
      dirty: true,
      dirty_reason: 'POST /api/v1/radio/reset',
    });
    expect(await refused(user.perform({ do: 'profile.apply', with: {} }, RUN))).toMatchObject({
      code: 'validation_failed',
    });
    expect(
      await refused(user.perform({ do: 'profile.apply', with: { profile: 'nobody' } }, RUN)),
    ).toMatchObject({ code: 'not_found' });
  });

  it('an aborted one ends as soon as the board lets it, and the next is done', async () => {
    world = await startBenchWorld();
    const { user, bench } = world;
    await accepted(bench.chain.condition({ target: 'pl-loopback', profile: 'fast' }));
    await accepted(user.hold(RUN));
    world.board().inject({ stalled: { receive: true } });
    const abort = new AbortController();
    const running = user.perform(
      { do: 'datapath.measure', with: { blocks: 4, timeout_ms: 60_000 } },
      RUN,
      abort.signal,
    );
    const waiting = user.perform({ do: 'datapath.measure', with: { blocks: 1 } }, RUN, abort.signal);
    await until(() => world.context().waiting.length === 1);
    abort.abort();
    expect(await refused(running)).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('withdrawn'),
    });
    expect(await refused(waiting)).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('withdrawn'),
    });
    expect(await refused(user.perform({ do: 'datapath.enable', with: {} }, RUN, abort.signal))).toMatchObject(
      { code: 'conflict' },
    );
    world.board().inject({ stalled: undefined });
    const measured = await accepted(user.perform({ do: 'datapath.measure', with: { blocks: 4 } }, RUN));
    expect(measured.measurement).toMatchObject({ verdict: 'BytePerfect' });
  });

  it('samples what it is asked for; what the board cannot tell is null', async () => {
    world = await startBenchWorld();
    const { user, bench } = world;
    const names = Object.keys(METRICS) as MetricName[];
    await accepted(bench.chain.condition({ target: 'air', profile: 'fast' }));
    await accepted(bench.datapath.measure(PRBS, {}));
    const sample = await user.sample(names);
    expect(Object.keys(sample)).toEqual(names);
    expect(sample).toMatchObject({
      'rx.ratio': 1,
      'rx.ber': 0,
      'rx.frame_sync': true,
      'tx.running': true,
      'rx.overflow': 0,
      'rx.lo_hz': 2_400_000_000,
      'ad9361.sample_rate_sps': 30_720_000,
      'tx.gain_db': -10,
    });
    for (const name of names) expect(typeof sample[name]).toBe(METRICS[name].type);
    world.board().inject({ deadRegisters: ['status'] });
    expect(await user.sample(['rx.timing_lock', 'rx.gain_db'])).toEqual({
      'rx.timing_lock': null,
      'rx.gain_db': 40,
    });
    world.board().lose('the plug is out');
    await until(() => world.context().board === undefined);
    expect(await user.sample(['rx.lo_hz'])).toEqual({ 'rx.lo_hz': null });
  });
});

describe('user.B2 a hold that cannot be recorded', () => {
  const OTHER: BoardHolder = { kind: 'campaign', id: '01J0000000000000000000000A' };

  /** The bus is away; what is asked has had its time. */
  async function unrecorded(clock: ManualClock, holder: BoardHolder): Promise<{ back(): void }> {
    let back = (): void => undefined;
    const away = new Promise<void>((resolve) => {
      back = resolve;
    });
    world.store.before = () => away;
    let answered = false;
    const asked = refused(world.user.hold(holder)).finally(() => {
      answered = true;
    });
    clock.advance(BENCH_RECORD_MS - 1);
    await settled();
    expect(answered).toBe(false);
    clock.advance(1);
    expect(await asked).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('cannot be recorded'),
    });
    return { back };
  }

  it('is refused in time, and the board is nobody’s when the bus is back', async () => {
    const clock = new ManualClock(0);
    world = await startBenchWorld({ clock });
    const atRest = clock.waiting;
    const bus = await unrecorded(clock, RUN);
    expect(world.context().holder).toBeUndefined();
    bus.back();
    await accepted(world.user.hold(OTHER));
    expect(world.context().holder).toEqual(OTHER);
    await accepted(world.user.hold(OTHER));
    await until(() => clock.waiting === atRest, { what: 'no timer of the holds' });
  });

  it('leaves the board to the run that has it already', async () => {
    const clock = new ManualClock(0);
    world = await startBenchWorld({ clock });
    await accepted(world.user.hold(OTHER));
    const bus = await unrecorded(clock, OTHER);
    expect(world.context().holder).toEqual(OTHER);
    bus.back();
    await accepted(world.user.perform({ do: 'radio.gain', with: { rx_gain_db: 3 } }, OTHER));
  });

  it('takes the board from nobody else', async () => {
    const clock = new ManualClock(0);
    world = await startBenchWorld({ clock });
    await accepted(world.user.hold(OTHER));
    const bus = await unrecorded(clock, RUN);
    expect(world.context().holder).toEqual(OTHER);
    bus.back();
  });
});
