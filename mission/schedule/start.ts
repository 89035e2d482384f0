/** When a scheduled run starts: `aos` or `aos + <duration>`. Mission Control Service, section 2.7. */

import { SCHEDULE_OFFSET_MS_MOST } from '../../contract/limits/schedule.ts';
import { accepted, type Result, refused } from '../../contract/result.ts';
import { formatDuration, parseDuration, type QuantityFault } from '../quantity.ts';

/** Every space is optional (MC-SCH-003). */
const FORM = /^ *aos *(?:\+ *([0-9][0-9.eE+-]{0,40}) *([A-Za-z]{1,8}) *)?$/;

/** How long behind AOS, ms; refuses another form and an offset that no pass has. */
export function readStart(text: string): Result<number, QuantityFault> {
  const [whole, number, unit] = FORM.exec(text) ?? [];
  if (whole === undefined)
    return refused({
      message: `start "${text}" is not a time of a pass`,
      help: 'Write `aos` or `aos + <duration>`, for example "aos + 30 s".',
    });
  if (number === undefined || unit === undefined) return accepted(0);
  const read = parseDuration(`${number} ${unit}`);
  if (!read.ok || read.value <= SCHEDULE_OFFSET_MS_MOST) return read;
  const most = formatDuration(SCHEDULE_OFFSET_MS_MOST);
  return refused({
    message: `start "${text}" is more than ${most} behind AOS`,
    help: 'Choose a start within the pass.',
  });
}

/** When a run with that offset starts, ms since 1970: never before it is due. */
export function fireTime(aos: number, offsetMs: number): number {
  return Math.ceil(aos + offsetMs);
}
