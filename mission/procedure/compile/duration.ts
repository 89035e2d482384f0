/** Times in statements: what is waited for, and for how long. Mission Control Service, section 4.2. */

import { STATEMENT_LONGEST_MS } from '../../../contract/limits/run.ts';
import { durationIn } from '../../check/quantity.ts';
import type { FaultsAt } from '../../document/fault.ts';
import { formatDuration } from '../../quantity.ts';

/** ms; 0 after a fault. */
export function timeIn(text: string, faults: FaultsAt): number {
  const ms = durationIn(text, faults) ?? 0;
  if (ms <= STATEMENT_LONGEST_MS) return ms;
  const most = formatDuration(STATEMENT_LONGEST_MS);
  faults.fault(
    `${text} is longer than a statement may last`,
    `write at most ${most}; use a schedule for anything later`,
  );
  return 0;
}

/** ms above zero; 0 after a fault. */
export function positiveTimeIn(text: string, faults: FaultsAt): number {
  const before = faults.found;
  const ms = timeIn(text, faults);
  if (ms === 0 && faults.found === before)
    faults.fault('the time is zero', 'give a time above zero, like 30 s');
  return ms;
}
