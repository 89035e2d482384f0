/**
 * Faults of simulated targets that a run switches. Mission Control Service, sections 2.3 and 4.9.
 *
 * F1. The delay of a trigger begins at the first entry of its step, and never again.
 * F2. What was switched on, or may have been, is switched off before the run is over; a simulator that refuses does not
 *     hold the end up. One that is due later than `FAULT_AT_END_MS` behind the end is never switched on: the holder of
 *     the run calls it off.
 * F3. Every switch is in the log as a text it can be read back from (`fault-log.ts`). What stands here beyond that was
 *     asked for and is not logged: a new owner asks for it again.
 */

import { FAULT_AT_END_MS } from '../../contract/limits/simulation.ts';
import type { FaultStanding, RunContext } from './context.ts';
import type { Draft } from './draft.ts';
import { sideOf, switched, switchText } from './fault-log.ts';
import type { RunChartEvent, RunEffect } from './protocol.ts';

/** Arms what waits for the first entry of this step, or without a path for the start of the run. */
export function armFaults(draft: Draft, path: string | undefined): void {
  draft.program.faults.forEach((fault, index) => {
    for (const on of [true, false]) {
      const trigger = on ? fault.at : fault.off;
      const switching = draft.context.faults[index]?.[sideOf(on)];
      if (trigger !== null && trigger.step === path && switching?.stage === 'before')
        arm(draft, index, on, draft.at + trigger.afterMs);
    }
  });
}

/** Every switch that is armed, to be asked for again. */
export function armedFaults({ program, faults }: RunContext): RunEffect[] {
  return faults.flatMap((standing, index) => {
    const fault = program.faults[index];
    const armed = [true, false].filter((on) => standing[sideOf(on)].stage === 'armed');
    if (fault === undefined) return [];
    return armed.map((on) => {
      return { type: 'effect.fault' as const, index, fault, on, at: standing[sideOf(on)].dueAt };
    });
  });
}

/** Switches off what is on; whether nothing is left to be waited for (F2). */
export function faultsAreOff(draft: Draft): boolean {
  draft.context.faults.forEach(({ off, isLit }, index) => {
    const isAsked = off.stage === 'armed' && off.dueAt <= draft.at;
    if (isLit && !isAsked) arm(draft, index, false, draft.at);
  });
  return draft.context.faults.every(
    ({ on, isLit }) => !isLit && !(on.stage === 'armed' && on.dueAt <= draft.at + FAULT_AT_END_MS),
  );
}

/** Logs what became of a switch; one that is no longer awaited says nothing. */
export function faultAnswered(
  draft: Draft,
  event: Extract<RunChartEvent, { type: 'fault.switched' | 'fault.refused' }>,
): void {
  const fault = draft.program.faults[event.fault];
  const standing = draft.context.faults[event.fault];
  if (fault === undefined || standing?.[sideOf(event.on)].stage !== 'armed') return;
  const message = switchText(fault, event.on, event);
  draft.record({ event: 'logged', path: draft.path, message, samples: [] });
  place(draft, event.fault, switched(standing, event.on, event));
}

function arm(draft: Draft, index: number, on: boolean, dueAt: number): void {
  const [fault, standing] = [draft.program.faults[index], draft.context.faults[index]];
  if (fault === undefined || standing === undefined) return;
  place(draft, index, { ...standing, [sideOf(on)]: { stage: 'armed', dueAt } });
  draft.ask({ type: 'effect.fault', index, fault, on, at: dueAt });
}

function place(draft: Draft, index: number, standing: FaultStanding): void {
  draft.change({ faults: draft.context.faults.with(index, standing) });
}
