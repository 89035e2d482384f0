/**
 * Two-line element sets, each with or without a line that names the satellite, any number in a file.
 *
 * L1. A set counts only as a whole: both checksums, one catalogue number, every number in its columns.
 * L2. After a faulty set reading continues at the next one: all faults of a file are found at once.
 */

import { ELEMENT_SETS } from '../../contract/limits/prediction.ts';
import type { Result } from '../../contract/result.ts';
import {
  type ElementsFault,
  ElementsFaults,
  elementRange,
  type OrbitalElements,
  quoted,
  satelliteName,
} from './elements.ts';

const LINE_CHARACTERS = 69;
/** Longest line kept as a name: the format has 24 characters, catalogues write some more. */
const NAME_LINE_CHARACTERS = 128;
const DAY_MS = 86_400_000;
/** Two digits of the year: the first satellite is of 1957. */
const FIRST_YEAR = 57;
/** Letters that stand for the hundred thousands of a catalogue number; I and O would look like digits. */
const ALPHA_5 = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
const SGP4_XP = '4';

const LINE = /^([12]) [ \dA-HJ-NP-Z][ \d]{4}[ A-Z]/;
const DECIMAL = /^ *[+-]?\d{0,4}\.\d{1,10} *$/;
/** ` 11066-3`: a sign, digits behind the decimal point, a power of ten. */
const EXPONENTIAL = /^[ +-]\d{5}[+-]\d$/;

interface Field {
  readonly name: string;
  /** Columns as people count them: from 1, both included. */
  readonly columns: readonly [first: number, last: number];
  readonly form: RegExp;
  readonly example: string;
}

const NUMBER: Field = {
  name: 'catalogue number',
  columns: [3, 7],
  form: /^[ \dA-HJ-NP-Z][ \d]{3}\d$/,
  example: '25544',
};
const FIRST_LINE = {
  number: NUMBER,
  year: { name: 'year of the epoch', columns: [19, 20], form: /^\d\d$/, example: '24' },
  day: { name: 'day of the epoch', columns: [21, 32], form: DECIMAL, example: '135.45777498' },
  drag: { name: 'BSTAR', columns: [54, 61], form: EXPONENTIAL, example: ' 33405-3' },
} as const satisfies Record<string, Field>;
const SECOND_LINE = {
  number: NUMBER,
  inclination: { name: 'inclination', columns: [9, 16], form: DECIMAL, example: ' 51.6380' },
  node: { name: 'ascending node', columns: [18, 25], form: DECIMAL, example: '122.5937' },
  eccentricity: { name: 'eccentricity', columns: [27, 33], form: /^[ \d]{6}\d$/, example: '0003304' },
  perigee: { name: 'argument of perigee', columns: [35, 42], form: DECIMAL, example: '165.6753' },
  anomaly: { name: 'mean anomaly', columns: [44, 51], form: DECIMAL, example: '330.8797' },
  motion: { name: 'mean motion', columns: [53, 63], form: DECIMAL, example: '15.51306217' },
} as const satisfies Record<string, Field>;

/** Every set of the text; refuses with all faults of the file. */
export function readTle(text: string): Result<readonly OrbitalElements[], ElementsFault> {
  const faults = new ElementsFaults();
  const sets: OrbitalElements[] = [];
  const lines = text.split(/\r\n|[\r\n]/).map((line) => line.trimEnd());
  let name = '';
  for (let at = 0; at < lines.length && sets.length <= ELEMENT_SETS; at += 1) {
    const line = lines[at]!;
    if (line === '') continue;
    if (!LINE.test(line)) {
      if (name !== '') missingSet(faults, at, name);
      name = line;
      if (line.length > NAME_LINE_CHARACTERS) notElements(faults, at + 1, line);
      continue;
    }
    const second = lines[at + 1] ?? '';
    if (!line.startsWith('1') || !(LINE.test(second) && second.startsWith('2'))) {
      lonely(faults, at + 1, line);
    } else {
      const set = setOf(name, [line, second], at + 1, faults);
      if (set !== undefined) sets.push(set);
      at += 1;
    }
    name = '';
  }
  if (name !== '') missingSet(faults, lines.length, name);
  return faults.or(sets);
}

function missingSet(faults: ElementsFaults, line: number, name: string): void {
  faults.add(
    line,
    `no element lines follow the name ${quoted(name)}`,
    'a set is two lines of 69 characters that begin with "1 " and "2 "; write them one after the other, below the name',
  );
}

function notElements(faults: ElementsFaults, line: number, text: string): void {
  faults.add(line, `${quoted(text)} is neither a name nor an element line`, 'give OMM (JSON or KVN) or TLE');
}

function lonely(faults: ElementsFaults, line: number, text: string): void {
  const missing = text.startsWith('1') ? 'line 2 does not follow line 1' : 'line 2 stands without its line 1';
  faults.add(line, `${missing} of the element set`, 'write both lines, the first directly above the second');
}

/** The elements of two lines, of which the first is `at`; undefined after a fault. */
function setOf(
  name: string,
  [first, second]: readonly [string, string],
  at: number,
  faults: ElementsFaults,
): OrbitalElements | undefined {
  const before = faults.found;
  checkLine(first, at, faults);
  checkLine(second, at + 1, faults);
  if (faults.found > before) return undefined;
  checkFields(first, FIRST_LINE, at, faults);
  checkFields(second, SECOND_LINE, at + 1, faults);
  if (faults.found > before) return undefined;
  checkMeaning(first, second, at, faults);
  const elements = elementsOf(name, first, second);
  checkRanges(elements, at, faults);
  return faults.found > before ? undefined : elements;
}

function checkLine(line: string, at: number, faults: ElementsFaults): void {
  if (line.length !== LINE_CHARACTERS) {
    const message = `an element line has ${LINE_CHARACTERS} characters, this one ${line.length}`;
    faults.add(at, message, 'copy the line whole, with every blank in it');
    return;
  }
  const sum = checksumOf(line);
  if (line[LINE_CHARACTERS - 1] === String(sum)) return;
  faults.add(
    at,
    `the checksum is ${quoted(line.slice(-1))}, of this line it would be ${sum}`,
    'a character of the line is wrong: fetch the set again',
  );
}

/** Last digit of the sum of all digits before the checksum, each minus counting one. */
export function checksumOf(line: string): number {
  let sum = 0;
  for (const character of line.slice(0, LINE_CHARACTERS - 1)) {
    if (character >= '0' && character <= '9') sum += Number(character);
    else if (character === '-') sum += 1;
  }
  return sum % 10;
}

function checkFields(
  line: string,
  fields: Readonly<Record<string, Field>>,
  at: number,
  faults: ElementsFaults,
): void {
  for (const field of Object.values(fields)) {
    const text = textOf(line, field);
    if (field.form.test(text)) continue;
    const [first, last] = field.columns;
    faults.add(
      at,
      `columns ${first} to ${last} (${field.name}) are ${quoted(text)}`,
      `written like ${quoted(field.example)}`,
    );
  }
}

function checkMeaning(first: string, second: string, at: number, faults: ElementsFaults): void {
  const numbers = [first, second].map((line) => textOf(line, NUMBER));
  if (numbers[0] !== numbers[1]) {
    const message = `the lines are of two satellites, ${numbers[0]} and ${numbers[1]}`;
    faults.add(at + 1, message, 'put together the lines of one set');
  }
  if (first[62] === SGP4_XP)
    faults.add(at, 'the elements are for SGP4-XP (ephemeris type 4)', 'ask for elements of SGP4');
  const day = numberOf(first, FIRST_LINE.day);
  if (day < 1 || day >= 367) faults.add(at, `there is no day ${day} in a year`, 'days count from 1 to 366');
}

function checkRanges(elements: OrbitalElements, at: number, faults: ElementsFaults): void {
  const second = ['inclinationDeg', 'ascendingNodeDeg', 'argumentOfPerigeeDeg', 'meanAnomalyDeg'] as const;
  for (const element of [...second, 'eccentricity', 'meanMotionRevPerDay'] as const) {
    const { fits, what } = elementRange(element, elements[element]);
    if (!fits) faults.add(at + 1, `${element} is ${elements[element]}`, `it is ${what}`);
  }
}

function elementsOf(name: string, first: string, second: string): OrbitalElements {
  const years = numberOf(first, FIRST_LINE.year);
  const year = years + (years < FIRST_YEAR ? 2000 : 1900);
  const catalogueNumber = catalogueNumberOf(textOf(first, NUMBER));
  return {
    name: satelliteName(name.replace(/^0 /, ''), catalogueNumber),
    catalogueNumber,
    epochMs: Date.UTC(year, 0, 1) + (numberOf(first, FIRST_LINE.day) - 1) * DAY_MS,
    meanMotionRevPerDay: numberOf(second, SECOND_LINE.motion),
    eccentricity: Number(`0.${textOf(second, SECOND_LINE.eccentricity).replaceAll(' ', '0')}`),
    inclinationDeg: numberOf(second, SECOND_LINE.inclination),
    ascendingNodeDeg: numberOf(second, SECOND_LINE.node),
    argumentOfPerigeeDeg: numberOf(second, SECOND_LINE.perigee),
    meanAnomalyDeg: numberOf(second, SECOND_LINE.anomaly),
    dragPerEarthRadius: exponential(textOf(first, FIRST_LINE.drag)),
  };
}

function textOf(line: string, { columns: [first, last] }: Field): string {
  return line.slice(first - 1, last);
}

function numberOf(line: string, field: Field): number {
  return Number(textOf(line, field));
}

function exponential(text: string): number {
  return Number(`${text[0] === '-' ? '-' : ''}0.${text.slice(1, 6)}e${text.slice(6)}`);
}

function catalogueNumberOf(text: string): number {
  const letter = ALPHA_5.indexOf(text[0]!);
  return letter === -1 ? Number(text) : (letter + 10) * 10_000 + Number(text.slice(1));
}
