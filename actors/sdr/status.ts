/**
 * What is read back of the radio, as every radio route answers with it. RF Bench Service, section 2.
 *
 * S1. What could not be read is absent, or null where the interface says so; where a number has to stand it is 0, and the
 *     state of that direction is `error`.
 * S2. `active`: the direction runs. Of the receiver: the part passes data and the demodulator is released; of the transmitter:
 *     the transmit chain runs. `idle`: it does not.
 */

import type { ChainTarget } from '../../contract/bench/chain.ts';
import type { RadioStatus } from '../../contract/bench/radio.ts';
import type { RadioRecord } from '../../machines/radio-record.ts';
import { physicalBandwidth } from '../../radio/ad9361/bandwidth.ts';
import { type Modem, signed } from '../../radio/board/modem.ts';
import { knownValue, mapped, type Observed, observe } from '../../radio/board/observed.ts';
import type { Phy, Side } from '../../radio/board/phy.ts';
import { clearBit, controlBit, type RegisterName, register, statusBit } from '../../radio/board/registers.ts';
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
export async function readStatus(board: Readable, { applied }: RadioRecord): Promise<RadioStatus> {
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
  return {
    rx_state: receiverState([rx.oscillatorHz, rx.gainDb, state, control, clear]),
    tx_state: transmitterState([tx.oscillatorHz, tx.gainDb, state, status]),
    center_frequency_hz: Math.max(0, (knownValue(rx.oscillatorHz) ?? 0) + (knownValue(rx.offsetHz) ?? 0)),
    rx_gain_db: Math.trunc(knownValue(rx.gainDb) ?? 0),
    tx_gain_db: Math.trunc(knownValue(tx.gainDb) ?? 0),
    loopback: ((knownValue(logicLoopback) ?? 0) & 1) === 1 || (knownValue(deviceLoopback) ?? 0) !== 0,
    timing_lock: has(status, statusBit.timingLock),
    carrier_lock: has(status, statusBit.carrierLock),
    ...present('rx_lo_hz', rx.oscillatorHz),
    ...present('tx_lo_hz', tx.oscillatorHz),
    rx_nco_offset_hz: knownValue(rx.offsetHz) ?? 0,
    tx_nco_offset_hz: knownValue(tx.offsetHz) ?? 0,
    ...(applied !== undefined && { profile_center_frequency_hz: applied.profile.center_frequency_hz }),
    ...present('rx_rf_gain_db', rx.gainDb),
    ...present('tx_rf_gain_db', tx.gainDb),
    rx_bandwidth_hz: knownValue(rx.bandwidthHz) ?? null,
    tx_bandwidth_hz: knownValue(tx.bandwidthHz) ?? null,
    ...present('sample_rate_sps', sampleRate),
  };
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
function transmitterState(seen: readonly Observed<unknown>[]): string {
  if (seen.some((each) => 'error' in each)) return 'error';
  return has(seen.at(-1) as Observed<number>, statusBit.transmitting) ? 'active' : 'idle';
}

function has(seen: Observed<number>, bits: number): boolean {
  return ((knownValue(seen) ?? 0) & bits) !== 0;
}

function present<Name extends string>(
  name: Name,
  seen: Observed<number>,
): { [Key in Name]?: number } | Record<never, never> {
  return 'value' in seen ? { [name]: seen.value } : {};
}
