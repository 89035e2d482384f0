/** Capture, loopback, measurement, enable and disable. RF Bench Service, section 4, rules 8 and 10. */

import { afterEach, describe, expect, it } from 'vitest';
import { loopbackTerms } from '../../../../actors/sdr/datapath/terms.ts';
import { BLOCK_BYTES, Measurement } from '../../../../contract/bench/datapath.ts';
import type { Profile } from '../../../../contract/bench/profile.ts';
import { NOTHING_APPLIED } from '../../../../machines/bench/radio-record.ts';
import type { Answered } from '../../../../ports/bench.ts';
import { register } from '../../../../radio/board/registers.ts';
import { shapeFaults } from '../../../../radio/document/fault.ts';
import { errno } from '../../../../radio/iio/context.ts';
import { prbs } from '../../../../radio/prbs.ts';
import { until } from '../../../support/until.ts';
import { accepted, type BenchWorld, FAST, OTHER, refused, startBenchWorld } from '../bench-world.ts';

const CODED: Profile = { ...FAST, name: 'coded', fec: { outer: 'rs-255-223' } };
const PRBS = prbs(15, 8 * BLOCK_BYTES);

let world: BenchWorld;
afterEach(async () => world.stop());

async function conditioned(target: 'air' | 'pl-loopback' = 'pl-loopback'): Promise<BenchWorld> {
  world = await startBenchWorld();
  await accepted(world.bench.chain.condition({ target, profile: 'fast' }));
  return world;
}

/** Something on the air that a capture can take. */
async function fill(blocks: number): Promise<void> {
  const payload_hex = Buffer.from(prbs(15, blocks * BLOCK_BYTES)).toString('hex');
  await accepted(world.bench.datapath.transmit({ packets: [{ protocol: 'raw', payload_hex }] }));
}

describe('holding the devices', () => {
  it('RB-DP-001 RB-DP-007 enable holds them, disable gives them back and closes the egress', async () => {
    world = await startBenchWorld();
    const { datapath } = world.bench;
    expect(datapath.state()).toEqual({ acquired: false });
    expect(await accepted(datapath.enable())).toEqual({ enabled: true });
    expect(datapath.state()).toEqual({ acquired: true });
    expect(world.board().truth().transmitting).toBe(false);
    expect(await accepted(datapath.disable())).toEqual({ enabled: false });
    expect(datapath.state()).toEqual({ acquired: false });
  });

  it('RB-DP-007 enable opens the egress of a chain that only waits for it', async () => {
    await conditioned();
    await accepted(world.bench.datapath.disable());
    expect(world.board().truth().transmitting).toBe(false);
    await accepted(world.bench.datapath.enable());
    expect(world.board().truth().transmitting).toBe(true);
    expect(await accepted(world.bench.datapath.measure(PRBS, {}))).toMatchObject({ verdict: 'BytePerfect' });
  });

  it('RB-DP-005 RB-DP-020 without the devices of a modem everything but packets is unavailable', async () => {
    world = await startBenchWorld();
    const { datapath } = world.bench;
    const devices = world.board().devices as unknown as { name: string }[];
    devices.splice(
      devices.findIndex(({ name }) => name === 'modem-rx'),
      1,
    );
    for (const asked of [
      datapath.capture({ blocks: 1 }),
      datapath.loopback(PRBS, {}),
      datapath.measure(PRBS, {}),
      datapath.enable(),
      datapath.disable(),
    ])
      expect(await refused(asked)).toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('no datapath'),
      });
  });

  it('RB-DP-005 RB-DP-008 RB-DP-020 without holding them nothing is captured, fed or flushed, and that is known at once', async () => {
    world = await startBenchWorld();
    const { datapath, frames } = world.bench;
    const whileCold = async (): Promise<void> => {
      const asked = [
        ['unavailable', datapath.capture({ blocks: 1 })],
        ['unavailable', datapath.capture({ blocks: 0 })],
        ['unavailable', datapath.loopback(PRBS, {})],
        ['unavailable', datapath.measure(PRBS, {})],
        ['not_found', datapath.flush({})],
      ] as const;
      for (const [code, answer] of asked)
        expect(await refused(answer as Answered<unknown>)).toMatchObject({
          code,
          message: expect.stringContaining('no datapath'),
          help: expect.stringContaining('POST /api/v1/datapath/enable'),
        });
      expect(datapath.state()).toEqual({ acquired: false });
      expect(frames.page({ limit: 9 }).frames).toEqual([]);
      expect(world.bench.events.events({ kind: 'capture.timeout', limit: 9 })).toEqual([]);
    };
    await whileCold();
    await accepted(world.bench.profiles.apply('fast'));
    await whileCold();
    await accepted(datapath.enable());
    expect(await accepted(datapath.flush({}))).toMatchObject({ useful_bytes: 0 });
    await accepted(datapath.disable());
    await whileCold();
  });

  it.each(['modem-rx', 'modem-tx'])(
    '%s in the hands of another program is reported, and neither is held',
    async (device) => {
      world = await startBenchWorld();
      const { datapath } = world.bench;
      const other = await world.board().open(device, { samples: 4096, mask: 1 });
      expect(await refused(datapath.enable())).toMatchObject({
        code: 'board_failed',
        message: expect.stringContaining('held by another user'),
      });
      expect(datapath.state()).toEqual({ acquired: false });
      await other.close();
      await accepted(datapath.enable());
    },
  );
});

describe('capture', () => {
  it('RB-DP-002 RB-DP-004 discards the warmup and answers the blocks behind it, whole and in order', async () => {
    await conditioned();
    const { datapath } = world.bench;
    await accepted(datapath.enable());
    await fill(16);
    const bytes = await accepted(datapath.capture({ blocks: 4, warmup: 6 }));
    expect(bytes).toHaveLength(4 * BLOCK_BYTES);
    const sent = Buffer.from(prbs(15, 16 * BLOCK_BYTES));
    expect(sent.indexOf(Buffer.from(bytes))).toBeGreaterThanOrEqual(0);
  });

  it('RB-DP-003 refuses a short capture whole, and reports how much came', async () => {
    await conditioned();
    await fill(4);
    const fault = await refused(world.bench.datapath.capture({ blocks: 64, timeout_ms: 150 }));
    expect(fault).toMatchObject({ code: 'timeout', help: expect.stringContaining('/chain') });
    expect(fault.message).toMatch(/\d+ of 64 came within 150 ms/);
    expect(world.bench.frames.page({ limit: 9 }).frames).toEqual([]);
    expect(world.bench.events.events({ kind: 'capture.timeout', limit: 9 })).toHaveLength(1);
  });

  it('of no block is empty at once, and can give the devices back', async () => {
    await conditioned();
    const { datapath } = world.bench;
    expect(await accepted(datapath.capture({ blocks: 0 }))).toHaveLength(0);
    expect(datapath.state()).toEqual({ acquired: true });
    expect(await accepted(datapath.capture({ blocks: 0, release: true }))).toHaveLength(0);
    expect(datapath.state()).toEqual({ acquired: false });
  });

  it('RB-DP-021 gives the devices back also where it is refused', async () => {
    await conditioned();
    await refused(world.bench.datapath.capture({ blocks: 1, timeout_ms: 20, release: true }));
    expect(world.bench.datapath.state()).toEqual({ acquired: false });
  });

  it('reports blocks that found no room', async () => {
    await conditioned();
    world.board().inject({ overflowAtBlock: 9 });
    await accepted(world.bench.datapath.measure(PRBS, {}));
    expect(world.bench.events.events({ kind: 'dma.overflow', limit: 9 })).toHaveLength(1);
  });
});

describe('counters that do not answer', () => {
  it('capture.G3 report no losses of before, and a coding that is not known', async () => {
    world = await startBenchWorld({ profiles: [FAST, CODED] });
    const { bench } = world;
    await accepted(bench.chain.condition({ target: 'pl-loopback', profile: FAST.name }));
    world.board().inject({ overflowAtBlock: 2 });
    await accepted(bench.datapath.measure(PRBS, {}));
    expect(bench.events.events({ kind: 'dma.overflow', limit: 9 })).toHaveLength(1);
    await accepted(bench.chain.condition({ target: 'pl-loopback', profile: CODED.name }));
    // Before the capture they do not answer, behind it they do: blocks run in between.
    world.board().inject({
      deadRegisters: ['overflow', 'underflow', 'corrected', 'uncorrectable'],
      overflowAtBlock: undefined,
      stalled: { receive: true },
    });
    const measured = bench.datapath.measure(PRBS, { timeoutMs: 20_000 });
    const frames = { device: 'modem-ctl', of: 'debug', name: 'direct_reg_access' } as const;
    const counted = async (): Promise<number> => {
      await world.board().write(frames, `0x${register.frameCount.address.toString(16)}`);
      return Number(await world.board().read(frames));
    };
    const before = await counted();
    await until(async () => (await counted()) > before);
    world.board().inject({ deadRegisters: [], stalled: undefined });
    await accepted(measured);
    expect(bench.events.events({ kind: 'dma.overflow', limit: 9 })).toHaveLength(1);
    expect(bench.frames.page({ limit: 1 }).frames[0]).toMatchObject({ fec_status: 'unknown' });
  });
});

describe('loopback and measure', () => {
  it('RB-DP-014 answers the raw blocks captured while feeding', async () => {
    await conditioned();
    const bytes = Buffer.from(await accepted(world.bench.datapath.loopback(PRBS, { blocks: 3 })));
    expect(bytes).toHaveLength(3 * BLOCK_BYTES);
    const round = Buffer.concat([PRBS, PRBS, PRBS]);
    expect(round.indexOf(bytes)).toBeGreaterThanOrEqual(0);
  });

  it('RB-DP-015 RB-DP-018 RB-DP-019 measures with the warmup reported and a match for each block', async () => {
    await conditioned();
    const measured = await accepted(world.bench.datapath.measure(PRBS, { blocks: 5, warmup: 9 }));
    expect(shapeFaults(Measurement, measured)).toEqual([]);
    expect(measured).toMatchObject({ warmup: 9, capture_bytes: 5 * BLOCK_BYTES, worst_block_ratio: 1 });
    expect(measured.blocks.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
  });

  it('RB-DP-014 captures the whole of a long payload where nobody says how many blocks', async () => {
    await conditioned();
    const payload = Buffer.from(prbs(23, 24 * BLOCK_BYTES));
    const captured = Buffer.from(await accepted(world.bench.datapath.loopback(payload, {})));
    expect(captured).toHaveLength(payload.length);
    expect(Buffer.concat([payload, payload]).indexOf(captured)).toBeGreaterThanOrEqual(0);
  });

  it('RB-DP-017 reports a byte that was lost at the boundary of a block as a slip', async () => {
    await conditioned();
    world.board().inject({ slipAtBlock: 14 });
    const measured = await accepted(world.bench.datapath.measure(PRBS, { blocks: 12 }));
    expect(measured).toMatchObject({ rotation_slip: true, verdict: 'Degraded' });
    expect(measured.worst_block_ratio).toBeGreaterThan(0.9);
  });

  it('RB-DP-016 of chance finds no correlation, searching everywhere off the event loop', async () => {
    await conditioned();
    world.board().inject({ frozenModulator: true });
    await accepted(world.bench.profiles.apply('other'));
    await accepted(world.bench.chain.condition({ target: 'pl-loopback' }));
    const measured = await accepted(world.bench.datapath.measure(PRBS, { blocks: 4 }));
    expect(measured.verdict).toBe('NoCorrelation');
  });

  it('datapath/datapath.J3 RB-DP-016 says where nothing correlates because the carrier was found in a wrong phase', async () => {
    // Nothing in this signal reports the phase; over the cable the model finds it by chance, again for each search.
    const bare: Profile = { ...FAST, name: 'bare', framing: { kind: 'stream', differential: false } };
    world = await startBenchWorld({ profiles: [bare] });
    const { bench } = world;
    const seen = new Set<string>();
    for (let turn = 0; turn < 20 && seen.size < 2; turn += 1) {
      await accepted(bench.chain.condition({ target: 'air', profile: 'bare' }));
      await until(() => world.board().truth().carrier);
      const { verdict, detail } = await accepted(bench.datapath.measure(PRBS, { blocks: 4 }));
      const { phase } = world.board().truth();
      expect(verdict).toBe(phase === 0 ? 'BytePerfect' : 'NoCorrelation');
      if (phase === 0) expect(detail).toBeUndefined();
      else expect(detail).toMatch(/phase ambiguity: .* degrees on, 100\.0 % of the bytes are correct/);
      seen.add(verdict);
      await accepted(bench.chain.recover());
    }
    expect(bench.events.events({ kind: 'measure.phase_ambiguity', limit: 9 }).length).toBeGreaterThan(0);
  });

  it('RB-DP-014 RB-DP-015 is refused with timeout where the chain does not sustain it', async () => {
    await conditioned();
    world.board().inject({ stalled: { receive: true } });
    expect(await refused(world.bench.datapath.measure(PRBS, { timeoutMs: 50 }))).toMatchObject({
      code: 'timeout',
    });
    expect(await refused(world.bench.datapath.loopback(PRBS, { timeoutMs: 50 }))).toMatchObject({
      code: 'timeout',
    });
    world.board().inject({ stalled: undefined });
    expect(await accepted(world.bench.datapath.measure(PRBS, {}))).toMatchObject({ verdict: 'BytePerfect' });
  });

  it('an empty payload is refused', async () => {
    await conditioned();
    expect(await refused(world.bench.datapath.measure(new Uint8Array(0), {}))).toMatchObject({
      code: 'validation_failed',
    });
  });

  it('a payload that repeats within itself is measured, and reported', async () => {
    await conditioned();
    const repeated = Buffer.concat([PRBS.subarray(0, BLOCK_BYTES), PRBS.subarray(0, BLOCK_BYTES)]);
    await accepted(world.bench.datapath.measure(repeated, {}));
    expect(world.bench.events.events({ kind: 'measure.ambiguous_payload', limit: 9 })).toHaveLength(1);
  });

  it('what was queued before leaves before the payload is fed', async () => {
    await conditioned();
    await fill(20);
    expect(await accepted(world.bench.datapath.measure(PRBS, {}))).toMatchObject({ verdict: 'BytePerfect' });
  });

  it('RB-DP-015 after every disable and enable the alignment is another, and the measurement perfect', async () => {
    await conditioned('air');
    const { datapath } = world.bench;
    const rotations = new Set<number>();
    for (let turn = 0; turn < 3; turn += 1) {
      await accepted(datapath.disable());
      await accepted(datapath.enable());
      const { verdict, blocks } = await accepted(datapath.measure(PRBS, {}));
      expect(verdict).toBe('BytePerfect');
      rotations.add(blocks[0]!.rotation % BLOCK_BYTES);
    }
    expect(rotations.size).toBeGreaterThan(1);
  });
});

describe('how many blocks, and how long', () => {
  const under = (profile: typeof FAST) => ({
    ...NOTHING_APPLIED,
    applied: { profile, sampleRateSps: undefined, dirtyReason: undefined },
  });

  it('RB-DP-015 are those of the whole payload at every rate; more of a short one while there is patience', async () => {
    world = await startBenchWorld({ attached: false });
    const slowly = under({ ...OTHER, symbol_rate_baud: 9_600 });
    for (const payloadBlocks of [1, 3, 4, 5, 16, 17, 64, 256])
      for (const record of [under(FAST), slowly, NOTHING_APPLIED]) {
        const { blocks } = loopbackTerms(payloadBlocks * BLOCK_BYTES - 1, {}, record);
        expect(blocks).toBeGreaterThanOrEqual(payloadBlocks);
        expect(blocks).toBeLessThanOrEqual(Math.max(payloadBlocks, 4));
      }
    expect(loopbackTerms(64 * BLOCK_BYTES, {}, under(FAST))).toMatchObject({ warmup: 8, timeoutMs: 1_000 });
    expect(loopbackTerms(1, {}, under(FAST)).blocks).toBe(4);
    const slow = loopbackTerms(1, {}, slowly);
    expect(slow.blocks).toBe(1);
    expect(slow.timeoutMs).toBeGreaterThan(3 * 9 * slow.periodMs);
    expect(loopbackTerms(1, { blocks: 7, warmup: 2, timeoutMs: 5 }, under(FAST))).toMatchObject({
      blocks: 7,
      warmup: 2,
      timeoutMs: 5,
    });
  });

  it('a block takes seconds while no profile reports the rate', async () => {
    world = await startBenchWorld({ attached: false });
    expect(loopbackTerms(1, {}, NOTHING_APPLIED).timeoutMs).toBeGreaterThan(12 * 3_000);
  });

  it('a failing transfer is the board failing', async () => {
    await conditioned();
    world.board().inject({ attributes: { 'modem-tx buffer': errno.EIO } });
    expect(await refused(world.bench.datapath.measure(PRBS, {}))).toMatchObject({ code: 'board_failed' });
    world.board().inject({ attributes: {} });
    expect(await accepted(world.bench.datapath.measure(PRBS, {}))).toMatchObject({ verdict: 'BytePerfect' });
  });
});
