/** Fetches an image from a `file:`, `http:` or `https:` URL, bounded in size and time. */

import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../ports/clock.ts';

/** Images of the simulated unit are small; a URL may lead anywhere. */
const IMAGE_BYTES = 64 * 1024 * 1024;
/** The verb is answered within 30 s, and a signature is checked in between. */
const LOAD_MS = 20_000;
const PIECE_BYTES = 256 * 1024;

export type Percent = (percent: number) => void;

/** The bytes; rejects with a sentence that says why there are none. */
export async function loadImage(url: string, clock: Clock, percent: Percent): Promise<Uint8Array> {
  const late = new AbortController();
  const timer = clock.setTimeout(() => late.abort(), LOAD_MS);
  try {
    const { protocol } = new URL(url);
    if (protocol === 'file:') return await ofFile(fileURLToPath(url), percent, late.signal);
    if (protocol === 'http:' || protocol === 'https:') return await ofServer(url, percent, late.signal);
    throw new Error(`this unit fetches from file:, http: and https:, not ${protocol}`);
  } catch (error) {
    if (late.signal.aborted) throw new Error(`it did not come within ${LOAD_MS / 1_000} s`);
    throw error;
  } finally {
    clock.clearTimeout(timer);
  }
}

async function ofFile(path: string, percent: Percent, signal: AbortSignal): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    return await gathered(file.createReadStream({ highWaterMark: PIECE_BYTES, signal }), size, percent);
  } finally {
    await file.close();
  }
}

async function ofServer(url: string, percent: Percent, signal: AbortSignal): Promise<Uint8Array> {
  const response = await fetch(url, { signal });
  if (!response.ok || response.body === null) throw new Error(`the server answered ${response.status}`);
  return gathered(response.body, Number(response.headers.get('content-length') ?? 0), percent);
}

async function gathered(
  pieces: AsyncIterable<Uint8Array>,
  size: number,
  percent: Percent,
): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > IMAGE_BYTES) throw new Error(`it is larger than ${IMAGE_BYTES} bytes`);
    all.push(piece);
    if (size > 0) percent(Math.min(100, Math.floor((100 * bytes) / size)));
  }
  return Buffer.concat(all);
}
