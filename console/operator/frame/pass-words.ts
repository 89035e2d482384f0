/** The pass in progress, or the next one, as the frame shows it. Pure. */

import type { PassView } from '../../../contract/pass.ts';
import { duration } from '../../moment.ts';

export interface PassWords {
  readonly text: string;
  readonly tone: 'ok' | 'muted' | '';
}

/** `ahead`: passes that are not over, by AOS; `at`: ms since 1970. */
export function passWords(ahead: readonly PassView[], at: number): PassWords {
  const [next] = ahead;
  if (next === undefined) return { text: 'no pass known', tone: 'muted' };
  const { station, aos, los, status } = next.pass;
  const begins = Date.parse(aos) - at;
  if (begins > 0)
    return {
      text: `AOS ${station} in ${duration(begins)}${status === 'booked' ? '' : ', not booked'}`,
      tone: '',
    };
  return { text: `In pass over ${station}: LOS in ${duration(Date.parse(los) - at)}`, tone: 'ok' };
}
