/**
 * The fields of an Orbit Mean Elements Message (CCSDS 502.0-B, section 4) as elements, whether they came as JSON or as
 * KVN. Other fields are left alone: catalogues add many of their own.
 */

import {
  type ElementsFaults,
  elementRange,
  type OrbitalElements,
  quoted,
  satelliteName,
} from './elements.ts';

/** A field as it was read: text or number, with the line it stands in and, in KVN, its unit. */
export interface OmmField {
  readonly value: unknown;
  readonly line: number;
  readonly unit?: string;
}

export interface OmmMessage {
  readonly fields: ReadonlyMap<string, OmmField>;
  /** Where the message begins. */
  readonly line: number;
  /** How people find it in the file. */
  readonly place: string;
}

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/;
/** More digits than a double holds. */
const NUMBER_CHARACTERS = 40;
const EPOCH = /^(\d{4})-(?:(\d{2})-(\d{2})|(\d{3}))T(\d{2}):(\d{2}):(\d{2}(?:\.\d{0,15})?)(?:Z|\+00:00)?$/;

type Key = keyof typeof KEYS;
const KEYS = {
  MEAN_MOTION: { element: 'meanMotionRevPerDay', unit: 'rev/day' },
  ECCENTRICITY: { element: 'eccentricity', unit: undefined },
  INCLINATION: { element: 'inclinationDeg', unit: 'deg' },
  RA_OF_ASC_NODE: { element: 'ascendingNodeDeg', unit: 'deg' },
  ARG_OF_PERICENTER: { element: 'argumentOfPerigeeDeg', unit: 'deg' },
  MEAN_ANOMALY: { element: 'meanAnomalyDeg', unit: 'deg' },
  BSTAR: { element: 'dragPerEarthRadius', unit: '1/ER' },
  NORAD_CAT_ID: { element: 'catalogueNumber', unit: undefined },
} as const;

/** What the message is in, where it says so: the one frame, time system and theory that SGP4 has. */
const FIXED: Readonly<Record<string, readonly string[]>> = {
  CENTER_NAME: ['EARTH'],
  REF_FRAME: ['TEME'],
  TIME_SYSTEM: ['UTC'],
  MEAN_ELEMENT_THEORY: ['SGP4', 'SGP/SGP4'],
};
/** Ephemeris types that are other models. */
const OTHER_MODELS: ReadonlySet<string> = new Set(['4', '6']);

/** The elements of the message; undefined after a fault. */
export function elementsOfOmm(message: OmmMessage, faults: ElementsFaults): OrbitalElements | undefined {
  const before = faults.found;
  checkFixed(message, faults);
  const numbers = Object.fromEntries(
    Object.keys(KEYS).map((key) => [KEYS[key as Key].element, numberOf(key as Key, message, faults)]),
  ) as unknown as Omit<OrbitalElements, 'name' | 'epochMs'>;
  const epochMs = epochOf(message, faults);
  if (faults.found > before || epochMs === undefined) return undefined;
  const name = message.fields.get('OBJECT_NAME')?.value;
  return {
    name: satelliteName(typeof name === 'string' ? name : '', numbers.catalogueNumber),
    ...numbers,
    epochMs,
  };
}

function checkFixed({ fields, place }: OmmMessage, faults: ElementsFaults): void {
  for (const [key, allowed] of Object.entries(FIXED)) {
    const field = fields.get(key);
    if (field === undefined || allowed.includes(String(field.value).toUpperCase())) continue;
    const message = `${place}: ${key} is ${quoted(String(field.value))}`;
    faults.add(field.line, message, `predictions take ${key} = ${allowed[0]}`);
  }
  const type = fields.get('EPHEMERIS_TYPE');
  if (type !== undefined && OTHER_MODELS.has(String(type.value)))
    faults.add(type.line, `${place}: EPHEMERIS_TYPE ${type.value} is not SGP4`, 'ask for elements of SGP4');
}

function numberOf(key: Key, { fields, line, place }: OmmMessage, faults: ElementsFaults): number {
  const { element, unit } = KEYS[key];
  const field = fields.get(key);
  if (field === undefined) {
    faults.add(line, `${place}: ${key} is missing`, 'SGP4 needs every mean element; fetch the message again');
    return Number.NaN;
  }
  const value = plainNumber(field.value);
  const { fits, what } = elementRange(element, value);
  if (field.unit !== undefined && field.unit.toLowerCase() !== unit?.toLowerCase()) {
    const help = unit === undefined ? 'it has no unit' : `write it in [${unit}]`;
    faults.add(field.line, `${place}: ${key} is in [${field.unit}]`, help);
  } else if (!fits)
    faults.add(field.line, `${place}: ${key} is ${quoted(String(field.value))}`, `write a number ${what}`);
  return value;
}

/** Catalogues write numbers as numbers or as text. */
function plainNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  const isNumber = typeof value === 'string' && value.length <= NUMBER_CHARACTERS && NUMBER.test(value);
  return isNumber ? Number(value) : Number.NaN;
}

function epochOf({ fields, line, place }: OmmMessage, faults: ElementsFaults): number | undefined {
  const field = fields.get('EPOCH');
  const epochMs = field === undefined ? undefined : parseEpoch(String(field.value));
  if (field === undefined) faults.add(line, `${place}: EPOCH is missing`, 'fetch the message again');
  else if (epochMs === undefined || !elementRange('epochMs', epochMs).fits)
    faults.add(
      field.line,
      `${place}: EPOCH is ${quoted(String(field.value))}`,
      'write it in UTC like 2024-06-24T17:40:54.552864',
    );
  return epochMs;
}

/** UTC of a CCSDS time code, calendar or day of the year, to its last digit; undefined for anything else. */
export function parseEpoch(text: string): number | undefined {
  const found = EPOCH.exec(text);
  if (found === null) return undefined;
  const [year, month, day, dayOfYear, hour, minute, second] = found.slice(1).map(Number);
  const isDate = Number.isNaN(dayOfYear);
  const date = isDate ? Date.UTC(year!, month! - 1, day!) : Date.UTC(year!, 0, dayOfYear!);
  const sameDay = isDate
    ? new Date(date).getUTCMonth() === month! - 1
    : dayOfYear! >= 1 && new Date(date).getUTCFullYear() === year;
  if (!sameDay || hour! > 23 || minute! > 59 || second! >= 60) return undefined;
  return date + (hour! * 3_600 + minute! * 60 + second!) * 1_000;
}
