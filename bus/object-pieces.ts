/** The bytes of a stored object, read piece by piece as somebody takes them (objects.O5). */

import { ContentGone } from '../contract/outage.ts';
import { isToken } from '../contract/token.ts';
import type { StreamMessage } from '../ports/bus.ts';
import type { JetStream } from './jetstream.ts';
import { readAt } from './stored-last.ts';

/** What clients of the bus call the information of an object. */
export interface ObjectDescription {
  readonly name: string;
  readonly bucket: string;
  readonly nuid: string;
  readonly size: number;
  readonly chunks: number;
  readonly digest: string;
  readonly mtime: string;
  /** Of pieces that have no positions, clients need not say it. */
  readonly options?: { readonly max_chunk_size: number };
  readonly deleted?: boolean;
  /** Where its pieces stand in the stream; other clients do not say so. */
  readonly positions?: readonly number[];
}

/** One of them, where it stands. */
type Piece = Pick<StreamMessage, 'subject' | 'seq' | 'data'>;

interface Pieces {
  readonly stream: string;
  /** Of the pieces. */
  readonly subject: string;
  readonly description: ObjectDescription;
}

/** The bytes from `from` to before `to`; rejects with `ContentGone` where a piece is missing, and with `Outage`. */
export async function* piecesIn(
  jetstream: JetStream,
  pieces: Pieces,
  from: number,
  to: number,
): AsyncIterable<Uint8Array> {
  const { description } = pieces;
  const end = Math.min(to, description.size);
  let start = from;
  // Every piece but the last has the same size: the first one needed is known without those before it.
  const size = description.options?.max_chunk_size ?? 0;
  let index = description.positions === undefined ? 0 : Math.floor(from / size);
  let at = index * size;
  let before = 0;
  // The next one is on its way while somebody works with this one.
  let ahead: Promise<Piece | undefined> | undefined;
  while (start < end) {
    const piece = await (ahead ?? pieceAt(jetstream, pieces, index, before));
    if (piece === undefined || piece.data.length === 0) throw new ContentGone(description.name);
    const next = at + piece.data.length;
    ahead = next < end ? pieceAt(jetstream, pieces, index + 1, piece.seq) : undefined;
    // Whoever stops reading does not wait for it.
    ahead?.catch(() => undefined);
    if (next > start) {
      yield piece.data.subarray(start - at, Math.min(piece.data.length, end - at));
      start = next;
    }
    at = next;
    index += 1;
    before = piece.seq;
  }
}

async function pieceAt(
  jetstream: JetStream,
  { stream, subject, description: { positions } }: Pieces,
  index: number,
  before: number,
): Promise<Piece | undefined> {
  const known = positions?.[index];
  return jetstream.retrying<Piece | undefined>(undefined, async (left) => {
    const direct = known === undefined ? undefined : await jetstream.direct(stream, known, left());
    if (direct?.subject === subject) return direct;
    const there = known === undefined ? undefined : await readAt(jetstream, stream, { seq: known }, left());
    if (there?.subject === subject) return there;
    // Behind the one before, or, where none was read yet, from the beginning.
    let found = await nextOf(jetstream, { stream, subject, behind: before }, left);
    for (let skip = before === 0 ? index : 0; skip > 0 && found !== undefined; skip -= 1)
      found = await nextOf(jetstream, { stream, subject, behind: found.seq }, left);
    return found;
  });
}

function nextOf(
  jetstream: JetStream,
  { stream, subject, behind }: { readonly stream: string; readonly subject: string; readonly behind: number },
  left: () => number,
): Promise<StreamMessage | undefined> {
  return readAt(jetstream, stream, { next_by_subj: subject, seq: behind + 1 }, left());
}

/** Of which object a message is the description, by its subject. */
export function objectNamed(subject: string): string {
  return Buffer.from(subject.slice(subject.lastIndexOf('.') + 1), 'base64url').toString();
}

/** What is no description of an object is none (objects.O7). */
export function descriptionIn({ data }: { readonly data: Uint8Array }): ObjectDescription | undefined {
  try {
    const read = JSON.parse(Buffer.from(data).toString()) as Partial<ObjectDescription> | null;
    if (typeof read?.name !== 'string' || typeof read.nuid !== 'string' || !isToken(read.nuid))
      return undefined;
    if (!isCount(read.size) || !isCount(read.chunks)) return undefined;
    const { positions, ...rest } = read as ObjectDescription;
    return arePlaces(positions, rest) ? { ...rest, positions } : rest;
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Whether each piece has a place there, and which one a byte is in is known: else they are looked for in order. */
function arePlaces(
  positions: unknown,
  { chunks, options }: Pick<ObjectDescription, 'chunks'> & Partial<ObjectDescription>,
): positions is readonly number[] {
  const size: unknown = options?.max_chunk_size;
  if (!isCount(size) || size === 0 || !Array.isArray(positions) || positions.length !== chunks) return false;
  return positions.every((position) => isCount(position) && position > 0);
}
