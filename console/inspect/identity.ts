/**
 * Who acts, as the log will say: the subject of the token, else the name a person gives, which the browser keeps. The
 * service decides what a name may do.
 */

import { byId, setText } from '../element.ts';
import { keepToken, keptToken, namedByToken } from '../token.ts';

const KEY = 'mcs.user';

export function keptName(): string {
  if (keptToken() !== undefined) return namedByToken();
  try {
    return localStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}

export function keepName(name: string): void {
  try {
    localStorage.setItem(KEY, name);
  } catch {
    // Asked again the next time.
  }
  showName(name);
}

/** Shows the name in the bar; a click forgets it, and the token. */
export function identityButton(): void {
  byId('identity', HTMLButtonElement).addEventListener('click', () => {
    if (keptToken() === undefined) return keepName('');
    keepToken(undefined);
    location.reload();
  });
  showName(keptName());
}

function showName(name: string): void {
  const button = byId('identity', HTMLButtonElement);
  const isSignedIn = keptToken() !== undefined;
  button.hidden = name === '' && !isSignedIn;
  setText(button, `${name === '' ? 'signed in' : name} ✕`);
  button.title = isSignedIn ? 'Forget my token' : 'Forget my name';
}
