/** An executor of runs without its process: real cells on a real bus, holding the shards it is given. */

import type { RunEvent } from '../../../contract/run-event.ts';
import { PassBook } from '../../../messaging/pass-book.ts';
import type { Bus } from '../../../ports/bus.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { MissionSource } from '../../../ports/mission-source.ts';
import { seededRandom } from '../../../ports/seeded-random.ts';
import { createDeadLetters } from '../../../supervision/cells/dead-letters.ts';
import type { Worker } from '../../../supervision/ownership/owned-worker.ts';
import type { RoleContext } from '../../../supervision/role.ts';
import { createRuns, type Runs } from '../../../supervision/roles/runs.ts';
import { quiet } from '../../support/nats.ts';
import { noFiles } from '../../support/no-files.ts';
import { NO_TOKENS } from '../../support/no-tokens.ts';

interface ExecutorOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly missions: MissionSource;
  readonly epoch?: number;
}

export class RunExecutor {
  readonly runs: Runs;
  readonly #passes: PassBook;
  /** What it could not go on from. */
  readonly failures: unknown[] = [];
  readonly #epoch: number;
  #workers: Worker[] = [];

  constructor({ bus, clock, missions, epoch = 1 }: ExecutorOptions) {
    this.#epoch = epoch;
    const values = { ready: Promise.resolve(), current: () => undefined, upToDate: async () => undefined };
    this.#passes = new PassBook({ bus, clock, log: quiet });
    this.runs = createRuns({
      bus,
      clock,
      log: quiet,
      missions,
      values,
      passes: this.#passes,
      tokens: NO_TOKENS,
      instance: `executor-${epoch}`,
      random: seededRandom(1),
      failpoint: undefined,
      deadLetters: createDeadLetters(bus, quiet),
      failed: (reason: string) => void this.failures.push(reason),
      files: noFiles,
    } as unknown as RoleContext);
  }

  async hold(...shards: readonly string[]): Promise<void> {
    const failed = (error: unknown): void => void this.failures.push(error);
    const { role } = this.runs.shared;
    for (const shard of shards)
      this.#workers.push(await role.start(shard, { epoch: this.#epoch, holds: () => true, failed }));
  }

  /** As one that died: nothing of it answers any more. */
  async stop(): Promise<void> {
    await Promise.all(this.#workers.splice(0).map((worker) => worker.stop()));
    await this.runs.kind.drain();
    await this.#passes.stop();
  }
}

/** The first event of a run's log. */
export function startedEvent(run: string): RunEvent {
  return {
    run,
    seq: 1,
    at: '2026-01-01T00:00:00.000Z',
    event: 'started',
    procedure: 'p',
    library: 'l@1',
    environment: 'bench',
    targets: {},
    ir: 'e',
    inputs: {},
  };
}
