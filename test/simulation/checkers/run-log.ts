/**
 * What the log of a run must be, and that every run comes to its end: Mission Control Service, sections 2.3, 3.2 and
 * 4.2.
 */

import { isDeepStrictEqual } from 'node:util';
import type { RunSummary } from '../../../contract/run.ts';
import type { RunSubmission } from '../../../contract/run-wire.ts';
import { statusOf, summaryOf, unsubmittedRun } from '../../../mission/procedure/run-status.ts';
import { runLogFaults } from '../../support/run-log-checker.ts';
import type { History } from '../history.ts';
import { targetBehind } from '../mission.ts';
import { bodyOf, byRun, keyOf } from '../run-history.ts';
import type { Checker } from './checker.ts';
import { epochOwners, highestEpochs } from './telecommand-log.ts';

export const soundRunLogs: Checker = {
  name: 'sound-run-logs',
  overRewinds: 'kept',
  promise: 'the log of a run is numbered without a gap, nested, and nothing follows its end',
  *check({ runs, holes }) {
    for (const [run, log] of byRun(runs.events)) {
      const last = log.findIndex(({ event }) => event.event === 'finished');
      if (last >= 0 && last < log.length - 1) yield `${run}: something follows its end`;
      // Lost out of its middle: what is left is not whole.
      if (holes?.has(run)) continue;
      for (const fault of runLogFaults(log.map(({ event }) => event))) yield `${run}: ${fault}`;
      for (const { event } of log)
        if (event.run !== run) yield `${run}: event ${event.seq} is of ${event.run}`;
    }
  },
};

export const oneWriterPerRun: Checker = {
  name: 'one-writer-per-run',
  overRewinds: 'complete',
  promise:
    'every event of a run stands behind the one its writer knew, of no earlier epoch, written by the owner of its epoch',
  *check({ runs, members }) {
    const owners = epochOwners(members, 'runs');
    const highestBefore = highestEpochs(members, 'runs');
    for (const [run, log] of byRun(runs.events)) {
      for (const [n, { message, event, epoch }] of log.entries()) {
        const { by, expect, before } = message;
        const highest = highestBefore(log, n);
        if (expect !== before)
          yield `${run}: event ${event.seq} was written behind ${before}, its writer knew ${expect}`;
        if (epoch < highest) yield `${run}: event ${event.seq} has epoch ${epoch} after ${highest}`;
        if (owners.get(epoch)?.has(by) !== true)
          yield `${run}: ${by} wrote under epoch ${epoch} of ${[...(owners.get(epoch) ?? [])]}`;
      }
    }
  },
};

export const everyRunEnds: Checker = {
  name: 'every-run-ends',
  overRewinds: 'kept-if-even',
  promise:
    'a launch that was acknowledged is stored, and every stored one ends once people have answered everything',
  *check({ runs, holes }) {
    const logs = byRun(runs.events);
    const stored = runs.submissions.map((message) => bodyOf<RunSubmission>(message).run);
    for (const { run, by } of runs.launched)
      if (!stored.includes(run)) yield `${run}, acknowledged by ${by}, is stored nowhere`;
    for (const run of stored) {
      const last = logs.get(run)?.at(-1)?.event;
      // Nobody has it in his hands any more who could end it a second time.
      if (holes?.get(run) === 'over') continue;
      if (last?.event !== 'finished')
        yield `${run} stands at ${last === undefined ? 'nothing' : `${last.seq} ${last.event}`}`;
    }
    for (const run of logs.keys())
      if (!stored.includes(run)) yield `${run} has a log and was never submitted`;
  },
};

export const cutIsSaid: Checker = {
  name: 'cut-is-said',
  overRewinds: 'kept',
  promise:
    'a run that lost events of its log while it was open ends with the reason, or its log goes on behind them',
  *check({ runs, holes, complete }) {
    if (holes === undefined || complete === undefined) return;
    const everLogged = byRun(complete.runs.events);
    const logs = byRun(runs.events);
    for (const [run, was] of holes) {
      const ever = everLogged.get(run);
      if (was === 'over' || ever === undefined) continue;
      const last = logs.get(run)?.at(-1);
      if (last?.event.event !== 'finished') continue;
      const lost = ever.filter(({ message }) => message.isHole);
      // What its holder had of it went on, and ended as it does.
      const before = logs.get(run)!.at(-2)?.message.order ?? 0;
      const isBehind = lost.every(({ message }) => message.order < before);
      if (isBehind || last.event.ok) continue;
      if (!/lost|went back|another owner|aborted/.test(last.event.reason ?? ''))
        yield `${run} lost events up to ${lost.at(-1)?.event.seq}, and ends with: ${last.event.reason}`;
    }
  },
};

export const nothingLeftBehind: Checker = {
  name: 'nothing-left-behind',
  overRewinds: 'kept-if-even',
  promise: 'a run that is over is no open run, has its report, and stands in the list as its log says',
  *check({ runs, holes }) {
    const [open, reports] = [new Set(runs.openRuns.map(runOfOpen)), new Set(runs.reports.map(keyOf))];
    const listed = new Map(runs.index.map((entry) => [keyOf(entry), bodyOf<RunSummary>(entry)]));
    for (const [run, log] of finishedLogs(runs)) {
      if (open.has(run)) yield `${run} is over and still an open run`;
      if (!reports.has(run)) yield `${run} is over and has no report`;
      // The list was written of what is lost.
      if (holes?.has(run)) continue;
      const events = log.map(({ event }) => event);
      const reported = statusOf(summaryOf(unsubmittedRun(events[0]!), events));
      const entry = listed.get(run);
      if (entry === undefined || !isDeepStrictEqual(statusOf(entry), reported))
        yield `${run} is listed as ${JSON.stringify(entry && statusOf(entry))}, its log says ${JSON.stringify(reported)}`;
    }
  },
};

export const faultsSwitchedOff: Checker = {
  name: 'faults-switched-off',
  promise:
    'once every run is over no fault of a spacecraft is on, unless a simulator did not say that it switched it off',
  *check({ runs }) {
    const warned = runs.events.flatMap(({ event }) =>
      event.event === 'logged' && event.message.includes('could not be switched off') ? [event.message] : [],
    );
    for (const lit of runs.lit) {
      const [gateway = '', fault = ''] = lit.split(' ');
      const named = `fault ${fault} of ${targetBehind(gateway)} `;
      if (!warned.some((message) => message.includes(named))) yield `${fault} of ${gateway} is still on`;
    }
  },
};

function finishedLogs({ events }: History['runs']): ReturnType<typeof byRun> {
  return new Map([...byRun(events)].filter(([, log]) => log.at(-1)?.event.event === 'finished'));
}

function runOfOpen(entry: Parameters<typeof keyOf>[0]): string {
  return keyOf(entry).split('.').at(-1) ?? '';
}
