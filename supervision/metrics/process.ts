/** What the runtime of a process reports Prometheus about itself. Mission Control Service, section 6 (metrics). */

import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import type { Bus } from '../../ports/bus.ts';
import type { MissionSource } from '../../ports/mission-source.ts';
import type { Replication } from '../../ports/replication.ts';
import type { DeadLetters } from '../cells/dead-letters.ts';

interface Measured {
  readonly bus: Bus;
  readonly missions: MissionSource;
  readonly deadLetters: DeadLetters;
  /**
   * Whether it has this process of the machine for itself: its memory and its collector are measured then, and for
   * good.
   */
  readonly alone: boolean;
  readonly replication: Replication | undefined;
}

export function registerProcessMetrics(
  registry: Registry,
  { bus, missions, deadLetters, alone, replication }: Measured,
): void {
  if (alone) collectDefaultMetrics({ register: registry });
  gauge(registry, 'mcs_bus_connected', 'Whether the message bus is connected (1) or not (0).', () =>
    bus.connected ? 1 : 0,
  );
  gauge(
    registry,
    'mcs_bus_lost_until_seconds',
    'Until when something is lost of what the bus held, in seconds since 1970; 0: nothing that a process of the cell knows of.',
    () => (bus.lostUntil ?? 0) / 1_000,
  );
  gauge(registry, 'mcs_configured', 'Whether a configuration is in force (1) or not (0).', () =>
    missions.current === undefined ? 0 : 1,
  );
  gauge(
    registry,
    'mcs_dead_letters',
    'Events that killed their actor since the start.',
    () => deadLetters.count,
  );
  gauge(
    registry,
    'mcs_bus_replicas_wanted',
    'Copies that each stream and bucket is to have.',
    () => replication?.wanted ?? 1,
  );
  gauge(
    registry,
    'mcs_bus_streams_short',
    'Streams and buckets with fewer copies in place than wanted.',
    () => replication?.short.length ?? 0,
  );
}

function gauge(registry: Registry, name: string, help: string, read: () => number): void {
  const metric: Gauge = new Gauge({
    name,
    help,
    registers: [registry],
    collect: () => {
      metric.set(read());
    },
  });
}
