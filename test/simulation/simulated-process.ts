/**
 * One life of one process in a simulated run: the real `startProcess` on the twin of the bus, with its own clock,
 * chance and weather. It is killed, paused and stopped by the world.
 *
 * D1. Once killed nothing of it reaches the bus, the clock or a spacecraft, whatever its promises still do.
 */

import type { Bus } from '../../ports/bus.ts';
import type { Log } from '../../ports/log.ts';
import { type ProcessOptions, type ServiceProcess, startProcess } from '../../supervision/process.ts';
import type { RoleName } from '../../supervision/role.ts';
import { type Api, simulatedApi } from './api.ts';
import { Chance } from './chance.ts';
import type { ProcessClock } from './process-clock.ts';
import type { Antenna, Space } from './space.ts';
import { TwinBus, type TwinOptions } from './twin/twin-bus.ts';

export interface LifeOptions {
  readonly seed: number;
  readonly instance: string;
  readonly host: string;
  readonly pid: number;
  readonly roles: readonly RoleName[];
  readonly clock: ProcessClock;
  readonly bus: Pick<TwinOptions, 'server' | 'outside' | 'weather'>;
  readonly space: Space;
  /** What it keeps beside the bus. */
  readonly keeps?: Pick<ProcessOptions, 'stateFolder' | 'archiveStorage' | 'archiveOpenMs'> | undefined;
  readonly said: (level: string, message: string) => void;
  readonly isRunning: (pid: number) => boolean;
  /** Puts a planted defect between the process and its bus. */
  readonly wrapBus?: ((bus: Bus, instance: string) => Bus) | undefined;
  readonly escalated: (reason: string) => void;
}

export class SimulatedProcess implements Antenna {
  readonly instance: string;
  readonly pid: number;
  readonly clock: ProcessClock;
  readonly bus: TwinBus;
  api: Api | undefined;
  alive = true;
  readonly #service: Promise<ServiceProcess>;

  constructor(options: LifeOptions) {
    const { instance, pid, clock, seed } = options;
    this.instance = instance;
    this.pid = pid;
    this.clock = clock;
    const log = toldLog((level, message) => {
      if (this.alive) options.said(level, message);
    });
    this.bus = new TwinBus({
      ...options.bus,
      name: instance,
      inside: clock,
      arrivals: clock.arrivals,
      pulled: clock.pulled,
      log,
    });
    this.#service = startProcess({
      bus: options.wrapBus?.(this.bus, instance) ?? this.bus,
      roles: options.roles,
      clock,
      random: new Chance(seed, `${instance} random`),
      log,
      instance,
      machine: {
        host: options.host,
        self: { pid, space: options.host },
        isRunning: (other) => (other.space === options.host ? options.isRunning(other.pid) : undefined),
      },
      frontEnd: simulatedApi((api) => {
        this.api = api;
      }),
      spacecraft: options.space.reachedBy(this),
      ...options.keeps,
      escalated: (reason) => {
        if (this.alive) options.escalated(reason);
      },
    });
  }

  get arrivals(): ProcessClock['arrivals'] {
    return this.clock.arrivals;
  }

  kill(): void {
    this.alive = false;
    this.api = undefined;
    this.bus.cut();
    this.clock.end();
  }

  /** Ends in order; never resolves when it is killed on the way. */
  async leave(): Promise<void> {
    const service = await this.#service;
    await service.stop();
    await this.bus.close();
  }
}

function toldLog(reported: (level: string, message: string) => void): Log {
  const of = (level: string) => (fields: object, message: string) => {
    const { err, reason } = fields as { err?: unknown; reason?: unknown };
    const why = err instanceof Error ? err.message : reason;
    reported(level, why === undefined ? message : `${message}: ${String(why)}`);
  };
  const log: Log = {
    debug: () => undefined,
    info: () => undefined,
    warn: of('warn'),
    error: of('error'),
    child: () => log,
  };
  return log;
}
