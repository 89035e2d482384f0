/**
 * A file of orbital elements in whatever it is written: OMM as JSON or KVN, or TLE. The text itself shows which.
 *
 * R1. The time taken is proportional to the text, and a text or a number of sets past its bound is refused.
 * R2. No text makes it throw.
 */

import { ELEMENT_SETS, ELEMENTS_CHARACTERS } from '../../contract/limits/prediction.ts';
import { type Result, refused } from '../../contract/result.ts';
import type { ElementsFault, OrbitalElements } from './elements.ts';
import { readOmmJson } from './omm-json.ts';
import { readOmmKvn } from './omm-kvn.ts';
import { readTle } from './tle.ts';

/** Every element set of the text, at least one; refuses with what is wrong and in which line. */
export function readElements(text: string): Result<readonly OrbitalElements[], ElementsFault> {
  if (text.length > ELEMENTS_CHARACTERS)
    return refused(tooLarge(`${text.length} characters`, `${ELEMENTS_CHARACTERS}`));
  const read = readerOf(text)(text.replace(/^\uFEFF/, ''));
  if (!read.ok) return read;
  if (read.value.length > ELEMENT_SETS)
    return refused(tooLarge(`more than ${ELEMENT_SETS} element sets`, `${ELEMENT_SETS}`));
  if (read.value.length > 0) return read;
  return refused({ line: 1, message: 'there is no element set', help: 'give OMM (JSON or KVN) or TLE' });
}

function tooLarge(what: string, most: string): ElementsFault {
  const help = `at most ${most} are read: keep the satellites that are flown`;
  return { line: 1, message: `the file has ${what}`, help };
}

/** By the first character that says something, and for KVN by the first line. */
function readerOf(text: string): (text: string) => Result<readonly OrbitalElements[], ElementsFault> {
  const beginning = /^[\uFEFF\s]*(\S{0,40})/.exec(text)?.[1] ?? '';
  if (/^[[{]/.test(beginning)) return readOmmJson;
  if (/^(CCSDS_OMM_VERS|COMMENT$|[A-Z_]+=)/.test(beginning)) return readOmmKvn;
  if (!beginning.startsWith('<')) return readTle;
  return () => refused({ line: 1, message: 'the file is XML', help: 'fetch it as JSON, KVN or TLE' });
}
