/**
 * Faults of simulated targets that a run switches. Mission Control Service, sections 2.3 and 4.9.
 *
 * F1. The delay of a trigger begins at the first entry of its step, and never again.
 * F2. What was switched on is switched off before the run is over; a simulator that refuses does not hold the end up.
 *     One that is due later than `FAULT_AT_END_MS` behind the end is never switched on: whoever holds the run calls it off.
 * F3. Every switch is in the log as a text that tells it again (`replayedFaults`).
 */

import { FAULT_AT_END_MS } from '../../contract/limits.ts';
import type { Program, ProgramFault, ProgramTrigger } from '../../contract/program.ts';
import type { RunEvent } from '../../contract/run.ts';
import type { FaultStanding, RunContext, Switching } from './context.ts';
import type { Draft as Turn } from './draft.ts';
import type { RunChartEvent, RunEffect } from './protocol.ts';

const BEFORE: Switching = { stage: 'before', dueAt: 0 };

export function faultsBefore(program: Program): FaultStanding[] {
  return program.faults.map(() => ({ on: BEFORE, off: BEFORE, isLit: false }));
}

/** Arms what waits for the first entry of this step, or without a path for the start of the run. */
export function armFaults(turn: Turn, path: string | undefined): void {
  turn.program.faults.forEach((fault, index) => {
    for (const on of [true, false]) {
      const trigger = on ? fault.at : fault.off;
      const switching = turn.context.faults[index]?.[sideOf(on)];
      if (trigger !== null && trigger.step === path && switching?.stage === 'before')
        arm(turn, index, on, turn.at + trigger.afterMs);
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
export function faultsAreOff(turn: Turn): boolean {
  turn.context.faults.forEach(({ off, isLit }, index) => {
    const isAsked = off.stage === 'armed' && off.dueAt <= turn.at;
    if (isLit && !isAsked) arm(turn, index, false, turn.at);
  });
  return turn.context.faults.every(
    ({ on, isLit }) => !isLit && !(on.stage === 'armed' && on.dueAt <= turn.at + FAULT_AT_END_MS),
  );
}

/** Logs what became of a switch; one that is no longer awaited says nothing. */
export function faultAnswered(
  turn: Turn,
  event: Extract<RunChartEvent, { type: 'fault.switched' | 'fault.refused' }>,
): void {
  const fault = turn.program.faults[event.fault];
  const standing = turn.context.faults[event.fault];
  if (fault === undefined || standing?.[sideOf(event.on)].stage !== 'armed') return;
  const isSwitched = event.type === 'fault.switched';
  const message = isSwitched
    ? switchedText(fault, event.on)
    : `${refusedText(fault, event.on)}: ${event.reason}`;
  turn.record({ event: 'logged', path: turn.path, message, samples: [] });
  place(turn, event.fault, switched(standing, event.on, event.on && isSwitched));
}

/** How the faults of a program stand for a log. */
export function replayedFaults(program: Program, events: readonly RunEvent[]): FaultStanding[] {
  const entries = firstEntries(program, events);
  const standings = program.faults.map((fault) => ({
    on: armedBy(fault.at, entries),
    off: fault.off === null ? BEFORE : armedBy(fault.off, entries),
    isLit: false,
  }));
  for (const event of events) if (event.event === 'logged') replay(program, standings, event.message);
  return standings;
}

function replay(program: Program, standings: FaultStanding[], message: string): void {
  for (const on of [true, false]) {
    const index = program.faults.findIndex((fault, place) => {
      const standing = standings[place];
      const isOpen = on ? standing?.on.stage === 'armed' : standing?.isLit;
      return isOpen && tells(fault, on, message);
    });
    const standing = standings[index];
    if (standing === undefined) continue;
    const isSwitched = message === switchedText(program.faults[index]!, on);
    standings[index] = switched(standing, on, on && isSwitched);
    return;
  }
}

function tells(fault: ProgramFault, on: boolean, message: string): boolean {
  return message === switchedText(fault, on) || message.startsWith(`${refusedText(fault, on)}: `);
}

function armedBy(trigger: ProgramTrigger, entries: ReadonlyMap<string | undefined, number>): Switching {
  const begun = entries.get(trigger.step);
  return begun === undefined ? BEFORE : { stage: 'armed', dueAt: begun + trigger.afterMs };
}

/** When each step and call was first entered; the run itself under undefined. */
function firstEntries(
  program: Program,
  events: readonly RunEvent[],
): ReadonlyMap<string | undefined, number> {
  const entries = new Map<string | undefined, number>();
  for (const event of events) {
    if (event.event !== 'step_started' && event.event !== 'procedure_started') continue;
    const isRoot = entries.size === 0 && event.path === program.procedure;
    const path = isRoot ? undefined : event.path;
    if (!entries.has(path)) entries.set(path, Date.parse(event.at));
  }
  return entries;
}

function arm(turn: Turn, index: number, on: boolean, dueAt: number): void {
  const [fault, standing] = [turn.program.faults[index], turn.context.faults[index]];
  if (fault === undefined || standing === undefined) return;
  place(turn, index, { ...standing, [sideOf(on)]: { stage: 'armed', dueAt } });
  turn.ask({ type: 'effect.fault', index, fault, on, at: dueAt });
}

function switched(standing: FaultStanding, on: boolean, isLit: boolean): FaultStanding {
  const side = sideOf(on);
  return { ...standing, [side]: { ...standing[side], stage: 'done' }, isLit };
}

function place(turn: Turn, index: number, standing: FaultStanding): void {
  turn.change({ faults: turn.context.faults.with(index, standing) });
}

function sideOf(on: boolean): 'on' | 'off' {
  return on ? 'on' : 'off';
}

function switchedText({ fault, target }: ProgramFault, on: boolean): string {
  return `fault ${fault} of ${target} switched ${sideOf(on)}`;
}

function refusedText({ fault, target }: ProgramFault, on: boolean): string {
  return `warning: fault ${fault} of ${target} could not be switched ${sideOf(on)}`;
}
