/**
 * Brings together the frames a gateway received and the samples its decoder made of them, which come over two streams.
 * Pure but for the clock: no bus, no socket.
 *
 * J1. Frames come out in the order received, each once, with every sample that was made of it in time.
 * J2. A frame waits for its samples at most `FRAME_DECODED_MS`, and not at all when its decoder is past it.
 * J3. What waits is bounded; frames beyond it are skipped and counted.
 */

import type { DecodedBatch, FrameBatch } from '../../contract/batch.ts';
import { FRAME_DECODED_MS, FRAME_WATCH_QUEUE } from '../../contract/limits/link.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';

/** Where samples of a frame are: a row of the blocks of a decoded batch. */
export interface Decoding {
  readonly link: string;
  readonly batch: DecodedBatch;
  /** Ground time of the frame: its rows have the same. */
  readonly at: number;
}

export interface JoinedFrame {
  readonly at: number;
  readonly frame: Uint8Array;
  readonly decodings: readonly Decoding[];
}

interface FrameJoinOptions {
  readonly clock: Clock;
  /** The links that decode what this gateway receives. */
  readonly links: readonly string[];
  readonly joined: (frame: JoinedFrame) => void;
  readonly skipped: (frames: number) => void;
}

interface Waiting {
  readonly seq: number;
  readonly frames: FrameBatch;
  /** Links that may still decode it. */
  readonly awaited: Set<string>;
  readonly timer: TimerHandle;
}

interface Early {
  readonly seq: number;
  readonly link: string;
  readonly batch: DecodedBatch;
}

/** Decoded batches kept that came before their frames: the two streams are read side by side and differ by a few. */
const EARLY_BATCHES = 64;

export class FrameJoin {
  readonly #options: FrameJoinOptions;
  #waiting: Waiting[] = [];
  #frames = 0;
  #decoded: Early[] = [];
  /** Position up to which each link has decoded. */
  readonly #past = new Map<string, number>();

  constructor(options: FrameJoinOptions) {
    this.#options = options;
  }

  /** A message of frames, at its position in the stream. */
  received(seq: number, frames: FrameBatch): void {
    const { clock, links, skipped } = this.#options;
    if (this.#frames + frames.frames.length > FRAME_WATCH_QUEUE) {
      skipped(frames.frames.length);
      return;
    }
    const awaited = new Set(links.filter((link) => (this.#past.get(link) ?? 0) < seq));
    const timer = clock.setTimeout(() => this.#giveUp(seq), FRAME_DECODED_MS);
    this.#waiting.push({ seq, frames, awaited, timer });
    this.#frames += frames.frames.length;
    this.#release();
  }

  /** Samples made of the message of frames at `seq`. */
  decoded(seq: number, link: string, batch: DecodedBatch): void {
    if (!this.#options.links.includes(link)) return;
    this.#past.set(link, Math.max(seq, this.#past.get(link) ?? 0));
    this.#decoded.push({ seq, link, batch });
    if (this.#decoded.length > EARLY_BATCHES + this.#waiting.length) this.#decoded.shift();
    for (const waiting of this.#waiting) if (waiting.seq <= seq) waiting.awaited.delete(link);
    this.#release();
  }

  stop(): void {
    for (const { timer } of this.#waiting.splice(0)) this.#options.clock.clearTimeout(timer);
  }

  #giveUp(seq: number): void {
    for (const waiting of this.#waiting) if (waiting.seq <= seq) waiting.awaited.clear();
    this.#release();
  }

  #release(): void {
    for (let first = this.#waiting[0]; first?.awaited.size === 0; first = this.#waiting[0]) {
      this.#waiting.shift();
      this.#options.clock.clearTimeout(first.timer);
      this.#join(first);
    }
  }

  #join({ seq, frames }: Waiting): void {
    this.#frames -= frames.frames.length;
    const made = this.#decoded.filter((each) => each.seq === seq);
    this.#decoded = this.#decoded.filter((each) => each.seq !== seq);
    for (const [index, frame] of frames.frames.entries()) {
      const at = frames.at[index]!;
      const decodings = made.filter(({ batch }) => speaksOf(batch, at));
      this.#options.joined({
        at,
        frame,
        decodings: decodings.map(({ link, batch }) => ({ link, batch, at })),
      });
    }
  }
}

function speaksOf({ blocks, reports }: DecodedBatch, at: number): boolean {
  return blocks.some(({ ground }) => ground.includes(at)) || reports.some((report) => report.at === at);
}
