/**
 * What reactions do, beside the transitions of `mcs alarm watch`: a line when one waits, is suspended or has failed,
 * and one when it continues.
 */

import { alarmPath } from '../contract/alarm-name.ts';
import type { AlarmReactionChange, ReactionState } from '../contract/alarm-reaction.ts';
import { realClock } from '../supervision/clock.ts';
import { reactionLine } from './alarm-line.ts';
import { followAgain } from './followed.ts';
import type { Service } from './service.ts';

const QUIET: ReadonlySet<ReactionState> = new Set(['starting', 'running', 'passed']);

/** Prints until `signal`. What goes wrong with the connection is said by the watch of transitions. */
export async function printReactions(
  service: Service,
  target: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const shown = new ShownReactions();
  const query = target === undefined ? '' : `?target=${encodeURIComponent(target)}`;
  await followAgain<AlarmReactionChange>(service, `/v1/alarms/reactions/watch${query}`, signal, {
    received: (change) => {
      const line = shown.line(change);
      if (line !== undefined) process.stdout.write(`${timeNow()}  ${line}\n`);
    },
    lost: () => undefined,
  });
}

/** What was shown of each run. */
export class ShownReactions {
  readonly #shown = new Map<string, string>();

  /** Undefined where there is nothing new to say. */
  line({ reaction, ...name }: AlarmReactionChange): string | undefined {
    const run = reaction.run ?? '';
    const { state } = reaction;
    const said = this.#shown.get(run);
    if (QUIET.has(state) && said === undefined) return undefined;
    const line = `reaction to ${name.target} ${alarmPath(name)}: ${reactionLine(name.target, reaction)}`;
    if (said === line) return undefined;
    if (QUIET.has(state) || state === 'failed') this.#shown.delete(run);
    else this.#shown.set(run, line);
    return line;
  }
}

function timeNow(): string {
  return new Date(realClock.now()).toISOString().slice(11, 23);
}
