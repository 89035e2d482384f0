/**
 * The schedules of a part of time, of one target or of all, asked for again as soon as the log of events has one of
 * them.
 */

import type { Schedule, ScheduleList } from '../../../contract/schedule.ts';
import { Follower } from './follower.ts';
import { WindowList } from './window-list.ts';

/** Where the log says nothing of a change: its recorder may be away. */
const EVERY_MS = 15_000;

export class ScheduleWindow {
  readonly list: WindowList<ScheduleList, Schedule>;
  readonly #changed: () => void;
  #target: string | undefined;
  #follower: Follower<unknown> | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
    this.list = new WindowList({ itemsOf: ({ schedules }) => schedules, changed, everyMs: EVERY_MS });
  }

  /** `target` empty: of all targets. `from` and `to` in ms since 1970. */
  want(target: string, from: number, to: number): void {
    const of = target === '' ? '' : `&target=${encodeURIComponent(target)}`;
    this.list.want(`/v1/schedules?all=true${of}`, from, to);
    if (this.#target === target) return;
    this.#target = target;
    this.#follower?.close();
    const only = target === '' ? '' : `&targets=${encodeURIComponent(target)}`;
    this.#follower = new Follower<unknown>({
      path: `/v1/events/watch?kinds=schedule${only}`,
      message: () => this.list.soon(),
      changed: () => this.#changed(),
    });
  }

  get isLive(): boolean {
    return this.#follower?.state === 'open' && this.list.refusal === undefined;
  }

  reopen(): void {
    this.#follower?.reopen();
    this.list.soon();
  }

  leave(): void {
    this.#follower?.close();
    this.#follower = undefined;
    this.#target = undefined;
    this.list.leave();
  }
}
