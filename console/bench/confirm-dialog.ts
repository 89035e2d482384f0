/** Asks before something is emitted at the connector. */

import { byId, setText } from '../element.ts';

/** Whether the person goes on; leaving the dialog by any way but its button means no. */
export function confirmed(title: string, text: string, verb: string): Promise<boolean> {
  const dialog = byId('confirm', HTMLDialogElement);
  setText(byId('confirm-title', HTMLElement), title);
  setText(byId('confirm-text', HTMLElement), text);
  setText(byId('confirm-go', HTMLButtonElement), verb);
  dialog.returnValue = '';
  dialog.showModal();
  byId('confirm-cancel', HTMLButtonElement).focus();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'go'), { once: true });
  });
}
