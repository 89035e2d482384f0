/**
 * Faults that a test, or the settings of a bench, put into the model. No route reaches them: a board cannot be asked to
 * break.
 */

import type { Direction } from '../ad9361/oscillator.ts';
import type { RegisterName } from '../board/registers.ts';

export interface StubFaults {
  /** At the beginning of this block since the receive ring was armed (from 0), one byte is lost. */
  readonly slipAtBlock?: number | undefined;
  /** This block since the receive ring was armed finds no room. */
  readonly overflowAtBlock?: number | undefined;
  /** Oscillators that take a frequency and stay where they are. */
  readonly stuckOscillators?: readonly Direction[] | undefined;
  /** Number of the error of attributes, by `attributeName()`, and of buffers, as `modem-rx buffer`. */
  readonly attributes?: Readonly<Record<string, number>> | undefined;
  /** Transfers of a buffer that never complete. */
  readonly stalled?: { readonly receive?: boolean; readonly transmit?: boolean } | undefined;
  /** Registers of the modem that do not answer. */
  readonly deadRegisters?: readonly RegisterName[] | undefined;
  /** Clocks that stand still until the part is initialised again. */
  readonly stoppedClocks?: readonly string[] | undefined;
  /** The demodulator finds no symbols any more until it is cleared. */
  readonly stuckReceiver?: boolean | undefined;
  /** The modulator keeps the settings that it has when the fault comes. */
  readonly frozenModulator?: boolean | undefined;
}
