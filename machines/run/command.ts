/**
 * What people ask of a run: suspension, resumption, abort; and the replies of the effects that serve them. Mission Control
 * Service, sections 3.2 and 4.2 rule 7.
 *
 * M1. Every command is answered exactly once: a suspension at once, a resumption when its leases are retaken, an abort when
 *     `finished` is stored.
 * M2. While leases are being taken or given back nothing else is done with them: what is asked meanwhile is done behind it.
 * M3. A telecommand that is under way when its run is interrupted goes on by itself, and has left or never will when the run is
 *     suspended or over; where its gateway does not confirm that, the log says so first.
 * M4. A resumption ends the suspension that stood when it was asked for, never a later one: it may be asked again.
 */

import { CHOICES, isChoice } from '../../contract/run.ts';
import { whereabouts } from './next.ts';
import { close } from './proceed.ts';
import type { RunChartEvent } from './protocol.ts';
import { suspend } from './suspension.ts';
import type { Activity, Turn } from './turn.ts';

type Told<Type extends RunChartEvent['type']> = Extract<RunChartEvent, { type: Type }>;
type Kind = Activity['kind'];

/** Waiting for people or for another attempt is no instruction: a suspension interrupts it (MC-STM-030). */
const INTERRUPTIBLE: readonly Kind[] = ['asking', 'confirming', 'pausing', 'waitingDecision'];
/** Under way with the leases (M2). */
const HANDING_OVER: readonly Kind[] = ['preparing', 'resuming', 'suspending'];

export function suspensionAsked(turn: Turn, event: Told<'command.suspend' | 'command.preempt'>): void {
  const { activity, context } = turn;
  const { request, by, type } = event;
  if (activity.kind === 'closing') return turn.isOver(request);
  if (activity.kind === 'ending' || context.abort !== null) return turn.refuse(request, 'the run is ending');
  turn.accept(request);
  if (activity.kind === 'suspended' || activity.kind === 'suspending') return;
  const wish = context.suspendWish ?? by;
  turn.change({ suspendWish: wish });
  if (HANDING_OVER.includes(activity.kind)) return;
  if (type === 'command.preempt' || INTERRUPTIBLE.includes(activity.kind)) suspend(turn, wish);
}

export function resumptionAsked(turn: Turn, event: Told<'command.resume'>): void {
  const { request, by, choice } = event;
  if (turn.activity.kind === 'closing') return turn.isOver(request);
  if (turn.activity.kind !== 'suspended') return turn.refuse(request, refusalOf(turn.activity.kind));
  const later = laterSuspension(turn, event);
  if (later !== undefined) return turn.refuse(request, later);
  if (!isChoice(choice))
    return turn.refuse(request, `${JSON.stringify(choice)} is no choice: give one of ${CHOICES.join(', ')}`);
  if (choice === 'abort') return abortAsked(turn, event);
  const ticket = turn.askAwaited({ type: 'effect.prepare' });
  turn.become({ kind: 'resuming', ticket, resume: { request, by, choice } });
}

/** M4 */
function laterSuspension({ progress }: Turn, { seen }: Told<'command.resume'>): string | undefined {
  const { standing } = progress;
  if (seen === undefined || standing.kind !== 'suspended' || standing.since <= seen) return undefined;
  return `${standing.by} has suspended it since then`;
}

function refusalOf(kind: Kind): string {
  if (kind === 'ending') return 'the run is ending';
  if (kind === 'suspending') return 'the run is still being suspended';
  return kind === 'resuming' ? 'the run is being resumed' : 'the run is not suspended';
}

export function abortAsked(turn: Turn, { request, by }: Pick<Told<'command.abort'>, 'request' | 'by'>): void {
  const { activity, context } = turn;
  if (activity.kind === 'closing') return turn.isOver(request);
  const requests = [...(context.abort?.requests ?? []), request];
  turn.change({ abort: { by: context.abort?.by ?? by, requests } });
  if (!HANDING_OVER.includes(activity.kind)) turn.goOn();
}

// Leases --------------------------------------------------------------------------------------------------------------

export function prepared(turn: Turn): void {
  const { activity, context, program, progress } = turn;
  turn.change({ targetsHeld: true });
  if (activity.kind === 'resuming' && activity.resume !== null) {
    const { request, by, choice } = activity.resume;
    if (context.abort !== null) turn.refuse(request, `the run was aborted by ${context.abort.by}`);
    else {
      turn.record({ event: 'continued', path: whereabouts(program, progress), by, choice });
      turn.accept(request);
    }
  }
  turn.goOn();
}

export function notPrepared(turn: Turn, { reason, takenBy }: Told<'not-prepared'>): void {
  const { activity, context } = turn;
  turn.goOn();
  if (activity.kind === 'resuming' && activity.resume !== null) {
    turn.refuse(activity.resume.request, reason);
    turn.change({ suspendWish: null });
  } else if (context.abort !== null) return;
  else if (activity.kind === 'preparing') {
    turn.record({ event: 'finished', ok: false, reason });
    close(turn);
  } else {
    const message = `suspended after the takeover: ${reason}`;
    turn.record({ event: 'logged', path: turn.path, message, samples: [] });
    suspend(turn, context.suspendWish ?? takenBy ?? context.owner ?? context.run);
  }
}

/** Before the names of telecommands that no gateway has confirmed to hold back. */
export const MAY_STILL_LEAVE = 'warning: may still leave: ';

export function released(turn: Turn, { mayLeave }: Told<'released'>): void {
  const { activity, context, program, progress } = turn;
  if (activity.kind !== 'suspending') return;
  if (mayLeave !== undefined) {
    const message = MAY_STILL_LEAVE + mayLeave.join('; ');
    turn.record({ event: 'logged', path: turn.path, message, samples: [] });
  }
  turn.change({ targetsHeld: false });
  turn.goOn();
  if (context.abort !== null) return;
  turn.change({ suspendWish: null });
  turn.record({ event: 'suspended', path: whereabouts(program, progress), by: activity.by });
}
