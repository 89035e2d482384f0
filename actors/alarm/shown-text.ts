/** Text as an alarm keeps it: what is longer is cut, so that its record fits into a message of the bus. */

import { ALARM_VALUE_CHARACTERS } from '../../contract/limits/alarm.ts';

export function shownText(text: string): string {
  return text.length <= ALARM_VALUE_CHARACTERS ? text : `${text.slice(0, ALARM_VALUE_CHARACTERS - 1)}…`;
}
