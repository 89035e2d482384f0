/**
 * Images of the simulated unit: a line of JSON (for which hardware, which version, the SHA-256 of what follows), a line
 * with its Ed25519 signature in base64, and the content. The format is its own: what images real units take is their
 * maker's matter.
 *
 * G1. The signature is over the first line as it stands; what is not signed is not looked at.
 * G2. An image is refused with a reason that a person understands, and nothing of it is kept.
 */

import { createHash, type KeyObject, sign, verify } from 'node:crypto';
import { parseJsonBytes } from '../../contract/json-bytes.ts';
import { asObject, textIn } from '../../contract/reply.ts';

export interface ImageHead {
  /** Hardware revisions it is for. */
  readonly hardware: readonly string[];
  readonly version: string;
}

/** The image, signed. */
export function makeImage({ hardware, version }: ImageHead, content: Uint8Array, key: KeyObject): Uint8Array {
  const head = Buffer.from(JSON.stringify({ hardware, version, sha256: sha256Of(content) }));
  const signature = Buffer.from(sign(null, head, key).toString('base64'));
  return Buffer.concat([head, LINE, signature, LINE, content]);
}

/** Why a unit of this hardware does not take the image as this version; undefined: it takes it (G1, G2). */
export function imageFault(
  image: Uint8Array,
  wanted: { readonly hardware: string; readonly version: string },
  trusted: KeyObject,
): string | undefined {
  const bytes = Buffer.from(image);
  const first = bytes.indexOf(LINE);
  const second = bytes.indexOf(LINE, first + 1);
  if (first < 0 || second < 0 || first > HEAD_BYTES) return 'it is not an image of this unit';
  const head = bytes.subarray(0, first);
  const signature = Buffer.from(bytes.subarray(first + 1, second).toString('latin1'), 'base64');
  if (!verify(null, head, trusted, signature)) return 'bad signature';
  return headFault(head, bytes.subarray(second + 1), wanted);
}

const LINE = Buffer.from('\n');
const HEAD_BYTES = 4_096;

function headFault(
  bytes: Uint8Array,
  content: Uint8Array,
  wanted: { readonly hardware: string; readonly version: string },
): string | undefined {
  const head = asObject(parseJsonBytes(bytes));
  if (head === undefined || !Array.isArray(head.hardware))
    return 'its first line is not the head of an image';
  if (!head.hardware.includes(wanted.hardware))
    return `image of another hardware: it is for ${head.hardware.join(', ')}, this unit is ${wanted.hardware}`;
  const version = textIn(head, 'version');
  if (version !== wanted.version) return `the image is version ${version}, asked for is ${wanted.version}`;
  return textIn(head, 'sha256') === sha256Of(content) ? undefined : 'its content is damaged';
}

function sha256Of(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
