/**
 * PDUs of CFDP that passed this process, by gateway, for Prometheus. Mission Control Service, section 6 (metrics); the
 * names are ours.
 *
 * D1. A count never falls while the role runs, whichever workers come and go.
 */

import { Counter, type Registry } from 'prom-client';
import type { CfdpCounts } from '../../links/cfdp/group-files.ts';

interface Counted {
  /** By gateway. */
  readonly counts: ReadonlyMap<string, CfdpCounts>;
}

interface Series {
  readonly name: string;
  readonly help: string;
  /** Name of the label beside the gateway, and its values with their counts. */
  readonly label: string;
  readonly of: (counts: CfdpCounts) => Iterable<readonly [string, number]>;
}

const SERIES: readonly Series[] = [
  {
    name: 'mcs_cfdp_pdus_total',
    help: 'PDUs of CFDP, by gateway: received and used, or sent.',
    label: 'way',
    of: ({ received, sent }) => [
      ['received', received.pdus],
      ['sent', sent.pdus],
    ],
  },
  {
    name: 'mcs_cfdp_bytes_total',
    help: 'Bytes of the frames that carried them.',
    label: 'way',
    of: ({ received, sent }) => [
      ['received', received.bytes],
      ['sent', sent.bytes],
    ],
  },
  {
    name: 'mcs_cfdp_dropped_total',
    help: 'PDUs of CFDP that were not used or not sent, by gateway and reason.',
    label: 'reason',
    of: ({ dropped }) => dropped,
  },
];

export class CfdpMetrics {
  readonly #running = new Set<Counted>();
  /** Of those that are over: a total for each gateway and series. */
  readonly #before = new Map<string, Map<string, number>>();

  constructor(registry: Registry) {
    for (const series of SERIES) this.#register(series, registry);
  }

  /** Counts what a worker counts until the returned function is called. */
  count(worker: Counted): () => void {
    this.#running.add(worker);
    return () => {
      this.#running.delete(worker);
      for (const [gateway, counts] of worker.counts) {
        const before = this.#before.get(gateway) ?? new Map<string, number>();
        this.#before.set(gateway, before);
        for (const { name, of } of SERIES)
          for (const [value, count] of of(counts)) add(before, `${name} ${value}`, count);
      }
    };
  }

  #register({ name, help, label, of }: Series, registry: Registry): void {
    // A role that was started again counts from zero: its predecessor's counter is gone.
    registry.removeSingleMetric(name);
    const totals = (): [string, string, number][] => this.#totals(name, of);
    new Counter({
      name,
      help,
      labelNames: ['gateway', label],
      registers: [registry],
      collect() {
        this.reset();
        for (const [gateway, value, count] of totals()) this.inc({ gateway, [label]: value }, count);
      },
    });
  }

  #totals(name: string, of: Series['of']): [string, string, number][] {
    const running = [...this.#running].map(({ counts }) => counts);
    const gateways = new Set([...this.#before.keys(), ...running.flatMap((counts) => [...counts.keys()])]);
    return [...gateways].flatMap((gateway) => {
      const totals = new Map<string, number>();
      for (const [key, count] of this.#before.get(gateway) ?? []) {
        const [of, value = ''] = key.split(' ');
        if (of === name) add(totals, value, count);
      }
      for (const counts of running) {
        const ofGateway = counts.get(gateway);
        if (ofGateway !== undefined) for (const [value, count] of of(ofGateway)) add(totals, value, count);
      }
      return [...totals].map(([value, count]): [string, string, number] => [gateway, value, count]);
    });
  }
}

function add(totals: Map<string, number>, key: string, count: number): void {
  totals.set(key, (totals.get(key) ?? 0) + count);
}
