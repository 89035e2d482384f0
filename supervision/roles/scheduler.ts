/**
 * Schedules and rules: any number of processes have this role, and none of them leads. Mission Control Service,
 * sections 2.7, 3.4 and 4.6. A schedule of which something becomes is a cell for that moment.
 */

import { createScheduleBinding } from '../../actors/schedule/binding.ts';
import { RuleMaker } from '../../actors/schedule/rule-maker.ts';
import { createScheduleStore } from '../../actors/schedule/schedule-store.ts';
import { Scheduler } from '../../actors/schedule/scheduler.ts';
import { freshPass } from '../../messaging/fresh-pass.ts';
import { hostCells } from '../cells/host.ts';
import { scheduledRuns } from '../metrics/scheduler.ts';
import type { Role, RoleContext } from '../role.ts';

export async function startScheduler(context: RoleContext): Promise<Role> {
  const { bus, clock, log, missions, registry, instance, living } = context;
  const { passes, schedules, rules } = context.books;
  const count = scheduledRuns(registry);
  const store = createScheduleStore({
    bus,
    endsSo: async (ended) => scheduler.endsSo(ended, await freshPass({ bus, clock }, ended)),
    transition: ({ state }) => {
      if (state === 'fired' || state === 'missed') count(state);
    },
  });
  const binding = createScheduleBinding({ bus, clock, log, missions, schedules, store });
  const { kind, cells } = hostCells(binding, () => scheduler, context);
  const work = {
    bus,
    clock,
    log,
    missions,
    passes,
    schedules,
    instance,
    schedulers: () => living('scheduler'),
  };
  const scheduler: Scheduler = new Scheduler({ ...work, cells });
  const maker = new RuleMaker({ ...work, rules });
  scheduler.start();
  maker.start();
  return {
    shared: [],
    kinds: [kind],
    stop: async () => {
      await Promise.all([scheduler.stop(), maker.stop()]);
      await kind.drain();
    },
  };
}
