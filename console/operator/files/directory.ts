/**
 * The on-board directory of one target as it was last listed. It is read again when values of its files come, and now
 * and then.
 *
 * D1. A listing of thousands of files is thousands of values: the directory is read once behind them, a second later.
 */

import type { OnboardDirectory } from '../../../contract/onboard-file.ts';
import type { CurrentValue } from '../../../contract/value.ts';
import { later } from '../../browser-clock.ts';
import type { ServiceError } from '../../service-error.ts';
import { Follower } from '../data/follower.ts';
import { Polled } from '../data/polled.ts';

const EVERY_MS = 60_000;
const PAUSE_MS = 1_000;

export class Directory {
  readonly target: string;
  readonly #polled: Polled<OnboardDirectory>;
  #follower: Follower<CurrentValue> | undefined;
  #cancel: (() => void) | undefined;

  constructor(target: string, changed: () => void) {
    this.target = target;
    const path = `/v1/targets/${encodeURIComponent(target)}`;
    this.#polled = new Polled(`${path}/files`, EVERY_MS, () => {
      const { answer } = this.#polled;
      if (answer !== undefined) this.#follower ??= this.#follow(path, answer.component);
      changed();
    });
  }

  get answer(): OnboardDirectory | undefined {
    return this.#polled.answer;
  }

  get refusal(): ServiceError | undefined {
    return this.#polled.refusal;
  }

  get isLive(): boolean {
    return this.#follower?.state === 'open' && this.#polled.refusal === undefined;
  }

  reopen(): void {
    this.#polled.soon();
    this.#follower?.reopen();
  }

  close(): void {
    this.#cancel?.();
    this.#polled.close();
    this.#follower?.close();
  }

  #follow(path: string, component: string): Follower<CurrentValue> {
    const measures = encodeURIComponent(`${component}.size,${component}.generation,${component}.checksum`);
    return new Follower<CurrentValue>({
      path: `${path}/values/watch?measures=${measures}`,
      message: () => this.#soon(),
    });
  }

  /** D1 */
  #soon(): void {
    this.#cancel ??= later(() => {
      this.#cancel = undefined;
      this.#polled.soon();
    }, PAUSE_MS);
  }
}
