/**
 * What stands at the far end where nothing is known of it: it takes every frame, and reports each telecommand of PUS-C
 * as accepted and completed where it asks for that. It has no telemetry of its own. After ECSS-E-ST-70-41C, service 1.
 *
 * K1. Reading never throws; what is no telecommand packet is taken without a word.
 */

import type { Clock, TimerHandle } from '../../ports/clock.ts';
import { apidOfCommand, receiveCommand, TelemetryWriter } from './onboard-packet.ts';
import type { ModelOptions, ReceivedCounts, SimulatedPeer } from './peer.ts';

/** One way, and from the acceptance to the completion. */
const LIGHT_MS = 10;
const EXECUTION_MS = 50;
const ACCEPTED = 1;
const COMPLETED = 7;

export function createAcknowledging(options: Pick<ModelOptions, 'clock'>): SimulatedPeer {
  return new Acknowledging(options.clock);
}

class Acknowledging implements SimulatedPeer {
  readonly faults: ReadonlySet<string> = new Set();
  readonly #clock: Clock;
  readonly #writers = new Map<number, TelemetryWriter>();
  readonly #received = new Map<string, number>();
  readonly #timers = new Set<TimerHandle>();
  #total = 0;
  #listener: (frame: Buffer) => void = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  uplink(frame: Buffer): void {
    this.#total += 1;
    const apid = apidOfCommand(frame);
    const command = apid === undefined ? undefined : receiveCommand(frame, apid);
    if (apid === undefined || command === undefined) return;
    this.#received.set(command.request, (this.#received.get(command.request) ?? 0) + 1);
    const report = (subtype: number): void => {
      const data = Buffer.from(command.request, 'hex');
      this.#listener(this.#writerOf(apid).packet({ service: 1, subtype, data }, this.#clock.now()));
    };
    if (command.wantsAcceptance) this.#after(2 * LIGHT_MS, () => report(ACCEPTED));
    if (command.wantsCompletion) this.#after(2 * LIGHT_MS + EXECUTION_MS, () => report(COMPLETED));
  }

  onDownlink(listener: (frame: Buffer) => void): void {
    this.#listener = listener;
  }

  fault(): void {
    // It has none to switch.
  }

  counts(): ReceivedCounts {
    return { received: Object.fromEntries(this.#received), total: this.#total };
  }

  stop(): void {
    for (const timer of this.#timers) this.#clock.clearTimeout(timer);
    this.#timers.clear();
  }

  /** Each APID counts its packets. */
  #writerOf(apid: number): TelemetryWriter {
    const writer = this.#writers.get(apid) ?? new TelemetryWriter(apid);
    this.#writers.set(apid, writer);
    return writer;
  }

  #after(ms: number, act: () => void): void {
    const timer = this.#clock.setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, ms);
    this.#timers.add(timer);
  }
}
