/**
 * The reactions of alarms that are under way, by their alarm.
 *
 * R1. The watch begins with each that is under way: what it does not name after it was opened again is over.
 */

import { type AlarmName, alarmKey } from '../../../contract/alarm-name.ts';
import type { AlarmReaction, AlarmReactionChange } from '../../../contract/alarm-reaction.ts';
import { Follower } from './follower.ts';

const NONE: ReadonlyMap<string, AlarmReaction> = new Map();

export class LiveReactions {
  readonly #byAlarm = new Map<string, Map<string, AlarmReaction>>();
  readonly #changed: () => void;
  readonly #follower: Follower<AlarmReactionChange>;

  constructor(changed: () => void) {
    this.#changed = changed;
    this.#follower = new Follower<AlarmReactionChange>({
      path: '/v1/alarms/reactions/watch',
      message: (change) => this.#take(change),
      changed: (state) => {
        if (state === 'open') this.#byAlarm.clear();
        this.#changed();
      },
    });
  }

  /** Whether they were followed and are not now. */
  get isLost(): boolean {
    return this.#follower.isLost;
  }

  /** Those of an alarm; none while they are not followed: what they do may be another thing by now. */
  of(alarm: AlarmName): AlarmReaction[] {
    if (this.#follower.state !== 'open') return [];
    return [...(this.#byAlarm.get(alarmKey(alarm)) ?? NONE).values()];
  }

  reopen(): void {
    this.#follower.reopen();
  }

  #take({ reaction, ...name }: AlarmReactionChange): void {
    const key = alarmKey(name);
    const known = this.#byAlarm.get(key) ?? new Map<string, AlarmReaction>();
    const { run = '', state } = reaction;
    if (state === 'passed' || state === 'failed') known.delete(run);
    else known.set(run, reaction);
    if (known.size === 0) this.#byAlarm.delete(key);
    else this.#byAlarm.set(key, known);
    this.#changed();
  }
}
