/** A reaction under way in words, the same on the command line and in the console. Pure, without a schema. */

import type { AlarmReaction } from './alarm-reaction.ts';

/** What it does, of a reaction on this target; `time` writes a time. */
export function reactionWords(
  target: string,
  reaction: AlarmReaction,
  time: (text: string) => string = (text) => text,
): string {
  const { state, step, reason, since, until, held_by: holders = [], holds_target: holds } = reaction;
  const at = step === undefined ? '' : ` at ${step}`;
  const from = since === undefined ? '' : ` since ${time(since)}`;
  const keeps = holds ? `, and keeps ${target} meanwhile` : '';
  const why = reason === undefined ? '' : `: ${reason}`;
  switch (state) {
    case 'starting':
      return 'is about to begin';
    case 'waiting_for_target':
      return `waits${from} for ${target}${heldWords(holders)}${until === undefined ? '' : `, and fails at ${time(until)} without it`}${why}`;
    case 'running':
      return `runs${at}`;
    case 'waiting_for_answer':
      return `waits for an answer${at}${from}${keeps}${why}`;
    case 'waiting_for_decision':
      return `waits for a decision${at}${from}${keeps}${why}`;
    case 'suspended':
      return `is suspended${at}`;
    case 'passed':
      return 'passed';
    case 'failed':
      return `did not pass${why}`;
  }
}

function heldWords(holders: NonNullable<AlarmReaction['held_by']>): string {
  const named = holders.map(({ run, alarm }) =>
    alarm === undefined ? `run ${run}` : `run ${run}, the reaction of alarm ${alarm}`,
  );
  return named.length === 0 ? '' : `, held by ${named.join(' and ')}`;
}
