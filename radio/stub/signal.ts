/** The modelled signal as pictures and samples are made of it: its symbols, its level, and what spoils it. */

import type { Modulation } from '../../contract/bench/profile.ts';
import { bitsPerSymbol, fromDecibels } from '../modulation.ts';
import { MODEL } from './constants.ts';
import type { Truth } from './link.ts';

/** Ideal symbols, of amplitude 1. */
export function symbolsOf(modulation: Modulation): readonly (readonly [number, number])[] {
  const count = 2 ** bitsPerSymbol(modulation);
  const first = count === 4 ? Math.PI / 4 : 0;
  return Array.from({ length: count }, (_, index) => {
    const angle = first + (2 * Math.PI * index) / count;
    return [Math.cos(angle), Math.sin(angle)] as const;
  });
}

/** Noise of the receiver and of its converter over full scale, per Hz; a loopback of the part has the latter alone. */
export function noiseDensity(
  { budget }: Truth,
  isAnalog: boolean,
): { readonly thermal: number; readonly converter: number } {
  const toFullScale = budget.gainDb - MODEL.fullScaleDbm;
  const converter = fromDecibels(budget.converterDbmPerHz + toFullScale);
  const floor = isAnalog ? fromDecibels(budget.noiseDbmPerHz + toFullScale) : converter;
  return { thermal: Math.max(0, floor - converter), converter };
}

/** What spoils each symbol beyond the floor, over the power of a symbol. */
export function symbolNoise(truth: Truth): number {
  const { peak, beneath } = signalDensity(truth);
  return peak === 0 ? 0 : beneath / peak;
}

/** Power per Hz over full scale, of the signal at its middle and of what lies beneath and around it. */
export function signalDensity(truth: Truth) {
  const { budget, baud, signal, transmitting } = truth;
  const isAnalog = truth.target === 'air' || truth.target === 'none';
  const level = isAnalog ? budget.levelDbfs : MODEL.automaticGainDb;
  const total = signal && transmitting ? fromDecibels(Math.min(level, 0)) : 0;
  const spoiled = fromDecibels(-truth.esN0Db);
  const isClipped = isAnalog && level > -MODEL.headroomDb;
  // Clipped, signal and what clipping makes of it share what the converter holds (waves.P3).
  const peak = total / (baud || 1) / (isClipped ? 1 + spoiled : 1);
  const noise = noiseDensity(truth, isAnalog);
  // What spoils the symbols beyond the floor lies under the signal; what is clipped, over three times its width.
  const beneath = Math.max(0, peak * spoiled - noise.thermal - noise.converter);
  return { isAnalog, isClipped, peak, beneath, ...noise };
}
