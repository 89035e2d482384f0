/**
 * A gateway in front of a simulated spacecraft. Settings: `model` (`cubesat-6u`), `seed`. Beside the faults of the
 * spacecraft it has its own: `uplink_dead` (it refuses to send) and, where it hears its own frames, `bad_echo` (it hears
 * them damaged).
 *
 * F1. A frame is sent when it has left for the spacecraft; whether that understood it is for telemetry to tell.
 * F2. A document that lists faults restricts those that can be switched to its list; `bad_echo` belongs to `echo`.
 */

import { accepted, type Result, refusedAll } from '../../contract/result.ts';
import type { Gateway as Definition } from '../../mission/mission.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import {
  createSpacecraft,
  SPACECRAFT_FAULTS,
  type Spacecraft,
  type SpacecraftFault,
} from '../simulated/spacecraft.ts';
import type { Gateway, Listener, Sent, SwitchableFaults } from './gateway.ts';

const MODELS = ['cubesat-6u'] as const;
const UPLINK_DEAD = 'uplink_dead';
const BAD_ECHO = 'bad_echo';
const KNOWN_FAULTS: readonly string[] = [...SPACECRAFT_FAULTS, UPLINK_DEAD];

interface SimulatedOptions {
  readonly clock: Clock;
  /** Draws the seed when the settings give none. */
  readonly random: Random;
}

/** A simulated gateway; refuses a model, a seed or faults it does not have. */
export function createSimulated(definition: Definition, options: SimulatedOptions): Result<Gateway, string> {
  const faults = definitionFaults(definition);
  if (faults.length > 0) return refusedAll(faults);
  const seed =
    (definition.settings['seed'] as number | undefined) ?? Math.floor(options.random.next() * 2 ** 32);
  return accepted(new SimulatedGateway(definition, options.clock, seed));
}

function definitionFaults({ settings, faults }: Definition): string[] {
  const { model = MODELS[0], seed } = settings;
  const unknown = faults.filter((fault) => !KNOWN_FAULTS.includes(fault) && fault !== BAD_ECHO);
  return [
    ...(MODELS.some((known) => known === model)
      ? []
      : [`unknown model "${model}"; known are ${MODELS.join(', ')}`]),
    ...(seed === undefined || Number.isSafeInteger(seed)
      ? []
      : [`seed is ${JSON.stringify(seed)}; write an integer`]),
    ...unknown.map((fault) => `model ${model} has no fault "${fault}"; it has ${KNOWN_FAULTS.join(', ')}`),
  ];
}

class SimulatedGateway implements Gateway {
  readonly faults: SwitchableFaults;
  readonly #clock: Clock;
  readonly #seed: number;
  readonly #echo: boolean;
  /** Faults of the gateway itself that are on. */
  readonly #own = new Set<string>();
  #spacecraft: Spacecraft | undefined;
  #listener: Listener | undefined;

  constructor({ faults, echo }: Definition, clock: Clock, seed: number) {
    this.#clock = clock;
    this.#seed = seed;
    this.#echo = echo;
    const names = new Set(faults.length === 0 ? KNOWN_FAULTS : faults);
    if (echo) names.add(BAD_ECHO);
    this.faults = {
      names: [...names],
      isOn: (name) => this.#own.has(name) || this.#spacecraft?.faults.has(name as SpacecraftFault) === true,
      switch: (name, on) => this.#switch(name, on),
    };
  }

  readonly stats = (): object => this.#spacecraft?.counts() ?? { received: {}, total: 0 };

  start(listener: Listener): void {
    this.#listener = listener;
    this.#spacecraft = createSpacecraft({ clock: this.#clock, seed: this.#seed });
    this.#spacecraft.onDownlink((packet) => {
      void listener.frame(packet);
    });
  }

  async stop(): Promise<void> {
    this.#spacecraft?.stop();
    this.#spacecraft = undefined;
  }

  async send(frame: Buffer): Promise<Sent> {
    if (this.#spacecraft === undefined) return { sent: false, detail: 'the gateway is not started' };
    if (this.#own.has(UPLINK_DEAD))
      return { sent: false, detail: 'the transmitter is dead (fault uplink_dead)' };
    this.#spacecraft.uplink(frame);
    if (this.#echo) this.#listener?.echo(this.#own.has(BAD_ECHO) ? damaged(frame) : Buffer.from(frame));
    return { sent: true };
  }

  #switch(name: string, on: boolean): void {
    if (SPACECRAFT_FAULTS.some((fault) => fault === name)) {
      this.#spacecraft?.fault(name as SpacecraftFault, on);
      return;
    }
    if (on) this.#own.add(name);
    else this.#own.delete(name);
  }
}

function damaged(frame: Buffer): Buffer {
  const copy = Buffer.from(frame);
  if (copy.length > 0) copy[copy.length - 1]! ^= 1;
  return copy;
}
