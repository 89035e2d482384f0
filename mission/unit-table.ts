/**
 * The table of units: dimension, scale to the coherent unit of the dimension, SI prefixes allowed, offset. Closed: a
 * unit that is not here does not exist, apart from a unit per time (unit.U3).
 */

/** Exponents of m, kg, s, A, K, deg, bit, dB, absolute temperature, absolute power level. */
type Powers = readonly number[];

export const DIMENSIONS: Readonly<Record<string, Powers>> = {
  voltage: [2, 1, -3, -1, 0, 0, 0, 0, 0, 0],
  current: [0, 0, 0, 1, 0, 0, 0, 0, 0, 0],
  power: [2, 1, -3, 0, 0, 0, 0, 0, 0, 0],
  energy: [2, 1, -2, 0, 0, 0, 0, 0, 0, 0],
  charge: [0, 0, 1, 1, 0, 0, 0, 0, 0, 0],
  angle: [0, 0, 0, 0, 0, 1, 0, 0, 0, 0],
  'angular rate': [0, 0, -1, 0, 0, 1, 0, 0, 0, 0],
  time: [0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
  frequency: [0, 0, -1, 0, 0, 0, 0, 0, 0, 0],
  length: [1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  speed: [1, 0, -1, 0, 0, 0, 0, 0, 0, 0],
  temperature: [0, 0, 0, 0, 0, 0, 0, 0, 1, 0],
  'temperature difference': [0, 0, 0, 0, 1, 0, 0, 0, 0, 0],
  pressure: [-1, 1, -2, 0, 0, 0, 0, 0, 0, 0],
  field: [0, 1, -2, -1, 0, 0, 0, 0, 0, 0],
  data: [0, 0, 0, 0, 0, 0, 1, 0, 0, 0],
  'bit rate': [0, 0, -1, 0, 0, 0, 1, 0, 0, 0],
  ratio: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  'level difference': [0, 0, 0, 0, 0, 0, 0, 1, 0, 0],
  'power level': [0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
};

export const PREFIXES: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  µ: 1e-6,
  m: 1e-3,
  c: 1e-2,
  h: 1e2,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

export type Row = readonly [
  dimension: string,
  scale: number | readonly [number, number],
  prefixes?: string,
  offset?: number,
];

const DATA_PREFIXES = 'k M G T Ki Mi Gi Ti';
export const TABLE: Readonly<Record<string, Row>> = {
  V: ['voltage', 1, 'u µ m k'],
  A: ['current', 1, 'n u µ m k'],
  W: ['power', 1, 'u µ m k M'],
  J: ['energy', 1, 'm k M'],
  Wh: ['energy', 3600, 'm k'],
  C: ['charge', 1, 'm'],
  Ah: ['charge', 3600, 'm'],
  deg: ['angle', 1, 'm'],
  '°': ['angle', 1],
  rad: ['angle', 180 / Math.PI, 'u µ m'],
  arcmin: ['angle', [1, 60]],
  arcsec: ['angle', [1, 3600]],
  'deg/s': ['angular rate', 1, 'm'],
  '°/s': ['angular rate', 1],
  'rad/s': ['angular rate', 180 / Math.PI, 'u µ m'],
  rpm: ['angular rate', 6],
  s: ['time', 1, 'u µ m'],
  min: ['time', 60],
  h: ['time', 3600],
  d: ['time', 86_400],
  Hz: ['frequency', 1, 'm k M G'],
  m: ['length', 1, 'n u µ m c k'],
  'm/s': ['speed', 1, 'm c k'],
  'km/h': ['speed', [1000, 3600]],
  K: ['temperature', 1, 'm'],
  degC: ['temperature', 1, '', 273.15],
  '°C': ['temperature', 1, '', 273.15],
  degF: ['temperature', [5, 9], '', 459.67],
  Pa: ['pressure', 1, 'm h k M'],
  bar: ['pressure', 100_000, 'u µ m'],
  T: ['field', 1, 'n u µ m'],
  bit: ['data', 1, DATA_PREFIXES],
  B: ['data', 8, DATA_PREFIXES],
  byte: ['data', 8],
  'bit/s': ['bit rate', 1, 'k M G'],
  bps: ['bit rate', 1, 'k M G'],
  'B/s': ['bit rate', 8, 'k M G'],
  '%': ['ratio', [1, 100]],
  dB: ['level difference', 1],
  dBm: ['power level', 1],
};
