/** The content of uploads as it is written: the pieces at hand of each are kept (chunked.Q3). */

import { objectStores } from '../../contract/bus/buckets.ts';
import { UPLOAD_WINDOW_BYTES, UPLOAD_WINDOWS } from '../../contract/limits/transfer.ts';
import { ContentGone } from '../../contract/outage.ts';
import type { Bus } from '../../ports/bus.ts';

interface Window {
  readonly start: number;
  readonly bytes: Promise<Buffer | undefined>;
}

export class UploadWindow {
  readonly #bus: Bus;
  /** The one read last at the end. */
  readonly #windows = new Map<string, readonly Window[]>();

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  /** The bytes from `start` to before `end`; undefined where they are not stored. Rejects with `Outage`. */
  async read(key: string, source: string, start: number, end: number): Promise<Buffer | undefined> {
    const windows: (readonly [number, Promise<Buffer | undefined>])[] = [];
    // All that are needed are asked for at once: whoever comes next finds the last one here.
    for (let first = start - (start % UPLOAD_WINDOW_BYTES); first < end; first += UPLOAD_WINDOW_BYTES)
      windows.push([first, this.#windowAt(key, source, first)]);
    const read = await Promise.all(windows.map(([, bytes]) => bytes));
    const parts = read.map((bytes, n) => partOf(bytes, start - windows[n]![0], end - windows[n]![0]));
    const all = parts.every((part) => part !== undefined) ? Buffer.concat(parts) : undefined;
    return all?.length === end - start ? all : undefined;
  }

  forget(key: string): void {
    this.#windows.delete(key);
  }

  #windowAt(key: string, source: string, start: number): Promise<Buffer | undefined> {
    const kept = this.#windows.get(key) ?? [];
    const known = kept.find((each) => each.start === start);
    if (known !== undefined) return known.bytes;
    const window: Window = { start, bytes: this.#load(source, start) };
    this.#windows.set(key, [...kept, window].slice(-UPLOAD_WINDOWS));
    const lost = (): void => this.#lost(key, window);
    // What is not stored may be stored again.
    window.bytes.then((bytes) => {
      if (bytes === undefined) lost();
    }, lost);
    return window.bytes;
  }

  /** It is read again when it is needed next. */
  #lost(key: string, window: Window): void {
    const kept = this.#windows.get(key)?.filter((each) => each !== window);
    if (kept !== undefined) this.#windows.set(key, kept);
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

function partOf(bytes: Buffer | undefined, from: number, to: number): Buffer | undefined {
  return bytes?.subarray(Math.max(0, from), Math.max(0, to));
}
