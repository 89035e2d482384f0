/** What records say of uploads whose runs are over: Mission Control Service, section 4.7 rule 8; MC-UPL-009. */

import { isRunOver } from '../transfers/history.ts';
import type { Checker } from './checker.ts';

export const leftAloneRightly: Checker = {
  name: 'left-alone-when-its-run-is-over',
  promise:
    'an upload is recorded as left alone behind the end of its run, and of no run that is only suspended',
  *check({ files }) {
    for (const { key, record, before, message } of files?.versions ?? []) {
      const { ended, run } = record.actor;
      if (ended === undefined || before?.record.actor.ended !== undefined) continue;
      if (!isRunOver(run, files!.runs, message.order))
        yield `${key} (${message.seq}) is left alone, and run ${run} is not over`;
    }
  },
};

export const endOfRunIsSaid: Checker = {
  name: 'end-of-run-is-said',
  promise:
    'when links are back an upload whose run is over says so, and one that is left alone says by which run',
  *check({ files }) {
    for (const key of files?.unsaid ?? [])
      yield `${key} waits for run ${files!.records.get(key)!.actor.run}, which is over`;
    for (const [key, { state, actor, reason = '' }] of files?.records ?? []) {
      const isUnderWay = state === 'REQUESTED' || state === 'PARTIAL';
      if (isUnderWay && actor.ended !== undefined && !reason.includes(`run ${actor.run} is over`))
        yield `${key} is left alone and says: ${reason}`;
    }
  },
};
