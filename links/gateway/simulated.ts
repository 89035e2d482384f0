/**
 * A gateway in front of a simulated spacecraft, board or instrument. Settings: `model` (`links/simulated/models.ts`),
 * `seed`, `files` (bytes of files beside those that the spacecraft has, by identifier) and `channel` (what becomes of
 * frames on their way, checked when the mission is compiled). Beside the faults of its model it has its own:
 * `uplink_dead` (it refuses to send) and, where it receives its own frames, `bad_echo` (it receives them damaged).
 *
 * F1. A frame is sent when it has left for the spacecraft; whether it arrived and was understood is for telemetry to
 *     report.
 * F2. A document that lists faults restricts those that can be switched to its list; `bad_echo` belongs to `echo`.
 */

import { accepted, type Result, refusedAll } from '../../contract/result.ts';
import type { SimulatedFile } from '../../contract/simulation.ts';
import type { Gateway as Definition } from '../../mission/mission.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import { DEFAULT_MODEL, MODELS, type Model } from '../simulated/models.ts';
import { ONBOARD_FILE_BYTES } from '../simulated/onboard-files.ts';
import type { SimulatedPeer } from '../simulated/peer.ts';
import type { SpacecraftFactory } from '../simulated/spacecraft.ts';
import type { Gateway, Listener, MayLeave, Sent, SwitchableFaults } from './gateway.ts';
import { RadioChannel } from './radio-channel.ts';

const UPLINK_DEAD = 'uplink_dead';
const BAD_ECHO = 'bad_echo';

interface SimulatedOptions {
  readonly clock: Clock;
  /** Draws the seed when the settings give none. */
  readonly random: Random;
  readonly spacecraft?: SpacecraftFactory;
}

/** A simulated gateway; refuses a model, a seed or faults it does not have. */
export function createSimulated(definition: Definition, options: SimulatedOptions): Result<Gateway, string> {
  const faults = definitionFaults(definition);
  if (faults.length > 0) return refusedAll(faults);
  const seed =
    (definition.settings['seed'] as number | undefined) ?? Math.floor(options.random.next() * 2 ** 32);
  return accepted(new SimulatedGateway(definition, options, seed));
}

function definitionFaults({ settings, faults }: Definition): string[] {
  const { model = DEFAULT_MODEL, seed, files } = settings;
  const known = faultsOf(modelOf(settings));
  const unknown = faults.filter((fault) => !known.includes(fault) && fault !== BAD_ECHO);
  return [
    ...(MODELS.has(String(model))
      ? []
      : [`unknown model "${model}"; known are ${[...MODELS.keys()].join(', ')}`]),
    ...(seed === undefined || Number.isSafeInteger(seed)
      ? []
      : [`seed is ${JSON.stringify(seed)}; write an integer`]),
    ...fileFaults(files),
    ...unknown.map((fault) => `model ${model} has no fault "${fault}"; it has ${known.join(', ')}`),
  ];
}

/** Sizes of files by identifier. */
function fileFaults(files: unknown): string[] {
  if (files === undefined) return [];
  const entries = typeof files === 'object' && files !== null ? Object.entries(files) : [];
  const odd = entries.filter(
    ([id, size]) => !/^[1-9]\d{0,4}$/.test(id) || Number(id) > 65_535 || !isSize(size),
  );
  if (entries.length > 0 && odd.length === 0) return [];
  return [
    `files is ${JSON.stringify(files)}; write { ID: bytes }, identifiers to 65535, at most ${ONBOARD_FILE_BYTES} bytes`,
  ];
}

function isSize(size: unknown): boolean {
  return Number.isSafeInteger(size) && (size as number) >= 0 && (size as number) <= ONBOARD_FILE_BYTES;
}

function modelOf({ model = DEFAULT_MODEL }: Definition['settings']): Model | undefined {
  return MODELS.get(String(model));
}

function faultsOf(model: Model | undefined): readonly string[] {
  return [...(model?.faults ?? []), UPLINK_DEAD];
}

class SimulatedGateway implements Gateway {
  readonly faults: SwitchableFaults;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #model: Model | undefined;
  readonly #makeSpacecraft: Model['create'] | undefined;
  readonly #seed: number;
  readonly #echo: boolean;
  /** Sizes by identifier. */
  readonly #files: ReadonlyMap<number, number>;
  /** Faults of the gateway itself that are on. */
  readonly #own = new Set<string>();
  readonly #channel: Readonly<Record<'up' | 'down', RadioChannel>>;
  readonly #bitsPerSecond: number | undefined;
  #spacecraft: SimulatedPeer | undefined;
  #listener: Listener | undefined;

  constructor({ name, faults, echo, settings }: Definition, options: SimulatedOptions, seed: number) {
    this.#name = name;
    this.#clock = options.clock;
    this.#model = modelOf(settings);
    this.#makeSpacecraft = options.spacecraft ?? this.#model?.create;
    this.#seed = seed;
    this.#echo = echo;
    const sizes = Object.entries((settings['files'] ?? {}) as Readonly<Record<string, number>>);
    this.#files = new Map(sizes.map(([id, size]) => [Number(id), size]));
    this.#bitsPerSecond = settings['link_rate'] as number | undefined;
    const channel = (way: 'up' | 'down'): RadioChannel =>
      new RadioChannel(options.clock, seed, settings, way);
    this.#channel = { up: channel('up'), down: channel('down') };
    const names = new Set(faults.length === 0 ? faultsOf(this.#model) : faults);
    if (echo) names.add(BAD_ECHO);
    this.faults = {
      names: [...names],
      isOn: (name) => this.#own.has(name) || this.#spacecraft?.faults.has(name) === true,
      switch: (name, on) => this.#switch(name, on),
    };
  }

  readonly stats = (): object => this.#spacecraft?.counts() ?? { received: {}, total: 0 };

  readonly files = async (): Promise<readonly SimulatedFile[]> =>
    (await this.#spacecraft?.contents?.()) ?? [];

  start(listener: Listener): void {
    this.#listener = listener;
    this.#spacecraft = this.#makeSpacecraft?.({
      clock: this.#clock,
      seed: this.#seed,
      gateway: this.#name,
      files: this.#files,
      ...(this.#bitsPerSecond !== undefined && { bitsPerSecond: this.#bitsPerSecond }),
    });
    this.#spacecraft?.onDownlink((packet) =>
      this.#channel.down.pass(packet, (frame) => void listener.frame(frame)),
    );
  }

  async stop(): Promise<void> {
    for (const channel of Object.values(this.#channel)) channel.stop();
    this.#spacecraft?.stop();
    this.#spacecraft = undefined;
  }

  async send(frame: Buffer, mayLeave?: MayLeave): Promise<Sent> {
    if (this.#spacecraft === undefined) return { sent: false, detail: 'the gateway is not started' };
    if (this.#own.has(UPLINK_DEAD))
      return { sent: false, detail: 'the transmitter is dead (fault uplink_dead)' };
    const late = mayLeave?.();
    if (late !== undefined) return { sent: false, detail: late };
    this.#channel.up.pass(frame, (arrived) => this.#spacecraft?.uplink(arrived));
    if (this.#echo) this.#listener?.echo(this.#own.has(BAD_ECHO) ? damaged(frame) : Buffer.from(frame));
    return { sent: true };
  }

  #switch(name: string, on: boolean): void {
    if (this.#model?.faults.includes(name)) {
      this.#spacecraft?.fault(name, on);
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
