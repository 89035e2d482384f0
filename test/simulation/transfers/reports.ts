/** What the gateways of the simulated run say of themselves on `mcs.metrics`, as the real reporter does. */

import { subject } from '../../../contract/bus/subjects.ts';
import { GATEWAY_METRICS_MS } from '../../../contract/limits/link.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { TwinServer } from '../twin/server.ts';
import { FILE_TARGET_NAMES, FILE_TARGETS, type FileTarget } from './mission.ts';

/** A report as it left. */
export interface Reported {
  readonly at: number;
  readonly target: FileTarget;
  readonly isUp: boolean;
  /** bit/s */
  readonly rate: number;
}

interface ReportsOptions {
  readonly clock: Clock;
  readonly server: TwinServer;
  readonly isUp: (target: FileTarget) => boolean;
  /** The gateway is dead. */
  readonly isSilent: (target: FileTarget) => boolean;
  /** Bytes that came down since the beginning. */
  readonly received: (target: FileTarget) => number;
}

export class Reports {
  readonly all: Reported[] = [];
  readonly #options: ReportsOptions;
  readonly #before = new Map<FileTarget, { readonly bytes: number; rate: number }>();

  constructor(options: ReportsOptions) {
    this.#options = options;
  }

  start(): void {
    for (const target of FILE_TARGET_NAMES) this.#period(target);
  }

  /** The link has changed. */
  say(target: FileTarget): void {
    const { clock, server, isUp, isSilent } = this.#options;
    if (isSilent(target) || !server.up) return;
    const rate = this.#before.get(target)?.rate ?? 0;
    const reported = { at: clock.now(), target, isUp: isUp(target), rate };
    this.all.push(reported);
    const throughput = { frames: 0, bytes: 0, frames_per_second: 0, bytes_per_second: rate / 8 };
    const link = { state: reported.isUp ? 'up' : 'down', since: clock.now() };
    const body = { gateway: FILE_TARGETS[target].gateway, kind: 'simulated', at: clock.now(), link };
    const data = Buffer.from(JSON.stringify({ ...body, downlink: throughput, uplink: throughput }));
    const message = { subject: subject.metrics, data, headers: {} };
    for (const listener of server.listeners(message.subject)) listener.deliver(message);
  }

  #period(target: FileTarget): void {
    const { clock, received } = this.#options;
    const bytes = received(target);
    const before = this.#before.get(target);
    const rate = ((bytes - (before?.bytes ?? 0)) * 8_000) / GATEWAY_METRICS_MS;
    this.#before.set(target, { bytes, rate });
    this.say(target);
    clock.setTimeout(() => this.#period(target), GATEWAY_METRICS_MS);
  }
}
