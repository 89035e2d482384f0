/**
 * Reads the value of an input by its type, as a request or a document writes it. Mission Control Service, section 2.3
 * (input value forms).
 *
 * V1. A quantity is written with its unit: a number alone may be meant in another one.
 * V2. The result is a number in the unit of the input, a boolean, or text: an enum value, an instance, lower-case
 *     hexadecimal, and a whole number past 2^53 as decimal text.
 */

import { nearHelp } from '../../../contract/near.ts';
import type { AnswerType } from '../../../contract/program.ts';
import { accepted, type Result, refused } from '../../../contract/result.ts';
import type { ResolvedValue } from '../../../contract/telecommand.ts';
import { readArgument } from '../../argument.ts';
import { createEnumeration } from '../../enumeration.ts';

export interface ValueFault {
  readonly message: string;
  readonly help: string;
}

/** What a value may refer to. */
export interface ValueSite {
  /** Instances of a component, by the name the type gives it. */
  instancesOf(component: string): readonly string[];
  /** SHA-256 (hexadecimal) of stored uploads. */
  readonly uploads: ReadonlySet<string>;
}

type Read = Result<ResolvedValue, ValueFault>;

const SHA256 = /^[0-9a-f]{64}$/i;

/** The value; refuses one of another kind or unit, outside bounds or range, and one that refers to nothing. */
export function readTyped(type: AnswerType, value: unknown, site: ValueSite): Read {
  if (type.type === 'instance') return readInstance(type.of ?? '', value, site);
  if (type.type === 'file_id') return readFileId(value);
  if (type.type === 'file') return readFile(value, site);
  if (type.unit !== undefined && !(typeof value === 'string' && value.includes(' '))) {
    return refusal(`${shown(value)} has no unit`, `write a quantity in ${type.unit}, like "10 ${type.unit}"`);
  }
  const { values, unit, range } = type;
  const enumeration = values === undefined ? undefined : createEnumeration(type.type, values);
  const read = readArgument({ type: type.type, enumeration, unit, range }, value);
  if (read.ok) return read;
  const [{ message, help }] = read.faults;
  return refusal(message, help);
}

/** Whether the text is the name of an upload. */
export function isUploadHash(value: unknown): value is string {
  return typeof value === 'string' && SHA256.test(value);
}

/** A resolved value as it is written for `readTyped` and for arguments: a number of a unit with it. */
export function withUnit(value: ResolvedValue, unit: string | undefined): ResolvedValue {
  return unit !== undefined && typeof value === 'number' ? `${value} ${unit}` : value;
}

function readInstance(component: string, value: unknown, site: ValueSite): Read {
  const instances = site.instancesOf(component);
  const text = Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text === 'string' && instances.includes(text)) return accepted(text);
  return refusal(
    `${shown(value)} is not an instance of ${component}`,
    nearHelp(String(text), instances, 'instances'),
  );
}

/** On board an identifier is a number; how large it may be, the telecommand that carries it says. */
function readFileId(value: unknown): Read {
  const read = readArgument(
    { type: 'u64', enumeration: undefined, unit: undefined, range: undefined },
    value,
  );
  if (read.ok) return read;
  return refusal(`${shown(value)} is not a file identifier`, 'write a whole number from 0');
}

function readFile(value: unknown, { uploads }: ValueSite): Read {
  if (!isUploadHash(value)) {
    return refusal(
      `${shown(value)} is not a SHA-256`,
      'write the 64 hexadecimal digits that the upload returned',
    );
  }
  const hash = value.toLowerCase();
  if (uploads.has(hash)) return accepted(hash);
  return refusal(`no content is stored under ${hash}`, 'upload it first with POST /v1/uploads');
}

/** Longest value repeated in a message. */
const SHOWN_CHARACTERS = 80;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

function refusal(message: string, help: string): Read {
  return refused({ message, help });
}
