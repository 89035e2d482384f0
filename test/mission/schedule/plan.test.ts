/** What a schedule keeps of its run, and what callers and readers see of the record. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Program } from '../../../contract/program.ts';
import { readStoredSchedule, type StoredSchedule, shownSchedule } from '../../../contract/stored-schedule.ts';
import { programDocument } from '../../../mission/procedure/program-document.ts';
import { planOf } from '../../../mission/schedule/plan.ts';
import {
  byStart,
  createdOf,
  durationOf,
  endOf,
  isReadable,
  startOf,
  takesPlace,
} from '../../../mission/schedule/schedule.ts';
import { type Part, resolved } from '../procedure/run-mission.ts';
import { AOS, at, storedSchedule, validation } from './records.ts';

const FLIGHT = { environment: 'flight', plan: 'pass-1' };
const planned = (run: string, part: Part = {}) => planOf(resolved(run, part, { from: 'schedule' }));

const planOfProgram = (program: Program) => planOf({ program, ...programDocument(program) });

describe('the plan of a run', () => {
  it('MC-SCH-011 MC-SCH-018 has the longest duration of the run with every retry, and whether it sends', () => {
    const { program } = resolved('look', { targets: { sat: 'sat1', eye: 'sat1' }, library: 'ops' });
    expect(program.maxDurationMs).toBeGreaterThan(2 * 5_000);
    const plan = planned('look', { targets: { sat: 'sat1', eye: 'sat1' }, library: 'ops' })!;
    expect(durationOf(plan)).toBe(program.maxDurationMs);
    expect([plan.sends, planned('draft')!.sends]).toEqual([true, false]);
    expect(plan.ir).toMatch(/^[0-9a-f]{64}$/);
  });

  it('MC-SCH-053 needs a validation where a supervisor confirms what is hazardous, and nowhere else', () => {
    const needs = (run: string, part: Part) => planned(run, part)!.needs_validation;
    expect(needs('reboot', FLIGHT)).toBe(true);
    expect(needs('reboot', {})).toBe(false);
    expect(needs('set', FLIGHT)).toBe(false);
  });

  it('is none for a run without bound', () => {
    const { program } = resolved('set');
    expect(planOfProgram({ ...program, maxDurationMs: null })).toBeUndefined();
  });

  it('MC-SCH-056 has the same content where another configuration changes nothing of the run, and another one else', () => {
    const { program } = resolved('set');
    const published = planOfProgram({ ...program, config: 'another' })!;
    const plan = planOfProgram(program)!;
    expect(published.ir).not.toBe(plan.ir);
    expect([published.content, published.config]).toEqual([plan.content, 'another']);
    const changed = planOfProgram({ ...program, maxDurationMs: program.maxDurationMs! + 1 })!;
    expect(changed.content).not.toBe(plan.content);
    expect(planned('set', { plan: 'pass-1' })!.content).not.toBe(plan.content);
  });
});

describe('a stored schedule', () => {
  it('MC-SCH-009 MC-SCH-010 is shown with what the specification has of it, and nothing else', () => {
    const stored = storedSchedule({
      inputs: { level: 3 },
      library: 'ops',
      validation: validation(),
      fell: 'before',
      submitted: true,
      run_id: '01J00000000000000000000000',
      by: 'ada',
    });
    expect(Object.keys(shownSchedule(stored)).sort()).toEqual(
      [
        ...['id', 'pass', 'start', 'run', 'targets', 'inputs', 'library', 'environment'],
        ...['state', 'reasons', 'target', 'ir', 'max_duration', 'sends', 'needs_validation', 'validation'],
        ...['fire_at', 'run_id', 'by', 'updated_at'],
      ].sort(),
    );
  });

  const entry = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

  it('is read under its own key', () => {
    const stored = storedSchedule({ validation: validation() });
    expect(readStoredSchedule('s1', entry(stored))).toEqual(stored);
  });

  it.each<[string, Partial<Record<keyof StoredSchedule, unknown>>]>([
    ['of another key', { id: 's2' }],
    ['MC-SCH-010 in another state', { state: 'waiting' }],
    ['without a pass', { pass: undefined }],
    ['with a time that is none', { fire_at: 'soon' }],
    ['with reasons that are no list', { reasons: 'no' }],
    ['without targets', { targets: null }],
    ['without its run', { ir: 3 }],
  ])('is left out %s', (_what, more) => {
    expect(readStoredSchedule('s1', entry({ ...storedSchedule(), ...more }))).toBeUndefined();
  });

  it('is left out where the bytes are none', () => {
    for (const text of ['', '{', 'null', '[]', '3'])
      expect(readStoredSchedule('s1', Buffer.from(text))).toBeUndefined();
  });

  it.each<[string, Partial<StoredSchedule>]>([
    ['a start of another form', { start: 'los' }],
    ['a duration that is none', { max_duration: 'long' }],
    ['a run that is none', { run_id: 'r1' }],
  ])('is not readable with %s', (_what, more) => {
    expect([isReadable(storedSchedule()), isReadable(storedSchedule(more))]).toEqual([true, false]);
  });

  it('MC-SCH-061 takes its place in the pass until it is cancelled or missed', () => {
    const states = ['scheduled', 'at_risk', 'fired', 'cancelled', 'missed'] as const;
    expect(states.filter((state) => takesPlace({ state }))).toEqual(['scheduled', 'at_risk', 'fired']);
    const one = storedSchedule();
    expect([startOf(one), endOf(one), createdOf(one)]).toEqual([
      AOS + 30_000,
      AOS + 150_000,
      AOS - 30 * 60_000,
    ]);
  });
});

it('MC-SCH-013 MC-SCH-061 orders by start, then creation, then identifier: one order of any two, the same through a third', () => {
  const schedule = fc
    .record({
      id: fc.constantFrom('a', 'b', 'c'),
      start: fc.integer({ min: 0, max: 2 }),
      created: fc.integer({ min: 0, max: 2 }),
    })
    .map(({ id, start, created }) => storedSchedule({ id, fire_at: at(start), created_at: at(created) }));
  const keyOf = ({ fire_at, created_at, id }: StoredSchedule): string => `${fire_at} ${created_at} ${id}`;
  fc.assert(
    fc.property(fc.array(schedule, { maxLength: 12 }), (schedules) => {
      const sorted = [...schedules].sort(byStart).map(keyOf);
      expect(sorted).toEqual(schedules.map(keyOf).sort());
    }),
  );
});
