/** Passes of targets as a book has them, for tests of what asks which are in progress. */

import { PASS_RECEIVE_MARGIN_MS } from '../../contract/limits/pass.ts';
import type { Pass, StoredPass } from '../../contract/pass.ts';
import { upsert } from '../../mission/pass/merge.ts';
import { PassTimes } from '../../mission/pass/pass-times.ts';
import { type CurrentPasses, NO_PASSES } from '../../mission/pass/serving-gateway.ts';
import { TargetPasses } from '../../mission/pass/target-passes.ts';
import type { Passes } from '../../ports/passes.ts';

/** A pass of sat1 over Kiruna, between two moments in ms since 1970. */
export function storedPass(aos: number, los: number, more: Partial<Pass> = {}): StoredPass {
  const at = (ms: number): string => new Date(ms).toISOString();
  const plain = { id: 'p', target: 'sat1', station: 'kiruna', max_elevation: '40 deg' } as const;
  const said = { ...plain, source: 'fds', status: 'predicted', aos: at(aos), los: at(los), ...more } as const;
  return upsert(new TargetPasses(), said, { feeder: 'fds', at: at(aos) });
}

/** Where no pass is known. */
export const noPasses: Passes = {
  ...NO_PASSES,
  live: true,
  find: () => undefined,
  onChange: () => () => undefined,
};

/** What is in progress of passes that a test may change as it goes. */
export function bookOf(passes: readonly StoredPass[]): CurrentPasses {
  const of = (target: string) => () => passes.filter((pass) => pass.target === target);
  let looks = 0;
  return {
    // A test changes them without a word.
    get changes() {
      looks += 1;
      return looks;
    },
    inProgress: (target, at) => new PassTimes(0).inProgress(target, of(target), at),
    near: (target, at) => new PassTimes(PASS_RECEIVE_MARGIN_MS).inProgress(target, of(target), at),
  };
}
