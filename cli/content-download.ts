/**
 * Reads the content of a transfer. Mission Control Service, section 4.7 (ours).
 *
 * N1. A file appears under its name when all of it is there and its SHA-256 is right; until then it is beside it, under
 *     a name with its hash, and whoever comes again continues there.
 * N2. After a loss it is asked for the rest, of the very content (`If-Range`): another one begins again.
 * N3. Into a pipe it is written as it comes; whether the hash was right is known at the end.
 * N4. Several calls may save the same content at once: each piece is written where it belongs, what is judged is the
 *     file as it stands, and only the file that was judged gets the name. Who finds it there already is done too.
 */

import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Fault } from '../contract/errors.ts';
import { pause } from './followed.ts';
import { faultLine } from './request.ts';
import { identityHeaders, type Service } from './service.ts';

/** Losses in a row without a byte between them, before it is given up. */
const LOSSES_MOST = 30;
const AGAIN_MS = 1_000;

export type Downloaded =
  | { readonly ok: true; readonly sha256: string; readonly bytes: number; readonly wasThere: boolean }
  | { readonly ok: false; readonly said: string };

interface DownloadOptions {
  readonly service: Service;
  /** Of the route. */
  readonly path: string;
  /** Undefined: into stdout. */
  readonly output: string | undefined;
  readonly signal: AbortSignal;
  /** So many bytes are there. */
  readonly there: (bytes: number, size: number) => void;
}

interface Place {
  /** Bytes that are there. */
  readonly bytes: number;
  write(piece: Uint8Array, at: number): Promise<void>;
  /** Of everything that is there; asked for once. */
  sha256(): Promise<string>;
}

export async function download(options: DownloadOptions): Promise<Downloaded> {
  const head = await headOf(options);
  if ('said' in head) return { ok: false, said: head.said };
  const { output } = options;
  if (output === undefined) return readInto(stdoutPlace(), head, options);
  if (await isThere(output, head)) return { ok: true, ...head, wasThere: true };
  // N1
  const part = join(dirname(output), `.${basename(output)}.${head.sha256.slice(0, 16)}.part`);
  const handle = await open(part, constants.O_RDWR | constants.O_CREAT);
  try {
    const read = await readInto(await filePlace(handle), head, options);
    if (read.ok) {
      await handle.sync();
      if (await isNamed(part, handle, output)) return read;
      if (await isThere(output, head)) return { ok: true, ...head, wasThere: true };
      return { ok: false, said: TAKEN_AWAY };
    }
    if (read.said === WRONG_HASH && (await isAt(part, handle))) await rm(part, { force: true });
    return read;
  } finally {
    await handle.close();
  }
}

const WRONG_HASH = 'what came has another SHA-256 than the service says';
const TAKEN_AWAY = 'another call took away what was being saved: the same command begins again';

/** N4. Gives the file its name; false where another call did, or has begun another one. */
async function isNamed(part: string, handle: FileHandle, output: string): Promise<boolean> {
  if (!(await isAt(part, handle))) return false;
  try {
    await rename(part, output);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Whether the file under that name is this one. */
async function isAt(path: string, handle: FileHandle): Promise<boolean> {
  const [named, own] = [await stat(path).catch(() => undefined), await handle.stat()];
  return named?.ino === own.ino && named.dev === own.dev;
}

interface Head {
  readonly sha256: string;
  readonly bytes: number;
}

async function headOf({ service, path, signal }: DownloadOptions): Promise<Head | { readonly said: string }> {
  const response = await fetch(service.api + path, {
    method: 'HEAD',
    headers: identityHeaders(service),
    signal,
  });
  if (!response.ok) return { said: await refusalOf(service, path, signal) };
  const sha256 = /^"([0-9a-f]{64})"$/.exec(response.headers.get('etag') ?? '')?.[1];
  const bytes = Number(response.headers.get('content-length'));
  return sha256 === undefined
    ? { said: `${service.api} gives no SHA-256 of the content` }
    : { sha256, bytes };
}

async function refusalOf(service: Service, path: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(service.api + path, { headers: identityHeaders(service), signal });
  const body = (await response.json().catch(() => undefined)) as { errors?: Fault[] } | undefined;
  return body?.errors?.map(faultLine).join('\n') ?? `the service answered ${response.status}`;
}

/** From where the place stands to the end, through losses (N2). */
async function readInto(place: Place, head: Head, options: DownloadOptions): Promise<Downloaded> {
  const { signal, there } = options;
  let at = place.bytes;
  let losses = 0;
  while (at < head.bytes) {
    const before = at;
    try {
      for await (const piece of partOf(at, head, options)) {
        await place.write(piece, at);
        at += piece.length;
        there(at, head.bytes);
      }
    } catch (error) {
      if (signal.aborted || error instanceof Refused) throw error;
    }
    losses = at > before ? 0 : losses + 1;
    if (losses > LOSSES_MOST)
      return { ok: false, said: `the content cannot be read from ${options.service.api}` };
    if (at < head.bytes) await pause(AGAIN_MS, signal);
    if (signal.aborted) return { ok: false, said: 'interrupted' };
  }
  const sha256 = await place.sha256();
  if (at !== head.bytes || sha256 !== head.sha256) return { ok: false, said: WRONG_HASH };
  return { ok: true, sha256, bytes: at, wasThere: false };
}

class Refused extends Error {}

async function* partOf(
  at: number,
  { sha256 }: Head,
  { service, path, signal }: DownloadOptions,
): AsyncIterable<Uint8Array> {
  const headers = { ...identityHeaders(service), range: `bytes=${at}-`, 'if-range': `"${sha256}"` };
  const response = await fetch(service.api + path, { headers, signal });
  if (response.status === 206 || (response.status === 200 && at === 0)) {
    if (response.body !== null) yield* response.body as unknown as AsyncIterable<Uint8Array>;
    return;
  }
  const body = (await response.json().catch(() => undefined)) as { errors?: Fault[] } | undefined;
  const said = body?.errors?.map(faultLine).join('\n') ?? 'the content has changed meanwhile';
  // A service on its way up or down is worth another try.
  if (response.status >= 500) throw new Error(said);
  throw new Refused(said);
}

async function isThere(output: string, { sha256, bytes }: Head): Promise<boolean> {
  const known = await stat(output).catch(() => undefined);
  if (known?.isFile() !== true || known.size !== bytes) return false;
  return (await sha256Of(createReadStream(output))) === sha256;
}

async function sha256Of(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

async function filePlace(handle: FileHandle): Promise<Place> {
  const { size } = await handle.stat();
  return {
    bytes: size,
    async write(piece, at) {
      for (let done = 0; done < piece.length; )
        done += (await handle.write(piece, done, piece.length - done, at + done)).bytesWritten;
    },
    sha256: () => sha256Of(handle.createReadStream({ start: 0, autoClose: false })),
  };
}

/** N3 */
function stdoutPlace(): Place {
  const { stdout } = process;
  const hash = createHash('sha256');
  return {
    bytes: 0,
    write: (piece) =>
      new Promise((resolve, reject) => {
        hash.update(piece);
        stdout.write(piece, (error) => (error ? reject(error) : resolve()));
      }),
    sha256: async () => hash.digest('hex'),
  };
}
