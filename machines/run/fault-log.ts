/**
 * What the log of a run says of the faults that it switches. Mission Control Service, sections 2.3 and 4.9. Part of the
 * progress (`progress.ts`); what the chart has asked for beside it is in `fault.ts`.
 *
 * V1. The delay of a trigger begins at the first entry of its step, and never again.
 * V2. A switch counts once its text is logged; a text that answers no armed switch says nothing.
 */

import type { Program, ProgramFault, ProgramTrigger } from '../../contract/program.ts';
import type { RunEvent } from '../../contract/run-event.ts';

/** How a fault of the program stands, by the log. */
export interface LoggedFault {
  readonly on: LoggedSwitch;
  readonly off: LoggedSwitch;
  readonly isLit: boolean;
}

export interface LoggedSwitch {
  readonly stage: 'before' | 'armed' | 'done';
  /** ms since 1970, once armed. */
  readonly dueAt: number;
}

const BEFORE: LoggedSwitch = { stage: 'before', dueAt: 0 };

export function faultsBefore(program: Program): LoggedFault[] {
  return program.faults.map(() => ({ on: BEFORE, off: BEFORE, isLit: false }));
}

/** How they stand behind an event; `isRoot`: the event begins the procedure of the run. */
export function faultsBehind(
  program: Program,
  before: readonly LoggedFault[],
  event: RunEvent,
  isRoot: boolean,
): readonly LoggedFault[] {
  if (program.faults.length === 0) return before;
  const faults = before.length === program.faults.length ? before : faultsBefore(program);
  switch (event.event) {
    case 'procedure_started':
    case 'step_started':
      return entered(program, faults, isRoot ? undefined : event.path, Date.parse(event.at));
    case 'logged':
      return told(program, faults, event.message);
    default:
      return faults;
  }
}

/** V1 */
function entered(
  program: Program,
  faults: readonly LoggedFault[],
  path: string | undefined,
  at: number,
): readonly LoggedFault[] {
  const armed = (switching: LoggedSwitch, trigger: ProgramTrigger | null): LoggedSwitch =>
    trigger === null || trigger.step !== path || switching.stage !== 'before'
      ? switching
      : { stage: 'armed', dueAt: at + trigger.afterMs };
  return faults.map((standing, index) => {
    const fault = program.faults[index];
    if (fault === undefined) return standing;
    return { ...standing, on: armed(standing.on, fault.at), off: armed(standing.off, fault.off) };
  });
}

/** V2 */
function told(program: Program, faults: readonly LoggedFault[], message: string): readonly LoggedFault[] {
  for (const on of [true, false]) {
    const index = program.faults.findIndex((fault, place) => {
      const standing = faults[place];
      const isOpen = on ? standing?.on.stage === 'armed' : standing?.isLit;
      return isOpen && tells(fault, on, message);
    });
    const [standing, fault] = [faults[index], program.faults[index]];
    if (standing === undefined || fault === undefined) continue;
    return faults.with(index, switched(standing, on, on && message === switchedText(fault, on)));
  }
  return faults;
}

function tells(fault: ProgramFault, on: boolean, message: string): boolean {
  return message === switchedText(fault, on) || message.startsWith(`${refusedText(fault, on)}: `);
}

/** The switch is done; whether the fault is on behind it. */
export function switched<Standing extends LoggedFault>(
  standing: Standing,
  on: boolean,
  isLit: boolean,
): Standing {
  const side = sideOf(on);
  return { ...standing, [side]: { ...standing[side], stage: 'done' }, isLit };
}

export function sideOf(on: boolean): 'on' | 'off' {
  return on ? 'on' : 'off';
}

export function switchedText({ fault, target }: ProgramFault, on: boolean): string {
  return `fault ${fault} of ${target} switched ${sideOf(on)}`;
}

export function refusedText({ fault, target }: ProgramFault, on: boolean): string {
  return `warning: fault ${fault} of ${target} could not be switched ${sideOf(on)}`;
}
