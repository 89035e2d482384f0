/** How full the streams of the bus are, for Prometheus: as last looked at. Mission Control Service, section 6. */

import { Gauge, type Registry } from 'prom-client';
import type { Fills, StreamFill } from '../../ports/fills.ts';

const GAUGES: readonly [name: string, help: string, of: (fill: StreamFill) => number | undefined][] = [
  ['mcs_bus_stream_bytes', 'Bytes that a stream of the bus takes.', ({ bytes }) => bytes],
  ['mcs_bus_stream_fill', 'Share of its size that a stream of the bus takes.', ({ fill }) => fill],
  ['mcs_bus_stream_oldest_seconds', 'Age of the oldest message of a stream.', ({ oldestS }) => oldestS],
  ['mcs_bus_stream_bytes_per_second', 'What a stream takes in.', ({ bytesPerS }) => bytesPerS],
  [
    'mcs_bus_stream_keeps_seconds',
    'For how long a stream keeps a message at its present rate.',
    ({ keepsS }) => (Number.isFinite(keepsS) ? keepsS : undefined),
  ],
];

export function registerStreamMetrics(registry: Registry, fills: Fills): void {
  for (const [name, help, of] of GAUGES) {
    const metric: Gauge = new Gauge({
      name,
      help,
      labelNames: ['stream'],
      registers: [registry],
      collect: () => {
        metric.reset();
        for (const fill of fills.all) {
          const value = of(fill);
          if (value !== undefined) metric.set({ stream: fill.stream }, value);
        }
      },
    });
  }
  const silent: Gauge = new Gauge({
    name: 'mcs_bus_stream_silent',
    help: 'Streams of the bus that did not answer when they were last looked at: 1 for each.',
    labelNames: ['stream'],
    registers: [registry],
    collect: () => {
      silent.reset();
      for (const stream of fills.silent) silent.set({ stream }, 1);
    },
  });
}
