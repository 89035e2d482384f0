/** OMM in JSON as catalogues publish it: one message as an object, or any number in an array. */

import { ELEMENT_SETS } from '../../contract/limits/prediction.ts';
import { type Result, refused } from '../../contract/result.ts';
import { type ElementsFault, ElementsFaults, type OrbitalElements, quoted } from './elements.ts';
import { elementsOfOmm, type OmmField } from './omm.ts';

/** Every message of the text; refuses with all faults. */
export function readOmmJson(text: string): Result<readonly OrbitalElements[], ElementsFault> {
  const parsed = parse(text);
  if (!parsed.ok) return parsed;
  const messages = Array.isArray(parsed.value) ? parsed.value : [parsed.value];
  // Only objects can be found again in the text: among other entries the count would be wrong.
  const lines = messages.every(isObject) ? linesOfMessages(text) : [];
  const faults = new ElementsFaults();
  const sets = messages.slice(0, ELEMENT_SETS + 1).flatMap((message: unknown, index) => {
    const line = lines[index] ?? 1;
    return messageOf(message, { line, index }, faults) ?? [];
  });
  return faults.or(sets);
}

function messageOf(
  message: unknown,
  { line, index }: { readonly line: number; readonly index: number },
  faults: ElementsFaults,
): OrbitalElements | undefined {
  if (!isObject(message)) {
    const said = quoted(JSON.stringify(message) ?? '');
    faults.add(line, `entry ${index + 1} is ${said}`, 'each entry is an object with the fields of an OMM');
    return undefined;
  }
  const fields = new Map<string, OmmField>(
    Object.entries(message).flatMap(([key, value]) => (value === null ? [] : [[key, { value, line }]])),
  );
  const name: unknown = fields.get('OBJECT_NAME')?.value;
  const place = typeof name === 'string' ? `entry ${index + 1} (${name.slice(0, 40)})` : `entry ${index + 1}`;
  return elementsOfOmm({ fields, line, place }, faults);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): Result<unknown, ElementsFault> {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const line = lineAt(text, offsetOf(message, text));
    return refused({ line, message: `no JSON: ${message}`, help: 'fetch the file again; it may be cut off' });
  }
}

/**
 * Where the parser stopped: it gives a position, or repeats some characters around it, or says that the end came early.
 */
function offsetOf(message: string, text: string): number {
  const position = /position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return Number(position);
  const around = /"(.*)"(?:\.\.\.)? is not valid JSON$/s.exec(message)?.[1] ?? '';
  if (around === '') return text.length;
  return Math.max(0, text.indexOf(around)) + around.length / 2;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** The line in which each message of sound JSON begins: its brace is the outermost, or the one within the array. */
function linesOfMessages(text: string): number[] {
  const outer = text.trimStart().startsWith('[') ? 1 : 0;
  const begun: number[] = [];
  let line = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '\n') line += 1;
    else if (character === '{' || character === '[') {
      if (depth === outer) begun.push(line);
      depth += 1;
    } else if (character === '}' || character === ']') depth -= 1;
  }
  return begun;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
