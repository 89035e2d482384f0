/**
 * Frames that the decoders of this process could not read, by gateway, for Prometheus: damaged packets, lines that
 * match no pattern. Mission Control Service, section 6 (metrics); the name is ours.
 *
 * D1. A count never falls while the role runs, whichever decoders come and go.
 */

import { Counter, type Registry } from 'prom-client';

const NAME = 'mcs_frames_unreadable_total';

interface Counted {
  readonly faults: number;
}

export class DecoderMetrics {
  readonly #running = new Map<string, Counted>();
  readonly #before = new Map<string, number>();

  constructor(registry: Registry) {
    // A role that was started again counts from zero: its predecessor's counter is gone.
    registry.removeSingleMetric(NAME);
    const counts = (): [string, number][] => this.#counts();
    new Counter({
      name: NAME,
      help: 'Frames that could not be read, by gateway; once for each link that listens to it.',
      labelNames: ['gateway'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [gateway, count] of counts()) this.inc({ gateway }, count);
      },
    });
  }

  /** Counts what a decoder counts until the returned function is called. */
  count(gateway: string, decoder: Counted): () => void {
    this.#running.set(gateway, decoder);
    return () => {
      if (this.#running.get(gateway) === decoder) this.#running.delete(gateway);
      this.#before.set(gateway, (this.#before.get(gateway) ?? 0) + decoder.faults);
    };
  }

  #counts(): [string, number][] {
    const gateways = new Set([...this.#before.keys(), ...this.#running.keys()]);
    return [...gateways].map((gateway) => [
      gateway,
      (this.#before.get(gateway) ?? 0) + (this.#running.get(gateway)?.faults ?? 0),
    ]);
  }
}
