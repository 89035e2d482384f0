/**
 * Stores the content of a file of this machine with the service. Mission Control Service, section 4.7 rule 8.
 *
 * N1. It is read piece by piece, once for its hash and once to be sent: no file is in memory.
 * N2. What is stored already is not sent again.
 */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';
import type { Fault } from '../contract/errors.ts';
import { UPLOAD_BYTES } from '../contract/limits/transfer.ts';
import type { UploadReply } from '../contract/upload.ts';
import { ask, faultLine } from './request.ts';
import { identityHeaders, type Service } from './service.ts';
import { bytesText } from './transfer-progress.ts';

export interface LocalContent {
  readonly path: string;
  /** SHA-256, hexadecimal. */
  readonly hash: string;
  readonly bytes: number;
}

interface Storing {
  readonly service: Service;
  readonly signal: AbortSignal;
  /** So many bytes are sent. */
  readonly there: (bytes: number, size: number) => void;
}

export type Read<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly said: string };

/** What a path holds; refuses, in words, what no spacecraft is sent. Rejects at the signal. */
export async function readContent(path: string, signal: AbortSignal): Promise<Read<LocalContent>> {
  const known = await stat(path).catch((error: NodeJS.ErrnoException) => error.code ?? error.message);
  if (typeof known === 'string') return refused(`${path} cannot be read: ${known}`);
  if (!known.isFile()) return refused(`${path} is not a file`);
  if (known.size === 0) return refused(`${path} is empty: what is written on board has at least one byte`);
  if (known.size > UPLOAD_BYTES)
    return refused(`${path} has ${bytesText(known.size)}; at most ${UPLOAD_BYTES / 1024 ** 2} MiB are taken`);
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of createReadStream(path, { signal })) {
    hash.update(piece as Buffer);
    bytes += (piece as Buffer).length;
  }
  return { ok: true, value: { path, hash: hash.digest('hex'), bytes } };
}

/** Has it stored when it resolves, or says why not. Rejects at the signal. */
export async function storeContent(content: LocalContent, storing: Storing): Promise<Read<'stored'>> {
  const { service, signal } = storing;
  const known = await ask<UploadReply>(service, 'GET', `/v1/uploads/${content.hash}`, undefined, signal);
  if (known.ok) return { ok: true, value: 'stored' };
  if (known.faults.every(({ code }) => code !== 'upload::unknown'))
    return refused(known.faults.map(faultLine).join('\n'));
  const { status, text } = await sent(content, storing);
  const reply = objectIn(text) as Partial<UploadReply> & { errors?: Fault[] };
  if (status !== 201)
    return refused(reply.errors?.map(faultLine).join('\n') ?? `the service answered ${status}`);
  if (reply.hash !== content.hash) return refused(`${content.path} was changed while it was read`);
  return { ok: true, value: 'stored' };
}

async function sent(
  { path, bytes }: LocalContent,
  { service, signal, there }: Storing,
): Promise<{ readonly status: number; readonly text: string }> {
  const begin = service.api.startsWith('https:') ? httpsRequest : httpRequest;
  const headers = {
    ...identityHeaders(service),
    'content-type': 'application/octet-stream',
    'content-length': bytes,
  };
  const posting = begin(`${service.api}/v1/uploads`, { method: 'POST', headers, signal });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    posting.once('response', resolve);
    posting.once('error', reject);
  });
  let at = 0;
  const counted = async function* (pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      yield piece;
      at += piece.length;
      there(at, bytes);
    }
  };
  // Whoever refuses may answer before all of it was sent: the answer counts, not the end of the sending.
  const sending = pipeline(createReadStream(path), counted, posting, { signal });
  sending.catch(() => undefined);
  const response = await answered.catch((error: Error) => {
    if (signal.aborted) throw error;
    throw new Error(
      `${service.api} does not take the content (${error.message}); the same command tries again`,
    );
  });
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  return { status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() };
}

function objectIn(text: string): object {
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch {
    return {};
  }
}

function refused(said: string): { readonly ok: false; readonly said: string } {
  return { ok: false, said };
}
