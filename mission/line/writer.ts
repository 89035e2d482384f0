/**
 * Writes telecommands as lines of text: `SET HEATER {state}`. Which format fits which argument is decided when
 * documents are compiled; what only the value shows is refused here. Mission Control Service, section 2.1 (Encoded).
 *
 * W1. A value never ends the line, begins another or leaves its place: no control character is written, and a word is
 *     one word.
 */

import { assert } from '../../contract/assert.ts';
import { LINE_BYTES } from '../../contract/limits/link.ts';
import { accepted, type Result, refused, refusedAll } from '../../contract/result.ts';
import type { ResolvedValue } from '../../contract/telecommand.ts';
import type { Enumeration, LineWriter } from '../platform.ts';
import { isIntegerType, isNumberType } from '../value-type.ts';
import { controlIn, hasControl, parseTemplate, type TemplatePart, type TextFault } from './template.ts';

/** What a template writes: an argument, or the instance as text. */
export interface LineArgument {
  readonly name: string;
  readonly type: string;
  readonly enumeration: Enumeration | undefined;
  /** Whether it can be below zero. */
  readonly signed: boolean;
}

type Format = (value: ResolvedValue) => Result<string, string>;

const NUMBER_FORMAT = /^(\+?)(0?)([1-9]\d?)?(?:\.(\d{1,2}))?([xX]?)$/;
const PADDING = /^(-?)([1-9]\d?)$/;
/** From here on fixed decimals become powers of ten. */
const LARGEST_FIXED = 1e21;

/** The writer of a template; refuses places that are no argument and formats that do not fit theirs. */
export function compileWriter(
  source: string,
  argumentOf: (name: string) => LineArgument | undefined,
): Result<{ readonly writer: LineWriter; readonly names: readonly string[] }, TextFault> {
  const parts = parseTemplate(source);
  if (!parts.ok) return parts;
  const faults: TextFault[] = [];
  if (parts.value.length === 0) faults.push({ message: 'it is empty', help: 'write the line' });
  const formats = parts.value.map((part) =>
    'text' in part ? undefined : formatOf(part, argumentOf, faults),
  );
  if (faults.length > 0) return refusedAll(faults);
  const writer: LineWriter = (args, instance) => writeLine(parts.value, formats, args, instance);
  const names = parts.value.flatMap((part) => ('name' in part ? [part.name] : []));
  return accepted({ writer, names });
}

function formatOf(
  { name, format }: Extract<TemplatePart, { name: string }>,
  argumentOf: (name: string) => LineArgument | undefined,
  faults: TextFault[],
): Format | undefined {
  const argument = argumentOf(name);
  // Who looks the name up has said what is near it.
  if (argument === undefined) return undefined;
  const made = makeFormat(argument, format);
  if (typeof made === 'function') return made;
  faults.push({ message: `{${name}:${format}} fits no argument of type ${argument.type}`, help: made });
  return undefined;
}

/** The format, or what would fit. */
function makeFormat(argument: LineArgument, format: string | undefined): Format | string {
  const { type, enumeration } = argument;
  if (enumeration !== undefined) return enumFormat(enumeration, format);
  if (type === 'bool') return boolFormat(format);
  if (type === 'string') return textFormat(format);
  if (type === 'bytes') return bytesFormat(format);
  assert(isNumberType(type), 'W1 type');
  return numberFormat(argument, format);
}

function numberFormat({ type, signed }: LineArgument, format: string | undefined): Format | string {
  if (format === undefined) return (value) => plainNumber(value);
  const help =
    'write {name}, {name:.2} for two decimals, {name:08.3}, {name:+6}, or {name:04X} for unsigned integers';
  const [all, sign, zero, width, decimals, hex] = NUMBER_FORMAT.exec(format) ?? [];
  if (all === undefined || all === '' || (zero === '0' && width === undefined)) return help;
  if (hex !== '' && (signed || !isIntegerType(type) || decimals !== undefined || sign !== '')) return help;
  return (value) => {
    const digits = hex === '' ? fixed(value, decimals) : hexDigits(value, hex === 'X');
    if (!digits.ok) return digits;
    const shown = sign === '+' && !digits.value.startsWith('-') ? `+${digits.value}` : digits.value;
    return accepted(padNumber(shown, Number(width ?? 0), zero === '0'));
  };
}

function fixed(value: ResolvedValue, decimals: string | undefined): Result<string, string> {
  if (decimals === undefined) return plainNumber(value);
  const number = Number(value);
  if (!Number.isFinite(number) || Math.abs(number) >= LARGEST_FIXED)
    return refused(`${value} cannot be written with ${decimals} decimals`);
  const text = number.toFixed(Number(decimals));
  return accepted(Number(text) === 0 ? text.replace('-', '') : text);
}

/** Digits without a power of ten, which few instruments read. */
function plainNumber(value: ResolvedValue): Result<string, string> {
  if (typeof value === 'string') return accepted(value);
  const number = Number(value);
  const text = Object.is(number, -0) ? '0' : String(number);
  const [, sign = '', whole = '', fraction = '', power] =
    /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  if (power === undefined) return Number.isFinite(number) ? accepted(text) : refused(`${text} is no number`);
  const digits = whole + fraction;
  const point = whole.length + Number(power);
  if (point <= 0) return accepted(`${sign}0.${'0'.repeat(-point)}${digits}`);
  return accepted(sign + digits.padEnd(point, '0'));
}

function hexDigits(value: ResolvedValue, upper: boolean): Result<string, string> {
  const digits = BigInt(value).toString(16);
  return accepted(upper ? digits.toUpperCase() : digits);
}

function padNumber(text: string, width: number, zeros: boolean): string {
  if (!zeros) return text.padStart(width, ' ');
  const sign = /^[+-]/.exec(text)?.[0] ?? '';
  return sign + text.slice(sign.length).padStart(width - sign.length, '0');
}

function enumFormat(enumeration: Enumeration, format: string | undefined): Format | string {
  if (format === 'number') return (value) => accepted(String(enumeration.numberOf(String(value))));
  return (
    padded(format) ?? 'write {name}, {name:number} for its number, or {name:-8} to fill up to 8 characters'
  );
}

function boolFormat(format: string | undefined): Format | string {
  const words = format?.split('|') ?? ['0', '1'];
  const [no, yes] = words;
  if (words.length !== 2 || no === '' || yes === '' || no === yes)
    return 'write {name:OFF|ON}: false first, then true';
  return (value) => accepted((value === true ? yes : no) ?? '');
}

function textFormat(format: string | undefined): Format | string {
  if (format === undefined || format === 'word') return wordOf;
  if (format === 'text') return (value) => oneLine(String(value));
  if (format === 'quoted') return quoted;
  return 'write {name} for one word, {name:text} for text as it is, {name:quoted} for text in double quotes';
}

function bytesFormat(format: string | undefined): Format | string {
  if (format === undefined || format === 'x') return (value) => accepted(String(value));
  if (format === 'X') return (value) => accepted(String(value).toUpperCase());
  return 'write {name} or {name:X} for hexadecimal digits';
}

/** Filled up with blanks on the left, or on the right with a minus. */
function padded(format: string | undefined): Format | undefined {
  if (format === undefined) return (value) => accepted(String(value));
  const [, left, width] = PADDING.exec(format) ?? [];
  if (width === undefined) return undefined;
  const characters = Number(width);
  return (value) => {
    const text = String(value);
    return accepted(left === '-' ? text.padEnd(characters) : text.padStart(characters));
  };
}

function wordOf(value: ResolvedValue): Result<string, string> {
  const text = String(value);
  if (text === '') return refused('it is empty, and a line has no empty word; quote it in the template');
  if (/\s/.test(text) && !hasControl(text))
    return refused(`${JSON.stringify(text)} has blanks, and the line takes one word`);
  return oneLine(text);
}

function quoted(value: ResolvedValue): Result<string, string> {
  const text = oneLine(String(value));
  return text.ok ? accepted(`"${text.value.replace(/["\\]/g, '\\$&')}"`) : text;
}

/** W1 */
function oneLine(text: string): Result<string, string> {
  if (!hasControl(text)) return accepted(text);
  return refused(`it holds the control character ${controlIn(text)}, and would not stay on one line`);
}

function writeLine(
  parts: readonly TemplatePart[],
  formats: readonly (Format | undefined)[],
  args: Readonly<Record<string, ResolvedValue>>,
  instance: string | undefined,
): Result<string, string> {
  const faults: string[] = [];
  const line = parts.map((part, index) => {
    if ('text' in part) return part.text;
    const value = part.name === 'instance' ? instance : args[part.name];
    const written = value === undefined ? refused('no value') : formats[index]?.(value);
    if (written?.ok === false) faults.push(...written.faults.map((fault) => `${part.name}: ${fault}`));
    return written?.ok === true ? written.value : '';
  });
  if (faults.length > 0) return refusedAll(faults);
  const text = line.join('');
  const bytes = Buffer.byteLength(text);
  return bytes <= LINE_BYTES ? accepted(text) : refused(`the line has ${bytes} bytes, at most ${LINE_BYTES}`);
}
