/** Brings the faults of a scenario over its world, each at its time, and takes them away again. */

import { assertNever } from '../../contract/assert.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { Clock } from '../../ports/clock.ts';
import { Chance } from './chance.ts';
import type { Conditions } from './process-weather.ts';
import type { Fault, Scenario } from './scenario.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { Space } from './space.ts';
import type { TwinServer } from './twin/server.ts';

/** What faults reach of a world. */
export interface Stage {
  readonly clock: Clock;
  readonly server: TwinServer;
  readonly space: Space;
  /** ms until nothing new goes wrong. */
  untilCalm(): number;
  conditions(slot: number): Conditions;
  process(slot: number): SimulatedProcess | undefined;
  kill(slot: number, why: string, backMs: number): void;
  leave(slot: number, backMs: number): void;
  stepClock(slot: number, byMs: number): void;
  /** The store went back. */
  rewound(): void;
  tell(who: string, what: string): void;
}

/** No store goes back behind this: the mission has been published, and nobody has done anything. */
const EARLIEST_MS = 1;

/** Streams whose copies differ. */
const HOLED = {
  events: streams.telecommandEvents,
  runs: streams.runs,
  alarms: streams.alarms,
  chunks: streams.fileChunks,
} as const;

export class FaultPlan {
  readonly #scenario: Scenario;
  readonly #world: Stage;
  #elections = 0;
  #outages = 0;

  constructor(scenario: Scenario, world: Stage) {
    this.#scenario = scenario;
    this.#world = world;
  }

  /** Whether streams and buckets are without a leader. */
  get electing(): boolean {
    return this.#elections > 0;
  }

  arm(): void {
    const { faults, calmAt, slots } = this.#scenario;
    for (const fault of faults) this.#at(fault.at, () => this.#strike(fault));
    // A step that was not reached in time is not waited for.
    this.#at(calmAt, () => {
      for (const slot of slots.keys()) this.#world.conditions(slot).mine = undefined;
    });
  }

  #strike(fault: Fault): void {
    this.#world.tell('fault', describe(fault));
    switch (fault.kind) {
      case 'crash':
        return this.#world.kill(fault.slot, 'crash', fault.backMs);
      case 'crash-at':
        this.#lay(fault, (where) => this.#world.kill(fault.slot, where, fault.backMs));
        return;
      case 'pause-at':
        this.#lay(fault, (where) => this.#sleep(fault, where));
        return;
      case 'leave':
        return this.#world.leave(fault.slot, fault.backMs);
      case 'pause':
        return this.#sleep(fault, '');
      case 'break':
        return this.#world.process(fault.slot)?.bus.breakConnection();
      case 'loss':
        return this.#while(fault, 'lossRate', fault.rate, 0);
      case 'doubling':
        return this.#while(fault, 'doublingRate', fault.rate, 0);
      case 'lag':
        return this.#while(fault, 'lagMs', fault.latencyMs, 0);
      case 'pull-lag':
        return this.#while(fault, 'pullLagMs', fault.latencyMs, 0);
      case 'service': {
        const { of, beforeMs, afterMs, fails } = fault;
        return this.#while(fault, 'service', { of, how: { beforeMs, afterMs, fails } }, undefined);
      }
      case 'outage':
        return this.#outage(fault);
      case 'rewind':
        this.#outage(fault);
        return this.#rewind(fault);
      case 'remade':
        this.#outage(fault);
        this.#world.server.createAgain(streams.values);
        return this.#world.rewound();
      case 'hole':
        this.#world.server.lose(HOLED[fault.of ?? 'events'], fault);
        return this.#world.rewound();
      case 'step':
        return this.#world.stepClock(fault.slot, fault.byMs);
      case 'election':
        this.#elections += 1;
        return this.#after(fault, () => {
          this.#elections -= 1;
        });
      case 'spacecraft':
        this.#world.space.of(fault.gateway).fault(fault.fault, true);
        return this.#after(fault, () => this.#world.space.of(fault.gateway).fault(fault.fault, false));
      case 'uplink':
        this.#switchUplink(fault.gateway, true);
        return this.#after(fault, () => this.#switchUplink(fault.gateway, false));
      default:
        return assertNever(fault);
    }
  }

  /** Something waits at a step of the process, or of the one that comes after it. */
  #lay({ slot, step, phase, nth }: Extract<Fault, { nth: number }>, sprung: (where: string) => void): void {
    this.#world.conditions(slot).mine = { step, phase, left: nth, sprung };
  }

  #sleep(fault: Extract<Fault, { kind: 'pause' | 'pause-at' }>, where: string): void {
    const process = this.#world.process(fault.slot);
    if (process === undefined || process.clock.paused) return;
    this.#world.tell(process.instance, `falls asleep${where === '' ? '' : `: ${where}`}`);
    process.clock.pause();
    // Nobody sleeps longer than things go wrong.
    const left = Math.max(0, this.#world.untilCalm());
    this.#after({ forMs: Math.min(fault.forMs, left) }, () => {
      if (process.alive) this.#world.tell(process.instance, 'wakes');
      process.clock.resume(fault);
    });
  }

  #rewind({ at, backMs, uneven }: Extract<Fault, { kind: 'rewind' }>): void {
    const { server } = this.#world;
    const { now } = server;
    const share = (stream: string): number =>
      uneven ? new Chance(this.#scenario.seed, `rewind ${at} ${stream}`).next() : 1;
    // What was there before anybody began stays.
    server.rewind((stream) => now - Math.min(backMs * share(stream), at - EARLIEST_MS));
    this.#world.rewound();
  }

  #outage(fault: Extract<Fault, { kind: 'outage' | 'rewind' | 'remade' }>): void {
    this.#outages += 1;
    this.#world.server.turn(false);
    this.#after(fault, () => {
      this.#outages -= 1;
      if (this.#outages === 0) this.#world.server.turn(true);
    });
  }

  /** The transmitter is dead: an operator says so to the gateway, which says so to everybody who sends. */
  #switchUplink(gateway: string, on: boolean): void {
    const call = Buffer.from(JSON.stringify({ fault: 'uplink_dead', on }));
    const message = { subject: subject.gatewayVerb(gateway, 'fault'), data: call, headers: {} };
    for (const listener of this.#world.server.listeners(message.subject)) {
      listener.deliver(message, () => undefined);
    }
  }

  #while<Key extends keyof Conditions>(
    fault: { readonly slot: number; readonly forMs: number; readonly at: number },
    key: Key,
    value: Conditions[Key],
    after: Conditions[Key],
  ): void {
    const conditions = this.#world.conditions(fault.slot);
    conditions[key] = value;
    this.#after(fault, () => {
      if (conditions[key] === value) conditions[key] = after;
    });
  }

  #after({ forMs }: { readonly forMs: number }, end: () => void): void {
    this.#world.clock.setTimeout(end, forMs);
  }

  #at(at: number, strike: () => void): void {
    this.#world.clock.setTimeout(strike, at);
  }
}

/** The fault in words, for traces. */
export function describe({ at: _at, kind, ...how }: Fault): string {
  const parts = Object.entries(how).map(([name, value]) => `${name} ${value}`);
  return [kind, ...parts].join(', ');
}
