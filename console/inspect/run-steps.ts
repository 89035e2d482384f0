/** The steps of a run as rows of a tree: those of its program, and what the log names beside them. Pure. */

import type { RunStep } from '../../contract/run.ts';
import type { RunPicture, StepPicture, StepState } from './run-picture.ts';

export interface StepRow extends StepPicture {
  readonly path: string;
  /** The last part of the path. */
  readonly name: string;
  /** From 1. */
  readonly level: number;
  readonly kind: RunStep['kind'];
  /** The first row of a block that runs only after a failure. */
  readonly beginsIfFailed: boolean;
  readonly isCurrent: boolean;
}

/** What is said of a state, beside its sign and its tone. */
export const STEP_LOOK: Readonly<Record<StepState, { readonly sign: string; readonly tone: string }>> = {
  'not begun': { sign: '·', tone: 'muted' },
  running: { sign: '▶', tone: 'accent' },
  asking: { sign: '?', tone: 'warn' },
  suspended: { sign: '‖', tone: 'warn' },
  passed: { sign: '✓', tone: 'ok' },
  failed: { sign: '✗', tone: 'bad' },
  skipped: { sign: '»', tone: 'warn' },
  interrupted: { sign: '■', tone: 'bad' },
};

/** Rows in the order the steps are walked; without a program those that the log has named. */
export function stepRows(steps: readonly RunStep[], picture: RunPicture): StepRow[] {
  const known = new Set(steps.map(({ path }) => path));
  const procedure = picture.started?.procedure;
  const beside = picture.paths
    .filter((path) => !known.has(path) && path !== procedure)
    .map((path): RunStep => ({ path, kind: 'step', if_failed: false }));
  const all = [...steps, ...beside];
  return all.map((step, index) => rowOf(step, all[index - 1], picture));
}

function rowOf(
  { path, kind, if_failed }: RunStep,
  before: RunStep | undefined,
  picture: RunPicture,
): StepRow {
  const parts = path.split('/');
  return {
    ...picture.step(path),
    path,
    kind,
    name: parts.at(-1)!,
    level: parts.length,
    isCurrent: picture.current === path,
    beginsIfFailed: if_failed && before?.if_failed !== true,
  };
}

/** How far the run is: leaf steps that have ended well, of those it goes through when it passes. */
export function progressOf(
  rows: readonly StepRow[],
  steps: readonly RunStep[],
): { done: number; of: number } {
  const counted = new Set(
    steps.filter(({ kind, if_failed }) => kind === 'step' && !if_failed).map(({ path }) => path),
  );
  const done = rows.filter(
    ({ path, state }) => counted.has(path) && (state === 'passed' || state === 'skipped'),
  );
  return { done: done.length, of: counted.size };
}

/**
 * How long the present attempt has taken, or took; undefined before it has begun. `now` is the moment that is shown.
 */
export function elapsedMs({ begunAt, endedAt }: StepPicture, now: number): number | undefined {
  return begunAt === undefined ? undefined : Math.max(0, (endedAt ?? now) - begunAt);
}
