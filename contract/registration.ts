/** What the readers of registrations share: units and connectors register in the same terms. */

import { NAME_CHARACTERS } from './limits/request.ts';
import { isToken } from './token.ts';

interface RegistrationFaultOf<Code extends string> {
  readonly code: Code;
  readonly message: string;
  readonly path?: string;
}

/** A fault of the field at `path`; of the document where that is empty. */
export function invalidField<Code extends string>(
  code: Code,
  path: string,
  message: string,
): RegistrationFaultOf<Code> {
  return { code, message: path === '' ? message : `${path}: ${message}`, ...(path !== '' && { path }) };
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= NAME_CHARACTERS;
}

export function isTokenText(value: unknown): value is string {
  return typeof value === 'string' && isToken(value);
}

export function isMoment(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}
