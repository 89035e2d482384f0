/** One attachment to a board: its context and everything that is built on it. */

import type { Clock } from '../../../ports/clock.ts';
import { Modem } from '../../../radio/board/modem.ts';
import { Phy } from '../../../radio/board/phy.ts';
import { modemDevice } from '../../../radio/board/registers.ts';
import type { IioContext } from '../../../radio/iio/context.ts';
import { Buffers } from '../datapath/buffers.ts';

export class Board {
  readonly attachment: number;
  readonly context: IioContext;
  readonly modem: Modem;
  readonly phy: Phy;
  /** The same part by a way that waits for nothing asked of the other. */
  readonly urgentPhy: Phy;
  readonly buffers: Buffers;

  constructor(attachment: number, context: IioContext, clock: Clock) {
    this.attachment = attachment;
    this.context = context;
    this.modem = new Modem(context, context.urgent);
    this.phy = new Phy(context);
    this.urgentPhy = new Phy(context.urgent ?? context);
    this.buffers = new Buffers(context, clock);
  }

  /** Whether the board has a register bank of a modem at all; that it answers is another question. */
  get hasModem(): boolean {
    return this.context.devices.some(({ name }) => name === modemDevice.control);
  }
}
