/**
 * What the reactions of an alarm do, from the list of runs and the holds of their target. Mission Control Service,
 * section 4.4 reaction rules 4 to 6 (decision 69).
 *
 * Q1. Nothing of it is stored: the run says what it waits for, the hold says who has the target. A decision that has
 *     been taken is shown nowhere.
 */

import type { Alarm, PendingReaction } from '../contract/alarm.ts';
import { type AlarmName, alarmNamed, alarmOfReaction } from '../contract/alarm-name.ts';
import type { AlarmReaction, AlarmReactionChange } from '../contract/alarm-reaction.ts';
import { REACTION_WAIT_MS } from '../contract/limits/alarm.ts';
import type { RunSummary } from '../contract/run.ts';
import { type TargetHolds, unreadableReason } from '../contract/target-holds.ts';
import type { RoutePorts } from './ports.ts';
import { findRun } from './run-record.ts';

type ReactionPorts = Pick<RoutePorts, 'bus' | 'runs' | 'holds'>;

/** Those that the record of an alarm lists, the oldest first. Throws `Outage`. */
export async function withReactions(
  alarm: Alarm,
  pending: readonly PendingReaction[],
  ports: ReactionPorts,
): Promise<Alarm> {
  if (pending.length === 0) return alarm;
  const holds = await ports.holds.of(alarm.target);
  const reactions = await Promise.all(
    pending.map(async ({ run, procedure, failed }): Promise<AlarmReaction> => {
      const summary = run === undefined ? undefined : await findRun(run, ports);
      if (failed !== undefined)
        return {
          procedure,
          ...(run !== undefined && { run }),
          state: 'failed',
          reason: failed,
          holds_target: false,
        };
      if (summary === undefined)
        return { procedure, ...(run !== undefined && { run }), state: 'starting', holds_target: false };
      return reactionOf(alarm.target, summary, holds);
    }),
  );
  return { ...alarm, reactions };
}

/** The reaction that a run is, and of which alarm; undefined where it is none. Throws `Outage`. */
export async function reactionChange(
  summary: RunSummary,
  { holds }: Pick<ReactionPorts, 'holds'>,
): Promise<AlarmReactionChange | undefined> {
  const name = reactedTo(summary);
  if (name === undefined) return undefined;
  return { ...name, reaction: reactionOf(name.target, summary, await holds.of(name.target)) };
}

/** The alarm that the run is a reaction to. */
export function reactedTo({ by }: RunSummary): AlarmName | undefined {
  const key = alarmOfReaction(by);
  return key === undefined ? undefined : alarmNamed(key);
}

/** What a reaction does, as its run and the holds of its target stand. Pure. */
export function reactionOf(target: string, summary: RunSummary, holds: TargetHolds): AlarmReaction {
  const { procedure, run } = summary;
  const isHolder = holds.holders.some((holder) => holder.run === run);
  return { procedure, run, ...standingOf(target, summary, holds), holds_target: isHolder };
}

type Standing = Omit<AlarmReaction, 'procedure' | 'run' | 'holds_target'>;

function standingOf(target: string, summary: RunSummary, holds: TargetHolds): Standing {
  const { step, pending, finished, suspended, reason, started_at: begun } = summary;
  const at = step === undefined ? {} : { step };
  if (finished !== undefined)
    return { state: finished ? 'passed' : 'failed', ...at, ...(reason !== undefined && { reason }) };
  if (pending !== undefined) return waiting(pending);
  if (suspended) return { state: 'suspended', ...at };
  if (step !== undefined) return { state: 'running', step };
  if (begun === undefined) return { state: 'starting' };
  return waitingForTarget(target, begun, summary.run, holds) ?? { state: 'starting' };
}

function waiting(pending: NonNullable<RunSummary['pending']>): Standing {
  const { path, kind, prompt, question, since, deadline } = pending;
  return {
    state: kind === 'decision' ? 'waiting_for_decision' : 'waiting_for_answer',
    step: path,
    ...(prompt !== undefined && { reason: prompt }),
    ...(question !== undefined && { question }),
    ...(since !== undefined && { since }),
    ...(deadline !== undefined && { until: deadline }),
  };
}

/** A run that has begun and has no step yet waits for another reaction, for a minute from its beginning on. */
function waitingForTarget(
  target: string,
  begun: string,
  run: string,
  { holders, unreadable }: TargetHolds,
): Standing | undefined {
  const others = holders.filter((holder) => holder.run !== run && holder.alarm !== undefined);
  if (others.length === 0 && unreadable !== true) return undefined;
  return {
    state: 'waiting_for_target',
    since: begun,
    until: new Date(Date.parse(begun) + REACTION_WAIT_MS).toISOString(),
    ...(unreadable === true && { reason: unreadableReason(target) }),
    ...(others.length > 0 && {
      held_by: others.map(({ run: holder, alarm }) => ({
        run: holder,
        ...(alarm !== undefined && { alarm }),
      })),
    }),
  };
}
