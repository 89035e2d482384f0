/**
 * Frames that wait for the bus, bounded in number and bytes. Knows nothing of the bus.
 *
 * U1. Past a bound the oldest leave: the newest say how the spacecraft is now.
 * U2. `take` gives the oldest frames that fit one message, at least one.
 */

import {
  FRAME_MESSAGE_BYTES,
  FRAMES_PER_MESSAGE,
  GATEWAY_QUEUE_BYTES,
  GATEWAY_QUEUE_FRAMES,
} from '../../contract/limits/link.ts';

export interface ReceivedFrame {
  readonly frame: Buffer;
  /** Ground reception time, ms since 1970. */
  readonly at: number;
}

export class FrameQueue {
  #frames: ReceivedFrame[] = [];
  #bytes = 0;

  get length(): number {
    return this.#frames.length;
  }

  get full(): boolean {
    return this.#frames.length >= GATEWAY_QUEUE_FRAMES || this.#bytes >= GATEWAY_QUEUE_BYTES;
  }

  /** Adds a frame; the number of frames dropped for it. */
  push(received: ReceivedFrame): number {
    this.#frames.push(received);
    this.#bytes += received.frame.length;
    if (this.#frames.length <= GATEWAY_QUEUE_FRAMES && this.#bytes <= GATEWAY_QUEUE_BYTES) return 0;
    // A message's worth at a time: one by one, every frame past the bound would move the whole queue.
    return this.take().length;
  }

  /** Removes and gives the frames of one message. */
  take(): ReceivedFrame[] {
    let bytes = 0;
    let count = 0;
    for (const { frame } of this.#frames) {
      if (count === FRAMES_PER_MESSAGE || (count > 0 && bytes + frame.length > FRAME_MESSAGE_BYTES)) break;
      bytes += frame.length;
      count += 1;
    }
    this.#bytes -= bytes;
    return this.#frames.splice(0, count);
  }
}
