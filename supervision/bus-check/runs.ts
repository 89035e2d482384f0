/** Runs: their logs, and what else the bus says of them. */

import { shardOf } from '../../actors/run/open-runs.ts';
import { bucketStream } from '../../bus/declared.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { readRunEvent } from '../../contract/run-event.ts';
import { isToken } from '../../contract/token.ts';
import type { Bus, Entry } from '../../ports/bus.ts';
import type { Look, LookTools } from './finding.ts';
import { fieldsIn, hasProgram, unreadable, whereOf } from './records.ts';

type RunState = 'over' | 'under way' | 'no log';

/** What the log of a run says of it. */
export async function stateOf(bus: Bus, run: string): Promise<RunState> {
  if (!isToken(run)) return 'no log';
  const last = await bus.last(streams.runs, subject.runEvents(run));
  if (last === undefined) return 'no log';
  return readRunEvent(last.data)?.event === 'finished' ? 'over' : 'under way';
}

export const isOpen = async (bus: Bus, run: string): Promise<boolean> =>
  isToken(run) && (await bus.bucket(buckets.openRuns).get(`${shardOf(run)}.${run}`)) !== undefined;

export const openRuns: Look = {
  checks: ['finished-run-still-open', 'run-without-program', 'unreadable-record'],
  needs: [bucketStream(buckets.openRuns), bucketStream(buckets.programs), streams.runs.name],
  look: (tools) => tools.bus.inventory.entries(buckets.openRuns, (entry) => lookAtOpen(entry, tools)),
};

async function lookAtOpen({ key, value }: Entry, { bus, found }: LookTools): Promise<void> {
  const { run, ir } = fieldsIn(value) ?? {};
  if (typeof run !== 'string' || typeof ir !== 'string')
    return found(unreadable(buckets.openRuns, key, 'the entry of the run'));
  const where = whereOf(buckets.openRuns, key);
  if ((await stateOf(bus, run)) === 'over') {
    // The entry is what leads an executor to the rest of its end: holds, list, report. Without it nobody does that.
    const what = `the log of run ${run} has its end`;
    const remedy =
      'an executor completes its end when it takes the run over; where one runs already, start it again';
    return found({ check: 'finished-run-still-open', where, what, remedy });
  }
  if (await hasProgram(bus, ir)) return;
  const remedy = 'the executor ends the run and says why; start it again';
  found({
    check: 'run-without-program',
    where,
    what: `program ${ir} is not in ${buckets.programs.name}`,
    remedy,
  });
}

export const listedRuns: Look = {
  checks: ['run-without-log', 'unreadable-record'],
  needs: [bucketStream(buckets.runs), bucketStream(buckets.openRuns), streams.runs.name],
  look: ({ bus, found }) =>
    bus.inventory.entries(buckets.runs, async ({ key: run, value, at }) => {
      const summary = fieldsIn(value);
      if (summary === undefined) return found(unreadable(buckets.runs, run, 'the summary of the run'));
      if ((await stateOf(bus, run)) !== 'no log') return;
      // Submitted, and no executor has begun it.
      if (summary['started_at'] === undefined || (await isOpen(bus, run))) return;
      const what = `it is listed since ${new Date(at).toISOString()} and its log is gone`;
      const remedy = 'what happened in it is lost; its entry leaves the list by its age';
      found({ check: 'run-without-log', where: whereOf(buckets.runs, run), what, remedy });
    }),
};
