/**
 * The link of the model: where the signal goes, how good it arrives, and whether the demodulator follows it. What the
 * modem and the part are set to comes in; the truth about the link comes out, which a real board never shows.
 *
 * Simplified: the demodulator finds a signal after a fixed number of symbols and loses it at once; a retune is instant;
 * a signal beyond the analog filter is not there at all.
 *
 * K1. Locks follow from the settings and the time alone: the same commands at the same times give the same locks.
 * K2. Whatever changes the signal or the way it is received makes the demodulator look for it again; a change of level
 *     alone does not.
 * K3. Inside a loopback the bit error rate is 0, whatever the gains and oscillators of the part are.
 */

import type { ChainTarget } from '../../contract/bench/chain.ts';
import { BLOCK_BYTES } from '../../contract/bench/datapath.ts';
import { rxGainRange } from '../ad9361/gain.ts';
import { bitsPerSymbol, codeRate, innerErrorRate, outerErrorRate, toDecibels } from '../modulation.ts';
import { MODEM_RATES } from '../rates.ts';
import { mixed, PURPOSE } from './chance.ts';
import { isDataClocked } from './clocks.ts';
import { MODEL } from './constants.ts';
import type { StubFaults } from './faults.ts';
import { type LinkBudget, linkBudget } from './link-budget.ts';
import type { ModemRegisters, ModemSettings } from './modem-registers.ts';
import type { PhyState } from './phy-state.ts';

export type TransmitSource = 'modem' | 'tone' | 'samples';

export interface Truth {
  /** `none`: the loopback of the converter core, which brings nothing back to the receiver. */
  readonly target: ChainTarget | 'none';
  /** Of the part: 0 off, 1 inside it, 2 in the converter core. */
  readonly deviceLoopback: number;
  /**
   * What the transmit core hands to the part: what the modem sends, a test tone, or samples that another tool writes.
   */
  readonly source: TransmitSource;
  /** The modulator sends, be it idle frames. */
  readonly transmitting: boolean;
  /** The demodulator runs. */
  readonly receiving: boolean;
  /** Something of the transmitter arrives at the receiver. */
  readonly signal: boolean;
  readonly transmitter: ModemSettings;
  readonly receiver: ModemSettings;
  readonly sampleRate: number;
  readonly baud: number;
  /** Budget of the way over the connector; its gain and noise hold inside loopbacks too. */
  readonly budget: LinkBudget;
  readonly ebN0Db: number;
  readonly esN0Db: number;
  /** Of useful bits before Reed-Solomon, and behind it. */
  readonly channelErrorRate: number;
  readonly bitErrorRate: number;
  /** Of the signal from where the receiver looks for it. */
  readonly frequencyOffsetHz: number;
  /** Width of the narrower analog filter. */
  readonly bandwidthHz: number;
  /** In steps of the constellation: by how much the carrier was found wrong, where nothing in the data shows it. */
  readonly phase: number;
  /** How long a block is on the air. */
  readonly blockMs: number;
  /** Count of changes of the settings. */
  readonly epoch: number;
}

export interface Locks {
  readonly timing: boolean;
  readonly carrier: boolean;
  readonly frameSync: boolean;
}

export interface LinkSources {
  readonly seed: number;
  readonly lossDb: number;
  readonly phy: PhyState;
  readonly registers: ModemRegisters;
  readonly faults: () => StubFaults;
  /** What the transmit core hands to the part. */
  readonly source: () => TransmitSource;
}

export class Link {
  readonly #sources: LinkSources;
  #truth: Truth;
  /** Whether the frames of its transmitter are those its receiver looks for. */
  #agrees = true;
  #epoch = 0;
  #searches = 0;
  #key = '';
  /** Since when the demodulator has had what it needs for timing and for carrier, in ms. */
  #timingSince: number | undefined;
  #carrierSince: number | undefined;

  constructor(sources: LinkSources) {
    this.#sources = sources;
    this.#truth = this.#look(modemOf(sources));
  }

  get truth(): Truth {
    return this.#truth;
  }

  /** Takes up changed settings at a time; `frozen` is what a modulator holds that does not follow them any more. */
  refresh(now: number, frozen: ModemSettings | undefined): void {
    this.#epoch += 1;
    const receiver = modemOf(this.#sources);
    const key = this.#keyOf(frozen ?? receiver, receiver);
    if (key !== this.#key) this.#forget();
    this.#key = key;
    this.#truth = this.#look(receiver, frozen);
    this.#agrees = agreesOnFrames(this.#truth);
    this.#timingSince = findsTiming(this.#truth) ? (this.#timingSince ?? now) : undefined;
    this.#carrierSince = findsCarrier(this.#truth) ? (this.#carrierSince ?? now) : undefined;
  }

  /** What the demodulator has found at a time (K1). */
  locks(now: number): Locks {
    const timing = this.#since(this.#timingSince, now) >= MODEL.timingSymbols;
    const carrier = timing && this.#since(this.#carrierSince, now) >= MODEL.carrierSymbols;
    return { timing, carrier, frameSync: carrier && this.#agrees };
  }

  #since(begin: number | undefined, now: number): number {
    return begin === undefined ? -1 : ((now - begin) * this.#truth.baud) / 1000;
  }

  #forget(): void {
    this.#searches += 1;
    this.#timingSince = undefined;
    this.#carrierSince = undefined;
  }

  #look(receiver: ModemSettings, frozen?: ModemSettings): Truth {
    const { phy, registers } = this.#sources;
    const transmitter = frozen ?? receiver;
    const target = this.#target();
    const baud = baudOf(phy, transmitter);
    const bandwidthHz = Math.min(phy.width('rx'), phy.width('tx'));
    const budget = this.#budget(transmitter, baud, bandwidthHz);
    const frequencyOffsetHz = this.#offset(target);
    const state = { target, transmitter, receiver, budget, baud, bandwidthHz, frequencyOffsetHz };
    const clocked = isDataClocked(phy, this.#stopped());
    return {
      ...state,
      ...quality(target, transmitter, budget),
      transmitting: clocked && baud > 0 && registers.has('egress') && !registers.has('modulatorReset'),
      receiving: clocked && this.#isReceiverFree(),
      signal: this.#hasSignal(state),
      source: this.#sources.source(),
      deviceLoopback: phy.loopback,
      sampleRate: phy.sampleRate,
      phase: this.#phase(target, receiver),
      blockMs: blockMs(transmitter, baud),
      epoch: this.#epoch,
    };
  }

  #target(): Truth['target'] {
    const { phy, registers } = this.#sources;
    if ((registers.get('loopback') & 1) === 1) return 'pl-loopback';
    if (phy.loopback === 1) return 'device-loopback';
    return phy.loopback === 0 ? 'air' : 'none';
  }

  #budget(transmitter: ModemSettings, baud: number, bandwidthHz: number): LinkBudget {
    const { phy, lossDb } = this.#sources;
    return linkBudget({
      txHz: phy.lo.tx,
      rxHz: phy.lo.rx,
      attenuationDb: -phy.txGain[0],
      lossDb,
      gainDb: phy.gainModes[0] === 'manual' ? phy.rxGain[0] : undefined,
      gainRange: rxGainRange(phy.lo.rx),
      sampleRate: phy.sampleRate,
      baud: baud || 1,
      bandwidthHz,
      bitsPerSymbol: bitsOf(transmitter),
      codeRate: codeRate(transmitter.coding),
      rolloff: transmitter.rolloff,
    });
  }

  /** Centre of the transmitter from that of the receiver. */
  #offset(target: Truth['target']): number {
    const { phy, registers } = this.#sources;
    const digital = registers.offset('transmitOffset') - registers.offset('receiveOffset');
    return target === 'air' ? phy.lo.tx - phy.lo.rx + digital : digital;
  }

  #hasSignal({
    target,
    bandwidthHz,
    frequencyOffsetHz,
  }: Pick<Truth, 'target' | 'bandwidthHz' | 'frequencyOffsetHz'>) {
    const { phy, source } = this.#sources;
    if (target === 'pl-loopback') return true;
    if (target === 'none' || source() !== 'modem') return false;
    if (target === 'device-loopback') return true;
    const powered = !phy.poweredDown.rx && !phy.poweredDown.tx;
    return powered && Math.abs(frequencyOffsetHz) < bandwidthHz / 2;
  }

  #isReceiverFree(): boolean {
    const { registers, faults } = this.#sources;
    const held = registers.get('clear') !== 0 || registers.has('demodulatorReset');
    return !held && faults().stuckReceiver !== true;
  }

  #stopped(): readonly string[] {
    return this.#sources.faults().stoppedClocks ?? [];
  }

  /** What makes the demodulator begin again when it changes (K2). */
  #keyOf(transmitter: ModemSettings, receiver: ModemSettings): string {
    const { phy, registers } = this.#sources;
    return JSON.stringify([
      transmitter,
      receiver,
      this.#target(),
      phy.lo,
      phy.poweredDown,
      phy.sampleRate,
      registers.get('control'),
      registers.get('clear'),
      this.#offset('air'),
      this.#isReceiverFree(),
      phy.mode,
      this.#stopped(),
      this.#sources.source(),
    ]);
  }

  /** A cable turns the carrier; inside the board everything stays in phase. */
  #phase(target: Truth['target'], { modulation, differential, syncWord }: ModemSettings): number {
    if (target !== 'air' || modulation === undefined || modulation === 'dbpsk') return 0;
    if (differential || syncWord !== 0) return 0;
    return mixed(this.#sources.seed, PURPOSE.phase, this.#searches) % 2 ** bitsPerSymbol(modulation);
  }
}

function modemOf({ registers }: LinkSources): ModemSettings {
  return registers.settings;
}

function bitsOf({ modulation }: ModemSettings): number {
  return modulation === undefined ? 1 : bitsPerSymbol(modulation);
}

/** Symbols per second; 0 where the interpolation means nothing. */
function baudOf(phy: PhyState, { interpolation }: ModemSettings): number {
  const { least, most } = MODEM_RATES.interpolation;
  if (interpolation < least || interpolation > most) return 0;
  return phy.sampleRate / (MODEM_RATES.samplesPerSymbol * interpolation);
}

function blockMs(transmitter: ModemSettings, baud: number): number {
  return (BLOCK_BYTES * 8 * 1000) / (baud * bitsOf(transmitter) * codeRate(transmitter.coding));
}

type Quality = Pick<Truth, 'ebN0Db' | 'esN0Db' | 'channelErrorRate' | 'bitErrorRate'>;

function quality(target: Truth['target'], settings: ModemSettings, budget: LinkBudget): Quality {
  const { modulation, coding, differential } = settings;
  if (target !== 'air' || modulation === undefined) {
    const perBit = toDecibels(bitsOf(settings) * codeRate(coding));
    const clean = { channelErrorRate: 0, bitErrorRate: 0 };
    return { ...clean, esN0Db: MODEL.digitalDb, ebN0Db: MODEL.digitalDb - perBit };
  }
  const { ebN0Db, esN0Db } = budget;
  const decoded = innerErrorRate(modulation, coding, ebN0Db);
  // Each wrong symbol spoils two differences, unless both are wrong.
  const channelErrorRate = differential && modulation !== 'dbpsk' ? 2 * decoded * (1 - decoded) : decoded;
  const bitErrorRate = coding.outer === 'rs-255-223' ? outerErrorRate(channelErrorRate) : channelErrorRate;
  return { ebN0Db, esN0Db, channelErrorRate, bitErrorRate };
}

function findsTiming({ signal, transmitting, receiving, transmitter, receiver, esN0Db }: Truth): boolean {
  const agree =
    transmitter.interpolation === receiver.interpolation && transmitter.rolloff === receiver.rolloff;
  return signal && transmitting && receiving && agree && esN0Db > MODEL.timingDb;
}

function findsCarrier(truth: Truth): boolean {
  const { transmitter, receiver, baud, frequencyOffsetHz, esN0Db } = truth;
  const { modulation } = receiver;
  if (modulation === undefined || modulation !== transmitter.modulation) return false;
  const bits = bitsPerSymbol(modulation) as 1 | 2 | 3;
  const reach = MODEL.carrierReach[bits] * baud;
  return findsTiming(truth) && Math.abs(frequencyOffsetHz) < reach && esN0Db > MODEL.carrierDb[bits];
}

/** Frames are found when both sides make the same of them, and slots when a block holds a whole number. */
function agreesOnFrames({ transmitter, receiver }: Truth): boolean {
  const { slots, frameLength } = receiver;
  const whole = !slots || (frameLength > 0 && BLOCK_BYTES % frameLength === 0);
  return whole && JSON.stringify(transmitter) === JSON.stringify(receiver);
}
