/**
 * What one watcher of reactions is sent: each that is under way, then each that changes, until it has ended. The route
 * is ours (decision 69): the watch of alarms has their transitions and nothing else.
 *
 * R1. A client that is behind gets the newest state of each reaction, and older ones are left out.
 * R2. While the bus is silent nothing is of now: the watch is closed, and answered 503 until the bus is back.
 * R3. A state is sent once; changes of one run are sent in their order.
 */

import { AlarmReactionChange, isReactionOver } from '../../contract/alarm-reaction.ts';
import { RUN_LIST_MOST } from '../../contract/limits/run.ts';
import type { RunSummary } from '../../contract/run.ts';
import { reactedTo, reactionChange } from '../alarm-reactions.ts';
import { busUnavailable } from '../errors.ts';
import { closeCode, defineFollow, type FollowSource, type FollowWriter } from '../follow.ts';
import { strangerRefusal } from '../mission-of.ts';
import { targetInQuery } from '../parameters.ts';
import type { RoutePorts } from '../ports.ts';

export const watchReactions = defineFollow({
  path: '/v1/alarms/reactions/watch',
  operationId: 'watchReactions',
  summary: 'Follow the reactions of alarms: each under way, then each that changes',
  description:
    'What each does: whether it waits for a decision, an answer or its target, since when, and who holds the target. ' +
    'Of the newest runs, as `GET /v1/runs` has them; `GET /v1/alarms` has every reaction that is under way.',
  tag: 'Alarms',
  query: { target: targetInQuery },
  policy: 'latest',
  message: AlarmReactionChange,
  errors: ['api::unknown-target', 'api::unavailable'],
  async open({ query: { target } }, ports, writer) {
    const stranger = strangerRefusal(target, ports);
    if (stranger !== undefined) return stranger;
    const beginning = ports.runs.newest(RUN_LIST_MOST);
    if (beginning === undefined) return busUnavailable();
    return { ok: true, value: follow(beginning.toReversed(), target, ports, writer) };
  },
});

function follow(
  beginning: readonly RunSummary[],
  target: string | undefined,
  ports: RoutePorts,
  writer: FollowWriter,
): FollowSource {
  const shown = new ShownReactions(ports, writer);
  const take = (summary: RunSummary, isNew: boolean): void => {
    const name = reactedTo(summary);
    if (name === undefined || (target !== undefined && name.target !== target)) return;
    if (isNew || summary.finished === undefined) shown.changed(summary);
  };
  const forget = ports.runs.onChange((run, now) => {
    if (now === undefined) shown.left(run);
    else take(now, true);
  });
  for (const summary of beginning) take(summary, false);
  const offSilence = ports.bus.onSilence?.(() =>
    writer.finish(closeCode.tryLater, 'the message bus does not answer'),
  );
  return {
    async stop() {
      offSilence?.();
      forget();
      shown.stop();
    },
  };
}

/** R1, R3 */
class ShownReactions {
  readonly #ports: RoutePorts;
  readonly #writer: FollowWriter;
  readonly #numbers = new Map<string, number>();
  readonly #texts = new Map<string, string>();
  /** The newest summary of a run that is being looked at. */
  readonly #next = new Map<string, RunSummary>();
  #count = 0;
  #isOver = false;

  constructor(ports: RoutePorts, writer: FollowWriter) {
    this.#ports = ports;
    this.#writer = writer;
  }

  changed(summary: RunSummary): void {
    const { run } = summary;
    const isLookedAt = this.#next.has(run);
    this.#next.set(run, summary);
    if (!isLookedAt) void this.#look(run);
  }

  left(run: string): void {
    this.#numbers.delete(run);
    this.#texts.delete(run);
  }

  stop(): void {
    this.#isOver = true;
  }

  async #look(run: string): Promise<void> {
    for (let summary = this.#next.get(run); summary !== undefined; ) {
      // Without the bus nothing is said: the watch is closed for that.
      const change = await reactionChange(summary, this.#ports).catch(() => undefined);
      const newer = this.#next.get(run);
      if (newer === summary) this.#next.delete(run);
      if (change !== undefined && !this.#isOver) this.#show(run, change);
      summary = newer === summary ? undefined : newer;
    }
  }

  #show(run: string, change: AlarmReactionChange): void {
    const text = JSON.stringify(change);
    if (this.#texts.get(run) === text) return;
    const number = this.#numbers.get(run) ?? this.#count++;
    this.#writer.push(text, number);
    if (isReactionOver(change.reaction)) return this.left(run);
    this.#numbers.set(run, number);
    this.#texts.set(run, text);
  }
}
