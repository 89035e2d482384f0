/** A value in a line of a terminal (shown-value.W1, W2); `?` where it is unknown. */

import { shownValue } from '../contract/shown-value.ts';

export function valueText(value: unknown): string {
  if (value === null || value === undefined) return '?';
  return shownValue(value);
}
