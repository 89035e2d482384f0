/**
 * OMM in keyword-value notation (CCSDS 502.0-B, section 7): `KEY = value [unit]`, one in a line, any number of
 * messages, each beginning with its version.
 */

import { ELEMENT_SETS } from '../../contract/limits/prediction.ts';
import type { Result } from '../../contract/result.ts';
import { type ElementsFault, ElementsFaults, type OrbitalElements, quoted } from './elements.ts';
import { elementsOfOmm, type OmmField } from './omm.ts';

const BEGINNING = 'CCSDS_OMM_VERS';
const VERSION = /^[123]\.\d$/;
/** Longest line of a message: the standard allows 254 characters. */
const LINE_CHARACTERS = 254;
const LINE = /^([A-Z][A-Z0-9_]*) *= *(.*)$/;
const UNIT = /^(.*?) *\[([^[\]]*)\]$/;

interface OpenMessage {
  readonly fields: Map<string, OmmField>;
  readonly line: number;
}

/** Every message of the text; refuses with all faults. */
export function readOmmKvn(text: string): Result<readonly OrbitalElements[], ElementsFault> {
  const faults = new ElementsFaults();
  const messages: OpenMessage[] = [];
  for (const [index, raw] of text.split(/\r\n|[\r\n]/).entries()) {
    const line = index + 1;
    const field = fieldOf(raw.trim(), line, faults);
    if (field === undefined) continue;
    if (field.key === BEGINNING) {
      if (messages.length > ELEMENT_SETS) break;
      messages.push({ fields: new Map(), line });
      checkVersion(field.value, line, faults);
    }
    put(messages.at(-1), field, faults);
  }
  const sets = messages.flatMap((message, index) => elementsOf(message, index, faults) ?? []);
  return faults.or(sets);
}

function elementsOf(
  { fields, line }: OpenMessage,
  index: number,
  faults: ElementsFaults,
): OrbitalElements | undefined {
  const name = fields.get('OBJECT_NAME')?.value;
  const place = `message ${index + 1}${typeof name === 'string' ? ` (${name.slice(0, 40)})` : ''}`;
  return elementsOfOmm({ fields, line, place }, faults);
}

interface KvnField extends OmmField {
  readonly key: string;
  readonly value: string;
}

function fieldOf(text: string, line: number, faults: ElementsFaults): KvnField | undefined {
  if (text === '' || /^COMMENT( |$)/.test(text)) return undefined;
  const found = text.length > LINE_CHARACTERS ? null : LINE.exec(text);
  if (found === null) {
    faults.add(
      line,
      `${quoted(text)} is no line of an OMM`,
      'lines are written KEY = value, or COMMENT text',
    );
    return undefined;
  }
  const [, key = '', written = ''] = found;
  const [, value = written, unit] = UNIT.exec(written) ?? [];
  return { key, value, line, ...(unit !== undefined && { unit: unit.trim() }) };
}

function put(message: OpenMessage | undefined, field: KvnField, faults: ElementsFaults): void {
  const { key, line } = field;
  if (message === undefined)
    faults.add(line, `${key} stands before the message begins`, `begin with ${BEGINNING} = 3.0`);
  else if (message.fields.has(key) && !key.startsWith('USER_DEFINED_'))
    faults.add(line, `${key} is given twice`, `keep one; a further message begins with ${BEGINNING}`);
  else message.fields.set(key, field);
}

function checkVersion(version: string, line: number, faults: ElementsFaults): void {
  if (VERSION.test(version)) return;
  faults.add(line, `OMM version ${quoted(version)} is not known`, 'versions 1.0, 2.0 and 3.0 are read');
}
