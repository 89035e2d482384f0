/**
 * Verbs of scenarios and campaigns: whether their `with` fits, and means something where the board is by then. RF Bench
 * Service, section 4.
 *
 * V1. A body is judged by the rules of its route: packets by `writePackets`, gains and oscillators by the bounds of the
 *     board.
 * V2. What a step would not change or could not reach is refused before the run, not in its middle.
 */

import type { ChainTarget, ConditionBody } from '../../contract/bench/chain.ts';
import type { TransmitBody } from '../../contract/bench/datapath.ts';
import type { Profile } from '../../contract/bench/profile.ts';
import type { FrequencyBody, GainBody } from '../../contract/bench/radio.ts';
import { type MeasureScript, type ScenarioVerb, VERB_BODIES } from '../../contract/bench/verb.ts';
import { nearHelp } from '../../contract/near.ts';
import { checkShape } from '../../contract/shape.ts';
import { frameBytes } from '../board/setup.ts';
import { framePackets } from '../packet/framing.ts';
import { writePackets } from '../packet/packet.ts';
import { type BoardBounds, outside } from './bounds.ts';
import type { DocumentFaults } from './fault.ts';

export interface VerbContext {
  readonly bounds: BoardBounds;
  readonly profiles: ReadonlyMap<string, Profile>;
}

/** What is known of the board at a step, from the steps before it; undefined: it depends. */
export interface Setting {
  readonly target: ChainTarget | undefined;
  readonly profile: Profile | undefined;
  /** Oscillator of the receiver. */
  readonly receiverHz: number | undefined;
}

export interface Action {
  readonly do: ScenarioVerb;
  readonly with?: object;
}

/** A transmit gain as low as that is silence, which is right everywhere. */
const MUTED_DB = -80;

/** The setting behind the action; faults what is wrong with it. */
export function checkAction(
  action: Action,
  setting: Setting,
  context: VerbContext,
  faults: DocumentFaults,
): Setting {
  const body = action.with ?? {};
  const at = faults.in('with');
  if (!checkShape(VERB_BODIES[action.do], body, at)) return NOTHING_KNOWN;
  switch (action.do) {
    case 'profile.apply':
      return applied((body as { profile?: string }).profile, setting, context, at);
    case 'chain.condition':
      return conditioned(body as ConditionBody, setting, context, at);
    case 'radio.frequency':
      return tuned(body as FrequencyBody, setting, context, at);
    case 'radio.gain':
      checkGain(body as GainBody, setting, context, at);
      return setting;
    case 'radio.loopback':
      return { ...setting, target: undefined };
    case 'datapath.measure':
      checkMeasure(body as MeasureScript, at);
      return setting;
    case 'datapath.transmit':
      checkTransmit(body as TransmitBody, setting, at);
      return setting;
    default:
      return setting;
  }
}

export const NOTHING_KNOWN: Setting = { target: undefined, profile: undefined, receiverHz: undefined };

/** The setting under a profile; faults one that there is not. */
export function underProfile(
  name: string,
  setting: Setting,
  { profiles }: VerbContext,
  faults: DocumentFaults,
): Setting {
  const profile = profiles.get(name);
  if (profile === undefined)
    faults.fault(`no profile "${name}"`, nearHelp(name, profiles.keys(), 'profiles'));
  const offset = profile?.rx.nco_offset_hz ?? 0;
  return { ...setting, profile, receiverHz: profile && profile.center_frequency_hz - offset };
}

function applied(
  name: string | undefined,
  setting: Setting,
  context: VerbContext,
  faults: DocumentFaults,
): Setting {
  if (name !== undefined) return underProfile(name, setting, context, faults.in('profile'));
  if (setting.profile !== undefined) return underProfile(setting.profile.name, setting, context, faults);
  faults.fault('names no profile, and no earlier step does', 'write with: { profile: … } or profile_ref');
  return setting;
}

function conditioned(
  { target = 'air', profile }: ConditionBody,
  setting: Setting,
  context: VerbContext,
  faults: DocumentFaults,
): Setting {
  const under =
    profile === undefined ? setting : underProfile(profile, setting, context, faults.in('profile'));
  return { ...under, target };
}

function tuned(
  { center_frequency_hz, channel = 'both', tune_lo = true }: FrequencyBody,
  setting: Setting,
  { bounds }: VerbContext,
  faults: DocumentFaults,
): Setting {
  if (!tune_lo) return setting;
  for (const side of ['rx', 'tx'] as const) {
    const off =
      channel === 'both' || channel === side
        ? outside(center_frequency_hz, bounds.oscillator[side], 'Hz')
        : undefined;
    if (off !== undefined) faults.in('center_frequency_hz').fault(`the oscillator of ${side} ${off}`);
  }
  return channel === 'tx' ? setting : { ...setting, receiverHz: center_frequency_hz };
}

function checkGain(
  { rx_gain_db, tx_gain_db }: GainBody,
  { target, receiverHz }: Setting,
  { bounds }: VerbContext,
  faults: DocumentFaults,
): void {
  const rx = rx_gain_db ?? undefined;
  const tx = tx_gain_db ?? undefined;
  if (rx === undefined && tx === undefined)
    faults.fault('sets no gain', 'write rx_gain_db, tx_gain_db or both');
  const receiver =
    rx === undefined || receiverHz === undefined
      ? undefined
      : outside(rx, bounds.receiverGain(receiverHz), `dB at ${receiverHz} Hz`);
  if (receiver !== undefined) faults.in('rx_gain_db').fault(receiver);
  const transmitter = tx === undefined ? undefined : outside(tx, bounds.transmitterGain, 'dB');
  if (transmitter !== undefined) faults.in('tx_gain_db').fault(transmitter);
  if (target === undefined || target === 'air') return;
  if (rx !== undefined)
    faults.in('rx_gain_db').fault(`means nothing in ${target}`, 'the signal does not pass the amplifier');
  if (tx !== undefined && tx > MUTED_DB)
    faults
      .in('tx_gain_db')
      .fault(`is ${tx}, which radiates in ${target}`, `there the transmitter is muted: ${MUTED_DB} or less`);
}

function checkMeasure({ prbs, seed, payload_hex }: MeasureScript, faults: DocumentFaults): void {
  if (payload_hex === undefined) return;
  for (const [name, value] of Object.entries({ prbs, seed }))
    if (value !== undefined)
      faults.in(name).fault('has no meaning beside payload_hex', 'leave one of them out');
}

function checkTransmit(
  { packets, framing }: TransmitBody,
  { profile }: Setting,
  faults: DocumentFaults,
): void {
  const written = writePackets(packets, new Map());
  if (!written.ok) {
    for (const { path, message } of written.faults) faults.below(path).fault(message);
    return;
  }
  // Without a known profile the modem may cut frames as asked; whether it does is seen when it runs.
  const asked = framing?.mode === 'slot' ? framing.slot_len : undefined;
  const cut = profile?.framing?.kind === 'slot' ? frameBytes(profile) : undefined;
  const place = { frameBytes: profile === undefined ? asked : cut, pendingBytes: 0 };
  const framed = framePackets(written.value.packets, framing, place);
  if (!framed.ok) for (const { path, message } of framed.faults) faults.below(path).fault(message);
}
