/**
 * What waits of all WebSockets of the editor in this process, as the shares of each. Mission Control Service, section
 * 4.9; what it is for says bridge.B5.
 */

import { EDITOR_WAITING_ALL_BYTES, EDITOR_WAITING_OWN_BYTES } from '../../contract/limits/editor.ts';

/** Of every share; the memory is that of the process. */
let all = 0;

export class WaitingShare {
  #bytes = 0;

  /** So much waits now. */
  set(bytes: number): void {
    all += bytes - this.#bytes;
    this.#bytes = bytes;
  }

  /** Whether it is more than the process can spare for it now. */
  get isTooMuch(): boolean {
    return all > EDITOR_WAITING_ALL_BYTES && this.#bytes > EDITOR_WAITING_OWN_BYTES;
  }
}
