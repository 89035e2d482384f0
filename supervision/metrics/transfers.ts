/**
 * Bytes of transfers in the Prometheus registry of the process that leads them. Mission Control Service, section 6
 * (metrics counters). Registering again goes on counting.
 */

import { Counter, type Registry } from 'prom-client';

const NAME = 'mcs_transfers_bytes_total';

/** Counts bytes that were asked for, and bytes that came and are recorded. */
export function transferBytes(
  registry: Registry,
): (target: string, outcome: 'asked' | 'received', bytes: number) => void {
  const counter =
    (registry.getSingleMetric(NAME) as Counter<'target' | 'outcome'> | undefined) ??
    new Counter({
      name: NAME,
      help: 'Bytes of transfers of a target, as this process led them: asked for, or received and recorded.',
      labelNames: ['target', 'outcome'],
      registers: [registry],
    });
  return (target, outcome, bytes) => counter.inc({ target, outcome }, bytes);
}
