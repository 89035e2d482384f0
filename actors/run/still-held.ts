/** Asked before a write that no epoch guards: an executor that slept may have lost the run meanwhile. */

import { Outage } from '../../contract/outage.ts';

/** Throws an `Outage` that is waited for: the process holds the run again, or learns that it has lost it. */
export function assertStillHeld(run: string, holds: () => boolean): void {
  if (!holds()) throw new Outage('bus.unavailable', `run ${run} may be another executor's`);
}
