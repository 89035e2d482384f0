/**
 * What a gateway reports of itself on `mcs.metrics`: how its link is, what passed it and what was lost. Mission Control
 * Service, section 6; transfers are sized by it (section 4.7 rule 4).
 *
 * T1. A report leaves every `GATEWAY_METRICS_MS`, and at once when the link has changed.
 * T2. Rates are those of the last whole period; counts never go back while the gateway lives.
 * T3. Times are of RFC 3339, as everywhere that other programs read.
 */

import { subject } from '../../contract/bus/subjects.ts';
import { GATEWAY_METRICS_MS } from '../../contract/limits/link.ts';
import type { GatewayReport, LinkCondition, ReportedCondition, Throughput } from '../../contract/link.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import { joinRounds } from '../../ports/shared-rounds.ts';
import type { LinkFigures } from './gateway.ts';

interface GatewayReporterOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly gateway: string;
  readonly kind: string;
  /** Of a gateway over a network. */
  readonly link: () => LinkFigures | undefined;
  /** Why the gateway is not usable; undefined when it is. */
  readonly unusable: () => string | undefined;
  /** Frames that wait for the bus, and those it never took. */
  readonly publisher: { readonly waiting: number; readonly dropped: number };
}

export class GatewayReporter {
  readonly #options: GatewayReporterOptions;
  readonly #startedAt: number;
  readonly #downlink: Count;
  readonly #uplink: Count;
  #leave: (() => void) | undefined;

  constructor(options: GatewayReporterOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
    this.#downlink = new Count(this.#startedAt);
    this.#uplink = new Count(this.#startedAt);
  }

  start(): void {
    this.#leave = joinRounds(this.#options.clock, GATEWAY_METRICS_MS, () => this.#period());
  }

  stop(): void {
    this.#leave?.();
  }

  received(frame: Buffer): void {
    this.#downlink.add(frame.length);
  }

  sent(frame: Buffer): void {
    this.#uplink.add(frame.length);
  }

  /** Publishes the report as it is now; lost while the bus is away. */
  tell(): void {
    this.#options.bus.publish(subject.metrics, Buffer.from(JSON.stringify(this.report())));
  }

  report(): GatewayReport {
    const { clock, gateway, kind, publisher } = this.#options;
    const link = this.#options.link();
    return {
      gateway,
      kind,
      at: new Date(clock.now()).toISOString(),
      link: reported(link?.condition ?? this.#condition()),
      downlink: this.#downlink.throughput(),
      uplink: this.#uplink.throughput(),
      queued: { downlink: publisher.waiting, uplink: link?.sending ?? 0 },
      reconnects: link?.reconnects ?? 0,
      lost: {
        dropped: publisher.dropped,
        cut: link?.cut ?? 0,
        skipped_bytes: link?.skippedBytes ?? 0,
        foreign: link?.foreign ?? 0,
        kernel: link?.kernel ?? 0,
      },
    };
  }

  #condition(): LinkCondition {
    const reason = this.#options.unusable();
    if (reason === undefined) return { state: 'up', since: this.#startedAt };
    return { state: 'down', since: this.#startedAt, reason };
  }

  #period(): void {
    const now = this.#options.clock.now();
    this.#downlink.period(now);
    this.#uplink.period(now);
    this.tell();
  }
}

function reported({ since, ...condition }: LinkCondition): ReportedCondition {
  return { ...condition, since: new Date(since).toISOString() };
}

class Count {
  #frames = 0;
  #bytes = 0;
  #before = { frames: 0, bytes: 0, at: 0 };
  #rates = { frames_per_second: 0, bytes_per_second: 0 };

  constructor(at: number) {
    this.#before.at = at;
  }

  add(bytes: number): void {
    this.#frames += 1;
    this.#bytes += bytes;
  }

  period(now: number): void {
    const { frames, bytes, at } = this.#before;
    const seconds = (now - at) / 1_000;
    this.#before = { frames: this.#frames, bytes: this.#bytes, at: now };
    // A clock that was set back gives no rate: the one before stands.
    if (seconds <= 0) return;
    this.#rates = {
      frames_per_second: (this.#frames - frames) / seconds,
      bytes_per_second: (this.#bytes - bytes) / seconds,
    };
  }

  throughput(): Throughput {
    return { frames: this.#frames, bytes: this.#bytes, ...this.#rates };
  }
}
