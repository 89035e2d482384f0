/** The report of a run that is over, archived in bucket `mcs_run_reports`. Mission Control Service, section 3.2. */

import { buckets } from '../../contract/bus/buckets.ts';
import type { RunEvent } from '../../contract/run-event.ts';
import { TooLarge } from '../../contract/too-large.ts';
import { reportText } from '../../mission/procedure/run-report.ts';
import type { Bus } from '../../ports/bus.ts';

/** Archives the report of a log; again, it changes nothing (run-report.R1). Throws `Outage`. */
export async function archiveReport(bus: Bus, run: string, log: readonly RunEvent[]): Promise<void> {
  const bucket = bus.bucket(buckets.runReports);
  try {
    await bucket.overwrite(run, reportText(run, log));
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    // A bus of smaller messages than is meant.
    await bucket.overwrite(run, reportText(run, log, Math.floor(error.most / 2)));
  }
}
