/**
 * Transitions of alarms in the Prometheus registry of the process that leads them. Mission Control Service, section 6
 * (metrics counters). Labels are few and bounded: an alarm is named in its event, not here.
 *
 * M1. A transition is counted by the leader that published it: counters of all processes together count each once,
 *     unless one died between publishing and counting.
 * M2. Registering again goes on counting: a role that starts again in its process is no reset.
 */

import { Counter, type Registry } from 'prom-client';
import type { AlarmEvent } from '../../contract/alarm.ts';

const NAME = 'mcs_alarms_transitions_total';

/** Counts each transition it is notified of. */
export function alarmTransitions(registry: Registry): (event: AlarmEvent) => void {
  const counter =
    (registry.getSingleMetric(NAME) as Counter<'state' | 'cause'> | undefined) ??
    new Counter({
      name: NAME,
      help: 'Transitions of alarms published by this process, by the state they led to and their cause.',
      labelNames: ['state', 'cause'],
      registers: [registry],
    });
  return ({ state, cause }) => counter.inc({ state, cause });
}
