/**
 * Informs drivers and gateways how the links of each target are bound: its mode, and the values of its parameters
 * there. Led by one process of the cell. Mission Control Service, section 4.3.
 *
 * K1. What is to be reported follows from the mission, from bucket `mcs_modes` and from the passes that begin soon or
 *     are in progress; a change of these is reported at once. So the gateway of a station has the bindings before the
 *     pass.
 * K4. What a pass changes costs what there is of passes, and what a mode changes what there is of its target, not of
 *     the mission: of two thousand targets one begins or ends a pass every few seconds, and the modes of all may change
 *     at once, also where their bucket is lost.
 * K2. A driver or gateway that begins again asks and receives everything. Everybody receives everything once more every
 *     `BINDINGS_AGAIN_MS`, at most `BINDINGS_AGAIN_PER_S` in a second: the round of a large mission takes longer.
 * K3. Deliveries carry the epoch of the leader and a number: one that lost the lead without knowing changes nothing any
 *     more.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { objectIn } from '../../contract/json-bytes.ts';
import { BINDINGS_AGAIN_MS, BINDINGS_AGAIN_PER_S } from '../../contract/limits/link.ts';
import type { BindingContent, TargetMode } from '../../contract/mode.ts';
import type { StoredPass } from '../../contract/pass.ts';
import type { Link, Mission, Target } from '../../mission/mission.ts';
import { currentMode, readTargetMode } from '../../mission/mode.ts';
import { overriddenValues, parameterValues } from '../../mission/parameter-values.ts';
import { gatewaysOfLink } from '../../mission/pass/serving-gateway.ts';
import type { Bus, Stoppable, Watch } from '../../ports/bus.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { MissionSource } from '../../ports/mission-source.ts';
import { begun, type Worker, type WorkerContext } from '../ownership/owned-worker.ts';
import { Receiver } from './receiver.ts';

const SECOND_MS = 1_000;
/** mission/mode.M2 */
const UNREADABLE =
  'the mode of a target cannot be read: its links stay bound as they were, or as by its default';

export interface LinkBindingsOptions extends WorkerContext {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly missions: MissionSource;
}

/** Begins to report; resolves when the modes of now are known. */
export function startLinkBindings(options: LinkBindingsOptions): Promise<LinkBindings> {
  return begun(new LinkBindings(options));
}

/** Passes by target. */
type Passes = ReadonlyMap<string, readonly StoredPass[]>;

type Bindings = ReadonlyMap<string, BindingContent[]>;

/** The bindings of targets in these modes while no pass is near, by the subject of who is informed; default: of all. */
export function bindingsBySubject(
  mission: Mission,
  modes: ReadonlyMap<string, TargetMode>,
  targets: Iterable<Target> = mission.targets.values(),
): Bindings {
  const found = new Map<string, BindingContent[]>();
  for (const target of targets) {
    const values = valuesOf(target, modes);
    for (const link of target.links.values()) {
      const gateways = gatewaysOfLink(mission, target.environments, link, []);
      if (link.driver !== undefined) put(found, subject.driverVerb(link.driver, 'bind'), link, values);
      for (const name of gateways) put(found, subject.gatewayVerb(name, 'bind'), link, values);
    }
  }
  return found;
}

/** What the gateways of stations are to know beside that for these passes (K4). */
export function stationBindings(
  mission: Mission,
  modes: ReadonlyMap<string, TargetMode>,
  soon: Passes,
): Bindings {
  const found = new Map<string, BindingContent[]>();
  for (const [name, passes] of soon) {
    const target = mission.targets.get(name);
    const link = target?.links.get(target.defaultLink);
    if (target === undefined || link === undefined) continue;
    const own = gatewaysOfLink(mission, target.environments, link, []);
    const all = gatewaysOfLink(mission, target.environments, link, passes);
    const values = valuesOf(target, modes);
    for (const gateway of all)
      if (!own.includes(gateway)) put(found, subject.gatewayVerb(gateway, 'bind'), link, values);
  }
  return found;
}

function valuesOf(target: Target, modes: ReadonlyMap<string, TargetMode>): Omit<BindingContent, 'link'> {
  const { mode } = currentMode(target, modes.get(target.name));
  return {
    target: target.name,
    mode,
    parameters: parameterValues(target, mode, undefined),
    overrides: overriddenValues(target, mode),
  };
}

function put(
  found: Map<string, BindingContent[]>,
  about: string,
  { name }: Link,
  { target, mode, ...values }: Omit<BindingContent, 'link'>,
): void {
  const binding = { target, link: name, mode, ...values };
  const known = found.get(about);
  if (known === undefined) found.set(about, [binding]);
  else known.push(binding);
}

export class LinkBindings implements Worker {
  readonly #options: LinkBindingsOptions;
  readonly #modes = new Map<string, TargetMode>();
  readonly #receivers = new Map<string, Receiver>();
  /** Receivers that are no more, until nothing of them is under way. */
  readonly #leaving = new Set<Promise<void>>();
  #soon: Passes = new Map();
  #lasting: Bindings = new Map();
  #atStations: Bindings = new Map();
  #seq = 0;
  #watch: Watch | undefined;
  #served: Stoppable | undefined;
  #forget: () => void = () => undefined;
  /** Receivers whose turn comes in the present round, which began then (K2). */
  readonly #unrepeated = new Set<Receiver>();
  #roundAt = 0;
  #timer: TimerHandle | undefined;
  #stopped = false;

  constructor(options: LinkBindingsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { bus, log, missions } = this.#options;
    let isReady = false;
    this.#watch = await bus.bucket(buckets.modes).watch('>', (target, entry) => {
      const mode = readTargetMode(entry?.value);
      if (mode === 'unreadable') return log.error({ target }, UNREADABLE);
      if (mode === undefined) this.#modes.delete(target);
      else this.#modes.set(target, mode);
      if (isReady) this.#modeChanged(target);
    });
    await this.#watch.ready;
    isReady = true;
    this.#served = bus.serve(subject.bindingsWanted, async ({ data }) => this.#wanted(data));
    this.#forget = missions.onChange(() => this.#reconcile());
    this.#roundAt = this.#options.clock.monotonic();
    this.#later(BINDINGS_AGAIN_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#forget();
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    for (const receiver of this.#receivers.values()) this.#leave(receiver);
    await Promise.all([this.#watch?.stop(), this.#served?.stop(), ...this.#leaving]);
  }

  /** The passes that begin soon or are in progress (K1, K4). */
  passesSoon(passes: readonly StoredPass[]): void {
    const soon = new Map<string, StoredPass[]>();
    for (const pass of passes) soon.set(pass.target, [...(soon.get(pass.target) ?? []), pass]);
    if (stationsOf(soon) === stationsOf(this.#soon)) return;
    this.#soon = soon;
    const mission = this.#options.missions.current;
    if (this.#stopped || mission === undefined) return;
    const before = this.#atStations;
    this.#atStations = stationBindings(mission, this.#modes, soon);
    this.#report(new Set([...before.keys(), ...this.#atStations.keys()]));
  }

  /** K1, K4 */
  #modeChanged(name: string): void {
    const mission = this.#options.missions.current;
    const target = mission?.targets.get(name);
    if (this.#stopped || mission === undefined || target === undefined) return;
    const passes = this.#soon.get(name);
    const soon: Passes = new Map(passes === undefined ? [] : [[name, passes]]);
    this.#replace(this.#lasting, bindingsBySubject(mission, this.#modes, [target]));
    this.#replace(this.#atStations, stationBindings(mission, this.#modes, soon));
  }

  /** Who is to know which links does not depend on modes. */
  #replace(known: Bindings, changed: Bindings): void {
    for (const [about, bindings] of changed) {
      const all = known.get(about) ?? [];
      for (const binding of bindings) {
        const at = all.findIndex(({ target, link }) => target === binding.target && link === binding.link);
        if (at >= 0) all[at] = binding;
      }
      this.#receivers.get(about)?.change(bindings);
    }
  }

  /** K1 */
  #reconcile(): void {
    const mission = this.#options.missions.current;
    if (this.#stopped || mission === undefined) return;
    this.#lasting = bindingsBySubject(mission, this.#modes);
    this.#atStations = stationBindings(mission, this.#modes, this.#soon);
    this.#report(new Set([...this.#receivers.keys(), ...this.#lasting.keys(), ...this.#atStations.keys()]));
  }

  /** To each of them what it is to know now; who is to know nothing any more is left. */
  #report(subjects: ReadonlySet<string>): void {
    for (const about of subjects) {
      const bindings = [...(this.#lasting.get(about) ?? []), ...(this.#atStations.get(about) ?? [])];
      const receiver = this.#receivers.get(about);
      if (bindings.length > 0) this.#receiver(about).want(bindings);
      else if (receiver !== undefined) {
        this.#receivers.delete(about);
        this.#leave(receiver);
      }
    }
  }

  #receiver(about: string): Receiver {
    const known = this.#receivers.get(about);
    if (known !== undefined) return known;
    const { bus, clock, random, log, failed } = this.#options;
    const stamp = () => this.#stamp();
    const receiver = new Receiver({ bus, clock, random, log, failed, subject: about, stamp });
    this.#receivers.set(about, receiver);
    return receiver;
  }

  /** K3 */
  #stamp(): { epoch: number; seq: number } | undefined {
    if (this.#stopped || !this.#options.holds()) return undefined;
    this.#seq += 1;
    return { epoch: this.#options.epoch, seq: this.#seq };
  }

  #leave(receiver: Receiver): void {
    this.#unrepeated.delete(receiver);
    const left = receiver.stop().finally(() => this.#leaving.delete(left));
    this.#leaving.add(left);
  }

  /** K2 */
  #wanted(data: Uint8Array): Uint8Array {
    const { driver, gateway } = (objectIn(data) ?? {}) as Partial<Record<'driver' | 'gateway', unknown>>;
    if (typeof driver === 'string') this.#receivers.get(subject.driverVerb(driver, 'bind'))?.again();
    if (typeof gateway === 'string') this.#receivers.get(subject.gatewayVerb(gateway, 'bind'))?.again();
    return Buffer.from('{}');
  }

  /** K2 */
  #later(delayMs: number): void {
    this.#timer = this.#options.clock.setTimeout(() => {
      if (this.#unrepeated.size === 0) this.#beginRound();
      this.#repeat();
      const isOver = this.#unrepeated.size === 0;
      const beginsInMs = this.#roundAt + BINDINGS_AGAIN_MS - this.#options.clock.monotonic();
      this.#later(isOver ? Math.max(SECOND_MS, beginsInMs) : SECOND_MS);
    }, delayMs);
  }

  #beginRound(): void {
    this.#roundAt = this.#options.clock.monotonic();
    for (const receiver of this.#receivers.values()) this.#unrepeated.add(receiver);
  }

  /** The share of one second. */
  #repeat(): void {
    let room = BINDINGS_AGAIN_PER_S;
    for (const receiver of this.#unrepeated) {
      const repeated = receiver.repeat(room);
      if (repeated === room) return;
      room -= repeated;
      this.#unrepeated.delete(receiver);
    }
  }
}

/** Which stations see which targets: all that a pass decides here. */
function stationsOf(passes: Passes): string {
  const seen = [...passes.values()].flat().map(({ target, station }) => `${target} ${station}`);
  return [...new Set(seen)].sort().join();
}
