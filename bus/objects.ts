/**
 * An object store, in the form that every client of the bus reads: pieces on one subject, then the description that
 * makes them an object. Mission Control Service, section 4.7.
 *
 * O1. An object is there with its description, or not at all: pieces without one are forgotten with age.
 * O2. Of content that is named by its hash, the hash is checked before the description is written.
 * O3. What is stored again lives on: content past half its time, which the installation states, is written once more,
 *     or it would be gone soon after somebody was informed that it is there. To a caller that would leave it out for
 *     being there, it is not there by then.
 * O9. So does what is about to be used, from what is stored of it: once, however many use it. Where the store takes no
 *     more it stays for as long as it has; bytes that are not what the hash names are none.
 * O4. What is replaced or removed leaves nothing behind: pieces go before the description that leads to them, so that
 *     whoever was interrupted finds them again. A removal that nobody finishes leaves an object whose bytes are gone,
 *     and its reader learns so.
 * O5. Beside what every client writes, a description says where its pieces stand, so that a part in the middle is read
 *     without those before it. A piece that stands elsewhere (a copy of a store) is looked for behind the one before.
 * O8. A piece is no larger than what the bus takes in one message.
 * O7. A description may be damaged, and lead anywhere: one that does not say where its pieces are and how many is none.
 *     The store may have lost pieces of one that does: what is promised to be there, or is left out since it is there,
 *     is counted first.
 * O6. Pieces are stored in their order, as other clients read them: one is on its way while the next one is made, never
 *     two.
 */

import { createHash, randomUUID } from 'node:crypto';
import type { ObjectsDefinition } from '../contract/bus/buckets.ts';
import { ContentGone, Outage } from '../contract/outage.ts';
import type { Objects, StoredContent } from '../ports/bus.ts';
import { SharedQuestions } from '../ports/shared-question.ts';
import { checkObject } from './address.ts';
import { write } from './append.ts';
import type { Assets } from './assets.ts';
import type { JetStream } from './jetstream.ts';
import { descriptionIn, type ObjectDescription, piecesIn } from './object-pieces.ts';
import { lastOf } from './stored-last.ts';

interface ObjectsTools {
  readonly jetstream: JetStream;
  readonly assets: Assets;
}

interface Found {
  readonly description: ObjectDescription;
  /** When it was written, ms since 1970. */
  readonly at: number;
}

/** What the server says of a stream when it is asked how many messages a subject has. */
interface Counted {
  readonly state: { readonly subjects?: Readonly<Record<string, number>> };
}

/** Below what a bus takes in one message by default, and what other clients write; less where a bus takes less. */
const PIECE_BYTES = 128 * 1024;
/** Of a message beside its piece. */
const HEADER_BYTES = 1_024;
const HASH = /^[0-9a-f]{64}$/;

/** Access to the object store of a definition, made on first use; throws on a malformed name. */
export function openObjects({ jetstream, assets }: ObjectsTools, definition: ObjectsDefinition): Objects {
  const asset = assets.objects(definition);
  const described = (name: string): string =>
    `$O.${definition.name}.M.${padded(Buffer.from(checkObject(name)))}`;
  const piecesOf = (nuid: string): string => `$O.${definition.name}.C.${nuid}`;

  const find = async (name: string): Promise<Found | undefined> => {
    const last = await lastOf(jetstream, asset, described(name));
    if (last === undefined) return undefined;
    const description = descriptionIn(last);
    return description === undefined || description.deleted === true
      ? undefined
      : { description, at: last.at };
  };

  const pieceBytes = (): number => {
    const most = (jetstream.connection.largest?.maxBytes ?? Number.POSITIVE_INFINITY) - HEADER_BYTES;
    return Math.max(HEADER_BYTES, Math.min(PIECE_BYTES, most));
  };

  const purge = (filter: string): Promise<unknown> =>
    jetstream.read(`STREAM.PURGE.${asset.name}`, { filter });

  /** O3 */
  const isLasting = ({ at }: Found): boolean => Date.now() - at < assets.ttlMs(definition) / 2;

  /** O7 */
  const isWhole = async ({ nuid, chunks }: ObjectDescription): Promise<boolean> => {
    if (chunks === 0) return true;
    const subject = piecesOf(nuid);
    const { state } = await jetstream.read<Counted>(`STREAM.INFO.${asset.name}`, {
      subjects_filter: subject,
    });
    return (state.subjects?.[subject] ?? 0) >= chunks;
  };

  /** O9 */
  const keeping = new SharedQuestions<number | undefined>(async (hash) => {
    const found = await find(hash);
    if (found === undefined || !(await isWhole(found.description))) return undefined;
    const { description } = found;
    if (isLasting(found)) return description.size;
    const stored = { stream: asset.name, subject: piecesOf(description.nuid), description };
    const pieces = piecesIn(jetstream, stored, 0, description.size);
    try {
      return await store(hash, pieces, (sum) => {
        if (sum.toString('hex') !== hash) throw new ContentGone(hash);
      });
    } catch (error) {
      if (error instanceof ContentGone) return undefined;
      if (error instanceof Outage) return description.size;
      throw error;
    }
  });

  const store = async (
    name: string,
    content: AsyncIterable<Uint8Array>,
    check: (sum: Buffer) => void,
  ): Promise<number> => {
    const nuid = randomUUID().replaceAll('-', '');
    const digest = createHash('sha256');
    const positions: number[] = [];
    const size = pieceBytes();
    let bytes = 0;
    let sum: Buffer;
    const one = async (data: Uint8Array): Promise<void> => {
      const written = await write(jetstream, { asset, subject: piecesOf(nuid), data });
      if (written.outcome !== 'conflict') positions.push(written.seq);
    };
    let underWay = Promise.resolve();
    try {
      for await (const data of cut(content, size)) {
        digest.update(data);
        bytes += data.length;
        // O6
        await underWay;
        underWay = one(data);
        underWay.catch(() => undefined);
      }
      await underWay;
      sum = digest.digest();
      check(sum);
    } catch (error) {
      await Promise.allSettled([underWay]);
      // Nobody will ever find what was stored by now; where that fails too it leaves with its age (O1).
      await purge(piecesOf(nuid)).catch(() => undefined);
      throw error;
    }
    const description: ObjectDescription = {
      name,
      bucket: definition.name,
      nuid,
      size: bytes,
      chunks: positions.length,
      digest: `SHA-256=${padded(sum)}`,
      mtime: new Date().toISOString(),
      options: { max_chunk_size: size },
      positions,
    };
    const data = Buffer.from(JSON.stringify(description));
    await write(jetstream, { asset, subject: described(name), data, headers: { 'Nats-Rollup': 'sub' } });
    return bytes;
  };

  return {
    size: async (name) => (await find(name))?.description.size,
    wholeSize: async (name, { lasting = false } = {}) => {
      const found = await find(name);
      if (found === undefined || (lasting && !isLasting(found))) return undefined;
      return (await isWhole(found.description)) ? found.description.size : undefined;
    },
    put: async (hash, content) => {
      if (!HASH.test(hash)) throw new TypeError(`not a SHA-256 in hexadecimal: ${JSON.stringify(hash)}`);
      const stored = await find(hash);
      if (stored !== undefined && isLasting(stored) && (await isWhole(stored.description)))
        return stored.description.size;
      return store(hash, content, (sum) => {
        if (sum.toString('hex') !== hash) throw new Error(`O2: the content is not ${hash}`);
      });
    },
    keep: (hash) => keeping.ask(hash),
    replace: async (name, content) => {
      const before = await find(name);
      const bytes = await store(name, content, () => undefined);
      if (before !== undefined) await purge(piecesOf(before.description.nuid));
      return bytes;
    },
    read: async (name, { from = 0, to = Number.POSITIVE_INFINITY } = {}) => {
      const found = await find(name);
      if (found === undefined) return undefined;
      const { description } = found;
      const subject = piecesOf(description.nuid);
      const pieces = piecesIn(jetstream, { stream: asset.name, subject, description }, from, to);
      return { size: description.size, pieces } satisfies StoredContent;
    },
    remove: async (name) => {
      const found = await find(name);
      if (found === undefined) return;
      await purge(piecesOf(found.description.nuid));
      await purge(described(name));
    },
  };
}

/** The same bytes in pieces of the size that is stored: what is as large is given on, the rest is copied once. */
async function* cut(content: AsyncIterable<Uint8Array>, size: number): AsyncIterable<Uint8Array> {
  let piece: Buffer | undefined;
  let bytes = 0;
  for await (const given of content) {
    for (let at = 0; at < given.length; ) {
      const part = given.subarray(at, at + size - bytes);
      at += part.length;
      if (part.length === size) {
        yield part;
        continue;
      }
      piece ??= Buffer.allocUnsafe(size);
      piece.set(part, bytes);
      bytes += part.length;
      if (bytes < size) continue;
      yield piece;
      // Not used again: what is on its way may still be read.
      [piece, bytes] = [undefined, 0];
    }
  }
  if (piece !== undefined) yield piece.subarray(0, bytes);
}

/** Base64 for names, with padding: the form that clients look for. */
function padded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}
