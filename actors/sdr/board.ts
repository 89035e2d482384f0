/** One attachment to a board: its context and everything that is built on it. */

import type { Clock } from '../../ports/clock.ts';
import { BoardActions } from '../../radio/board/actions.ts';
import { Modem } from '../../radio/board/modem.ts';
import { Phy } from '../../radio/board/phy.ts';
import { modemDevice } from '../../radio/board/registers.ts';
import type { IioContext } from '../../radio/iio/context.ts';
import { Buffers } from './buffers.ts';

export class Board {
  readonly attachment: number;
  readonly context: IioContext;
  readonly modem: Modem;
  readonly phy: Phy;
  readonly actions: BoardActions;
  readonly buffers: Buffers;

  constructor(attachment: number, context: IioContext, clock: Clock) {
    this.attachment = attachment;
    this.context = context;
    this.modem = new Modem(context);
    this.phy = new Phy(context);
    this.actions = new BoardActions(context, this.modem);
    this.buffers = new Buffers(context, clock);
  }

  /** Whether the board has a register bank of a modem at all; that it answers is another question. */
  get hasModem(): boolean {
    return this.context.devices.some(({ name }) => name === modemDevice.control);
  }
}
