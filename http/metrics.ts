/**
 * What the front end counts of itself, in the registry it is given. Mission Control Service, section 6; the names are
 * ours. Counting happens in plain numbers; the registry reads them when it is scraped.
 */

import { Counter, Gauge, type Registry } from 'prom-client';

export interface FrontEndMetrics {
  /** One answer; status 0: the client went before it. */
  answered(operation: string, status: number): void;
  opened(): void;
  closed(): void;
  /** A value was replaced by a newer one before a slow client got it. */
  conflated(): void;
  /** A log follower was closed with 4408. */
  tooSlow(): void;
}

/** Registers the metrics under the name of the service; a registry serves one front end. */
export function frontEndMetrics(registry: Registry, service = 'mcs'): FrontEndMetrics {
  const answers = new Map<string, Map<number, number>>();
  let open = 0;
  let conflated = 0;
  let slow = 0;
  const registers = [registry];
  new Counter({
    name: `${service}_http_requests_total`,
    help: 'Requests answered, by operation and status; status 0: the client disconnected before the answer.',
    labelNames: ['operation', 'status'],
    registers,
    collect() {
      this.reset();
      for (const [operation, statuses] of answers) {
        for (const [status, count] of statuses) this.inc({ operation, status }, count);
      }
    },
  });
  gauge(registers, `${service}_http_followers`, 'WebSockets open.', () => open);
  counter(
    registers,
    `${service}_http_conflated_total`,
    'Values replaced before a slow client got them.',
    () => conflated,
  );
  counter(registers, `${service}_http_slow_followers_total`, 'Log followers closed with 4408.', () => slow);
  return {
    answered(operation, status) {
      const statuses = answers.get(operation) ?? new Map<number, number>();
      answers.set(operation, statuses.set(status, (statuses.get(status) ?? 0) + 1));
    },
    opened() {
      open += 1;
    },
    closed() {
      open -= 1;
    },
    conflated() {
      conflated += 1;
    },
    tooSlow() {
      slow += 1;
    },
  };
}

function gauge(registers: Registry[], name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(read());
    },
  });
}

function counter(registers: Registry[], name: string, help: string, read: () => number): void {
  new Counter({
    name,
    help,
    registers,
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}
