/**
 * What the bench does to a board, each as its route and as a step of conditioning. RF Bench Service, section 4. One of
 * these is made for each command, with the permit that it has to make the transmitter radiate (`stops.ts`).
 *
 * A1. The transmitter is quiet while anything that disturbs is changed, and its level is set last.
 * A2. In a loopback the transmitter stays muted: the part goes on radiating there. So does one that the modem does not
 *     drive, everywhere.
 * A3. What the board refuses is a failure; nothing is taken for done that was not read back where it can be.
 * A4. Nothing makes the transmitter radiate without its permit; what was on its way to the board when a stop came is
 *     undone behind it.
 * A5. Nothing that waits for the transmitter survives a change of its path (`leaving`).
 * A6. Behind an apply the egress is closed, and no tone and no samples of another tool are left that the level would
 *     let out.
 */

import type { ChainTarget } from '../../contract/bench/chain.ts';
import type { ResetScope } from '../../contract/bench/radio.ts';
import { errno, type IioContext, IioFailure } from '../iio/context.ts';
import type { Modem } from './modem.ts';
import { knownValue, observe } from './observed.ts';
import { MUTED_DB, Phy, type Side } from './phy.ts';
import { clearBit, controlBit, type Register, type RegisterName, register } from './registers.ts';
import type { Setup } from './setup.ts';
import { type Permit, UNSTOPPED } from './stops.ts';

/** A bit that was held at 1 and released, and what was read around it. */
export interface Pulse {
  readonly reg: string;
  readonly bit: number;
  readonly before: number;
  readonly during: number;
  readonly after: number;
}

interface ActionOptions {
  /** Of the command; default: nobody can stop it. */
  readonly permit?: Permit;
  /** Called before what is configured changes: what is fed to the transmitter ends. */
  readonly disturbing?: () => Promise<void>;
  /** Called before the path changes, with where it leads then: what waits for the transmitter goes (A5). */
  readonly leaving?: (target: ChainTarget) => Promise<void>;
}

export class BoardActions {
  readonly #phy: Phy;
  readonly #modem: Modem;
  /** Ahead of whatever waits. */
  readonly #urgent: Phy;
  readonly #options: ActionOptions;

  constructor(context: IioContext, modem: Modem, options: ActionOptions = {}) {
    this.#phy = new Phy(context);
    this.#urgent = new Phy(context.urgent ?? context);
    this.#modem = modem;
    this.#options = options;
  }

  get #permit(): Permit {
    return this.#options.permit ?? UNSTOPPED;
  }

  /**
   * Sets everything that a profile asks for; the level is that of the target, the offset of the receiver that of
   * another.
   */
  async apply(setup: Setup, target: ChainTarget, offsetFor: ChainTarget = 'air'): Promise<void> {
    await this.quiet();
    await this.#phy.takeBack();
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

  /** Mutes every transmitter and closes the egress. */
  async quiet(): Promise<void> {
    await this.#options.disturbing?.();
    await this.#phy.mute();
    await this.#modem.change(register.control, controlBit.egress, 0);
  }

  /** Sets the transmitter to what the target may radiate. */
  async level(setup: Setup, target: ChainTarget): Promise<void> {
    return target === 'air' ? this.#transmitAt(setup.tx.gainDb) : this.#phy.mute();
  }

  /** Switches the path; the transmitter is muted before and stays so. */
  async switchTo(target: ChainTarget): Promise<void> {
    await this.quiet();
    await this.#options.leaving?.(target);
    await this.#modem.write(register.loopback, target === 'pl-loopback' ? 1 : 0);
    await this.#phy.setLoopback(target === 'device-loopback' ? 1 : 0);
  }

  async openEgress(open: boolean): Promise<void> {
    if (!open) return this.#modem.change(register.control, controlBit.egress, 0);
    this.#permit.check();
    await this.#modem.change(register.control, controlBit.egress, controlBit.egress);
    if (this.#permit.stoppedBy === undefined) return;
    await this.#modem.change(register.control, controlBit.egress, 0);
    this.#permit.check();
  }

  /** Drives an analog oscillator, which another tool may have powered down; rejects where it does not come up. */
  async tune(side: Side, hz: number): Promise<void> {
    await this.#phy.tune(side, hz);
    if (knownValue(await observe(this.#phy.isPoweredDown(side))) !== true) return;
    if (side === 'tx') this.#permit.check();
    await this.#phy.powerUp(side);
    if (side === 'tx') await this.#undoneIfStopped();
    if (await this.#phy.isPoweredDown(side)) throw new PoweredDown(side);
  }

  /** Drives a digital oscillator. */
  offset(side: Side, hz: number): Promise<void> {
    return this.#modem.write(register[side === 'rx' ? 'receiveOffset' : 'transmitOffset'], hz);
  }

  /** A gain means something in manual mode only: the receiver is put there first. */
  async setGain(side: Side, db: number): Promise<void> {
    if (side === 'tx') return this.#transmitAt(db);
    await this.#phy.setGainMode('manual');
    await this.#phy.setGain(side, db);
  }

  /** The transmitter is the modem's: no tones, no samples of another tool. */
  takeBack(): Promise<void> {
    return this.#phy.takeBack();
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

  /** A4 */
  async #transmitAt(db: number): Promise<void> {
    if (db <= MUTED_DB) return this.#phy.mute(db);
    this.#permit.check();
    await this.#secondMuted();
    await this.#phy.setGain('tx', db);
    await this.#undoneIfStopped();
  }

  /** A4 */
  async #undoneIfStopped(): Promise<void> {
    if (this.#permit.stoppedBy === undefined) return;
    await this.#urgent.mute();
    this.#permit.check();
  }

  /** A2 */
  async #secondMuted(): Promise<void> {
    const db = await this.#phy.secondGainDb();
    if (db !== undefined && db > MUTED_DB) await this.#phy.muteSecond();
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

/** An oscillator that the board does not power up again. */
export class PoweredDown extends IioFailure {
  constructor(side: Side) {
    super(errno.EIO, `the oscillator of ${side} stays powered down, whatever is written to its powerdown`);
  }
}

/** Both oscillators are the same in a loopback, so that both offsets have to be. */
export function offsetAt(setup: Setup, side: Side, target: ChainTarget): number {
  return target === 'air' ? setup[side].offsetHz : setup.tx.offsetHz;
}
