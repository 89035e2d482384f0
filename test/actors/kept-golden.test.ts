/**
 * What is kept beside logs, held against what this version of the charts keeps: where it differs, what another build
 * has kept is not what this one makes of the log. Decision 31.
 */

import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { RUN_VERSION } from '../../actors/run/log-store.ts';
import { standingBehind, unbegun } from '../../actors/run/standing.ts';
import type { TcState } from '../../contract/telecommand-state.ts';
import { evolveTelecommand, TELECOMMAND_VERSION, UNWRITTEN } from '../../machines/telecommand/fold.ts';
import { packr } from '../../messaging/kept-envelopes.ts';
import { Bench, change, group, program, send, step } from '../machines/run/bench.ts';

const digest = (values: readonly unknown[]): string => {
  const hash = createHash('sha256');
  for (const value of values) hash.update(packr.pack(value));
  return hash.digest('hex').slice(0, 16);
};
const RAISE = 'raise the version of the chart, and put the new digest here';

it('the fold of a run is the one of its version', () => {
  const of = program([
    group('g', [step('a', [send('ping'), change('fire')], { attempts: 2 })]),
    step('b', [send('pong')]),
  ]);
  const { input, events } = Bench.start(of).play();
  const about = { run: input.run, program: of, by: input.by };
  const log = events.map((event, n) => ({ event, epoch: 3, position: n + 10, source: undefined }));
  const folds = log.map((_, n) => standingBehind(about, unbegun(about), log.slice(0, n + 1)));
  expect([RUN_VERSION, digest(folds)], RAISE).toEqual([3, '83f5b73f34e2bb84']);
});

it('the fold of a telecommand is the one of its version', () => {
  const states: (TcState | 'ECHO')[] = ['PENDING', 'ENCODED', 'SENT', 'ECHO', 'VERIFIED'];
  let fold = UNWRITTEN;
  const folds = states.map((state, n) => {
    const event = { tc: 't', state, at: new Date(1_000_000 + n).toISOString() };
    const handed = state === 'SENT' ? { frames: 1, decoded: 2, values: 3 } : undefined;
    const [frame, reference, gateway] = state === 'ENCODED' ? ['c0ffee', '7', 'kiruna-1'] : [];
    fold = evolveTelecommand(fold, { event, frame, reference, gateway, handed });
    return fold;
  });
  expect([TELECOMMAND_VERSION, digest(folds)], RAISE).toEqual([2, '5b05deed44aaed46']);
});
