/**
 * `/ws/frames`: each captured block as it comes. RF Bench Service, section 6.
 *
 * B1. No gap: a capture comes at once and is written as the client takes it; who is behind by more blocks than the
 *     bench keeps is closed with 4408 and reads what there is.
 */

import { BenchFrame } from '../../contract/bench/frame.ts';
import { BENCH_FRAMES_KEPT } from '../../contract/limits/bench.ts';
import type { BenchFrames } from '../../ports/bench.ts';
import { closeCode, type FollowSource, type FollowWriter } from '../follow.ts';
import { type BenchFollow, defineBenchFollow } from './route.ts';

export const frameFeed: BenchFollow = defineBenchFollow({
  path: '/ws/frames',
  operationId: 'followFrames',
  summary: 'Captured blocks as they come',
  description: 'From the opening on; `GET /api/v1/frames` has the earlier ones.',
  tag: 'Frames',
  policy: 'log',
  message: BenchFrame,
  errors: [],
  open: (_request, { bench }, writer) => ({ ok: true, value: new FrameFollower(bench.frames, writer) }),
});

class FrameFollower implements FollowSource {
  readonly #writer: FollowWriter;
  readonly #unwatch: () => void;
  #waiting: BenchFrame[] = [];
  #writing = false;
  #stopped = false;

  constructor(frames: BenchFrames, writer: FollowWriter) {
    this.#writer = writer;
    this.#unwatch = frames.watch((frame) => this.#captured(frame));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting = [];
    this.#unwatch();
  }

  #captured(frame: BenchFrame): void {
    if (this.#stopped) return;
    this.#waiting.push(frame);
    if (this.#waiting.length > BENCH_FRAMES_KEPT) {
      this.#writer.finish(closeCode.slowConsumer, 'slow consumer');
      void this.stop();
    } else if (!this.#writing) void this.#write();
  }

  async #write(): Promise<void> {
    this.#writing = true;
    for (let frame = this.#waiting.shift(); frame !== undefined; frame = this.#waiting.shift()) {
      this.#writer.push(JSON.stringify(frame));
      await this.#writer.room();
    }
    this.#writing = false;
  }
}
