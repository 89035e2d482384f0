/**
 * Text with named places, as lines of a text protocol are written in mission documents: `SET HEATER {state}` to write,
 * `TEMP {value:number} C` to read. Only the cutting is here; what a place may hold is of its two uses.
 *
 * U1. `{{` and `}}` are braces. Every fault is found, each with its character.
 */

import { accepted, type Result, refusedAll } from '../../contract/result.ts';

export type TemplatePart =
  | { readonly text: string }
  | {
      readonly name: string;
      /** What stands behind the colon; undefined without one. */
      readonly format: string | undefined;
    };

export interface TextFault {
  readonly message: string;
  readonly help: string;
}

const PLACE = /^([A-Za-z][A-Za-z0-9_-]*)(?::([^{}]*))?$/;
const TOKEN = /\{\{|\}\}|\{[^{}]*\}|\{|\}|[^{}]+/g;
/** Letters, digits and signs of any script, without what moves a printer or ends a line. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u;

/** Whether text holds a line break or another control character. */
export function hasControl(text: string): boolean {
  return CONTROL.test(text);
}

/** The control character of a text as U+000A. */
export function controlIn(text: string): string {
  const code = CONTROL.exec(text)?.[0].codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The parts in order, texts beside each other joined; refuses braces that are not closed, and what is no name. */
export function parseTemplate(text: string): Result<readonly TemplatePart[], TextFault> {
  const faults: TextFault[] = [];
  const parts: TemplatePart[] = [];
  const say = (piece: string): void => {
    const last = parts.at(-1);
    if (last !== undefined && 'text' in last) parts[parts.length - 1] = { text: last.text + piece };
    else parts.push({ text: piece });
  };
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === '{{' || token === '}}') say(token[0]!);
    else if (token === '{' || token === '}') faults.push(braceFault(token, index));
    else if (!token.startsWith('{')) say(token);
    else addPlace(token, index, parts, faults);
  }
  if (hasControl(text)) {
    const help = 'leave it out: the end of the line is written by the driver or by the transport';
    faults.push({ message: `it holds the control character ${controlIn(text)}`, help });
  }
  return faults.length > 0 ? refusedAll(faults) : accepted(parts);
}

function addPlace(token: string, index: number, parts: TemplatePart[], faults: TextFault[]): void {
  const [, name, format] = PLACE.exec(token.slice(1, -1)) ?? [];
  if (name !== undefined) parts.push({ name, format });
  else {
    const message = `${token} at character ${index + 1} is no place`;
    faults.push({ message, help: 'write {name} or {name:format}; braces themselves as {{ and }}' });
  }
}

function braceFault(token: string, index: number): TextFault {
  const message = `the ${token} at character ${index + 1} has no partner`;
  return { message, help: `close the place, or write ${token}${token} for the brace itself` };
}
