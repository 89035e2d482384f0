/**
 * What the log of a run says of the faults that it switches. Mission Control Service, sections 2.3 and 4.9. Part of the
 * progress (`progress.ts`); what the chart has asked for beside it is in `fault.ts`.
 *
 * V1. The delay of a trigger begins at the first entry of its step, and never again.
 * V2. A switch counts once its text is logged; a text that answers no armed switch says nothing.
 * V3. A fault that may have been switched on is on. Its text says so, and a new owner reads the same.
 * V4. One that others have on as well stays on when the run is done with it (fault-holders.L1), as its text says.
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

/** How a switch ended; `staysOn`: off for this run, not for others (V4); `mayBeDone`: nobody knows whether it was done. */
export type SwitchEnd =
  | { readonly type: 'fault.switched'; readonly staysOn?: true }
  | { readonly type: 'fault.refused'; readonly reason: string; readonly mayBeDone?: true };

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
    for (const [index, fault] of program.faults.entries()) {
      const standing = faults[index];
      const isOpen = on ? standing?.on.stage === 'armed' : standing?.isLit;
      const end = isOpen ? switchEndIn(message, fault, on) : undefined;
      if (standing !== undefined && end !== undefined) return faults.with(index, switched(standing, on, end));
    }
  }
  return faults;
}

/** How it stands behind the end of a switch (V3). */
export function switched<Standing extends LoggedFault>(
  standing: Standing,
  on: boolean,
  end: SwitchEnd,
): Standing {
  const side = sideOf(on);
  const isLit = on && (end.type === 'fault.switched' || end.mayBeDone === true);
  return { ...standing, [side]: { ...standing[side], stage: 'done' }, isLit };
}

export function sideOf(on: boolean): 'on' | 'off' {
  return on ? 'on' : 'off';
}

/** What the log says of the end of a switch. */
export function switchText(fault: ProgramFault, on: boolean, end: SwitchEnd): string {
  if (end.type === 'fault.switched') return end.staysOn ? keptText(fault) : switchedText(fault, on);
  const beginning = on && end.mayBeDone ? maybeText(fault) : refusedText(fault, on);
  return `${beginning}${end.reason}`;
}

/** What a text of the log says of a switch; undefined: nothing. */
export function switchEndIn(message: string, fault: ProgramFault, on: boolean): SwitchEnd | undefined {
  if (message === switchedText(fault, on)) return { type: 'fault.switched' };
  if (!on && message === keptText(fault)) return { type: 'fault.switched', staysOn: true };
  const [maybe, refused] = [maybeText(fault), refusedText(fault, on)];
  if (on && message.startsWith(maybe))
    return { type: 'fault.refused', reason: message.slice(maybe.length), mayBeDone: true };
  if (message.startsWith(refused)) return { type: 'fault.refused', reason: message.slice(refused.length) };
  return undefined;
}

function switchedText({ fault, target }: ProgramFault, on: boolean): string {
  return `fault ${fault} of ${target} switched ${sideOf(on)}`;
}

function keptText(fault: ProgramFault): string {
  return `${switchedText(fault, false)} for this run; it stays on for others`;
}

function refusedText({ fault, target }: ProgramFault, on: boolean): string {
  return `warning: fault ${fault} of ${target} could not be switched ${sideOf(on)}: `;
}

function maybeText({ fault, target }: ProgramFault): string {
  return `warning: fault ${fault} of ${target} may be on: `;
}
