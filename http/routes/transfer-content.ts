/**
 * The content of a transfer: as a whole once it is there, and its bytes while they arrive. Mission Control Service,
 * section 4.7 (ours).
 *
 * T1. Nothing of a file is held: it is read from the store as its client takes it.
 * T2. What is served is what came, also of a file whose checksum differs: its transfer says so.
 */

import Type from 'typebox';
import { objectStores } from '../../contract/bus/buckets.ts';
import { CHUNK_HEADER_BYTES } from '../../contract/chunk-message.ts';
import { ContentGone } from '../../contract/outage.ts';
import { contentObject, type StoredTransfer } from '../../contract/transfer.ts';
import type { Bus, Objects } from '../../ports/bus.ts';
import type { ChunkSink, ReadingEnd } from '../chunks/chunk-reader.ts';
import { READING_ORDERS, type ReadingOrderName } from '../chunks/reading-orders.ts';
import { refuse } from '../errors.ts';
import { closeCode, defineFollow, type FollowWriter } from '../follow.ts';
import type { Handled, Refusal } from '../reply.ts';
import { defineRoute, type QueryParameter } from '../route.ts';
import { contentReply, type ServedContent } from '../served-content.ts';
import { directionInQuery, nameIn, recordedTransfer, transferInPath } from '../transfer-record.ts';

const Content = Type.String({
  title: 'FileContent',
  contentMediaType: 'application/octet-stream',
  examples: ['any bytes'],
});

const Chunk = Type.String({
  title: 'FileChunk',
  contentMediaType: 'application/octet-stream',
  description: `Bytes 0 to ${CHUNK_HEADER_BYTES - 1}: offset of the first byte in the file, big-endian. Then the bytes.`,
  examples: ['any bytes'],
});

export const readContent = defineRoute({
  method: 'GET',
  path: '/v1/transfers/:target/:file_id/:generation/content',
  operationId: 'readTransferContent',
  summary: 'The file of a transfer, once it is there as a whole',
  description:
    'Takes `Range` (one range of bytes), `If-Range` and `If-None-Match`; the `ETag` is the SHA-256 of the content. Also of ' +
    'a file that came down corrupted, as it came: look at the state of its transfer. Content is kept for a year at most.',
  tag: 'Transfers',
  params: transferInPath,
  query: { direction: directionInQuery },
  replies: { 200: Content, 206: Content, 304: Content },
  errors: [
    'transfer::unknown',
    'transfer::incomplete',
    'transfer::content-gone',
    'api::unsatisfiable-range',
    'api::unavailable',
  ],
  async handle({ params, query: { direction }, conditions }, ports) {
    const found = await recordedTransfer(nameIn(params, direction), ports);
    if (!found.ok) return found;
    const content = await contentOf(found.value, ports.bus);
    return content.ok ? contentReply(content.value, conditions) : content;
  },
});

const orderInQuery: QueryParameter<ReadingOrderName> = {
  schema: Type.Enum(READING_ORDERS, {
    default: 'arrival',
    description: 'As they arrive, or from the first byte of the file to the last.',
  }),
  expected: 'arrival or offset',
  parse: (text) => READING_ORDERS.find((order) => order === text),
};

export const followChunks = defineFollow({
  path: '/v1/transfers/:target/:file_id/:generation/chunks',
  operationId: 'followTransferChunks',
  summary: 'The bytes of a file that comes down: what is there, then what arrives',
  description:
    'Each byte comes once. A client that is slow is waited for, and the transfer is not. The socket is closed ' +
    'with 1000 when the file is whole and sent, or when it is superseded: the reason is the state of the transfer; with 4409 ' +
    'when the file is sent again from its beginning, since bytes so far may be of an earlier writing: open again; with 4410 ' +
    'where its content is not kept any more.',
  tag: 'Transfers',
  params: transferInPath,
  query: { order: orderInQuery },
  policy: 'held',
  message: Chunk,
  errors: ['transfer::unknown', 'transfer::content-gone', 'api::unavailable'],
  async open({ params, query: { order = 'arrival' } }, ports, writer) {
    const found = await recordedTransfer(nameIn(params), ports);
    if (!found.ok) return found;
    const record = found.value;
    if (record.actor.content !== undefined) {
      const content = await contentOf(record, ports.bus);
      if (!content.ok) return content;
    }
    return { ok: true, value: await ports.chunkFeeds.open(record, order, sinkOf(writer)) };
  },
});

const CLOSE_CODES: Readonly<Record<ReadingEnd, number>> = {
  finished: closeCode.finished,
  'begun-again': closeCode.begunAgain,
  gone: closeCode.contentGone,
  defect: closeCode.internal,
};

function sinkOf(writer: FollowWriter): ChunkSink {
  return {
    push: (message) => writer.push(message),
    room: () => writer.room(),
    end: (how, reason) => writer.finish(CLOSE_CODES[how], reason),
  };
}

async function contentOf(record: StoredTransfer, bus: Bus): Promise<Handled<ServedContent>> {
  const { size, source, direction, target, file_id, generation } = record;
  const isDownload = direction === 'download';
  const sha256 = isDownload ? record.actor.content?.sha256 : source;
  if (sha256 === undefined) return incomplete(record);
  const objects = bus.objects(isDownload ? objectStores.files : objectStores.uploads);
  const name = isDownload ? contentObject(record) : sha256;
  const isThere = size === 0 || (await objects.wholeSize(name)) === size;
  if (!isThere)
    return refuse('transfer::content-gone', `the content of ${fileOf(record)} is not kept any more`, {
      help: isDownload
        ? 'A file that is written again on board gets another generation, which can be transferred.'
        : 'Store it again with POST /v1/uploads.',
    });
  const fileName = `${target}-${file_id}-${generation}`;
  const read = (start: number, end: number) => piecesOf(objects, name, start, end);
  return { ok: true, value: { bytes: size, sha256, fileName, read } };
}

async function* piecesOf(
  objects: Objects,
  name: string,
  from: number,
  to: number,
): AsyncIterable<Uint8Array> {
  const content = await objects.read(name, { from, to });
  if (content === undefined) throw new ContentGone(name);
  yield* content.pieces;
}

function incomplete(record: StoredTransfer): Refusal {
  const { state, reason } = record;
  const why = reason === undefined ? state : `${state}: ${reason}`;
  const help =
    state === 'SUPERSEDED'
      ? 'Ask for the newer generation.'
      : 'Wait until its transfer is COMPLETE, or read its bytes as they arrive: …/chunks.';
  return refuse('transfer::incomplete', `${fileOf(record)} is not there as a whole: ${why}`, { help });
}

function fileOf({ generation, file_id, target }: StoredTransfer): string {
  return `generation ${generation} of file ${file_id} of ${target}`;
}

export const transferContentRoutes = [readContent];
export const transferContentFollows = [followChunks];
