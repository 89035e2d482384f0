/**
 * The rows of one message of values.
 *
 * X1. A row is what the message says, bit for bit: NaN and infinities as they are, integers past 2^53 in `exact`, text
 *     and bytes in `text`. Nothing is left out; a measure that no catalogue names is kept under its ordinal.
 * X2. `time` is the on-board time where it is known, else the ground time; `ground_time` is null where it is the same.
 * X3. `raw` is null where it says no more than the value.
 * X4. An integer past 2^53 of a calibrated measure, or of a boolean, is no value (telemetry/reading/unknown-value.U1): it
 *     is in `raw` as near as a double comes, in `exact` with all its digits, and `number` is null. Drivers may give an
 *     integer as its digits.
 */

import type { FileSample, ValueBatch, ValueBlock, WideValue } from '../../contract/batch.ts';
import { FILE_MEASURES } from '../../contract/file-sample.ts';
import { isInstant } from '../../contract/instant.ts';
import type { Platform } from '../../mission/platform.ts';
import { sampledValue } from '../../telemetry/reading/file-samples.ts';
import { timeOf } from '../../telemetry/reading/instant.ts';
import type { CopyBytes } from './copy-bytes.ts';
import type { Dictionary, KnownMeasure } from './dictionary.ts';

/** A message of the stream of values with the catalogue that it was made with, where that is known. */
export interface ValueMessage {
  readonly target: string;
  /** When the bus stored it, ms since 1970. */
  readonly storedMs: number;
  readonly batch: ValueBatch;
  readonly platform: Platform | undefined;
}

const FIELDS = 8;
const INTEGER = /^-?\d{1,40}$/;

/** How many rows a message becomes. */
export function rowsOf({ blocks, files = [] }: ValueBatch): number {
  const samples = blocks.reduce((sum, { value }) => sum + value.length, 0);
  return files.reduce((sum, file) => sum + saidOf(file).length, samples);
}

/** Asks the dictionary for whatever the rows of the message name. */
export async function nameIn(dictionary: Dictionary, message: ValueMessage): Promise<void> {
  const { target, batch, platform } = message;
  const { link, deferred, files = [] } = batch;
  for (const block of batch.blocks) {
    dictionary.measures(target, batch.platform, platform, block.ordinals);
    const isDeferred = deferred || block.deferred === true;
    await dictionary.learnContext(link, isDeferred, false);
    if (block.superseded !== undefined) await dictionary.learnContext(link, isDeferred, true);
  }
  if (files.length > 0) await dictionary.learnContext(link, deferred, false);
  for (const file of files)
    for (const [name] of saidOf(file)) dictionary.wantFile(target, fileKey(message, file, name));
}

/** Each moment at which a row of the message stands. */
export function* timesOf({ batch, storedMs }: ValueMessage): Generator<number> {
  for (const { ground, onboard } of batch.blocks)
    for (let row = 0; row < ground.length; row += 1)
      yield timeOf(onboard[row]!, groundOf(ground[row]!, storedMs));
  for (const file of batch.files ?? []) yield timeOf(file.onboard, groundOf(file.ground, storedMs));
}

/** Writes the rows; stops behind each stretch of them, for who sends the bytes. */
export function* writeSamples(
  bytes: CopyBytes,
  dictionary: Dictionary,
  message: ValueMessage,
): Generator<void> {
  for (const block of message.batch.blocks) yield* writeBlock(bytes, dictionary, message, block);
  for (const file of message.batch.files ?? []) {
    writeFile(bytes, dictionary, message, file);
    yield;
  }
}

/** Samples that are written before who sends the bytes has a turn. */
const STRETCH = 1_000;

function* writeBlock(
  bytes: CopyBytes,
  dictionary: Dictionary,
  { target, batch, platform, storedMs }: ValueMessage,
  block: ValueBlock,
): Generator<void> {
  const { ordinals, ground, onboard, value, raw } = block;
  const measures = dictionary.measures(target, batch.platform, platform, ordinals);
  const wide = block.wide === undefined ? undefined : new Map<number, WideValue>(block.wide);
  const superseded = block.superseded === undefined ? undefined : new Set(block.superseded);
  const deferred = batch.deferred || block.deferred === true;
  const current = dictionary.context(batch.link, deferred, false)!;
  const past = dictionary.context(batch.link, deferred, true)!;
  const columns = ordinals.length;
  let index = 0;
  for (let row = 0; row < ground.length; row += 1) {
    const groundMs = groundOf(ground[row]!, storedMs);
    const time = timeOf(onboard[row]!, groundMs);
    for (let column = 0; column < columns; column += 1, index += 1) {
      bytes.row(FIELDS);
      writeTimes(bytes, time, groundMs);
      const measure = measures[ordinals[column]!]!;
      const exact = wide === undefined ? undefined : exactOf(measure, wide.get(index));
      if (exact === undefined) writeNumbers(bytes, measure, value[index]!, raw[index]!);
      else writeNearest(bytes, measure, exact);
      bytes.int4(measure.id);
      bytes.int2(superseded?.has(index) ? past : current);
      writeExact(bytes, exact);
      if (index % STRETCH === STRETCH - 1) yield;
    }
  }
  yield;
}

function writeTimes(bytes: CopyBytes, time: number, ground: number): void {
  bytes.time(time);
  if (ground === time) bytes.none();
  else bytes.time(ground);
}

function writeNumbers(bytes: CopyBytes, measure: KnownMeasure, value: number, raw: number): void {
  if (Number.isNaN(value) && !measure.keepsNaN) bytes.none();
  else bytes.float8(value);
  if (Object.is(raw, value)) bytes.none();
  else bytes.float8(raw);
}

/** X4 */
function exactOf({ wide }: KnownMeasure, said: WideValue | undefined): WideValue | undefined {
  return typeof said === 'string' && wide !== 'text' && INTEGER.test(said) ? BigInt(said) : said;
}

/** As near as a double comes to an integer: what is reckoned with it is reckoned with doubles. */
function writeNearest(bytes: CopyBytes, { wide }: KnownMeasure, exact: WideValue): void {
  if (wide === 'raw') bytes.none();
  if (typeof exact === 'bigint') bytes.float8(Number(exact));
  else bytes.none();
  if (wide !== 'raw') bytes.none();
}

function writeExact(bytes: CopyBytes, exact: WideValue | undefined): void {
  if (typeof exact === 'bigint') bytes.numeric(exact);
  else bytes.none();
  if (typeof exact === 'string') bytes.text(exact);
  else bytes.none();
}

/** What a sample of a file says, and what it says is not known any more. */
function saidOf(file: FileSample): (readonly [name: string, value: number | string | null])[] {
  return FILE_MEASURES.flatMap((name) => {
    const value = sampledValue(file, name);
    return value === undefined ? [] : [[name, value] as const];
  });
}

function fileKey({ platform }: ValueMessage, { file }: FileSample, name: string): string {
  return `${platform?.files?.component ?? '#files'}[${file}].${name}`;
}

function writeFile(bytes: CopyBytes, dictionary: Dictionary, message: ValueMessage, file: FileSample): void {
  const { target, batch, storedMs } = message;
  const groundMs = groundOf(file.ground, storedMs);
  const time = timeOf(file.onboard, groundMs);
  for (const [name, value] of saidOf(file)) {
    bytes.row(FIELDS);
    writeTimes(bytes, time, groundMs);
    if (typeof value === 'number') bytes.float8(value);
    else bytes.none();
    bytes.none();
    bytes.int4(dictionary.file(target, fileKey(message, file, name)).id);
    bytes.int2(dictionary.context(batch.link, batch.deferred, false)!);
    bytes.none();
    if (typeof value === 'string') bytes.text(value);
    else bytes.none();
  }
}

/** A ground time that is none is that of the storing. */
function groundOf(received: number, storedMs: number): number {
  return isInstant(received) ? received : storedMs;
}
