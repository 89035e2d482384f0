/**
 * What of a refusal is answered. A caller chooses how much is wrong with a request and how long the words are that an
 * error repeats; neither chooses the size of the answer. Both services answer through here.
 *
 * Z1. At most `ERRORS_LISTED` faults and `ERRORS_CHARACTERS` characters are listed, the first of them always; one more
 *     fault says how many are not.
 * Z2. No message and no help has more than `ERROR_CHARACTERS`; what is cut ends with how much is missing.
 */

import { ERROR_CHARACTERS, ERRORS_CHARACTERS, ERRORS_LISTED } from '../contract/limits/request.ts';
import type { AnyFault, Refusal } from './reply.ts';

type Faults = readonly [AnyFault, ...AnyFault[]];

/** The faults to answer with, in their order. */
export function boundedFaults({ faults, more = 0 }: Refusal<AnyFault>): Faults {
  const listed = listedOf(faults);
  const left = faults.length - listed.length + more;
  if (left === 0) return listed;
  return [...listed, { code: faults[0].code, message: `and ${more > 0 ? 'at least ' : ''}${left} more` }];
}

function listedOf([first, ...rest]: Faults): Faults {
  const listed: [AnyFault, ...AnyFault[]] = [cut(first)];
  let characters = sizeOf(listed[0]);
  for (const fault of rest.slice(0, ERRORS_LISTED - 1)) {
    const bounded = cut(fault);
    characters += sizeOf(bounded);
    if (characters > ERRORS_CHARACTERS) break;
    listed.push(bounded);
  }
  return listed;
}

function sizeOf({ message, help = '' }: AnyFault): number {
  return message.length + help.length;
}

function cut(fault: AnyFault): AnyFault {
  const { message, help } = fault;
  if (message.length <= ERROR_CHARACTERS && (help?.length ?? 0) <= ERROR_CHARACTERS) return fault;
  return { ...fault, message: cutText(message), ...(help !== undefined && { help: cutText(help) }) };
}

function cutText(text: string): string {
  if (text.length <= ERROR_CHARACTERS) return text;
  const missing = ` … (${text.length} characters)`;
  // Not through the middle of a character of two units.
  return `${text.slice(0, ERROR_CHARACTERS - missing.length).replace(/[\ud800-\udbff]$/, '')}${missing}`;
}
