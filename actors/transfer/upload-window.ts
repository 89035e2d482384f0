/** The content of uploads as it is written: the piece at hand of each is kept (chunked.Q3). */

import { objectStores } from '../../contract/bus/buckets.ts';
import { UPLOAD_WINDOW_BYTES } from '../../contract/limits.ts';
import { ContentGone } from '../../contract/outage.ts';
import type { Bus } from '../../ports/bus.ts';

interface Window {
  readonly start: number;
  readonly bytes: Promise<Buffer | undefined>;
}

export class UploadWindow {
  readonly #bus: Bus;
  readonly #windows = new Map<string, Window>();

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  /** The bytes from `start` to before `end`; undefined where they are not stored. Rejects with `Outage`. */
  async read(key: string, source: string, start: number, end: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    for (let at = start; at < end; ) {
      const first = at - (at % UPLOAD_WINDOW_BYTES);
      const window = await this.#windowAt(key, source, first);
      const part = window?.subarray(at - first, end - first);
      if (part === undefined || part.length === 0) return undefined;
      parts.push(part);
      at += part.length;
    }
    return Buffer.concat(parts);
  }

  forget(key: string): void {
    this.#windows.delete(key);
  }

  #windowAt(key: string, source: string, start: number): Promise<Buffer | undefined> {
    const known = this.#windows.get(key);
    if (known?.start === start) return known.bytes;
    const window: Window = { start, bytes: this.#load(source, start) };
    this.#windows.set(key, window);
    window.bytes.catch(() => {
      if (this.#windows.get(key) === window) this.#windows.delete(key);
    });
    return window.bytes;
  }

  async #load(source: string, from: number): Promise<Buffer | undefined> {
    const range = { from, to: from + UPLOAD_WINDOW_BYTES };
    const content = await this.#bus.objects(objectStores.uploads).read(source, range);
    if (content === undefined) return undefined;
    const pieces: Uint8Array[] = [];
    try {
      for await (const piece of content.pieces) pieces.push(piece);
    } catch (error) {
      if (error instanceof ContentGone) return undefined;
      throw error;
    }
    return Buffer.concat(pieces);
  }
}
