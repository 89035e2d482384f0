/**
 * Whether a run may be launched now as far as passes go: bound to one by its plan, or by hand while one is in progress.
 * Mission Control Service, section 4.2 rule 3 and section 8 (`scheduler.margin`).
 *
 * L1. Every reason is reported at once.
 * L3. Who takes a run up judges it by a clock of its own and a moment later: AOS and the end of the window are off by
 *     `toleranceMs` then, so that what was in time at its launch is not refused for that.
 * L2. A run whose longest duration is unbounded fits no pass.
 */

import type { ErrorCode, Fault } from '../../contract/errors.ts';
import { nearestInstant } from '../../contract/instant.ts';
import type { StoredPass } from '../../contract/pass.ts';
import type { Program } from '../../contract/program.ts';
import type { Environment } from '../mission.ts';
import { formatDuration } from '../quantity.ts';
import { isInProgress, windowOf } from './pass.ts';

/** What of a program decides about passes. */
type Planned = Pick<Program, 'maxDurationMs' | 'sends'>;

export interface LaunchMoment {
  /** ms since 1970 */
  readonly now: number;
  /** How long before LOS a run is over, ms. */
  readonly marginMs: number;
  readonly environment: Pick<Environment, 'name' | 'kind'> | undefined;
  /** Default: none (L3). */
  readonly toleranceMs?: number;
}

/** Why a run bound to the pass may not begin now; empty when it may. MC-RUN-031 to MC-RUN-035. */
export function planRefusals(program: Planned, pass: StoredPass, moment: LaunchMoment): Fault[] {
  const { now, environment, toleranceMs = 0 } = moment;
  const name = `pass ${pass.id} of ${pass.target}`;
  const { aos } = windowOf(pass);
  const faults: Fault[] = [];
  if (pass.status === 'cancelled')
    faults.push(refusal('run::pass-cancelled', `${name} is cancelled`, 'Choose another pass.'));
  else if (pass.status !== 'booked' && environment?.kind === 'in_orbit') {
    const message = `${name} is ${pass.status}, and environment ${environment.name} needs a booking`;
    faults.push(refusal('run::not-booked', message, 'Book the pass with the provider of the station.'));
  }
  if (now + toleranceMs < aos) {
    const message = `${name} begins at ${pass.aos}`;
    faults.push(refusal('run::before-aos', message, 'Wait until then, or make a schedule of it.'));
  }
  const tooLong = whyTooLong(program, pass, moment);
  if (tooLong !== undefined)
    faults.push(
      refusal('run::window', `${name}: ${tooLong}`, 'Choose a longer pass, or a shorter procedure.'),
    );
  if (pass.uplink === false && program.sends)
    faults.push(refusal('run::receive-only', `${name} is receive-only, and the run sends telecommands`));
  return faults;
}

/** Why a run that begins now is not surely over before LOS less the margin; undefined when it is (L2). */
function whyTooLong(
  { maxDurationMs }: Planned,
  pass: StoredPass,
  { now, marginMs, toleranceMs = 0 }: LaunchMoment,
): string | undefined {
  if (maxDurationMs === null) return 'the longest duration of the run is unbounded';
  const last = windowOf(pass).los - marginMs;
  if (now + maxDurationMs <= last + toleranceMs) return undefined;
  const end = nearestInstant(now + maxDurationMs);
  return (
    `the run may take ${formatDuration(maxDurationMs)}, until ${end}; ` +
    `it has to be over at ${nearestInstant(last)}, ${formatDuration(marginMs)} before LOS`
  );
}

/** What to say of a run by hand that may go on behind the LOS of a pass in progress. MC-RUN-038. */
export function outlastWarnings(
  { maxDurationMs }: Planned,
  passes: Iterable<StoredPass>,
  { now, environment }: Pick<LaunchMoment, 'now' | 'environment'>,
): string[] {
  if (environment?.kind !== 'in_orbit') return [];
  return [...passes]
    .filter((pass) => isInProgress(pass, now))
    .filter((pass) => maxDurationMs === null || now + maxDurationMs > windowOf(pass).los)
    .map((pass) => {
      const how = maxDurationMs === null ? 'has no bound' : `may take ${formatDuration(maxDurationMs)}`;
      return `the run ${how}, and pass ${pass.id} of ${pass.target} ends at ${pass.los}`;
    });
}

function refusal(code: ErrorCode, message: string, help?: string): Fault {
  return { code, message, ...(help !== undefined && { help }), path: '/plan' };
}
