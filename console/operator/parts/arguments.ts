/**
 * Fields of a form from what the catalogue says of an argument or a procedure of an input, and what is sent of
 * them. Pure.
 *
 * F1. What is a fault here is one for the service too; the service has the last word on whatever else is typed.
 */

import { typeWords } from '../../../contract/run-question.ts';

export interface FieldView {
  readonly name: string;
  readonly description?: string | undefined;
  readonly type: string;
  readonly unit?: string | undefined;
  readonly range?: readonly [number | null, number | null] | undefined;
  readonly choices?: readonly string[] | undefined;
  readonly required: boolean;
  /** As the catalogue writes it; shown where the field is left empty. */
  readonly fallback?: string | undefined;
}

const NUMERIC = /^[fiu]\d+$/;
const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
const QUANTITY = /^\s*[-+]?(\d|\.\d)/;

/** `number in dB, -130 to 0` */
export function fieldWords({ type, unit, range, choices, fallback }: FieldView): string {
  // What can be chosen, and what is meant without a choice, stands in the field.
  if (choices !== undefined) return '';
  const [least, most] = range ?? [null, null];
  const isLength = !NUMERIC.test(type);
  const within =
    least === null && most === null
      ? ''
      : `, ${isLength ? 'length ' : ''}${least === null ? `at most ${most}` : most === null ? `at least ${least}` : `${least} to ${most}`}`;
  const what = `${typeWords(type)}${unit === undefined ? '' : ` in ${unit}`}${within}`;
  return [what, fallback === undefined ? '' : `default ${fallback}`].filter(Boolean).join('; ');
}

/** Why the text cannot be meant; undefined where nothing speaks against it. */
export function fieldFault(
  { type, unit, range, choices, required }: FieldView,
  text: string,
): string | undefined {
  if (text.trim() === '') return required ? 'required' : undefined;
  if (choices !== undefined) return choices.includes(text) ? undefined : `one of ${choices.join(', ')}`;
  if (type === 'bool') return text === 'true' || text === 'false' ? undefined : 'true or false';
  if (!NUMERIC.test(type)) return undefined;
  if (!QUANTITY.test(text)) return `a number${unit === undefined ? '' : ` in ${unit}, or with its unit`}`;
  const [least, most] = range ?? [null, null];
  if (!NUMBER.test(text.trim())) return undefined;
  const number = Number(text);
  if (least !== null && number < least) return `at least ${least}${unit === undefined ? '' : ` ${unit}`}`;
  if (most !== null && number > most) return `at most ${most}${unit === undefined ? '' : ` ${unit}`}`;
  return undefined;
}

/** As it is sent: a plain number is in the unit of the field, and what is left empty is left out. */
export function sentValue({ type }: FieldView, text: string): string | number | boolean | undefined {
  const bare = text.trim();
  if (bare === '') return undefined;
  if (type === 'bool') return bare === 'true';
  // A number that a double does not hold goes as it was typed.
  if (NUMERIC.test(type) && NUMBER.test(bare) && Math.abs(Number(bare)) <= Number.MAX_SAFE_INTEGER)
    return Number(bare);
  return bare;
}

/** Whether both have the same in every field; an empty one is none. */
export function isSame(
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => (one[name] ?? '') === (other[name] ?? ''));
}
