/**
 * Which limits the recorded flight of NOAA-20 crosses, read from the bytes of the recording alone: a packet every 71
 * bytes, big-endian floats at fixed places. Nothing of the service is used, so that what the service says can be held
 * against it.
 */

import { readFileSync } from 'node:fs';

const PACKET_BYTES = 71;
const RECORDING = new URL('../../missions/demo/recordings/noaa20-geolocation.ccsds', import.meta.url);

/** Where the fields begin in a packet. */
const FLOATS = {
  adgpsposx: 23,
  adgpsposy: 27,
  adgpsposz: 31,
  adgpsvelx: 35,
  adgpsvely: 39,
  adgpsvelz: 43,
} as const;
const QUATERNION = [55, 59, 63, 67];

export interface RecordedLimits {
  readonly soft: readonly [number, number];
  readonly hard: readonly [number, number];
}

export type RecordedMeasure = keyof typeof FLOATS | 'norm';

/** `norm` is the sum of the squares of the quaternion. */
export const NOAA20_LIMITS: Readonly<Record<RecordedMeasure, RecordedLimits>> = {
  adgpsposx: { soft: [-6_500_000, 6_500_000], hard: [-7_100_000, 7_000_000] },
  adgpsposy: { soft: [-1_500_000, 2_000_000], hard: [-1_700_000, 2_750_000] },
  adgpsposz: { soft: [-6_000_000, 6_800_000], hard: [-7_000_000, 7_110_000] },
  adgpsvelx: { soft: [-6_000, 6_000], hard: [-7_200, 7_500] },
  adgpsvely: { soft: [-2_000, 1_500], hard: [-2_600, 1_800] },
  adgpsvelz: { soft: [-7_000, 6_500], hard: [-7_350, 7_350] },
  norm: { soft: [0.99999997, 1.00000003], hard: [0.99999994, 1.00000006] },
};

export interface RecordedTransition {
  readonly measure: string;
  readonly packet: number;
  readonly severity: 'warning' | 'critical' | null;
  readonly value: number;
}

/** Every transition of every measure, by packet and then by name; the first packet says how each begins. */
export function recordedTransitions(): RecordedTransition[] {
  const bytes = readFileSync(RECORDING);
  const standing: Record<string, string | null> = {};
  const found: RecordedTransition[] = [];
  const measures = Object.keys(NOAA20_LIMITS).sort() as RecordedMeasure[];
  for (let packet = 0; packet < bytes.length / PACKET_BYTES; packet += 1) {
    const of = bytes.subarray(packet * PACKET_BYTES, (packet + 1) * PACKET_BYTES);
    for (const measure of measures) {
      const value = valueIn(of, measure);
      const severity = severityOf(value, NOAA20_LIMITS[measure]);
      if (standing[measure] !== severity) found.push({ measure, packet, severity, value });
      standing[measure] = severity;
    }
  }
  return found;
}

/** The norm in every packet. */
export function recordedNorms(): number[] {
  const bytes = readFileSync(RECORDING);
  return Array.from({ length: bytes.length / PACKET_BYTES }, (_, packet) =>
    valueIn(bytes.subarray(packet * PACKET_BYTES, (packet + 1) * PACKET_BYTES), 'norm'),
  );
}

function valueIn(packet: Buffer, measure: RecordedMeasure): number {
  if (measure !== 'norm') return packet.readFloatBE(FLOATS[measure]);
  let norm = 0;
  for (const at of QUATERNION) norm += packet.readFloatBE(at) * packet.readFloatBE(at);
  return norm;
}

function severityOf(value: number, { soft, hard }: RecordedLimits): 'warning' | 'critical' | null {
  if (value < hard[0] || value > hard[1]) return 'critical';
  return value < soft[0] || value > soft[1] ? 'warning' : null;
}
