/** Captured blocks. RF Bench Service, section 2 (FrameDRO) and section 4. */

import { afterEach, describe, expect, it } from 'vitest';
import { Frames } from '../../../../actors/sdr/datapath/frames.ts';
import { BLOCK_BYTES } from '../../../../contract/bench/datapath.ts';
import { type BenchFrame, FramePage, BenchFrame as FrameShape } from '../../../../contract/bench/frame.ts';
import type { Profile } from '../../../../contract/bench/profile.ts';
import { BENCH_FRAMES_KEPT } from '../../../../contract/limits/bench.ts';
import { shapeFaults } from '../../../../radio/document/fault.ts';
import { prbs } from '../../../../radio/prbs.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { keptLog } from '../../../support/silent-log.ts';
import { accepted, type BenchWorld, FAST, startBenchWorld } from '../bench-world.ts';

const NOON = Date.parse('2026-01-02T12:00:00.000Z');
const NONE = { profile: undefined, fecStatus: 'none' };
const blocks = (count: number, byte = 1): Buffer => Buffer.alloc(count * BLOCK_BYTES, byte);

let world: BenchWorld | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

function ring(): { frames: Frames; clock: ManualClock; log: ReturnType<typeof keptLog> } {
  const clock = new ManualClock(NOON);
  const log = keptLog();
  return { frames: new Frames(clock, log), clock, log };
}

describe('the page', () => {
  it('RB-FRM-001 RB-FRM-002 RB-FRM-004 gives blocks newest first, boot-relative, as the interface has them', () => {
    const { frames, clock } = ring();
    clock.advance(1_500);
    frames.add(Buffer.concat([blocks(1, 1), blocks(1, 2)]), { profile: 'fast', fecStatus: 'clean' });
    const page = frames.page({ limit: 100 });
    expect(shapeFaults(FramePage, page)).toEqual([]);
    expect(page).toMatchObject({ granularity: 'dma_block', clock: 'boot_relative' });
    expect(page).not.toHaveProperty('empty_reason');
    expect(page.frames.map(({ payload_hex }) => payload_hex.slice(0, 2))).toEqual(['02', '01']);
    expect(page.frames[0]).toMatchObject({
      timestamp: '1970-01-01T00:00:01.500Z',
      profile: 'fast',
      protocol: 'raw',
      fec_status: 'clean',
    });
    expect(page.frames[0]!.payload_hex).toHaveLength(2 * BLOCK_BYTES);
  });

  it('RB-FRM-001 RB-FRM-007 is filtered by protocol, profile and boot-relative time, and cut', () => {
    const { frames, clock } = ring();
    for (const profile of ['a', 'b', 'a']) {
      clock.advance(1_000);
      frames.add(blocks(1), { profile, fecStatus: 'none' });
    }
    const found = (filter: object): number => frames.page({ limit: 100, ...filter }).frames.length;
    expect(found({ profile: 'a' })).toBe(2);
    expect(found({ protocol: 'raw' })).toBe(3);
    expect(found({ protocol: 'csp' })).toBe(0);
    expect(found({ since: 2_000 })).toBe(2);
    expect(found({ since: 2_000, until: 2_000 })).toBe(1);
    expect(found({ limit: 2 })).toBe(2);
  });

  it('RB-FRM-003 says why it is empty', () => {
    const { frames } = ring();
    const reason = (filter = {}): string | undefined => frames.page({ limit: 9, ...filter }).empty_reason;
    expect(reason()).toMatch(/nothing was captured/);
    frames.add(blocks(1), NONE);
    expect(reason({ profile: 'x' })).toMatch(/none of the 1 captured blocks/);
    expect(reason({ limit: 0 })).toMatch(/limit/);
    frames.purge();
    expect(reason()).toMatch(/purged/);
  });

  it('RB-FRM-005 RB-FRM-006 gives one by its id, and a purge leaves none', () => {
    const { frames } = ring();
    frames.add(blocks(3), NONE);
    const [frame] = frames.page({ limit: 1 }).frames;
    expect(frames.get(frame!.id)).toEqual(frame);
    expect(frames.get('00000000-0000-4000-8000-000000000000')).toBeUndefined();
    expect(frames.purge()).toBe(3);
    expect(frames.purge()).toBe(0);
    expect(frames.get(frame!.id)).toBeUndefined();
  });

  it('keeps the newest, and counts also those that are gone', () => {
    const { frames, clock } = ring();
    frames.add(blocks(5), NONE);
    clock.advance(10);
    const since = clock.now();
    frames.add(blocks(BENCH_FRAMES_KEPT + 3), NONE);
    expect(frames.page({ limit: 10_000 }).frames).toHaveLength(BENCH_FRAMES_KEPT);
    expect(frames.countSince(since)).toBe(BENCH_FRAMES_KEPT + 3);
    expect(frames.countSince(0)).toBe(BENCH_FRAMES_KEPT + 8);
    clock.advance(10);
    expect(frames.countSince(clock.now())).toBe(0);
  });
});

describe('watching', () => {
  it('RB-LOG-008 reports each block in order; one that throws is called no more and keeps nobody from it', () => {
    const { frames, log } = ring();
    const seen: BenchFrame[] = [];
    frames.watch(() => {
      throw new Error('broken');
    });
    const stop = frames.watch((frame) => seen.push(frame));
    frames.add(Buffer.concat([blocks(1, 1), blocks(1, 2)]), NONE);
    expect(seen.map(({ payload_hex }) => payload_hex.slice(0, 2))).toEqual(['01', '02']);
    expect(seen.flatMap((frame) => shapeFaults(FrameShape, frame))).toEqual([]);
    expect(log.said).toHaveLength(1);
    stop();
    frames.add(blocks(1), NONE);
    expect(seen).toHaveLength(2);
  });
});

describe('what a capture leaves', () => {
  it('RB-FRM-004 the blocks behind the warmup, under the applied profile', async () => {
    world = await startBenchWorld();
    await accepted(world.bench.chain.condition({ target: 'pl-loopback', profile: 'fast' }));
    await accepted(world.bench.datapath.measure(prbs(15, 4 * BLOCK_BYTES), { blocks: 3 }));
    const { frames } = world.bench.frames.page({ limit: 100 });
    expect(frames).toHaveLength(3);
    expect(frames[0]).toMatchObject({ profile: 'fast', fec_status: 'none' });
  });

  it.each([
    [60, 'clean'],
    [85, /^corrected \d+$/],
    [89, 'uncorrectable'],
  ] as const)('RB-FRM-004 reports what the decoder made of it: at %d dB of loss', async (lossDb, status) => {
    const coded: Profile = {
      ...FAST,
      name: 'coded',
      fec: { outer: 'rs-255-223' },
      framing: { kind: 'slot', frame_len: 256, sync_word_hex: '1acffc1d' },
    };
    world = await startBenchWorld({ profiles: [coded], board: { kind: 'stub', seed: 1, lossDb } });
    await accepted(world.bench.chain.condition({ target: 'air', profile: 'coded' }));
    await accepted(world.bench.datapath.capture({ blocks: 0 }));
    await accepted(world.bench.datapath.loopback(prbs(15, 4 * BLOCK_BYTES), { blocks: 12 }));
    const [frame] = world.bench.frames.page({ limit: 1 }).frames;
    expect(frame?.fec_status).toMatch(status);
  });
});
