/**
 * Commands of people to stored schedules. Mission Control Service, sections 3.4 and 4.6. Each is one step of the chart
 * on the record, written once on the condition that nobody has written it meanwhile.
 *
 * D1. Whether the caller may is asked of the record that is changed: one that was read before may have been replaced.
 */

import type { ScheduleValidation } from '../contract/schedule.ts';
import type { StoredSchedule } from '../contract/stored-schedule.ts';
import { FINAL_STATES } from '../contract/stored-schedule.ts';
import { steppedSchedule } from '../machines/schedule/step.ts';
import type { Mission } from '../mission/mission.ts';
import { assess } from '../mission/schedule/assess.ts';
import { startOf } from '../mission/schedule/schedule.ts';
import { type Changed, changeSchedule, type ScheduleTools, surroundingsOf } from './schedule-changes.ts';

export type Commanded =
  | Changed
  /** It is final, or its start is there. */
  | { readonly outcome: 'final'; readonly state: StoredSchedule['state'] }
  /** The caller may not (D1). */
  | { readonly outcome: 'forbidden'; readonly standing: StoredSchedule };

/** Whether the caller may change the schedule of this record (D1). */
type May = (standing: StoredSchedule) => boolean;

/** Cancels a schedule that is not final. Throws `Outage`. */
export async function cancelSchedule(
  { bus, clock }: Pick<ScheduleTools, 'bus' | 'clock'>,
  id: string,
  by: string | undefined,
  may: May = () => true,
): Promise<Commanded> {
  const at = clock.now();
  let refused: Commanded | undefined;
  const changed = await changeSchedule(bus, id, (stored) => {
    if (!may(stored)) refused = { outcome: 'forbidden', standing: stored };
    else if (FINAL_STATES.has(stored.state)) refused = { outcome: 'final', state: stored.state };
    if (refused !== undefined) return stored;
    return steppedSchedule(stored, { type: 'operator.cancel', at, ...(by !== undefined && { by }) });
  });
  return refused ?? changed;
}

export type Validated =
  | Exclude<Commanded, { outcome: 'changed' }>
  | {
      readonly outcome: 'validated';
      readonly validation: ScheduleValidation;
      readonly revision: number;
    }
  /** Its pass is not stored, so that there is nothing to validate. */
  | { readonly outcome: 'without-pass'; readonly pass: string };

/** Records the validation of a supervisor. Throws `Outage`. */
export async function validateSchedule(
  tools: ScheduleTools,
  mission: Mission,
  id: string,
  by: string,
  may: May = () => true,
): Promise<Validated> {
  const at = tools.clock.now();
  let refused: Validated | undefined;
  let validation: ScheduleValidation | undefined;
  const changed = await changeSchedule(tools.bus, id, (stored) => {
    const around = surroundingsOf(stored, mission, tools);
    const { pass } = around;
    if (!may(stored)) refused = { outcome: 'forbidden', standing: stored };
    else if (FINAL_STATES.has(stored.state)) refused = { outcome: 'final', state: stored.state };
    else if (startOf(stored) <= at) refused = { outcome: 'overtaken' };
    else if (pass === undefined) refused = { outcome: 'without-pass', pass: stored.pass };
    if (refused !== undefined || pass === undefined) return stored;
    const { aos, los } = pass;
    validation = { by, at: new Date(at).toISOString(), pass: pass.id, aos, los, ir: stored.ir };
    const { fell: _, fallen: __, ...validated } = { ...stored, validation };
    const found = assess(validated, { ...around, resolution: { outcome: 'same' } });
    return steppedSchedule(stored, { type: 'operator.validate', at, by, found });
  });
  if (refused !== undefined) return refused;
  if (changed.outcome !== 'changed') return changed;
  return { outcome: 'validated', validation: validation!, revision: changed.revision };
}
