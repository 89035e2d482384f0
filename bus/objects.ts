/**
 * An object store, in the form that every client of the bus reads: pieces on one subject, then the description that
 * makes them an object. Mission Control Service, section 4.7.
 *
 * O1. An object is there with its description, or not at all: pieces without one are forgotten with age.
 * O2. The name of an object is the hash of its content, and is checked before the description is written.
 * O3. What is stored again lives on: content past half its time is written once more, or it would be gone soon after
 *     somebody was informed that it is there.
 */

import { createHash, randomUUID } from 'node:crypto';
import type { ObjectsDefinition } from '../contract/bus/buckets.ts';
import type { Objects } from '../ports/bus.ts';
import { write } from './append.ts';
import type { Assets } from './assets.ts';
import type { JetStream } from './jetstream.ts';
import { readLast } from './stored-last.ts';

interface ObjectsTools {
  readonly jetstream: JetStream;
  readonly assets: Assets;
}

/** What clients of the bus call the information of an object. */
interface Description {
  readonly name: string;
  readonly bucket: string;
  readonly nuid: string;
  readonly size: number;
  readonly chunks: number;
  readonly digest: string;
  readonly mtime: string;
  readonly options: { readonly max_chunk_size: number };
  readonly deleted?: boolean;
}

/** Below what a bus takes in one message by default, and what other clients write. */
const PIECE_BYTES = 128 * 1024;
const HASH = /^[0-9a-f]{64}$/;

/** Access to the object store of a definition, made on first use; throws on a malformed name. */
export function openObjects({ jetstream, assets }: ObjectsTools, definition: ObjectsDefinition): Objects {
  const asset = assets.objects(definition);
  const described = (hash: string): string =>
    `$O.${definition.name}.M.${padded(Buffer.from(checkHash(hash)))}`;

  const find = async (hash: string): Promise<{ size: number; at: number } | undefined> => {
    const subject = described(hash);
    const last = await jetstream.retrying(undefined, async (left) => {
      const { stream } = await asset.ensure(left());
      return readLast(jetstream, { stream, subject, timeoutMs: left });
    });
    if (last === undefined) return undefined;
    const found = JSON.parse(Buffer.from(last.data).toString()) as Description;
    return found.deleted === true ? undefined : { size: found.size, at: last.at };
  };

  const put = async (hash: string, pieces: AsyncIterable<Uint8Array>): Promise<number> => {
    const stored = await find(hash);
    if (stored !== undefined && Date.now() - stored.at < definition.ttlMs / 2) return stored.size;
    const nuid = randomUUID().replaceAll('-', '');
    const digest = createHash('sha256');
    let bytes = 0;
    let chunks = 0;
    for await (const piece of cut(pieces)) {
      digest.update(piece);
      bytes += piece.length;
      chunks += 1;
      await write(jetstream, { asset, subject: `$O.${definition.name}.C.${nuid}`, data: piece });
    }
    const sum = digest.digest();
    if (sum.toString('hex') !== hash) throw new Error(`O2: the content is not ${hash}`);
    const description: Description = {
      name: hash,
      bucket: definition.name,
      nuid,
      size: bytes,
      chunks,
      digest: `SHA-256=${padded(sum)}`,
      mtime: new Date().toISOString(),
      options: { max_chunk_size: PIECE_BYTES },
    };
    const data = Buffer.from(JSON.stringify(description));
    await write(jetstream, { asset, subject: described(hash), data, headers: { 'Nats-Rollup': 'sub' } });
    return bytes;
  };

  return { size: async (hash) => (await find(hash))?.size, put };
}

/** The same bytes in pieces of the size that is stored. */
async function* cut(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    rest = rest.length === 0 ? Buffer.from(piece) : Buffer.concat([rest, piece]);
    while (rest.length >= PIECE_BYTES) {
      yield rest.subarray(0, PIECE_BYTES);
      rest = rest.subarray(PIECE_BYTES);
    }
  }
  if (rest.length > 0) yield rest;
}

/** Base64 for names, with padding: the form that clients look for. */
function padded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}

function checkHash(text: string): string {
  if (!HASH.test(text)) throw new TypeError(`not a SHA-256 in hexadecimal: ${JSON.stringify(text)}`);
  return text;
}
