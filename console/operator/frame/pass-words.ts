/** The pass in progress, or the next one, as the frame shows it. Pure. */

import type { PassView } from '../../../contract/pass.ts';
import { duration } from '../../moment.ts';

export interface PassWords {
  readonly text: string;
  readonly tone: 'ok' | 'muted' | '';
}

/**
 * `ahead`: passes that are not over, by AOS; `at`: ms since 1970; `isLive`: whether they are followed now. A pass that
 * is not booked may be somebody else's: it says so to its end, and gives way to a booked one.
 */
export function passWords(ahead: readonly PassView[], at: number, isLive: boolean): PassWords {
  const now = passInProgress(ahead, at);
  if (now !== undefined) {
    const { station, los, status } = now.pass;
    const left = `LOS in ${duration(Date.parse(los) - at)}`;
    return status === 'booked'
      ? { text: `In pass over ${station}: ${left}`, tone: 'ok' }
      : { text: `In pass over ${station}, not booked: ${left}`, tone: '' };
  }
  const [next] = ahead;
  if (next === undefined) return { text: isLive ? 'no pass known' : 'passes not read yet', tone: 'muted' };
  const { station, aos, status } = next.pass;
  const booked = status === 'booked' ? '' : ', not booked';
  return { text: `AOS ${station} in ${duration(Date.parse(aos) - at)}${booked}`, tone: '' };
}

/** Of several the booked one, then the one with the earlier AOS; undefined between passes. */
export function passInProgress(ahead: readonly PassView[], at: number): PassView | undefined {
  const begun = ahead.filter(({ pass: { aos } }) => Date.parse(aos) <= at);
  return begun.find(({ pass: { status } }) => status === 'booked') ?? begun[0];
}
