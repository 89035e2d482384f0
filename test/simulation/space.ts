/**
 * The spacecraft of a simulated run. They fly on whatever becomes of the gateways: a gateway that starts finds its
 * spacecraft as the one before left it, and what was uplinked is remembered here.
 */

import {
  createSpacecraft,
  type Spacecraft,
  type SpacecraftFactory,
} from '../../links/simulated/spacecraft.ts';
import type { Clock } from '../../ports/clock.ts';

export interface Uplink {
  /** ms since 1970, by the clock of the world. */
  readonly at: number;
  /** Place of what was stored last before it. */
  readonly order: number;
  readonly gateway: string;
  /** The process that sent it. */
  readonly by: string;
  /** Hexadecimal. */
  readonly frame: string;
}

/** A process as space sees it. */
export interface Antenna {
  readonly instance: string;
  readonly alive: boolean;
  readonly arrivals: Clock;
}

interface SpaceOptions {
  readonly clock: Clock;
  readonly gateways: readonly string[];
  /** Place of what was stored last. */
  readonly order: () => number;
  readonly told: (uplink: Uplink) => void;
}

export class Space {
  readonly uplinks: Uplink[] = [];
  readonly #clock: Clock;
  readonly #order: () => number;
  readonly #told: (uplink: Uplink) => void;
  readonly #spacecraft = new Map<string, Spacecraft>();
  readonly #listeners = new Map<string, Set<(packet: Buffer) => void>>();

  constructor({ clock, gateways, order, told }: SpaceOptions) {
    this.#clock = clock;
    this.#order = order;
    this.#told = told;
    for (const [n, gateway] of gateways.entries()) {
      const listeners = new Set<(packet: Buffer) => void>();
      const spacecraft = createSpacecraft({ clock, seed: n + 1 });
      spacecraft.onDownlink((packet) => {
        for (const listener of [...listeners]) listener(packet);
      });
      this.#listeners.set(gateway, listeners);
      this.#spacecraft.set(gateway, spacecraft);
    }
  }

  of(gateway: string): Spacecraft {
    const spacecraft = this.#spacecraft.get(gateway);
    if (spacecraft === undefined) throw new Error(`no spacecraft behind ${gateway}`);
    return spacecraft;
  }

  /** How the gateways of a process reach their spacecraft. */
  reachedBy(antenna: Antenna): SpacecraftFactory {
    return ({ gateway }) => {
      const spacecraft = this.of(gateway);
      const listeners = this.#listeners.get(gateway)!;
      let hear: ((packet: Buffer) => void) | undefined;
      return {
        uplink: (frame) => {
          if (antenna.alive) this.#send(gateway, antenna.instance, spacecraft, frame);
        },
        onDownlink: (listener) => {
          // What comes down while the process sleeps waits in its socket.
          hear = (packet) => void antenna.arrivals.setTimeout(() => listener(packet), 0);
          listeners.add(hear);
        },
        stop: () => {
          if (hear !== undefined) listeners.delete(hear);
        },
        fault: (name, on) => spacecraft.fault(name, on),
        faults: spacecraft.faults,
        counts: () => spacecraft.counts(),
        contents: () => spacecraft.contents(),
        readings: spacecraft.readings,
        state: spacecraft.state,
      };
    };
  }

  #send(gateway: string, by: string, spacecraft: Spacecraft, frame: Buffer): void {
    const uplink = { at: this.#clock.now(), order: this.#order(), gateway, by, frame: frame.toString('hex') };
    this.uplinks.push(uplink);
    this.#told(uplink);
    spacecraft.uplink(frame);
  }
}
