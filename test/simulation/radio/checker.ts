/** What every checker of the radio is made of: a promise, and what in a history breaks it. */

import type { Action } from './action.ts';
import type { Answer, Asked, BoardTruth, RadioHistory, Write } from './history.ts';

export interface RadioChecker {
  readonly name: string;
  /** In one sentence. */
  readonly promise: string;
  /** In words; empty when it is kept. */
  broken(history: RadioHistory): string[];
}

export interface RadioViolation {
  readonly checker: string;
  readonly what: string;
}

/** At which nothing leaves the connector that could disturb. */
export const MUTED_DB = -80;

export function isMuted({ levelDb, secondDb }: BoardTruth): boolean {
  return Math.max(levelDb, secondDb) <= MUTED_DB;
}

export function isQuiet(truth: BoardTruth): boolean {
  return !truth.egressOpen || isMuted(truth);
}

export function isLoopback({ target }: BoardTruth): boolean {
  return target === 'device-loopback' || target === 'pl-loopback';
}

/** What goes before everything: a gain that mutes, and disable. */
export function isStop(asked: Asked): boolean {
  if (does(asked, 'disable')) return true;
  return (
    does(asked, 'gain') && typeof asked.action.tx_gain_db === 'number' && asked.action.tx_gain_db <= MUTED_DB
  );
}

/** Whether somebody disabled the datapath while it was under way: what it had settled of that is undone under it. */
export function isDisabledMeanwhile({ asked: all }: RadioHistory, asked: Asked, until: number): boolean {
  return all.some((other) => does(other, 'disable') && asked.order < other.order && other.order < until);
}

/** `act 3 (condition)`. */
export function named({ act, action }: Asked): string {
  return `act ${act} (${action.do})`;
}

/** Writes of settings: what is captured and transmitted sets nothing. */
export function settingsOf({ writes }: RadioHistory, { act }: Asked): Write[] {
  return writes.filter((write) => write.act === act && write.kind !== 'data');
}

/** Answered ones with their answers, in the order of the answers. */
export function answersIn({ asked }: RadioHistory): { readonly asked: Asked; readonly answer: Answer }[] {
  return asked
    .flatMap((each) => each.answers.map((answer) => ({ asked: each, answer })))
    .sort((one, other) => one.answer.order - other.answer.order);
}

export function does<Verb extends Action['do']>(
  asked: Asked,
  ...verbs: readonly Verb[]
): asked is Asked & { readonly action: Extract<Action, { do: Verb }> } {
  return (verbs as readonly string[]).includes(asked.action.do);
}

/** Whether anything was wrong with the board or the way to it at some time between. */
export function isFaulty({ struck }: RadioHistory, from: number, until: number): boolean {
  return struck.some(({ fault, begins, order }) => {
    const end =
      struck.find((other) => other.fault === fault && !other.begins)?.order ?? Number.POSITIVE_INFINITY;
    return begins && order < until && end > from;
  });
}
