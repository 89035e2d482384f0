/**
 * A simulated spacecraft of the demo mission: the on-board side of `missions/demo/README.md`. Frames go in by `uplink`
 * and come out by the listener; time comes from the injected clock, chance from a seed.
 *
 * W1. The same seed, clock and uplinks give the same downlink, byte for byte.
 * W2. Every telecommand received is counted by its request identifier before anything else, also one that is refused.
 * W3. An accepted telecommand raises the counter once, whether or not it can then be done.
 * W4. A reboot forgets what was under way of files.
 */

import { SPACECRAFT_REQUESTS } from '../../contract/limits/simulation.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { CUBESAT_6U, type Design } from './designs.ts';
import { isPing, taskOf } from './functions.ts';
import type { Readings, Reports } from './housekeeping.ts';
import { type Moment, OnboardCfdp } from './onboard-cfdp.ts';
import { OnboardDownlink } from './onboard-downlink.ts';
import { FILE_FAULTS, type FileFault, type OnboardContent, OnboardFiles } from './onboard-files.ts';
import { type Message, type ReceivedCommand, receiveCommand, TelemetryWriter } from './onboard-packet.ts';
import { receivePdu } from './onboard-pdu.ts';
import { OnboardState } from './onboard-state.ts';
import type { ModelOptions, ReceivedCounts } from './peer.ts';
import { FAILURE, type Task } from './task.ts';

/** Faults that can be switched on board. */
export const SPACECRAFT_FAULTS = [
  'cell_drain',
  'tm_silence',
  'no_reports',
  'reject_all',
  'slow_completion',
  ...FILE_FAULTS,
] as const;
export type SpacecraftFault = (typeof SPACECRAFT_FAULTS)[number];

/** One way through space and the radios of both ends. */
const LIGHT_MS = 10;
/** From the acceptance of a telecommand to its completion. */
const EXECUTION_MS = 50;
const SLOW_COMPLETION_MS = 30_000;
/** Of a downlink that carries files, where the mission does not say. */
const BITS_PER_SECOND = 1e6;

export interface Spacecraft {
  /** Takes a frame from the ground; what is no telecommand for it is lost, as in space. */
  uplink(frame: Buffer): void;
  onDownlink(listener: (packet: Buffer) => void): void;
  fault(name: SpacecraftFault, on: boolean): void;
  readonly faults: ReadonlySet<SpacecraftFault>;
  counts(): ReceivedCounts;
  /** What it has in its file memory, whatever it says of it. */
  contents(): Promise<OnboardContent[]>;
  /** What the last housekeeping said, in physical units. */
  readonly readings: Readings;
  readonly state: OnboardState;
  /** Ends the flight: nothing more is sent. */
  stop(): void;
}

/** Gives the spacecraft that a gateway reaches. */
export type SpacecraftFactory = (options: ModelOptions) => Spacecraft;

/** A spacecraft in SAFE mode that begins to send housekeeping at once. */
export function createSpacecraft(
  options: Omit<ModelOptions, 'gateway'>,
  design: Design = CUBESAT_6U,
): Spacecraft {
  return new SimulatedSpacecraft(options, design);
}

class SimulatedSpacecraft implements Spacecraft {
  readonly faults = new Set<SpacecraftFault>();
  readonly state: OnboardState;
  readonly #clock: Clock;
  readonly #startMs: number;
  readonly #design: Design;
  readonly #housekeeping: Reports;
  readonly #writer: TelemetryWriter;
  readonly #cfdp: OnboardCfdp | undefined;
  /** Where files and telemetry share it. */
  readonly #downlink: OnboardDownlink | undefined;
  readonly #received = new Map<string, number>();
  readonly #timers = new Set<TimerHandle>();
  #total = 0;
  #listener: (packet: Buffer) => void = () => {};

  constructor(options: Omit<ModelOptions, 'gateway'>, design: Design) {
    const { clock, seed, files } = options;
    this.#clock = clock;
    this.#startMs = clock.now();
    this.#design = design;
    this.#writer = new TelemetryWriter(design.apid);
    const memory = new OnboardFiles(seed, this.#startMs, files, design.shipped);
    this.state = new OnboardState(seededRandom(seed), memory);
    this.#cfdp = design.cfdp && new OnboardCfdp(design.cfdp, memory, this.#moment());
    this.#downlink = this.#cfdp && this.#sharedDownlink(this.#cfdp, options);
    this.#housekeeping = design.reports(this.state, this.#cfdp ?? { transactions: 0, sentBytes: 0 });
    for (const { structure, periodMs } of this.#housekeeping.cadences)
      this.#sendEvery(structure, periodMs, this.#startMs);
  }

  #sharedDownlink(
    cfdp: OnboardCfdp,
    { clock, bitsPerSecond = BITS_PER_SECOND }: Omit<ModelOptions, 'gateway'>,
  ) {
    const { apid } = this.#design.cfdp!;
    const sent = (packet: Buffer, inMs: number): void => {
      if (!this.faults.has('tm_silence')) this.#after(LIGHT_MS + inMs, () => this.#listener(packet));
    };
    return new OnboardDownlink({ clock, bitsPerSecond, apid, cfdp, sent });
  }

  #moment(): Moment {
    return { now: this.#clock.monotonic(), wallMs: this.#clock.now() };
  }

  get readings(): Readings {
    return this.#housekeeping.readings;
  }

  uplink(frame: Buffer): void {
    const copy = Buffer.from(frame);
    this.#after(LIGHT_MS, () => this.#receive(copy));
  }

  onDownlink(listener: (packet: Buffer) => void): void {
    this.#listener = listener;
  }

  fault(name: SpacecraftFault, on: boolean): void {
    this.#advance();
    if (on) this.faults.add(name);
    else this.faults.delete(name);
    if (name === 'cell_drain') this.state.batteries[0].draining = on;
    if (isFileFault(name)) this.state.files.faults[on ? 'add' : 'delete'](name);
  }

  counts(): ReceivedCounts {
    return { received: Object.fromEntries(this.#received), total: this.#total };
  }

  contents(): Promise<OnboardContent[]> {
    return this.state.files.contents();
  }

  stop(): void {
    this.#downlink?.stop();
    for (const timer of this.#timers) this.#clock.clearTimeout(timer);
    this.#timers.clear();
    this.#listener = () => {};
  }

  #receive(frame: Buffer): void {
    if (this.#receivePdu(frame)) return;
    const command = receiveCommand(frame, this.#design.apid);
    if (command === undefined) return;
    this.#count(command.request);
    this.#advance();
    const task = this.faults.has('reject_all') ? FAILURE.unknown : taskOf(command, this.#design.functions);
    if (typeof task === 'number') {
      if (command.wantsAcceptance) this.#report(command, 2, task);
      return;
    }
    this.state.counter += 1;
    if (command.wantsAcceptance) this.#report(command, 1);
    this.#after(EXECUTION_MS, () => this.#execute(command, task));
  }

  #receivePdu(frame: Buffer): boolean {
    const pdu = this.#design.cfdp && receivePdu(frame, this.#design.cfdp.apid);
    if (pdu === undefined) return false;
    this.#cfdp?.receive(pdu, this.#clock.monotonic());
    this.#downlink?.wake();
    return true;
  }

  #execute(command: ReceivedCommand, task: Task): void {
    this.#advance();
    const { reboots } = this.state;
    const failure = task(this.state, { nowMs: this.#clock.now(), send: (message) => this.#send(message) });
    if (this.state.reboots > reboots) this.#cfdp?.restart(this.#moment());
    this.#downlink?.wake();
    if (isPing(command)) this.#send({ service: 17, subtype: 2, data: Buffer.alloc(0) });
    if (!command.wantsCompletion) return;
    const late = this.faults.has('slow_completion') ? SLOW_COMPLETION_MS : 0;
    this.#after(late, () => this.#report(command, failure === undefined ? 7 : 8, failure));
  }

  /** W2 */
  #count(request: string): void {
    this.#total += 1;
    const known = this.#received.get(request);
    if (known === undefined && this.#received.size >= SPACECRAFT_REQUESTS) return;
    this.#received.set(request, (known ?? 0) + 1);
  }

  #report(command: ReceivedCommand, subtype: number, code?: number): void {
    if (this.faults.has('no_reports')) return;
    const request = Buffer.from(command.request, 'hex');
    const data =
      code === undefined ? request : Buffer.concat([request, Buffer.from([code >> 8, code & 0xff])]);
    this.#send({ service: 1, subtype, data });
  }

  #sendEvery(structure: number, periodMs: number, dueMs: number): void {
    this.#after(dueMs - this.#clock.now(), () => {
      // Timers of the machine may fire a little early; the clock on board would then show the same second twice.
      this.#advance(Math.max(dueMs, this.#clock.now()));
      this.#send({ service: 3, subtype: 25, data: this.#housekeeping.report(structure) });
      // A clock that jumped ahead, as after a sleep of the machine, must not bring a burst of old housekeeping.
      const next = Math.max(dueMs + periodMs, this.#clock.now());
      this.#sendEvery(structure, periodMs, next);
    });
  }

  #send(message: Message): void {
    if (this.faults.has('tm_silence')) return;
    const packet = this.#writer.packet(message, this.#clock.now());
    if (this.#downlink === undefined) this.#after(LIGHT_MS, () => this.#listener(packet));
    else this.#downlink.send(packet);
  }

  #advance(nowMs: number = this.#clock.now()): void {
    this.state.advanceTo((nowMs - this.#startMs) / 1000);
  }

  #after(delayMs: number, act: () => void): void {
    const timer = this.#clock.setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, delayMs);
    this.#timers.add(timer);
  }
}

function isFileFault(name: SpacecraftFault): name is FileFault {
  return (FILE_FAULTS as readonly string[]).includes(name);
}
