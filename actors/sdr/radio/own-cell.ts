/**
 * The cell of the radio, as the radio uses it: known once it is hosted, and not used any more once another bench has
 * its record.
 */

import type { RadioContext, RadioEvent } from '../../../machines/bench/radio-protocol.ts';
import { NOTHING_APPLIED } from '../../../machines/bench/radio-record.ts';
import type { Cells } from '../../../ports/cells.ts';
import { RADIO_ID } from './binding.ts';

/** The cell that hosts the chart. */
export type RadioCells = Pick<Cells<unknown, RadioEvent, RadioContext>, 'tell' | 'context'>;

export class OwnCell {
  #cells: RadioCells | undefined;
  #isReplaced = false;
  #last = NO_CONTEXT;

  hosted(cells: RadioCells): void {
    this.#cells = cells;
  }

  /** Another bench has its record: an event would wake the cell, which would write to it again. */
  replaced(): void {
    this.#isReplaced = true;
  }

  /** False when it takes no events now. */
  tell(event: RadioEvent): boolean {
    return !this.#isReplaced && this.#cells?.tell(RADIO_ID, event) === 'accepted';
  }

  /** As it stands, or stood last. */
  get context(): RadioContext {
    this.#last = this.#cells?.context(RADIO_ID) ?? this.#last;
    return this.#last;
  }
}

const NO_CONTEXT: RadioContext = {
  record: NOTHING_APPLIED,
  session: '',
  board: undefined,
  trouble: 'the daemon has not looked for it yet',
  failures: 0,
  holder: undefined,
  running: [],
  waiting: [],
};
