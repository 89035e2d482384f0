/**
 * What is read back of the radio, as every radio route answers with it. RF Bench Service, section 2.
 *
 * S1. What could not be read is absent, or null where the interface has the field always, and the state of that
 *     direction is `error`: an attenuation that reads 0 dB is full power, so no number stands in for one that is not
 *     known.
 * S2. `active`: the direction runs. Of the receiver: the part passes data and the demodulator is released; of the
 *     transmitter: the transmit chain of the modem runs, or another tool feeds the transmitter. `idle`: it does not.
 * S3. A board without a modem has no locks, offsets or loopback of the logic: there they are false and 0, which is so.
 */

import type { ChainTarget } from '../../../contract/bench/chain.ts';
import type { RadioStatus } from '../../../contract/bench/radio.ts';
import type { RadioRecord } from '../../../machines/bench/radio-record.ts';
import { physicalBandwidth } from '../../../radio/ad9361/bandwidth.ts';
import { type Modem, signed } from '../../../radio/board/modem.ts';
import { known, knownValue, mapped, type Observed, observe } from '../../../radio/board/observed.ts';
import type { Phy, Side } from '../../../radio/board/phy.ts';
import {
  clearBit,
  controlBit,
  type RegisterName,
  register,
  statusBit,
} from '../../../radio/board/registers.ts';
import type { Board } from './board.ts';

interface SideSeen {
  readonly oscillatorHz: Observed<number>;
  readonly gainDb: Observed<number>;
  readonly bandwidthHz: Observed<number>;
  readonly offsetHz: Observed<number>;
}

/** What a status is read of. */
export interface Readable {
  readonly phy: Phy;
  readonly modem: Pick<Modem, 'read'>;
}

/** The radio now. */
export async function readStatus(
  board: Readable & Pick<Board, 'hasModem'>,
  { applied }: RadioRecord,
): Promise<RadioStatus> {
  const { phy } = board;
  const rx = await readSide(board, 'rx');
  const tx = await readSide(board, 'tx');
  const control = await word(board, 'control');
  const clear = await word(board, 'clear');
  const status = await word(board, 'status');
  const logicLoopback = await word(board, 'loopback');
  const deviceLoopback = await observe(phy.loopback());
  const state = await observe(phy.state());
  const sampleRate = await observe(phy.sampleRate('rx'));
  const source = await transmitSource(phy);
  const ofModem = board.hasModem ? (seen: Observed<number>) => seen : () => known(0);
  const rxOffset = ofModem(rx.offsetHz);
  return {
    rx_state: receiverState([rx.oscillatorHz, rx.gainDb, state, control, clear]),
    tx_state: transmitterState([tx.oscillatorHz, tx.gainDb, state, status], source),
    ...(source !== undefined && { tx_source: source }),
    center_frequency_hz: orNull(both(rx.oscillatorHz, rxOffset, (lo, nco) => Math.max(0, lo + nco))),
    rx_gain_db: orNull(mapped(rx.gainDb, Math.trunc)),
    tx_gain_db: orNull(mapped(tx.gainDb, Math.trunc)),
    loopback: isLooped(deviceLoopback, ofModem(logicLoopback)),
    timing_lock: orNull(bit(ofModem(status), statusBit.timingLock)),
    carrier_lock: orNull(bit(ofModem(status), statusBit.carrierLock)),
    ...present('rx_lo_hz', rx.oscillatorHz),
    ...present('tx_lo_hz', tx.oscillatorHz),
    rx_nco_offset_hz: orNull(rxOffset),
    tx_nco_offset_hz: orNull(ofModem(tx.offsetHz)),
    ...(applied !== undefined && { profile_center_frequency_hz: applied.profile.center_frequency_hz }),
    ...present('rx_rf_gain_db', rx.gainDb),
    ...present('tx_rf_gain_db', tx.gainDb),
    rx_bandwidth_hz: orNull(rx.bandwidthHz),
    tx_bandwidth_hz: orNull(tx.bandwidthHz),
    ...present('sample_rate_sps', sampleRate),
  };
}

/** What the transmitter is fed with; undefined: unreadable. */
async function transmitSource(phy: Phy): Promise<RadioStatus['tx_source']> {
  const samples = await observe(phy.playsSamples());
  const tone = await observe(phy.playsTone());
  if (knownValue(samples) === true) return 'samples';
  if (knownValue(tone) === true) return 'tone';
  return 'error' in samples || 'error' in tone ? undefined : 'modem';
}

/** A register, or why it could not be read. */
export function word({ modem }: Pick<Readable, 'modem'>, name: RegisterName): Promise<Observed<number>> {
  return observe(modem.read(register[name]));
}

/** Where what is transmitted goes now; undefined when a switch could not be read, or is in a place of neither. */
export async function presentTarget(board: Board): Promise<ChainTarget | undefined> {
  const logic = await word(board, 'loopback');
  const part = await observe(board.phy.loopback());
  if ('error' in logic || 'error' in part) return undefined;
  if ((logic.value & 1) === 1) return 'pl-loopback';
  if (part.value === 1) return 'device-loopback';
  return part.value === 0 ? 'air' : undefined;
}

/** Whether the egress is open; null without a driver of the logic. */
export async function egressState(board: Board): Promise<boolean | null> {
  const control = await word(board, 'control');
  return 'error' in control ? null : (control.value & controlBit.egress) !== 0;
}

/** Width of the analog filter as the part quantises it. */
export async function filterWidth({ phy }: Pick<Readable, 'phy'>, side: Side): Promise<Observed<number>> {
  const asked = await observe(phy.bandwidthHz(side));
  const clock = await observe(phy.clockHz());
  if ('error' in clock) return clock;
  return mapped(asked, (hertz) => physicalBandwidth(side, hertz, clock.value));
}

/** Digital offset of one direction. */
export async function offsetOf(board: Pick<Readable, 'modem'>, side: Side): Promise<Observed<number>> {
  return mapped(await word(board, side === 'rx' ? 'receiveOffset' : 'transmitOffset'), signed);
}

async function readSide(board: Readable, side: Side): Promise<SideSeen> {
  const { phy } = board;
  return {
    oscillatorHz: await observe(phy.oscillatorHz(side)),
    gainDb: await observe(phy.gainDb(side)),
    bandwidthHz: await filterWidth(board, side),
    offsetHz: await offsetOf(board, side),
  };
}

/** S2 */
function receiverState([oscillator, gain, state, control, clear]: readonly Observed<unknown>[]): string {
  if ([oscillator, gain, state, control, clear].some((seen) => seen === undefined || 'error' in seen))
    return 'error';
  const held = Object.values(clearBit).reduce((all, bit) => all | bit, 0);
  const isHeld =
    has(control as Observed<number>, controlBit.demodulatorReset) || has(clear as Observed<number>, held);
  return knownValue(state!) === 'fdd' && !isHeld ? 'active' : 'idle';
}

/** S2 */
function transmitterState(seen: readonly Observed<unknown>[], source: RadioStatus['tx_source']): string {
  if (seen.some((each) => 'error' in each)) return 'error';
  if (source === 'samples' || source === 'tone') return 'active';
  return has(seen.at(-1) as Observed<number>, statusBit.transmitting) ? 'active' : 'idle';
}

function has(seen: Observed<number>, bits: number): boolean {
  return knownValue(bit(seen, bits)) === true;
}

function bit(seen: Observed<number>, mask: number): Observed<boolean> {
  return mapped(seen, (value) => (value & mask) !== 0);
}

/** One switch that is on is enough; that none is on takes both. */
function isLooped(part: Observed<number>, logic: Observed<number>): boolean | null {
  const switches = [mapped(part, (mode) => mode !== 0), bit(logic, 1)].map(orNull);
  if (switches.includes(true)) return true;
  return switches.includes(null) ? null : false;
}

function both<One, Other, To>(
  one: Observed<One>,
  other: Observed<Other>,
  change: (one: One, other: Other) => To,
): Observed<To> {
  if ('error' in one) return one;
  return mapped(other, (value) => change(one.value, value));
}

/** S1 */
function orNull<Value>(seen: Observed<Value>): Value | null {
  return 'value' in seen ? seen.value : null;
}

function present<Name extends string>(
  name: Name,
  seen: Observed<number>,
): { [Key in Name]?: number } | Record<never, never> {
  return 'value' in seen ? { [name]: seen.value } : {};
}
