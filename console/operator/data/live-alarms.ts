/**
 * The alarms of every target: the list, kept current by the watch.
 *
 * A1. The list is asked for once the watch is open, and of each alarm the higher `seq` counts: nothing falls
 *     between both. What the list does not have, and the watch has not reported since it opened, has become normal
 *     meanwhile.
 * A2. A list that was asked for before the watch was opened again says nothing: what was raised behind it is reported
 *     by neither.
 */

import type { Alarm, AlarmEvent, AlarmList } from '../../../contract/alarm.ts';
import { alarmKey } from '../../../contract/alarm-name.ts';
import { later } from '../../browser-clock.ts';
import type { ServiceError } from '../../service-error.ts';
import { asked } from './connection.ts';
import { Follower } from './follower.ts';

const AGAIN_MS = 2_000;

export class LiveAlarms {
  readonly #byKey = new Map<string, Alarm>();
  /** Keys that the watch has reported since it opened, until the list is read. */
  readonly #reported = new Set<string>();
  readonly #changed: () => void;
  readonly #follower: Follower<AlarmEvent>;
  refusal: ServiceError | undefined;
  /** Whether the list was ever read. */
  isRead = false;
  /** Whether it was read since the watch opened: what happened before that is in the list alone. */
  #isReadSince = false;
  /** Counts how often the watch opened or was lost. */
  #round = 0;

  constructor(changed: () => void) {
    this.#changed = changed;
    this.#follower = new Follower<AlarmEvent>({
      path: '/v1/alarms/watch',
      message: (event) => this.#take(event),
      changed: (state) => {
        this.#isReadSince = false;
        this.#round += 1;
        if (state === 'open') {
          this.#reported.clear();
          void this.#read(this.#round);
        }
        this.#changed();
      },
    });
  }

  get isLive(): boolean {
    return this.#isReadSince && this.#follower.state === 'open';
  }

  /** Those that are not normal, or shelved. */
  get all(): Alarm[] {
    return [...this.#byKey.values()].filter(
      ({ record }) => record.state !== 'NORMAL' || record.shelved_until !== undefined,
    );
  }

  reopen(): void {
    this.#follower.reopen();
  }

  /** A1 */
  async #read(round: number): Promise<void> {
    let refusal: ServiceError | undefined;
    const list = await asked<AlarmList>('/v1/alarms', (error) => {
      refusal = error;
    });
    // A2
    if (round !== this.#round) return;
    this.refusal = refusal;
    if (list !== undefined) {
      this.isRead = true;
      this.#isReadSince = true;
      const listed = new Set(list.alarms.map(alarmKey));
      for (const key of this.#byKey.keys())
        if (!listed.has(key) && !this.#reported.has(key)) this.#byKey.delete(key);
      for (const alarm of list.alarms) this.#put(alarm);
    } else later(() => this.#again(round), AGAIN_MS);
    this.#changed();
  }

  #again(round: number): void {
    if (round === this.#round) void this.#read(round);
  }

  #take({ target, component, instance, alarm, at, ...standing }: AlarmEvent): void {
    const known = this.#byKey.get(
      alarmKey({ target, component, alarm, ...(instance !== undefined && { instance }) }),
    );
    const since =
      standing.state === 'ACTIVE_UNACK' &&
      standing.previous !== 'ACTIVE_UNACK' &&
      standing.cause === 'condition'
        ? at
        : known?.record.active_since;
    this.#reported.add(alarmKey({ target, component, alarm, ...(instance !== undefined && { instance }) }));
    this.#put({
      target,
      component,
      alarm,
      ...(instance !== undefined && { instance }),
      record: { ...standing, changed_at: at, ...(since !== undefined && { active_since: since }) },
    });
    this.#changed();
  }

  #put(alarm: Alarm): void {
    const key = alarmKey(alarm);
    const known = this.#byKey.get(key);
    if (known === undefined || known.record.seq <= alarm.record.seq) this.#byKey.set(key, alarm);
  }
}
