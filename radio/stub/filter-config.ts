/**
 * The text of `filter_fir_config`: the AD9361's FIR as its filter wizard writes it. Both directions must have the same
 * factor, which the driver asks for as well; coefficients are counted, not applied.
 */

import type { FirFactor } from '../ad9361/clock-chain.ts';
import { errno, IioFailure } from '../iio/context.ts';
import type { LoadedFilter } from './phy-state.ts';

const RECEIVE = /^RX\s+\d+\s+GAIN\s+-?\d+\s+DEC\s+([124])\s*$/;
const TRANSMIT = /^TX\s+\d+\s+GAIN\s+-?\d+\s+INT\s+([124])\s*$/;
const TAP = /^-?\d+\s*,\s*-?\d+\s*$/;
const MOST_TAPS = 128;

/** Reads a filter; throws EINVAL when the driver would not take it. */
export function parseFilter(text: string): LoadedFilter {
  const lines = text.split('\n').map((line) => line.trim());
  const receive = factorOf(lines, RECEIVE);
  const transmit = factorOf(lines, TRANSMIT);
  if (receive === undefined || receive !== transmit) {
    throw new IioFailure(errno.EINVAL, 'a filter has one RX and one TX line with the same factor 1, 2 or 4');
  }
  const taps = lines.filter((line) => TAP.test(line)).length;
  if (taps === 0 || taps > MOST_TAPS || taps % 16 !== 0) {
    throw new IioFailure(errno.EINVAL, `${taps} taps are not a multiple of 16 up to ${MOST_TAPS}`);
  }
  return { factor: receive, taps };
}

/** What reads back. */
export function filterText(filter: LoadedFilter | undefined): string {
  const { taps, factor } = filter ?? { taps: 0, factor: 0 };
  return `FIR Rx: ${taps},${factor} Tx: ${taps},${factor}`;
}

function factorOf(lines: readonly string[], form: RegExp): FirFactor | undefined {
  const found = lines.map((line) => form.exec(line)).find((match) => match !== null);
  return found === undefined ? undefined : (Number(found[1]) as FirFactor);
}
