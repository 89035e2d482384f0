/** One run as its log reports it, with the steps of its program. */

import type { RunStep, RunSteps } from '../../../contract/run.ts';
import type { RunEvent } from '../../../contract/run-event.ts';
import type { RunPicture } from '../../inspect/run-picture.ts';
import { RunRecord } from '../../inspect/run-record.ts';
import type { ServiceError } from '../../service-error.ts';
import { asked } from '../data/connection.ts';
import { Follower } from '../data/follower.ts';

export class FollowedRun {
  readonly run: string;
  readonly #record = new RunRecord();
  readonly #follower: Follower<RunEvent>;
  readonly #changed: () => void;
  steps: readonly RunStep[] = [];
  refusal: ServiceError | undefined;
  #isAsking = false;

  constructor(run: string, changed: () => void) {
    this.run = run;
    this.#changed = changed;
    this.#follower = new Follower<RunEvent>({
      path: `/v1/runs/${encodeURIComponent(run)}/events`,
      message: (event) => this.#take(event),
      changed,
    });
    void this.#readSteps();
  }

  get picture(): RunPicture {
    return this.#record.live;
  }

  /** Oldest first. */
  get events(): readonly RunEvent[] {
    return this.#record.events;
  }

  /** Open, or at the end of a run that is over. */
  get isLive(): boolean {
    return this.#follower.state === 'open' || this.#follower.state === 'ended';
  }

  /** Why the last answer was not taken; undefined where it was, or none was given. */
  get refusedAnswer(): string | undefined {
    const last = this.events.findLast(
      ({ event }) =>
        event === 'answered' ||
        event === 'answer_refused' ||
        event === 'asked' ||
        event === 'decision_required',
    );
    return last?.event === 'answer_refused' ? last.reason : undefined;
  }

  reopen(): void {
    if (this.picture.finished === undefined) this.#follower.reopen();
    if (this.steps.length === 0) void this.#readSteps();
  }

  close(): void {
    this.#follower.close();
  }

  #take(event: RunEvent): void {
    if (!this.#record.take(event)) return;
    // The program is there once an executor has begun the run.
    if (event.event === 'started' && this.steps.length === 0) void this.#readSteps();
    this.#changed();
  }

  async #readSteps(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const read = await asked<RunSteps>(`/v1/runs/${encodeURIComponent(this.run)}/steps`, (error) => {
      this.refusal = error;
    });
    this.#isAsking = false;
    if (read === undefined) return this.#changed();
    this.refusal = undefined;
    this.steps = read.steps;
    this.#changed();
  }
}
