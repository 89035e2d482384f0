/** A pass and a schedule on it as they are stored, for tests of what is made of them. */

import type { StoredPass } from '../../../contract/pass.ts';
import type { ScheduleValidation } from '../../../contract/schedule.ts';
import type { StoredSchedule } from '../../../contract/stored-schedule.ts';

/** AOS of the pass, ms since 1970. */
export const AOS = Date.UTC(2026, 0, 2, 12);
export const MINUTE = 60_000;

/** So many ms behind AOS. */
export const at = (ms: number): string => new Date(AOS + ms).toISOString();

/** What a pass says otherwise; undefined where it says nothing. */
export type PassParts = { readonly [Name in keyof StoredPass]?: StoredPass[Name] | undefined };

/** Ten minutes long. */
export function storedPass(more: PassParts = {}): StoredPass {
  const pass = {
    id: 'p1',
    target: 'sat1',
    station: 'kiruna',
    aos: at(0),
    los: at(10 * MINUTE),
    max_elevation: '40 deg',
    source: 'provider' as const,
    status: 'booked' as const,
    feeder: 'network',
    updated_at: at(-60 * MINUTE),
    contributions: {},
    ...more,
  };
  return pass as StoredPass;
}

/** Two minutes long, half a minute behind AOS. */
export function storedSchedule(more: Partial<StoredSchedule> = {}): StoredSchedule {
  return {
    id: 's1',
    pass: 'p1',
    start: 'aos + 30 s',
    run: 'set',
    targets: { sat: 'sat1' },
    environment: 'flight',
    state: 'scheduled',
    reasons: [],
    target: 'sat1',
    ir: 'a'.repeat(64),
    content: 'b'.repeat(64),
    config: 'r1',
    max_duration: '2 min',
    sends: true,
    needs_validation: false,
    fire_at: at(30_000),
    created_at: at(-30 * MINUTE),
    updated_at: at(-30 * MINUTE),
    changes: [{ at: at(-30 * MINUTE), state: 'scheduled', reasons: [] }],
    ...more,
  };
}

export function validation(more: Partial<ScheduleValidation> = {}): ScheduleValidation {
  const { aos, los } = storedPass();
  return { by: 'eve', at: at(-20 * MINUTE), pass: 'p1', aos, los, ir: 'a'.repeat(64), ...more };
}
