/** Binds the chart of a schedule to the world: its one effect is the submission of its run. */

import { SCHEDULE_IDLE_MS } from '../../contract/limits/schedule.ts';
import type { ScheduleItem } from '../../machines/schedule/protocol.ts';
import { scheduleMachine } from '../../machines/schedule/schedule.ts';
import type { ScheduleBook } from '../../messaging/schedule-book.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import { defineBinding } from '../../ports/define-binding.ts';
import type { Binding, Store } from '../../ports/entity.ts';
import type { Log } from '../../ports/log.ts';
import type { MissionSource } from '../../ports/mission-source.ts';
import { scheduleHistory } from './history.ts';
import { SCHEDULE_VERSION } from './schedule-store.ts';
import { submitScheduled } from './submission.ts';

interface BindingOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly missions: MissionSource;
  readonly schedules: ScheduleBook;
  readonly store: Store<ScheduleItem>;
}

export function createScheduleBinding(options: BindingOptions): Binding<typeof scheduleMachine> {
  const { bus, clock, schedules, store } = options;
  return defineBinding({
    kind: 'schedule',
    version: SCHEDULE_VERSION,
    chart: scheduleMachine,
    store,
    durability: 'log',
    effects: {
      'effect.submit': async (effect, { id, signal }) => {
        const run = await submitScheduled(options, id, effect, signal);
        return run === undefined ? undefined : { type: 'submitted', at: clock.now(), run };
      },
    },
    restart: 'permanent',
    endsTooLarge: true,
    idleMs: SCHEDULE_IDLE_MS,
    migrations: {},
    targetOf: (id) => schedules.get(id)?.target,
    labelOf: (id) => schedules.get(id)?.run,
    history: (id) => scheduleHistory(bus, id),
  });
}
