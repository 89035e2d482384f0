/**
 * What a run asks in words, and what cannot be an answer to it. Mission Control Service, sections 2.3 and 4.2 rule 8.
 * Pure, without a schema: pages load it.
 *
 * Q1. What is a fault here the executor refuses as well; whatever else is given it may still refuse.
 */

import type { Answer, PendingQuestion } from './run.ts';
import type { AskedAnswer } from './run-fields.ts';

const NUMERIC = /^[fiu]\d+$/;
/** A number, with a unit or without. */
const QUANTITY = /^\s*[-+]?(\d|\.\d)/;

/** The type of a value for people: `number`, `whole number`; others by their names. */
export function typeWords(type: string): string {
  if (!NUMERIC.test(type)) return type === 'bool' ? 'true or false' : type;
  return type.startsWith('f') ? 'number' : 'whole number';
}

/** `number in dB, from -130 to -40`, `one of low, high`. */
export function wantedWords({ type, unit, range, choices, of }: AskedAnswer): string {
  if (choices !== undefined) return `one of ${choices.join(', ')}`;
  const named = of === undefined ? typeWords(type) : `${type} of ${of}`;
  return `${named}${unit === undefined ? '' : ` in ${unit}`}${rangeWords(range)}`;
}

/** What stands for the answer in a command: a value where one is asked for. */
export function answerPlace({ kind, answer }: Pick<PendingQuestion, 'kind' | 'answer'>): string {
  if (kind === 'decision' || answer === undefined) return 'yes|no';
  if (answer.type === 'bool') return 'true|false';
  return 'VALUE|no';
}

/** Why it cannot be an answer to the question; undefined where nothing speaks against it. */
export function answerFault(
  { answer }: Pick<PendingQuestion, 'answer'>,
  { accepted, value }: Pick<Answer, 'accepted' | 'value'>,
): string | undefined {
  if (answer === undefined || !accepted) return undefined;
  const wanted = `the question asks for ${wantedWords(answer)}`;
  if (value === undefined) return `a yes has no value: ${wanted}`;
  const fits = isFit(answer, value);
  return fits ? undefined : `${JSON.stringify(value)} cannot be an answer: ${wanted}`;
}

function isFit({ type, range, choices }: AskedAnswer, value: string | number | boolean): boolean {
  if (choices !== undefined) return typeof value !== 'string' || choices.includes(value);
  if (type === 'bool') return typeof value === 'boolean';
  if (!NUMERIC.test(type)) return true;
  if (typeof value === 'string') return QUANTITY.test(value);
  if (typeof value === 'boolean') return false;
  const [least, most] = range ?? [null, null];
  return (least === null || value >= least) && (most === null || value <= most);
}

function rangeWords(range: AskedAnswer['range']): string {
  if (range === undefined) return '';
  const [least, most] = range;
  return `${least === null ? '' : `, from ${least}`}${most === null ? '' : `${least === null ? ',' : ''} to ${most}`}`;
}
