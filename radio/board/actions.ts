/**
 * What the bench does to a board, each as its route and as a step of conditioning. RF Bench Service, section 4.
 *
 * A1. The transmitter is quiet while anything that disturbs is changed, and its level is set last.
 * A2. In a loopback the transmitter stays muted: the part goes on radiating there.
 * A3. What the board refuses is a failure; nothing is taken for done that was not read back where it can be.
 */

import type { ChainTarget } from '../../contract/bench/chain.ts';
import type { ResetScope } from '../../contract/bench/radio.ts';
import type { IioContext } from '../iio/context.ts';
import type { Modem } from './modem.ts';
import { Phy, type Side } from './phy.ts';
import { clearBit, controlBit, type Register, type RegisterName, register } from './registers.ts';
import type { Setup } from './setup.ts';

/** The most the part attenuates. */
const MUTE_DB = -89.75;

/** A bit that was held at 1 and released, and what was read around it. */
export interface Pulse {
  readonly reg: string;
  readonly bit: number;
  readonly before: number;
  readonly during: number;
  readonly after: number;
}

export class BoardActions {
  readonly #phy: Phy;
  readonly #modem: Modem;

  constructor(context: IioContext, modem: Modem) {
    this.#phy = new Phy(context);
    this.#modem = modem;
  }

  /** Sets everything that a profile asks for; the level is that of the target, the offset of the receiver that of another. */
  async apply(setup: Setup, target: ChainTarget, offsetFor: ChainTarget = 'air'): Promise<void> {
    await this.quiet();
    await this.#phy.setState('fdd');
    await this.#phy.setSampleRate(setup.rate.sampleRateSps);
    await this.#phy.setFilter(setup.rate.filter);
    for (const side of ['rx', 'tx'] as const) {
      await this.#phy.setBandwidth(side, setup[side].bandwidthHz);
      await this.tune(side, setup[side].oscillatorHz);
      await this.offset(side, offsetAt(setup, side, offsetFor));
    }
    await this.#phy.setGainMode(setup.gainMode);
    if (setup.gainMode === 'manual') await this.#phy.setGain('rx', setup.rx.gainDb);
    for (const name of Object.keys(setup.registers) as RegisterName[])
      await this.#modem.write(register[name], setup.registers[name] ?? 0);
    await this.level(setup, target);
  }

  /** Closes the egress and mutes the transmitter. */
  async quiet(): Promise<void> {
    await this.#modem.change(register.control, controlBit.egress, 0);
    await this.#phy.setGain('tx', MUTE_DB);
  }

  /** Sets the transmitter to what the target may hear. */
  async level(setup: Setup, target: ChainTarget): Promise<void> {
    await this.#phy.setGain('tx', target === 'air' ? setup.tx.gainDb : MUTE_DB);
  }

  /** Switches the path; the transmitter is muted before and stays so. */
  async switchTo(target: ChainTarget): Promise<void> {
    await this.quiet();
    await this.#modem.write(register.loopback, target === 'pl-loopback' ? 1 : 0);
    await this.#phy.setLoopback(target === 'device-loopback' ? 1 : 0);
  }

  async openEgress(open: boolean): Promise<void> {
    await this.#modem.change(register.control, controlBit.egress, open ? controlBit.egress : 0);
  }

  /** Drives an analog oscillator. */
  tune(side: Side, hz: number): Promise<void> {
    return this.#phy.tune(side, hz);
  }

  /** Drives a digital oscillator. */
  offset(side: Side, hz: number): Promise<void> {
    return this.#modem.write(register[side === 'rx' ? 'receiveOffset' : 'transmitOffset'], hz);
  }

  /** A gain means something in manual mode only: the receiver is put there first. */
  async setGain(side: Side, db: number): Promise<void> {
    if (side === 'rx') await this.#phy.setGainMode('manual');
    await this.#phy.setGain(side, db);
  }

  silenceTones(): Promise<void> {
    return this.#phy.silenceTones();
  }

  /** Resets one direction of the modem, or both and the part. */
  async reset(scope: ResetScope): Promise<void> {
    const bits =
      (scope === 'tx' ? 0 : controlBit.demodulatorReset) | (scope === 'rx' ? 0 : controlBit.modulatorReset);
    if (scope !== 'rx') await this.quiet();
    if (scope === 'all') {
      await this.#phy.setState('alert');
      await this.#phy.setState('fdd');
    }
    await this.#modem.change(register.control, bits, bits);
    await this.#modem.change(register.control, bits, 0);
  }

  /** Releases resets that are held, and pulses the CLEAR bits of the receiver; that it worked is not known by that. */
  async recover(): Promise<Pulse[]> {
    const resets = controlBit.demodulatorReset | controlBit.modulatorReset;
    await this.#modem.change(register.control, resets, 0);
    const pulses: Pulse[] = [];
    for (const bit of Object.values(clearBit)) pulses.push(await this.#pulse(register.clear, bit));
    return pulses;
  }

  async #pulse(at: Register, bit: number): Promise<Pulse> {
    const before = await this.#modem.read(at);
    await this.#modem.change(at, bit, bit);
    const during = await this.#modem.read(at);
    await this.#modem.change(at, bit, 0);
    const after = await this.#modem.read(at);
    return { reg: at.name, bit, before, during, after };
  }
}

/** Both oscillators are the same in a loopback, so that both offsets have to be. */
export function offsetAt(setup: Setup, side: Side, target: ChainTarget): number {
  return target === 'air' ? setup[side].offsetHz : setup.tx.offsetHz;
}
