/**
 * Whether a run with a plan may begin as it is taken up: the executor may have been away since its launch, and the pass
 * may be another one by now. Mission Control Service, section 4.2 rule 3. The rules are those of the launch
 * (`mission/pass/launch.ts`), for a run by hand and for one of a schedule alike.
 *
 * B1. The pass is read as it stands on the bus: what is watched may be a moment behind what was launched.
 * B2. A run that has begun is never stopped by it: that its pass ends or moves is said in its log (`plan-watch.ts`).
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { CLOCK_SKEW_MS } from '../../contract/limits/membership.ts';
import { passKey, readStoredPass, type StoredPass } from '../../contract/pass.ts';
import type { Program } from '../../contract/program.ts';
import { planRefusals } from '../../mission/pass/launch.ts';
import type { Bus } from '../../ports/bus.ts';
import type { RunAtHand, RunServices } from './services.ts';

/** Why the run may not begin; undefined when it may, and for a run without a plan. Throws `Outage`. */
export async function planObstacle(
  { bus, clock }: Pick<RunServices, 'bus' | 'clock'>,
  { program, mission }: Pick<RunAtHand, 'program' | 'mission'>,
): Promise<string | undefined> {
  const { plan, environment } = program;
  if (plan === undefined) return undefined;
  const pass = await storedPass(bus, program, plan);
  if (pass === undefined) return `pass ${plan}, to which the run is bound, is not stored any more`;
  const refusals = planRefusals(program, pass, {
    now: clock.now(),
    marginMs: mission.settings.schedulerMarginMs,
    environment: mission.environments.get(environment),
    toleranceMs: CLOCK_SKEW_MS,
  });
  return refusals.length === 0 ? undefined : refusals.map(({ message }) => message).join('; ');
}

/** B1 */
async function storedPass(bus: Bus, { targets }: Program, plan: string): Promise<StoredPass | undefined> {
  for (const target of new Set(Object.values(targets))) {
    const key = passKey(target, plan);
    const entry = await bus.bucket(buckets.passes).get(key);
    const pass = entry && readStoredPass(key, entry.value);
    if (pass !== undefined) return pass;
  }
  return undefined;
}
