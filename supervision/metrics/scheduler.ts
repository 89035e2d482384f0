/**
 * Outcomes of schedules in the Prometheus registry of the scheduler that wrote them. Mission Control Service, section 6
 * (metrics counters). Those of all processes together count each once.
 */

import { Counter, type Registry } from 'prom-client';

const NAME = 'mcs_scheduler_runs_total';

/** Counts each outcome it is notified of. Registering again goes on counting. */
export function scheduledRuns(registry: Registry): (outcome: 'fired' | 'missed') => void {
  const counter =
    (registry.getSingleMetric(NAME) as Counter<'outcome'> | undefined) ??
    new Counter({
      name: NAME,
      help: 'Schedules whose start was reached, as this process wrote them, by what became of them.',
      labelNames: ['outcome'],
      registers: [registry],
    });
  for (const outcome of ['fired', 'missed'] as const) counter.inc({ outcome }, 0);
  return (outcome) => counter.inc({ outcome });
}
