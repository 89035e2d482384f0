/** Frames and samples that come over two streams, brought together. */

import { beforeEach, expect, it } from 'vitest';
import type { DecodedBatch } from '../../../contract/batch.ts';
import { FRAME_DECODED_MS, FRAME_WATCH_QUEUE } from '../../../contract/limits/link.ts';
import { FrameJoin, type JoinedFrame } from '../../../http/frames/frame-join.ts';
import { HeapClock } from '../../../supervision/clock.ts';

let clock: HeapClock;
let join: FrameJoin;
let joined: JoinedFrame[];
let skipped: number;

beforeEach(() => {
  clock = new HeapClock();
  joined = [];
  skipped = 0;
  const count = (frames: number): void => {
    skipped += frames;
  };
  join = new FrameJoin({ clock, links: ['uhf'], joined: (frame) => joined.push(frame), skipped: count });
});

const frames = (...at: number[]) => ({ at, frames: at.map((each) => Uint8Array.of(each)) });

function batch(link: string, ...ground: number[]): DecodedBatch {
  const column = Float64Array.from(ground);
  const block = { ordinals: Uint32Array.of(0), ground: column, onboard: column, raw: column };
  return { platform: 'p', link, blocks: [block], reports: [] };
}

const shown = () => joined.map(({ at, decodings }) => [at, decodings.map(({ link }) => link)]);

it('frame-join.J1 gives each frame the samples that were made of it, whichever comes first', () => {
  join.received(1, frames(10, 11));
  expect(joined).toEqual([]);
  join.decoded(1, 'uhf', batch('uhf', 11));
  join.decoded(2, 'uhf', batch('uhf', 12));
  join.received(2, frames(12));
  expect(shown()).toEqual([
    [10, []],
    [11, ['uhf']],
    [12, ['uhf']],
  ]);
});

it('frame-join.J1 keeps the order, also when a later message is decoded first', () => {
  join = new FrameJoin({
    clock,
    links: ['uhf', 'xband'],
    joined: (frame) => joined.push(frame),
    skipped: () => undefined,
  });
  join.received(1, frames(10));
  join.received(2, frames(20));
  join.decoded(2, 'xband', batch('xband', 20));
  expect(joined).toEqual([]);
  join.decoded(1, 'uhf', batch('uhf', 10));
  expect(shown()).toEqual([[10, ['uhf']]]);
  join.decoded(2, 'uhf', batch('uhf', 20));
  expect(shown()).toEqual([
    [10, ['uhf']],
    [20, ['xband', 'uhf']],
  ]);
});

it('frame-join.J2 waits no longer than it must for samples that never come', () => {
  join.received(1, frames(10));
  clock.advance(FRAME_DECODED_MS - 1);
  expect(joined).toEqual([]);
  clock.advance(1);
  expect(shown()).toEqual([[10, []]]);
});

it('frame-join.J2 does not wait for a decoder that is past the frame, nor where there is none', () => {
  join.received(1, frames(10));
  join.decoded(2, 'uhf', batch('uhf', 20));
  expect(shown()).toEqual([[10, []]]);
  join = new FrameJoin({ clock, links: [], joined: (frame) => joined.push(frame), skipped: () => undefined });
  join.received(7, frames(70));
  expect(joined).toHaveLength(2);
});

it('frame-join.J3 passes over and counts what does not fit', () => {
  const many = Array.from({ length: FRAME_WATCH_QUEUE }, (_, index) => index);
  join.received(1, frames(...many));
  join.received(2, frames(1, 2, 3));
  expect(skipped).toBe(3);
  clock.advance(FRAME_DECODED_MS);
  expect(joined).toHaveLength(FRAME_WATCH_QUEUE);
  join.received(3, frames(4));
  clock.advance(FRAME_DECODED_MS);
  expect(joined).toHaveLength(FRAME_WATCH_QUEUE + 1);
});

it('ends without a timer left', () => {
  join.received(1, frames(10));
  join.stop();
  expect(clock.next()).toBeUndefined();
});
