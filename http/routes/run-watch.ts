/**
 * What one watcher of the list of runs is sent: every run of the list as it stands, the oldest first, then each that
 * changes. Mission Control Service, section 4.2; the route is ours.
 *
 * W1. A client that is behind gets the newest state of each run, and older ones are left out.
 * W2. While the bus is silent nothing is of now: the watch is closed, and answered 503 until the bus is back.
 * W3. A state is written as text once for all watchers.
 */

import { RUN_LIST_MOST } from '../../contract/limits/run.ts';
import { RunSummary } from '../../contract/run.ts';
import { busUnavailable } from '../errors.ts';
import { closeCode, defineFollow, type FollowSource, type FollowWriter } from '../follow.ts';
import type { RoutePorts } from '../ports.ts';

export const watchRuns = defineFollow({
  path: '/v1/runs/watch',
  operationId: 'watchRuns',
  summary: 'Follow the list of runs: each of the newest, then each that changes',
  description:
    'As `GET /v1/runs` has them, the oldest first. Behind a slow client the newest state of each run is kept, and older ' +
    'ones are left out. That a run falls out of the list is not said: it is older than all that are in it.',
  tag: 'Runs',
  policy: 'latest',
  message: RunSummary,
  errors: ['api::unavailable'],
  open(_request, ports, writer) {
    const source = follow(ports, writer);
    return source === undefined ? busUnavailable() : { ok: true, value: source };
  },
});

/** Undefined while the list is not known (run-index.N2). */
function follow({ runs, bus }: RoutePorts, writer: FollowWriter): FollowSource | undefined {
  const beginning = runs.newest(RUN_LIST_MOST);
  if (beginning === undefined) return undefined;
  const numbers = new Map<string, number>();
  let count = 0;
  const push = (run: string, summary: RunSummary): void => {
    const number = numbers.get(run) ?? count++;
    numbers.set(run, number);
    writer.push(textOf(summary), number);
  };
  for (const summary of beginning.toReversed()) push(summary.run, summary);
  const forget = runs.onChange((run, now) => {
    if (now === undefined) numbers.delete(run);
    else push(run, now);
  });
  const offSilence = bus.onSilence?.(() =>
    writer.finish(closeCode.tryLater, 'the message bus does not answer'),
  );
  return {
    async stop() {
      offSilence?.();
      forget();
    },
  };
}

const texts = new WeakMap<RunSummary, string>();

/** W3 */
function textOf(summary: RunSummary): string {
  const known = texts.get(summary);
  if (known !== undefined) return known;
  const text = JSON.stringify(summary);
  texts.set(summary, text);
  return text;
}
