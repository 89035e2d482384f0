/** The name a person gives for the log; kept in the browser. The service decides what a name may do. */

import { byId, setText } from '../element.ts';

const KEY = 'mcs.user';

export function keptName(): string {
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

/** Shows the name in the bar; a click forgets it. */
export function identityButton(): void {
  byId('identity', HTMLButtonElement).addEventListener('click', () => keepName(''));
  showName(keptName());
}

function showName(name: string): void {
  const button = byId('identity', HTMLButtonElement);
  button.hidden = name === '';
  setText(button, `${name} ✕`);
  button.title = 'Forget my name';
}
