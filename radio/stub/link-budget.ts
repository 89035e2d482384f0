/**
 * The link budget of the model: from attenuation, loss, gain and noise to Eb/N0, in dB. RF Bench Service, section 1.
 * Pure.
 *
 * Simplified: noise is white, losses do not depend on frequency, clipping and filters that are too narrow act as a
 * bound of Es/N0 instead of distorting the signal.
 *
 * B1. In a loopback no gain, attenuation or oscillator counts.
 */

import { fromDecibels, toDecibels } from '../modulation.ts';
import { MODEL } from './constants.ts';

export interface LinkSettings {
  /** LO of the transmitter and of the receiver. */
  readonly txHz: number;
  readonly rxHz: number;
  readonly attenuationDb: number;
  readonly lossDb: number;
  /** Of the receiver; undefined where it settles by itself. */
  readonly gainDb: number | undefined;
  readonly gainRange: { readonly least: number; readonly most: number };
  readonly sampleRate: number;
  readonly baud: number;
  readonly bitsPerSymbol: number;
  readonly codeRate: number;
  readonly rolloff: number;
  /** The narrower of the two analog filters, as they really are. */
  readonly bandwidthHz: number;
}

export interface LinkBudget {
  readonly receivedDbm: number;
  readonly gainDb: number;
  /** Per useful bit. */
  readonly ebN0Db: number;
  /** Per symbol on the air. */
  readonly esN0Db: number;
  /** Of the signal below the full scale of the converter; above 0 it clips. */
  readonly levelDbfs: number;
  /** All noise as seen from the connector, per Hz, and the part of it that the converter adds. */
  readonly noiseDbmPerHz: number;
  readonly converterDbmPerHz: number;
}

/** The budget from connector to connector. */
export function linkBudget(link: LinkSettings): LinkBudget {
  const receivedDbm = overFrequency(MODEL.outputPower, link.txHz) - link.attenuationDb - link.lossDb;
  const gainDb = link.gainDb ?? settledGain(receivedDbm, link.gainRange);
  const levelDbfs = receivedDbm - (MODEL.fullScaleDbm - gainDb);
  const converterDbmPerHz = MODEL.fullScaleDbm - gainDb - MODEL.converterSnrDb - toDecibels(link.sampleRate);
  const thermalDbmPerHz = -174 + overFrequency(MODEL.noiseFigure, link.rxHz);
  const noiseDbmPerHz = toDecibels(fromDecibels(thermalDbmPerHz) + fromDecibels(converterDbmPerHz));
  const perBit = toDecibels(link.bitsPerSymbol * link.codeRate);
  const offered = receivedDbm - toDecibels(link.baud) - noiseDbmPerHz - MODEL.implementationLossDb;
  const esN0Db = Math.min(offered, bestEsN0(link, levelDbfs));
  const ratios = { ebN0Db: esN0Db - perBit, esN0Db };
  return { receivedDbm, gainDb, levelDbfs, noiseDbmPerHz, converterDbmPerHz, ...ratios };
}

function bestEsN0({ baud, rolloff, bandwidthHz }: LinkSettings, levelDbfs: number): number {
  const clipped = Math.max(0, levelDbfs + MODEL.headroomDb);
  const cutOff = Math.max(0, 1 - bandwidthHz / (baud * (1 + rolloff)));
  return MODEL.vectorErrorDb - MODEL.clippingSlope * clipped - MODEL.cutOffDb * cutOff;
}

function settledGain(receivedDbm: number, { least, most }: LinkSettings['gainRange']): number {
  const wanted = Math.round(MODEL.fullScaleDbm + MODEL.automaticGainDb - receivedDbm);
  return Math.min(most, Math.max(least, wanted));
}

/** Linear between the points, level beyond them. */
function overFrequency(points: readonly (readonly [number, number])[], hertz: number): number {
  const above = points.findIndex(([at]) => at >= hertz);
  if (above === -1) return points.at(-1)![1];
  if (above === 0) return points[0]![1];
  const [low, high] = [points[above - 1]!, points[above]!];
  return low[1] + ((high[1] - low[1]) * (hertz - low[0])) / (high[0] - low[0]);
}
