/**
 * A modelled board: an AD9361 with the modem behind it, cabled from its transmitter to its receiver, as one IIO
 * context. It obeys the limits of the part and a link budget, and is deterministic by its seed and its clock. RF Bench
 * Service, section 1; `source` of its numbers is `stub`.
 *
 * What is simplified is said where it is: `link-budget.ts`, `link.ts`, `bit-errors.ts`, `datapath.ts`, `phy-state.ts`,
 * `air-samples.ts`.
 *
 * S1. Everything a user of a board can do goes through the context; `truth`, `inject` and `lose` are for tests and for
 *     the pictures made of the model, and no route reaches them.
 * S2. Whatever was due before a setting changes happens by the old setting.
 * S3. A lost or closed board answers nothing more, and sets no timer.
 */

import type { Clock } from '../../ports/clock.ts';
import { clearBit, type RegisterName } from '../board/registers.ts';
import {
  attributeName,
  errno,
  type IioAttribute,
  type IioBuffer,
  type IioBufferOptions,
  type IioContext,
  type IioDevice,
  IioFailure,
} from '../iio/context.ts';
import { AirSamples, FULL_SCALE } from './air-samples.ts';
import { described, findDevice, type ModelDevice, readFile, writeFile } from './attribute-files.ts';
import { clockLines, isDataClocked } from './clocks.ts';
import { MODEL } from './constants.ts';
import { receiveCore, supplyMonitor, ToneGenerators, transmitCore } from './converter-devices.ts';
import { ConverterInput } from './converter-input.ts';
import { ConverterOutput } from './converter-output.ts';
import { Datapath } from './datapath.ts';
import type { StubFaults } from './faults.ts';
import { Link, type Locks, type Truth } from './link.ts';
import { ModelBuffers } from './model-buffers.ts';
import { captureDevice, controlDevice, outputDevice } from './modem-devices.ts';
import { type LiveRegisters, ModemRegisters, type ModemSettings } from './modem-registers.ts';
import { phyDevice } from './phy-device.ts';
import { PhyState } from './phy-state.ts';
import { ReceiveRing } from './receive-ring.ts';
import { SampleClock } from './sample-clock.ts';
import { steadyClock } from './steady-clock.ts';
import { TransmitRing } from './transmit-ring.ts';

export interface StubOptions {
  readonly seed: number;
  readonly clock: Clock;
  /** Attenuation of the cable, in dB; by default a pad of 60 dB. */
  readonly lossDb?: number;
  readonly faults?: StubFaults;
}

/** What is so, and what the demodulator has found of it. */
export interface StubTruth extends Truth, Locks {
  /** Blocks that wait for the modulator; of a payload that is repeated at least one. */
  readonly queued: number;
}

export interface StubBoard extends IioContext {
  truth(): StubTruth;
  /**
   * So many samples of the first receiver until now, I and Q in turn, over full scale; apart from what a reader gets.
   */
  received(count: number): Float32Array;
  readonly faults: StubFaults;
  /** Adds faults to those there are; one given as undefined is removed. */
  inject(faults: StubFaults): void;
  /** The board is gone, as with a pulled plug. */
  lose(reason: string): void;
}

/** A modelled board, cold: the driver loaded, the modem at its defaults, egress closed. */
export function createStub(options: StubOptions): StubBoard {
  return new Stub({ ...options, clock: steadyClock(options.clock) });
}

class Stub implements StubBoard {
  readonly source = 'stub';
  readonly name: string;
  readonly devices: readonly IioDevice[];
  readonly lost: Promise<IioFailure>;
  readonly #clock: Clock;
  readonly #model: readonly ModelDevice[];
  readonly #phy: PhyState;
  readonly #tones: ToneGenerators;
  readonly #registers: ModemRegisters;
  readonly #link: Link;
  readonly #transmit: TransmitRing;
  readonly #receive: ReceiveRing;
  readonly #datapath: Datapath;
  readonly #samples: SampleClock;
  /** For pictures. */
  readonly #shown: AirSamples;
  readonly #input: ConverterInput;
  readonly #output: ConverterOutput;
  readonly #buffers: ModelBuffers;
  #reportLost: (failure: IioFailure) => void = () => {};
  #faults: StubFaults;
  /** Settings of a modulator that does not follow them any more. */
  #frozen: ModemSettings | undefined;
  #gone: IioFailure | undefined;

  constructor({ seed, clock, lossDb = MODEL.padDb, faults = {} }: StubOptions) {
    const changed = () => this.#changed();
    const current = () => this.#faults;
    this.name = `stub board, seed ${seed}`;
    this.lost = new Promise((reported) => {
      this.#reportLost = reported;
    });
    this.#clock = clock;
    this.#faults = {};
    this.#phy = new PhyState(changed, current);
    this.#tones = new ToneGenerators(changed);
    this.#registers = new ModemRegisters(this.#liveRegisters(), (name, before) =>
      this.#written(name, before),
    );
    this.#receive = new ReceiveRing(clock, seed, current, () => this.#registers.count('overflow'));
    this.#transmit = new TransmitRing(clock, () => this.#datapath.wake());
    this.#samples = new SampleClock(clock);
    this.#output = new ConverterOutput(this.#samples, changed);
    this.#link = new Link({
      seed,
      lossDb,
      phy: this.#phy,
      registers: this.#registers,
      faults: current,
      source: () => (this.#output.isSelected ? 'samples' : this.#tones.isPlaying ? 'tone' : 'modem'),
    });
    const sources = {
      seed,
      phy: this.#phy,
      truth: () => this.#link.truth,
      output: this.#output,
      modemOffsetHz: () => this.#registers.offset('transmitOffset'),
    };
    this.#shown = new AirSamples(sources);
    const air = new AirSamples(sources);
    this.#input = new ConverterInput({ clock, samples: this.#samples, air, output: this.#output });
    this.#datapath = new Datapath({
      seed,
      clock,
      link: this.#link,
      registers: this.#registers,
      faults: current,
      transmit: this.#transmit,
      receive: this.#receive,
    });
    this.#buffers = new ModelBuffers({
      receive: this.#receive,
      transmit: this.#transmit,
      input: this.#input,
      output: this.#output,
      answerFor: (name) => this.#answerFor(name),
    });
    this.#model = this.#modelDevices();
    this.devices = this.#model.map(described);
    this.inject(faults);
  }

  get faults(): StubFaults {
    return this.#faults;
  }

  truth(): StubTruth {
    this.#datapath.settle();
    const { queued } = this.#transmit;
    return { ...this.#link.truth, ...this.#link.locks(this.#clock.now()), queued };
  }

  received(count: number): Float32Array {
    const from = Math.max(0, this.#samples.count - count);
    return Float32Array.from(this.#shown.render(from, count, [0, 1]), (value) => value / FULL_SCALE);
  }

  inject(faults: StubFaults): void {
    this.#datapath.settle();
    this.#faults = { ...this.#faults, ...faults };
    if (this.#faults.frozenModulator !== true) this.#frozen = undefined;
    else this.#frozen ??= this.#registers.settings;
    this.#changed();
    this.#receive.resume();
  }

  lose(reason: string): void {
    if (this.#gone !== undefined) return;
    const failure = new IioFailure(errno.ENODEV, `${this.name}: ${reason}`);
    this.#end(failure);
    this.#reportLost(failure);
  }

  async read(at: IioAttribute): Promise<string> {
    this.#answerFor(attributeName(at));
    return readFile(this.#model, at);
  }

  async write(at: IioAttribute, value: string): Promise<void> {
    this.#answerFor(attributeName(at));
    writeFile(this.#model, at, value);
  }

  async open(device: string, buffer: IioBufferOptions): Promise<IioBuffer> {
    this.#answerFor(`${device} buffer`);
    return this.#buffers.open(findDevice(this.#model, device), buffer);
  }

  async close(): Promise<void> {
    this.#end(new IioFailure(errno.EBADF, `${this.name} is closed`));
  }

  /** Throws when the board is gone, or by a fault; then does what was due (S2, S3). */
  #answerFor(name: string): void {
    if (this.#gone !== undefined) throw this.#gone;
    const fault = this.#faults.attributes?.[name];
    if (fault !== undefined) throw new IioFailure(fault, `${name} failed`);
    this.#datapath.settle();
  }

  #changed(): void {
    const isClocked = isDataClocked(this.#phy, this.#faults.stoppedClocks ?? []);
    this.#samples.retime(isClocked ? this.#phy.sampleRate : 0);
    this.#link.refresh(this.#clock.now(), this.#frozen);
    this.#datapath.wake();
  }

  /** What bits do when they change, beside being read by the link. */
  #written(name: RegisterName, before: number): void {
    const now = this.#registers.get(name);
    const released = before & ~now;
    if (name === 'clear') this.#cleared(released);
    if (name === 'control' && released !== 0) this.#registers.resetFrames();
    this.#changed();
  }

  #cleared(bits: number): void {
    if ((bits & clearBit.demodulator) !== 0) this.#faults = { ...this.#faults, stuckReceiver: false };
    if ((bits & (clearBit.receiveDma | clearBit.frameSync)) !== 0) this.#receive.rearm();
  }

  #modelDevices(): readonly ModelDevice[] {
    return [
      receiveCore('iio:device0', this.#phy, this.#input),
      phyDevice('iio:device1', this.#phy, {
        gainDb: (channel) => this.#gain(channel),
        receivedDbm: () => this.#link.truth.budget.receivedDbm,
        temperatureC: () => this.#temperature(),
        restartClocks: () => this.inject({ stoppedClocks: undefined }),
      }),
      supplyMonitor('iio:device2', () => this.#temperature()),
      transmitCore('iio:device3', this.#phy, this.#tones, this.#output),
      controlDevice(
        'iio:device4',
        {
          registers: this.#registers,
          isDead: (name) => this.#faults.deadRegisters?.includes(name) === true,
        },
        () => clockLines(this.#phy, this.#faults.stoppedClocks ?? []),
      ),
      captureDevice('iio:device5'),
      outputDevice('iio:device6'),
    ];
  }

  #gain(channel: 0 | 1): number {
    const isManual = this.#phy.gainModes[channel] === 'manual';
    return isManual ? this.#phy.rxGain[channel] : this.#link.truth.budget.gainDb;
  }

  /** Warmer the more samples it moves. */
  #temperature(): number {
    return MODEL.temperatureC + this.#phy.sampleRate / 10e6;
  }

  #liveRegisters(): LiveRegisters {
    return {
      status: () => ({
        ...this.#link.locks(this.#clock.now()),
        transmitting: this.#link.truth.transmitting,
      }),
      sampleRate: () => this.#phy.sampleRate,
    };
  }

  #end(failure: IioFailure): void {
    if (this.#gone !== undefined) return;
    this.#gone = failure;
    this.#datapath.stop();
    this.#receive.disarm(failure);
    this.#transmit.close(failure);
    this.#input.close();
    this.#output.close();
  }
}
