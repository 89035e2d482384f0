/**
 * Reads lines by the patterns of a platform: measures into columns, answers to telecommands into what they say.
 * Mission Control Service, sections 2.1 (DecodedSample) and 6 (decoded telemetry).
 *
 * R1. At most one pattern of telemetry matches a line: overlapping ones are refused when documents are compiled.
 * R2. A value its measure cannot hold leaves nothing of the line behind.
 * R3. An answer is distinguished by its pair of patterns; telecommands with the same pair share its reference, because
 *     a line does not say which of them it answers.
 */

import { createHash } from 'node:crypto';
import type { BlockBuilder, GrowingBlock } from '../../contract/batch.ts';
import type { AnswerConfiguration, LineConfiguration } from '../configuration.ts';
import type { LineAnswer, LineReader, Measure } from '../platform.ts';
import { boundsOf, integerBounds, LARGEST_F32 } from '../value-type.ts';
import type { Pattern, Placeholder } from './pattern.ts';

/** Hexadecimal digits of a reference: two pairs of one platform never share 48 bits. */
const REFERENCE_DIGITS = 12;
const EXACT = boundsOf(true, 54);

interface LineLayout {
  readonly name: string;
  readonly pattern: Pattern;
  readonly ordinals: Uint32Array;
  readonly fields: readonly {
    readonly place: number;
    readonly holds: Placeholder['holds'];
    readonly raw: string;
  }[];
}

interface Parts {
  readonly lines: readonly LineConfiguration[];
  readonly answers: readonly AnswerConfiguration[];
  /** The pattern of a text that compiled. */
  readonly pattern: (source: string) => Pattern;
  readonly measure: (key: string) => Measure & { readonly raw: string };
}

/** The reader of all patterns. */
export function createLineReader({ lines, answers, pattern, measure }: Parts): LineReader {
  const layouts = lines.map((line) => layoutOf(line, pattern(line.match), measure));
  const pairs = new Map(answers.map((answer) => [answerReference(answer), answer]));
  const answering = [...pairs].map(([reference, { ok, error }]) => ({
    reference,
    ok: pattern(ok),
    error: error === undefined ? undefined : pattern(error),
  }));
  return Object.freeze({
    read(line: string, groundMs: number, into: BlockBuilder) {
      for (const layout of layouts) {
        const found = layout.pattern.match(line);
        if (found !== undefined) return take(layout, found, groundMs, into);
      }
      return undefined;
    },
    answers(line: string): readonly LineAnswer[] {
      return answering.flatMap(({ reference, ok, error }): LineAnswer[] => {
        if (ok.match(line) !== undefined) return [{ reference, ok: true, detail: line }];
        const found = error?.match(line);
        if (error === undefined || found === undefined) return [];
        const code = codeOf(error, found);
        return [{ reference, ok: false, detail: line, ...(code !== undefined && { code }) }];
      });
    },
  });
}

/** What names an answer: the same for every telecommand answered by the same lines (R3). */
export function answerReference({ ok, error }: Pick<AnswerConfiguration, 'ok' | 'error'>): string {
  const pair = JSON.stringify([ok, error ?? null]);
  return createHash('sha256').update(pair).digest('hex').slice(0, REFERENCE_DIGITS);
}

function layoutOf({ name, to }: LineConfiguration, pattern: Pattern, measure: Parts['measure']): LineLayout {
  const read = pattern.places.flatMap(({ name: place, holds }, index) => {
    const key = to.find(([from]) => from === place)?.[1];
    return key === undefined ? [] : [{ place: index, holds, measure: measure(key) }];
  });
  return {
    name,
    pattern,
    ordinals: Uint32Array.from(read, (each) => each.measure.ordinal),
    fields: read.map(({ place, holds, measure: { raw } }) => ({ place, holds, raw })),
  };
}

function take(
  { name, ordinals, fields }: LineLayout,
  found: readonly string[],
  groundMs: number,
  into: BlockBuilder,
): { layout: string } | { fault: string } {
  const values = fields.map(({ place, holds, raw }) => rawValue(found[place]!, holds, raw));
  for (const [index, value] of values.entries()) {
    if (value === undefined) {
      const { place, raw } = fields[index]!;
      return { fault: `line ${name}: ${found[place]} is nothing ${raw} holds` };
    }
  }
  if (ordinals.length > 0) put(values, into.row(ordinals, groundMs, Number.NaN));
  return { layout: name };
}

type Value = number | bigint | string;

function put(values: readonly (Value | undefined)[], block: GrowingBlock): void {
  for (const [column, value] of values.entries()) {
    const index = block.offset + column;
    block.raw[index] = typeof value === 'number' ? value : Number.NaN;
    if (typeof value === 'string' || typeof value === 'bigint') block.wide.push([index, value]);
  }
}

/** The raw value; undefined when the measure cannot hold it. */
function rawValue(text: string, holds: Placeholder['holds'], raw: string): Value | undefined {
  switch (holds.kind) {
    case 'word':
    case 'text':
      return text;
    case 'enum':
      return holds.enumeration.numberOf(text);
    case 'choice':
      return holds.words.indexOf(text);
    case 'integer':
      return integerOf(BigInt(text.replace('+', '')), raw);
    case 'hex':
      return integerOf(BigInt(`0x${text}`), raw);
    default:
      return fractionOf(Number(text), raw);
  }
}

function integerOf(value: bigint, raw: string): Value | undefined {
  const bounds = integerBounds(raw);
  if (bounds === undefined) return fractionOf(Number(value), raw);
  if (value < bounds.least || value > bounds.most) return undefined;
  return value > EXACT.least && value <= EXACT.most ? Number(value) : value;
}

function fractionOf(value: number, raw: string): number | undefined {
  if (!Number.isFinite(value) || (raw === 'f32' && Math.abs(value) > LARGEST_F32)) return undefined;
  return value;
}

/** A failure code that a report can carry. */
function codeOf(error: Pattern, found: readonly string[]): number | undefined {
  const index = error.places.findIndex(({ name }) => name === 'code');
  const place = error.places[index];
  if (place === undefined) return undefined;
  const code = rawValue(found[index]!, place.holds, 'f64');
  return typeof code === 'number' ? code : undefined;
}
