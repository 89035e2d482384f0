/**
 * What a profile asks of the board, in the board's own terms: one place for apply, for the conditions of the chain and
 * for the validation of profiles.
 */

import { MODULATIONS, type Profile } from '../../contract/bench/profile.ts';
import type { RatePlan } from '../rates.ts';
import type { GainMode } from './phy.ts';
import { framingBit, type RegisterName } from './registers.ts';

/** Settings of one direction. */
export interface SideSetup {
  readonly oscillatorHz: number;
  readonly offsetHz: number;
  readonly gainDb: number;
  readonly bandwidthHz: number;
}

export interface Setup {
  readonly rate: RatePlan;
  readonly gainMode: GainMode;
  readonly rx: SideSetup;
  readonly tx: SideSetup;
  /** Registers of the modem that follow from the profile alone. */
  readonly registers: Readonly<Partial<Record<RegisterName, number>>>;
}

/** Roll-off and frame of a profile that says nothing of them. */
const ROLLOFF = 0.35;
const FRAME_BYTES = 256;
/** Width beyond the signal that the analog filters leave. */
const FILTER_MARGIN = 1.25;

/** The settings for a profile at a rate that was planned for it. */
export function setupOf(profile: Profile, rate: RatePlan): Setup {
  const occupied = Math.ceil(occupiedHz(profile) * FILTER_MARGIN);
  const { center_frequency_hz: center, rx, tx } = profile;
  const side = ({ gain_db, bandwidth_hz = occupied, nco_offset_hz = 0 }: Profile['tx']): SideSetup => ({
    oscillatorHz: center - nco_offset_hz,
    offsetHz: nco_offset_hz,
    gainDb: gain_db,
    bandwidthHz: bandwidth_hz,
  });
  return {
    rate,
    gainMode: rx.gain_mode ?? 'manual',
    rx: side(rx),
    tx: side(tx),
    registers: modemRegisters(profile, rate),
  };
}

/** Roll-off of the pulse of a profile. */
export function rolloffOf({ pulse }: Profile): number {
  return pulse?.rolloff ?? ROLLOFF;
}

/** Width of the signal of a profile. */
export function occupiedHz(profile: Profile): number {
  return profile.symbol_rate_baud * (1 + rolloffOf(profile));
}

/** Bytes of a frame of the modem under a profile. */
export function frameBytes({ framing }: Profile): number {
  return framing?.frame_len ?? FRAME_BYTES;
}

function modemRegisters(profile: Profile, { interpolation }: RatePlan): Setup['registers'] {
  const { modulation, framing, fec } = profile;
  const bits =
    (framing?.kind === 'slot' ? framingBit.slots : 0) |
    (framing?.scrambler === 'ccsds' ? framingBit.scrambler : 0) |
    (framing?.differential === true ? framingBit.differential : 0);
  const coding =
    (fec?.inner === 'conv-1/2' ? 1 : 0) |
    (fec?.outer === 'rs-255-223' ? 2 : 0) |
    ((fec?.interleave ?? 1) << 8);
  return {
    modulation: MODULATIONS.indexOf(modulation),
    interpolation,
    framing: bits,
    frameLength: frameBytes(profile),
    syncWord: Number.parseInt((framing?.sync_word_hex ?? '0').slice(0, 8), 16) >>> 0,
    coding,
    rolloff: Math.round(rolloffOf(profile) * 1000),
  };
}
