/** Where the focus goes when what had it is gone: to what is to be read next. */

import { later } from '../../browser-clock.ts';

/** Behind the next drawing. */
const DRAWN_MS = 50;
const TURNS = 40;

/**
 * A button that is pressed and cannot be pressed again while it is under way loses the focus: it has it again
 * afterwards, unless somebody has gone elsewhere meanwhile.
 */
export class KeptFocus {
  #lost: HTMLElement | undefined;

  /** Around each drawing. */
  around(draw: () => void): void {
    const { activeElement: before } = document;
    draw();
    if (before instanceof HTMLButtonElement && before.disabled) this.#lost = before;
    const lost = this.#lost;
    if (lost === undefined || lost.matches(':disabled')) return;
    this.#lost = undefined;
    const isNowhere = document.activeElement === document.body || document.activeElement === null;
    if (isNowhere && lost.isConnected) lost.focus();
  }
}

/** To the element with that id, once it is in the document; not where it does not come within two seconds. */
export function focusSoon(id: string, turns = TURNS): void {
  later(() => {
    const element = document.getElementById(id);
    if (element !== null) element.focus();
    else if (turns > 1) focusSoon(id, turns - 1);
  }, DRAWN_MS);
}
