/**
 * What is looked at four times a second while this process leads: entries to read again, bytes to store, files to offer
 * again, and what to ask for, target by target. The rules are those of the service that uses it (transfer/service.S6).
 */

import { TRANSFER_TICK_MS } from '../../contract/limits/transfer.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { MissionSource } from '../../ports/mission-source.ts';
import type { RunningDeliveries } from './delivery.ts';
import type { OpenTransfers } from './open-transfers.ts';

interface RoundsOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly missions: MissionSource;
  readonly open: OpenTransfers;
  /** Looked at in each round, whoever leads. */
  readonly index: { tick(now: number): void };
  /** Looked at while this process leads. */
  readonly whileLeading: readonly { tick(now: number): void }[];
  readonly delivery: RunningDeliveries;
  readonly holds: () => boolean;
  readonly hindered: (key: string, reason: string) => void;
}

export class Rounds {
  readonly #options: RoundsOptions;
  #timer: TimerHandle | undefined;
  #isAsking = false;
  #stopped = false;

  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  begin(): void {
    if (this.#timer !== undefined || this.#stopped) return;
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#timer = undefined;
      this.#round();
      this.begin();
    }, TRANSFER_TICK_MS);
  }

  /** Everything that arrived until now was taken (transfer/service.S6). */
  ask(): void {
    this.#isAsking = true;
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
  }

  #round(): void {
    const { bus, clock, index, whileLeading, holds } = this.#options;
    const now = clock.now();
    index.tick(now);
    if (!holds()) return;
    for (const each of whileLeading) each.tick(now);
    if (this.#isAsking && bus.connected) this.#turns();
  }

  #turns(): void {
    const { missions, open, delivery, hindered } = this.#options;
    const mission = missions.current;
    if (mission === undefined) return;
    for (const [name, transfers] of open.undelivered()) {
      const target = mission.targets.get(name);
      const files = target?.platform?.files;
      if (target !== undefined && files !== undefined) {
        delivery.of(files.transfer.protocol).turn({ mission, target, files }, transfers);
        continue;
      }
      const reason =
        target === undefined ? 'is not in the topology any more' : 'has no catalogue of files any more';
      for (const { key } of transfers) hindered(key, `${name} ${reason}`);
    }
  }
}
