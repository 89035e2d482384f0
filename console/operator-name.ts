/**
 * Who acts, as the log will say: the subject of the token, else the name a person gives, which the browser keeps. The
 * service decides what a name may do.
 */

import { keptToken, namedByToken } from './token.ts';

const KEY = 'mcs.user';
const ROLES_KEY = 'mcs.roles';

/** Empty where nobody is named. */
export function keptName(): string {
  if (keptToken() !== undefined) return namedByToken();
  try {
    return localStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}

/** Roles that are declared beside the name, with commas; a token brings its own. */
export function keptRoles(): string {
  if (keptToken() !== undefined) return '';
  try {
    return localStorage.getItem(ROLES_KEY) ?? '';
  } catch {
    return '';
  }
}

/** Empty forgets it. */
export function keepGivenName(name: string, roles = ''): void {
  try {
    localStorage.setItem(KEY, name);
    localStorage.setItem(ROLES_KEY, roles);
  } catch {
    // Asked again the next time.
  }
}
