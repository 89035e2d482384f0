/**
 * The description of one segment: the positions it covers, its files with their digests, and when the samples of each
 * target were, so that a question opens only what it needs.
 *
 * M1. A segment is a directory; its name says its positions and its level, and `manifest.json` in it is written last.
 *     The digest in front of the manifest is that of its text.
 * M2. `first` to `last` are the positions of the stream that the segment answers for. What the stream no longer had
 *     among them stands in `gaps`, with the time between the messages around it.
 * M3. What is longer than what is read is not written: a segment would be there that nobody can open.
 */

import { createHash } from 'node:crypto';
import type { Gap, Level, SegmentName } from '../contract/history.ts';
import { ARCHIVE_MANIFEST_BYTES } from '../contract/limits/archive.ts';
import { type FileSystem, readWhole, writeWhole } from './file-system.ts';
import type { Shape } from './row-shape.ts';

export interface FileEntry {
  readonly name: string;
  readonly kind: 'values' | 'long' | 'minutes' | 'events';
  /** Of its columns; none for `long` and `events`. */
  readonly shape?: string;
  /** The targets whose rows it has, in order; row groups name them by their place. */
  readonly targets: readonly string[];
  readonly rows: number;
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
  readonly digest: string;
  readonly index: readonly [offset: number, length: number];
}

export interface Manifest extends SegmentName {
  readonly version: 1;
  readonly stream: string;
  /** When the bus stored the first and the last of its messages. */
  readonly received: readonly [number, number];
  readonly samples: number;
  /** The times of the samples of each target. */
  readonly targets: Readonly<Record<string, readonly [from: number, to: number]>>;
  readonly gaps: readonly Gap[];
  readonly files: readonly FileEntry[];
  /** Where each shape stands in `shapes.json`. */
  readonly shapes: readonly (readonly [id: string, offset: number, length: number])[];
}

const NAME = /^(\d{1,16})-(\d{1,16})(?:\.(hour|day|minutes))?$/;
const MANIFEST = 'manifest.json';
const SHAPES = 'shapes.json';
const DIGEST_CHARACTERS = 64;

export function nameOf({ first, last, level }: SegmentName): string {
  return `${first}-${last}${level === 'part' ? '' : `.${level}`}`;
}

export function parseName(name: string): SegmentName | undefined {
  const [, first, last, level = 'part'] = NAME.exec(name) ?? [];
  if (first === undefined || last === undefined) return undefined;
  return { first: Number(first), last: Number(last), level: level as Level };
}

/** Writes both files and syncs them. Throws where the description is too long (M3). */
export function writeManifest(
  files: FileSystem,
  path: string,
  about: Omit<Manifest, 'shapes' | 'version'>,
  shapes: readonly Shape[],
): Manifest {
  const texts = shapes.map((shape) => Buffer.from(`${JSON.stringify(shape)}\n`));
  let offset = 0;
  const places = texts.map(({ length }, n) => {
    offset += length;
    return [shapes[n]!.id, offset - length, length] as const;
  });
  const manifest: Manifest = Object.assign({ version: 1 as const, shapes: places }, about);
  const text = JSON.stringify(manifest);
  const whole = Buffer.from(`${digestOf(text)}\n${text}\n`);
  if (whole.length > ARCHIVE_MANIFEST_BYTES)
    throw new Error(
      `${path}/${MANIFEST} would have ${whole.length} bytes, at most ${ARCHIVE_MANIFEST_BYTES} are read`,
    );
  writeWhole(files, `${path}/${SHAPES}`, Buffer.concat(texts));
  writeWhole(files, `${path}/${MANIFEST}`, whole);
  return manifest;
}

/** Throws where it is not there, damaged, or of a later version. */
export function readManifest(files: FileSystem, path: string): Manifest {
  const whole = Buffer.from(readWhole(files, `${path}/${MANIFEST}`, ARCHIVE_MANIFEST_BYTES)).toString();
  const text = whole.slice(DIGEST_CHARACTERS + 1, -1);
  if (whole.slice(0, DIGEST_CHARACTERS) !== digestOf(text))
    throw new Error(`${path}/${MANIFEST} is damaged (wrong digest)`);
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.version !== 1)
    throw new Error(
      `${path}/${MANIFEST} is of version ${manifest.version}: read it with the release that wrote it`,
    );
  return manifest;
}

/** Throws where it is not there or another one stands in its place. */
export function readShape(files: FileSystem, path: string, { shapes }: Manifest, id: string): Shape {
  const place = shapes.find(([each]) => each === id);
  if (place === undefined) throw new Error(`${path} does not describe the columns of shape ${id}`);
  const file = files.open(`${path}/${SHAPES}`);
  try {
    const shape = JSON.parse(Buffer.from(file.read(place[1], place[2])).toString()) as Shape;
    if (shape.id !== id) throw new Error(`${path}/${SHAPES} is damaged`);
    return shape;
  } finally {
    file.close();
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
