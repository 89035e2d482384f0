/**
 * Content stored for procedures that upload it. Mission Control Service, section 4.7 rule 8: nothing is uploaded here;
 * the hash is given to a run as a `file` input.
 *
 * L1. The content is spooled to a file while its hash is not known, and stored under it once it is. The file has no
 *     name as soon as it is open: a process that is killed leaves nothing of it.
 */

import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Type from 'typebox';
import { assert } from '../../contract/assert.ts';
import { objectStores } from '../../contract/bus/buckets.ts';
import { UPLOAD_BYTES, UPLOAD_SLOWEST_BYTES_PER_S, UPLOADS_AT_ONCE } from '../../contract/limits/transfer.ts';
import { UploadReply } from '../../contract/upload.ts';
import { busAnswers } from '../../messaging/bus-answers.ts';
import { type Content, ContentBroken } from '../content.ts';
import { busUnavailable, refuse } from '../errors.ts';
import type { RoutePorts } from '../ports.ts';
import type { Handled, Reply } from '../reply.ts';
import { defineRoute, type PathParameter } from '../route.ts';
import { type UploadSlot, UploadSlots } from '../upload-slots.ts';

const SHA256 = /^[0-9a-f]{64}$/;
const slots = new UploadSlots(UPLOADS_AT_ONCE);

export const upload = defineRoute({
  method: 'POST',
  path: '/v1/uploads',
  operationId: 'upload',
  summary: 'Store content for a run to upload',
  description:
    'The body is the content itself, at most 256 MiB. The reply names it: give the hash as a `file` input of a run whose ' +
    'procedure uploads it. The same content has the same hash and is stored once.',
  tag: 'Uploads',
  content: { maxBytes: UPLOAD_BYTES },
  replies: { 201: UploadReply },
  errors: ['api::unavailable'],
  async handle({ content }, ports) {
    assert(content !== undefined, 'a route that takes content has it');
    if (!busAnswers(ports.bus)) return busUnavailable();
    const slot = slots.take(ports.clock.now(), () => content.giveUp());
    if (slot === undefined) return busy();
    try {
      return await store(content, slot, ports);
    } catch (error) {
      if (error instanceof ContentBroken) return slot.isGivenUp ? tooSlow() : tooLarge();
      if (isOfFileSystem(error)) return noFolder(error, ports);
      throw error;
    } finally {
      slot.release();
    }
  },
});

/** The hash of stored content; what cannot be one names none. */
const hashInPath: PathParameter = {
  accepts: (text) => SHA256.test(text),
  schema: Type.String({ pattern: SHA256.source, description: 'SHA-256 of the content.' }),
  code: 'upload::unknown',
  expected: 'a SHA-256: 64 hexadecimal digits in lower case',
};

export const readUpload = defineRoute({
  method: 'GET',
  path: '/v1/uploads/:hash',
  operationId: 'readUpload',
  summary: 'Whether content is stored',
  description:
    'What is stored need not be sent again. Content is kept for as long as runs may name it; past half of that time it is ' +
    'unknown here, and kept on when it is sent again.',
  tag: 'Uploads',
  params: { hash: hashInPath },
  replies: { 200: UploadReply },
  errors: ['upload::unknown', 'api::unavailable'],
  async handle({ params: { hash } }, { bus }) {
    const size = await bus.objects(objectStores.uploads).wholeSize(hash, { lasting: true });
    if (size === undefined)
      return refuse('upload::unknown', `no content is stored under ${hash}`, {
        help: 'Store it with POST /v1/uploads, also where it was stored long ago.',
      });
    return { ok: true, value: { status: 200, body: { hash, size } satisfies UploadReply } };
  },
});

async function store(content: Content, slot: UploadSlot, { bus }: RoutePorts): Promise<Handled<Reply>> {
  const file = await unnamedFile();
  try {
    const hash = await spool(content, file, slot);
    const spooled = file.createReadStream({ start: 0, autoClose: false });
    const size = await bus.objects(objectStores.uploads).put(hash, spooled);
    return { ok: true, value: { status: 201, body: { hash, size } satisfies UploadReply } };
  } finally {
    await file.close();
  }
}

/** L1 */
async function unnamedFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `mcs-upload-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await rm(path, { force: true });
  return file;
}

/** Writes the content to the file; its SHA-256. */
async function spool(content: Content, file: FileHandle, slot: UploadSlot): Promise<string> {
  const sum = createHash('sha256');
  for await (const piece of content.pieces()) {
    slot.took(piece.length);
    sum.update(piece);
    await file.writeFile(piece);
  }
  return sum.digest('hex');
}

function isOfFileSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

function noFolder({ code, message }: NodeJS.ErrnoException, { log }: RoutePorts): Handled<Reply> {
  const folder = tmpdir();
  log.error({ folder, code, reason: message }, 'content cannot be spooled');
  return refuse(
    'api::unavailable',
    `the folder of the service for temporary files, ${folder}, cannot be used (${code})`,
    {
      help: 'Free space in it, or have the service started with another TMPDIR.',
    },
  );
}

/** Also when the client has gone: then nobody reads it. */
function tooLarge(): Handled<Reply> {
  return refuse('api::too-large', `the content is larger than ${UPLOAD_BYTES} bytes`);
}

function tooSlow(): Handled<Reply> {
  const message = `it arrived more slowly than ${UPLOAD_SLOWEST_BYTES_PER_S / 1024} KiB/s, and another upload took its slot`;
  return refuse('api::unavailable', message, { help: 'Try again over a faster line.' });
}

function busy(): Handled<Reply> {
  return refuse('api::unavailable', `${UPLOADS_AT_ONCE} uploads are under way`, { help: 'Try again.' });
}

export const uploadRoutes = [upload, readUpload];
