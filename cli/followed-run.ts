/**
 * A run that a command waits for and does not lead: nothing is answered here, and what a person has to do is said with
 * its command. Mission Control Service, section 4.2.
 *
 * Q1. A question is said when nobody has answered it a moment later: of a run that is followed again the old ones are
 *     not.
 */

import type { RunEvent } from '../contract/run-event.ts';
import { realClock } from '../supervision/clock.ts';
import { followAgain } from './followed.ts';
import type { ProgressShown } from './progress-shown.ts';
import { runLines } from './run-line.ts';
import type { Service } from './service.ts';

export type RunEnd = Extract<RunEvent, { event: 'finished' }>;

interface FollowedRun {
  readonly service: Service;
  readonly run: string;
  readonly shown: ProgressShown;
  readonly signal: AbortSignal;
}

const SAID_AFTER_MS = 500;
/** With these a run waits for a person. */
const WAITS: ReadonlySet<RunEvent['event']> = new Set(['asked', 'decision_required', 'suspended']);
/** These are written while it waits as well. */
const STILL: ReadonlySet<RunEvent['event']> = new Set(['answer_refused', 'logged', 'taken_over']);

/** How it ended; what the service refused; undefined at the signal. */
export async function followRunEnd(
  followed: FollowedRun,
): Promise<RunEnd | { readonly said: string } | undefined> {
  const { service, run, shown } = followed;
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, followed.signal]);
  const waiting = new Waiting(shown);
  let last = 0;
  let end: RunEnd | undefined;
  const said = await followAgain<RunEvent>(service, `/v1/runs/${run}/events`, signal, {
    received(event) {
      if (event.seq <= last) return;
      last = event.seq;
      waiting.take(event);
      if (event.event !== 'finished') return;
      end = event;
      over.abort();
    },
    lost: (why) => shown.say(`-- ${why}; trying again`),
  });
  waiting.end();
  if (end !== undefined) return end;
  return said === undefined ? undefined : { said };
}

/** Q1 */
class Waiting {
  readonly #shown: ProgressShown;
  #timer: ReturnType<typeof realClock.setTimeout> | undefined;

  constructor(shown: ProgressShown) {
    this.#shown = shown;
  }

  take(event: RunEvent): void {
    if (STILL.has(event.event)) return;
    this.end();
    if (!WAITS.has(event.event)) return;
    this.#timer = realClock.setTimeout(() => this.#say(event), SAID_AFTER_MS);
  }

  end(): void {
    if (this.#timer !== undefined) realClock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #say(event: RunEvent): void {
    const look = { colour: false, progress: '', procedure: '' };
    for (const line of runLines(event, look)) this.#shown.say(line.trim());
  }
}
