/**
 * Profiles: text or value to a profile that the board can be set to. RF Bench Service, section 4, rules 2 to 4.
 *
 * P1. What passes here is applied without a refusal of a bound: both ask the same functions (`setupOf`, `BoardBounds`).
 * P2. Every fault is reported at once, each as `path: reason`.
 */

import { BLOCK_BYTES } from '../../contract/bench/datapath.ts';
import { Profile } from '../../contract/bench/profile.ts';
import { accepted, type Result, refusedAll } from '../../contract/result.ts';
import { checkShape } from '../../contract/shape.ts';
import { frameBytes, occupiedHz, rolloffOf, type Setup, setupOf } from '../board/setup.ts';
import { AD9361_BOUNDS, type BoardBounds, outside } from './bounds.ts';
import { DocumentFaults } from './fault.ts';
import { checkName } from './name.ts';
import { readDocument } from './read.ts';

/** The register of the sync word is 32 bits wide. */
const SYNC_WORD_BYTES = 4;

/** The profile that a text is, YAML or JSON. */
export function readProfile(text: string, bounds: BoardBounds = AD9361_BOUNDS): Result<Profile, string> {
  const document = readDocument(text);
  return document.ok ? checkProfile(document.value, bounds) : document;
}

/** The value as a profile; refused with everything that is wrong with it. */
export function checkProfile(value: unknown, bounds: BoardBounds = AD9361_BOUNDS): Result<Profile, string> {
  const faults = new DocumentFaults();
  if (checkShape(Profile, value, faults)) checkRules(value as Profile, bounds, faults);
  return faults.found === 0 ? accepted(value as Profile) : refusedAll(faults.told());
}

function checkRules(profile: Profile, bounds: BoardBounds, faults: DocumentFaults): void {
  checkName(profile.name, faults);
  if (!bounds.modulations.includes(profile.modulation))
    faults
      .in('modulation')
      .fault(`"${profile.modulation}" is not done`, `allowed: ${bounds.modulations.join(', ')}`);
  checkCoding(profile, faults);
  const rate = bounds.rate(profile.symbol_rate_baud, rolloffOf(profile));
  if (rate.ok) checkRadio(profile, setupOf(profile, rate.value), bounds, faults);
  else for (const reason of rate.faults) faults.in('symbol_rate_baud').fault(reason);
}

function checkRadio(profile: Profile, setup: Setup, bounds: BoardBounds, faults: DocumentFaults): void {
  const gains = { rx: bounds.receiverGain(setup.rx.oscillatorHz), tx: bounds.transmitterGain };
  for (const side of ['rx', 'tx'] as const) {
    const { oscillatorHz, gainDb } = setup[side];
    const off = outside(oscillatorHz, bounds.oscillator[side], 'Hz');
    if (off !== undefined) faults.in('center_frequency_hz').fault(`the oscillator of ${side} ${off}`);
    const gain = outside(gainDb, gains[side], 'dB');
    if (gain !== undefined) faults.in(side, 'gain_db').fault(gain);
    checkBandwidth(profile, side, bounds, faults.in(side, 'bandwidth_hz'));
    checkOffset(profile, setup, side, bounds, faults.in(side, 'nco_offset_hz'));
  }
}

function checkBandwidth(
  profile: Profile,
  side: 'rx' | 'tx',
  bounds: BoardBounds,
  faults: DocumentFaults,
): void {
  const bandwidth = profile[side].bandwidth_hz;
  if (bandwidth === undefined) return;
  const occupied = occupiedHz(profile);
  const off = outside(bandwidth, bounds.bandwidth[side], 'Hz');
  if (off !== undefined) faults.fault(off);
  else if (bandwidth < occupied)
    faults.fault(
      `is ${bandwidth}; the signal is ${Math.ceil(occupied)} Hz wide (symbol rate with its roll-off)`,
    );
}

/** The signal stays within the analog filter and within what the sample rate carries. */
function checkOffset(
  profile: Profile,
  setup: Setup,
  side: 'rx' | 'tx',
  bounds: BoardBounds,
  faults: DocumentFaults,
): void {
  const { bandwidthHz, offsetHz } = setup[side];
  const { sampleRateSps } = setup.rate;
  const fault = offsetFault(offsetHz, {
    occupiedHz: occupiedHz(profile),
    bandwidthHz,
    sampleRateSps,
    leastBandwidthHz: bounds.bandwidth[side].least,
  });
  if (fault !== undefined) faults.fault(fault);
}

/** Where a digital oscillator moves a signal. */
export interface OffsetPosition {
  readonly occupiedHz: number;
  /** Of the analog filter, as asked for. */
  readonly bandwidthHz: number;
  /** The part makes no filter narrower than that, whatever is asked. */
  readonly leastBandwidthHz: number;
  readonly sampleRateSps: number;
}

/** Why a signal may not be moved so far; undefined where it may. */
export function offsetFault(offsetHz: number, place: OffsetPosition): string | undefined {
  const filter = Math.max(place.bandwidthHz, place.leastBandwidthHz);
  const carried = Math.min(filter, place.sampleRateSps);
  const most = Math.max(0, Math.floor((carried - place.occupiedHz) / 2));
  if (Math.abs(offsetHz) <= most) return undefined;
  return `is ${offsetHz}; a signal ${Math.ceil(place.occupiedHz)} Hz wide may be moved by ${most} Hz within ${carried} Hz`;
}

function checkCoding(profile: Profile, faults: DocumentFaults): void {
  const { modulation, framing = { kind: 'stream' }, fec = {} } = profile;
  const bytes = frameBytes(profile);
  if (framing.kind === 'slot' && BLOCK_BYTES % bytes !== 0)
    faults
      .in('framing', 'frame_len')
      .fault(`is ${bytes}; slots have to divide the ${BLOCK_BYTES} bytes of a block`);
  if (modulation === 'dbpsk' && framing.differential === false)
    faults
      .in('framing', 'differential')
      .fault('is false, but dbpsk is differential', 'leave it out or use bpsk');
  const syncBytes = (framing.sync_word_hex ?? '').length / 2;
  if (syncBytes > SYNC_WORD_BYTES)
    faults.in('framing', 'sync_word_hex').fault(`has ${syncBytes} bytes; the modem holds ${SYNC_WORD_BYTES}`);
  if ((fec.interleave ?? 1) > 1 && (fec.outer ?? 'none') === 'none')
    faults.in('fec', 'interleave').fault(`is ${fec.interleave}, but there is no outer code to interleave`);
}
