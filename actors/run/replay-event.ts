/**
 * The event that brings the chart of a run from where it stands nearer to the next event of its log. Part of
 * `replay.ts`; keeps run/replay.A3.
 */

import type { RunEvent } from '../../contract/run-event.ts';
import { MAY_STILL_LEAVE } from '../../machines/run/command.ts';
import type { RunContext } from '../../machines/run/context.ts';
import { sideOf, switchEndIn } from '../../machines/run/fault-log.ts';
import { passNoteBehind } from '../../machines/run/pass-note.ts';
import type { AnswerGiven, RunChartEvent } from '../../machines/run/protocol.ts';
import { awaitedTicket, type RunSnapshot, underWay } from '../../machines/run/run.ts';
import { uploadsIn } from '../../machines/run/uploads.ts';

const ABORTED = /^aborted by (.*)$/s;
/** Nobody answers a request that is replayed. */
const request = '';

/** Undefined when nothing known leads there. `rest` is the log behind the event. */
export function impliedEvent(
  snapshot: RunSnapshot,
  event: RunEvent,
  rest: readonly RunEvent[],
): RunChartEvent | undefined {
  const { context } = snapshot;
  const asked =
    abortAsked(context, event, rest) ?? commanded(snapshot, event, rest) ?? passSeen(context, event);
  return asked ?? faultAnswered(context, event) ?? replied(snapshot, event, rest[0]);
}

/** An abort shows in the last event, and before it in the faults that are switched off for it. */
function abortAsked(
  { abort, program, faults }: RunContext,
  event: RunEvent,
  rest: readonly RunEvent[],
): RunChartEvent | undefined {
  const last = rest.at(-1) ?? event;
  const by = last.event === 'finished' ? ABORTED.exec(last.reason ?? '')?.[1] : undefined;
  if (by === undefined || abort !== null) return undefined;
  const isSwitchedEarly = program.faults.some(
    ({ fault, target }, n) =>
      event.event === 'logged' &&
      event.message.includes(`fault ${fault} of ${target} `) &&
      faults[n]?.isLit === true &&
      faults[n].off.stage !== 'armed',
  );
  const isLookingBack = uploadsIn(event) !== undefined && rest[0]?.event === 'finished';
  const isNow = event.event === 'finished' || isSwitchedEarly || isLookingBack;
  return isNow ? { type: 'command.abort', at: timeOf(event), by, request } : undefined;
}

/** In these the run is on its way to a suspension, or the leases are being made sure of: nothing else is asked. */
const LEASES_MOVE: readonly string[] = ['suspending', 'resuming', 'retaking'];

/** What people asked for. */
function commanded(
  snapshot: RunSnapshot,
  event: RunEvent,
  rest: readonly RunEvent[],
): RunChartEvent | undefined {
  const at = timeOf(event);
  const state = underWay(snapshot);
  const next = behindNotes(event, rest);
  if (next?.event === 'suspended' && !LEASES_MOVE.includes(state))
    return { type: 'command.preempt', at, by: next.by, request };
  if (state === 'recovering' && event.event === 'taken_over')
    return { type: 'recovered', at, by: event.by, ...uploadsOf(rest[0]) };
  if (event.event === 'suspended' && !LEASES_MOVE.includes(state))
    return { type: 'command.preempt', at, by: event.by, request };
  if (event.event === 'continued' && state === 'suspended')
    return { type: 'command.resume', at, by: event.by, choice: event.choice, request };
  return answered(state, event);
}

function answered(state: string, event: RunEvent): AnswerGiven | undefined {
  const waits = ['asking', 'confirming', 'waitingDecision'].includes(state);
  if (event.event !== 'answer_refused' && !(event.event === 'answered' && waits)) return undefined;
  const { path, by } = event;
  const named = by === undefined ? {} : { by };
  const answer = { type: 'answer', at: timeOf(event), path, source: 0, seen: event.seq - 1 } as const;
  // Whatever was wrong with it: it answered nothing that is asked.
  if (event.event === 'answer_refused')
    return {
      ...answer,
      ...named,
      seen: 0,
      accepted: true,
      roles: [],
      verified: false,
      identityFault: event.reason,
    };
  const { accepted, value, role } = event;
  const roles = role === undefined ? [] : [role];
  return { ...answer, ...named, accepted, roles, verified: true, ...(value !== undefined && { value }) };
}

/** What is said of its pass stands in the text. */
function passSeen({ program, progress }: RunContext, event: RunEvent): RunChartEvent | undefined {
  const text = passNoteBehind(program, null, event);
  if (text === null || text === progress.passNote) return undefined;
  return { type: 'pass.seen', at: timeOf(event), text, isStored: true };
}

/** A fault was switched: its text says which. */
function faultAnswered({ program, faults }: RunContext, event: RunEvent): RunChartEvent | undefined {
  if (event.event !== 'logged') return undefined;
  const at = timeOf(event);
  for (const [index, fault] of program.faults.entries()) {
    for (const on of [true, false]) {
      if (faults[index]?.[sideOf(on)].stage !== 'armed') continue;
      const end = switchEndIn(event.message, fault, on);
      if (end !== undefined) return { ...end, at, fault: index, on };
    }
  }
  return undefined;
}

/** The reply of the effect that is awaited. */
function replied(
  snapshot: RunSnapshot,
  event: RunEvent,
  next: RunEvent | undefined,
): RunChartEvent | undefined {
  const ticket = awaitedTicket(snapshot);
  if (ticket === undefined) return undefined;
  const at = timeOf(event);
  const failure = failureOf(event);
  switch (underWay(snapshot)) {
    case 'preparing':
    case 'resuming':
    case 'retaking':
      return isRefusal(event)
        ? { type: 'not-prepared', at, ticket, reason: failure ?? '' }
        : { type: 'prepared', at, ticket };
    case 'suspending':
    case 'releasing': {
      const mayLeave = mayLeaveIn(event);
      const uploads = uploadsOf(mayLeave === undefined ? event : next);
      return {
        type: 'released',
        at,
        ticket,
        ...(mayLeave !== undefined && { mayLeave: [mayLeave] }),
        ...uploads,
      };
    }
    case 'lookingBack':
      return { type: 'uploads.seen', at, ticket, uploads: [], ...uploadsOf(event) };
    case 'sending':
      if (event.event !== 'telecommand_finished') return undefined;
      return {
        ...part(event, ['state', 'detail', 'acks']),
        type: 'telecommand.ended',
        at,
        ticket,
        tc: event.tc,
      };
    case 'judging':
      if (event.event === 'checked')
        return { ...part(event, ['ok', 'reason', 'samples']), type: 'judged', at, ticket };
      return { type: 'judged', at, ticket, ok: failure === undefined, samples: [], ...reasoned(failure) };
    case 'writing':
      if (event.event === 'logged')
        return { type: 'written', at, ticket, text: event.message, samples: event.samples };
      return event.event === 'asked'
        ? { type: 'written', at, ticket, text: event.prompt, samples: [] }
        : undefined;
    case 'readingAnswer': {
      if (event.event !== 'answered') return undefined;
      const unread = next === undefined ? undefined : failureOf(next);
      if (unread !== undefined) return { type: 'answer.unreadable', at, ticket, reason: unread };
      return { type: 'answer.read', at, ticket, value: event.value ?? null };
    }
    case 'settingMode':
    case 'transferring':
      return failure === undefined
        ? { type: 'done', at, ticket }
        : { type: 'failed', at, ticket, reason: failure };
    default:
      return { type: 'woken', at, ticket };
  }
}

/** The event that these notes stand before; undefined where the event is none of them. */
function behindNotes(event: RunEvent, rest: readonly RunEvent[]): RunEvent | undefined {
  const isNote = (each: RunEvent): boolean => mayLeaveIn(each) !== undefined || uploadsIn(each) !== undefined;
  return isNote(event) ? rest.find((each) => !isNote(each)) : undefined;
}

function uploadsOf(event: RunEvent | undefined): { readonly uploads?: readonly string[] } {
  const uploads = uploadsIn(event);
  return uploads === undefined ? {} : { uploads: [uploads] };
}

/** What a suspension could not make certain. */
function mayLeaveIn(event: RunEvent): string | undefined {
  const isWarning = event.event === 'logged' && event.message.startsWith(MAY_STILL_LEAVE);
  return isWarning ? event.message.slice(MAY_STILL_LEAVE.length) : undefined;
}

/** Why what was under way failed; undefined when the event shows no failure. */
function failureOf(event: RunEvent): string | undefined {
  if (event.event === 'decision_required') return event.reason;
  if (event.event === 'step_finished' || event.event === 'finished')
    return event.ok ? undefined : (event.reason ?? '');
  return undefined;
}

/** Of the leases: the run ended, or was suspended by who took it over. */
function isRefusal({ event }: RunEvent): boolean {
  return event === 'finished' || event === 'logged' || event === 'suspended';
}

function reasoned(reason: string | undefined): { reason?: string } {
  return reason === undefined ? {} : { reason };
}

function part<Source extends object, Key extends keyof Source>(
  source: Source,
  keys: readonly Key[],
): Pick<Source, Key> {
  const entries = keys.filter((key) => source[key] !== undefined).map((key) => [key, source[key]]);
  return Object.fromEntries(entries) as Pick<Source, Key>;
}

function timeOf({ at }: RunEvent): number {
  return Date.parse(at);
}
