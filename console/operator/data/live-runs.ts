/**
 * The newest runs of the service, newest first, kept current by the watch of their list.
 *
 * R1. The watch begins with every run of the list. As many are kept as a list has, those with the highest identifiers.
 */

import type { RunList, RunSummary } from '../../../contract/run.ts';
import { later } from '../../browser-clock.ts';
import { ServiceError } from '../../service-error.ts';
import { Follower } from './follower.ts';

/** As many as a list has. */
const KEPT = 200;
/** A service that does not answer for so long is not live; a shorter outage is not worth a word. */
const MISSING_MS = 1_000;

export class LiveRuns {
  readonly #byRun = new Map<string, RunSummary>();
  readonly #changed: () => void;
  readonly #follower: Follower<RunSummary>;
  #list: RunList | undefined;
  #cancel: () => void = () => undefined;
  /** Why the list may be old; undefined while it is followed. */
  refusal: ServiceError | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
    this.#follower = new Follower<RunSummary>({
      path: '/v1/runs/watch',
      message: (run) => this.#take(run),
      changed: (state) => {
        this.#cancel();
        if (state === 'open') this.#isOpen();
        else this.#cancel = later(() => this.#isMissing(), MISSING_MS);
      },
    });
  }

  /** Undefined before anything is known. */
  get answer(): RunList | undefined {
    if (this.#byRun.size === 0) return this.#list;
    this.#list ??= { runs: [...this.#byRun.values()].sort((a, b) => (a.run < b.run ? 1 : -1)) };
    return this.#list;
  }

  /** Everything is read again. */
  soon(): void {
    this.#follower.reopen();
  }

  #isOpen(): void {
    this.refusal = undefined;
    this.#list ??= { runs: [] };
    this.#changed();
  }

  #isMissing(): void {
    this.refusal = new ServiceError(0, [{ code: 'unreached', message: 'runs are not live at the moment' }]);
    this.#changed();
  }

  #take(run: RunSummary): void {
    this.#byRun.set(run.run, run);
    this.#list = undefined;
    if (this.#byRun.size > KEPT)
      this.#byRun.delete([...this.#byRun.keys()].reduce((a, b) => (a < b ? a : b)));
    this.#changed();
  }
}
