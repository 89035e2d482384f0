/** Runs in the order in which they need somebody. Pure. */

import type { RunSummary } from '../../../contract/run.ts';

export type RunStanding = 'waiting' | 'suspended' | 'running' | 'passed' | 'failed';

const ORDER: readonly RunStanding[] = ['waiting', 'suspended', 'running', 'failed', 'passed'];

export function standingOfRun(run: Pick<RunSummary, 'finished' | 'pending' | 'suspended'>): RunStanding {
  if (run.finished !== undefined) return run.finished ? 'passed' : 'failed';
  if (run.pending !== undefined) return 'waiting';
  return run.suspended ? 'suspended' : 'running';
}

/** Whether it goes no further without a person. */
export function isWaiting(run: Pick<RunSummary, 'finished' | 'pending' | 'suspended'>): boolean {
  return standingOfRun(run) === 'waiting';
}

/** Those that wait first, the one with the nearest deadline before the others; then by their start, newest first. */
export function inOrder(runs: readonly RunSummary[]): RunSummary[] {
  return runs
    .map((run, index) => ({ run, index, place: placeOf(run) }))
    .sort((a, b) => a.place - b.place || deadlineOf(a.run) - deadlineOf(b.run) || a.index - b.index)
    .map(({ run }) => run);
}

/** What has ended stands together, by its time. */
function placeOf(run: RunSummary): number {
  const place = ORDER.indexOf(standingOfRun(run));
  return Math.min(place, ORDER.indexOf('failed'));
}

function deadlineOf({ pending }: RunSummary): number {
  return pending?.deadline === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(pending.deadline);
}
