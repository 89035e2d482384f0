/**
 * Captured blocks: the newest, in a ring. RF Bench Service, section 2 (FrameDRO).
 *
 * G1. One entry is one DMA block, cut anywhere: it knows no protocol.
 * G2. Whoever watches gets each block, in order; one that throws gets no more.
 */

import { randomUUID } from 'node:crypto';
import { BLOCK_BYTES } from '../../../contract/bench/datapath.ts';
import type { BenchFrame, FramePage } from '../../../contract/bench/frame.ts';
import { BENCH_FRAMES_KEPT } from '../../../contract/limits/bench.ts';
import type { BenchFrames, FrameFilter } from '../../../ports/bench.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';

const PROTOCOL = 'raw';
/** Captures that can be distinguished by who counts since a moment: more than a run of hours makes. */
const TALLIES_KEPT = 10_000;

interface Kept {
  readonly id: string;
  readonly uptimeMs: number;
  readonly profile: string | undefined;
  readonly fecStatus: string;
  readonly bytes: Buffer;
}

/** How many there were up to a moment: for who counts since one. */
interface Tally {
  readonly at: number;
  readonly total: number;
}

export class Frames implements BenchFrames {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #startedAt: number;
  /** Oldest first. */
  #frames: Kept[] = [];
  #tallies: Tally[] = [];
  #total = 0;
  #wasPurged = false;
  readonly #watchers = new Set<(frame: BenchFrame) => void>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
    this.#startedAt = clock.now();
  }

  /** Takes whole blocks of one capture. */
  add(bytes: Buffer, reported: { readonly profile: string | undefined; readonly fecStatus: string }): void {
    const at = this.#clock.now();
    const added: Kept[] = [];
    for (let from = 0; from < bytes.length; from += BLOCK_BYTES)
      added.push({
        id: randomUUID(),
        uptimeMs: Math.max(0, at - this.#startedAt),
        ...reported,
        // A copy: what is answered and what is kept are not the same memory.
        bytes: Buffer.from(bytes.subarray(from, from + BLOCK_BYTES)),
      });
    if (added.length === 0) return;
    this.#total += added.length;
    this.#frames = [...this.#frames, ...added].slice(-BENCH_FRAMES_KEPT);
    this.#tallies = [...this.#tallies, { at, total: this.#total }].slice(-TALLIES_KEPT);
    if (this.#watchers.size > 0) for (const frame of added) this.#tell(shown(frame));
  }

  page({ protocol, profile, since, until, limit }: FrameFilter): FramePage {
    const found = this.#frames
      .filter(
        (frame) =>
          (protocol === undefined || protocol === PROTOCOL) &&
          (profile === undefined || frame.profile === profile) &&
          (since === undefined || frame.uptimeMs >= since) &&
          (until === undefined || frame.uptimeMs <= until),
      )
      .toReversed()
      .slice(0, limit)
      .map(shown);
    const page = { granularity: 'dma_block', clock: 'boot_relative', frames: found } as const;
    return found.length > 0 ? page : { ...page, empty_reason: this.#whyEmpty(limit) };
  }

  get(id: string): BenchFrame | undefined {
    const found = this.#frames.find((frame) => frame.id === id);
    return found && shown(found);
  }

  purge(): number {
    const purged = this.#frames.length;
    this.#frames = [];
    this.#wasPurged ||= purged > 0;
    return purged;
  }

  watch(announced: (frame: BenchFrame) => void): () => void {
    // One of its own, so that the same function may watch twice.
    const watcher = (frame: BenchFrame): void => announced(frame);
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** How many were captured since a moment (ms since 1970), also those that are gone. */
  countSince(at: number): number {
    const before = this.#tallies.findLast((tally) => tally.at < at);
    if (before !== undefined) return this.#total - before.total;
    // Further back than is remembered: as many as are known since the oldest tally.
    return this.#total;
  }

  #whyEmpty(limit: number): string {
    if (limit === 0) return 'the limit is 0';
    if (this.#frames.length > 0)
      return `none of the ${this.#frames.length} captured blocks matches the filter`;
    if (this.#wasPurged) return 'all captured blocks were purged';
    return 'nothing was captured since the daemon started';
  }

  #tell(frame: BenchFrame): void {
    for (const watcher of this.#watchers) {
      try {
        watcher(frame);
      } catch (error) {
        this.#watchers.delete(watcher);
        this.#log.error({ err: error }, 'a watcher of frames failed');
      }
    }
  }
}

function shown({ id, uptimeMs, profile, fecStatus, bytes }: Kept): BenchFrame {
  return {
    id,
    timestamp: new Date(uptimeMs).toISOString(),
    ...(profile !== undefined && { profile }),
    protocol: PROTOCOL,
    fec_status: fecStatus,
    payload_hex: bytes.toString('hex'),
  };
}
