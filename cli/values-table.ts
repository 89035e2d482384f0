/**
 * The current values of a target as a table: a row for each measure with its value, unit, age and what is to be said of
 * it. Pure: what time it is and how wide the terminal is are given. Mission Control Service, sections 2.2 and 2.4
 * (limits).
 *
 * T1. The catalogue decides the order and samples fill it in. A component that never said anything has no rows, unless
 *     it is asked for by name: then a row is missing nowhere.
 * T2. Nothing is said by colour alone: a value past its limits bears a word, and so does one that is deferred or
 *     unknown.
 * T3. What comes from a spacecraft is text to show: no control character of it reaches the terminal.
 * T4. A line is never wider than the terminal, and shows where it was cut.
 */

import type { CatalogueView, MeasureView } from '../contract/catalogue.ts';
import { numberIn } from '../contract/shown-value.ts';
import type { CurrentValue, Sample } from '../contract/value.ts';
import { parseSelectors, type Selector } from '../mission/selector.ts';
import type { LiveTable, TableLook } from './live-view.ts';
import { printable } from './printable.ts';
import { valueText } from './value-text.ts';

interface Row {
  readonly name: string;
  readonly component: string;
  readonly measure: Pick<MeasureView, 'type' | 'unit' | 'soft' | 'hard'> | undefined;
  sample: Sample | undefined;
}

type Colour = 'red' | 'yellow' | 'dim' | 'plain';

const CODES: Readonly<Record<Colour, string>> = { red: '31', yellow: '33', dim: '2', plain: '' };
const ESCAPE = '\u001b';
/**
 * Longest value shown: bytes and texts may be of any length, and the columns behind them are looked for at one place.
 */
const VALUE_CHARACTERS = 20;
const AGE_CHARACTERS = 7;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export class ValuesTable implements LiveTable<CurrentValue> {
  readonly #rows: Row[];
  readonly #known: ReadonlyMap<string, MeasureView>;
  readonly #byName = new Map<string, Row>();
  /** Components with rows. */
  readonly #speaking: Set<string>;

  /** The measures of the catalogue that the selectors mean; every one without selectors. */
  constructor(catalogue: CatalogueView, selectors: string) {
    const parsed = parseSelectors(selectors);
    const wanted = parsed.ok ? parsed.value : [];
    const files = catalogue.files?.component;
    // A file has rows once it is known (T1).
    const places = measuresOf(catalogue).filter(
      ({ place }) => place.component !== files && isWanted(place, wanted),
    );
    this.#known = measuresByName(catalogue);
    this.#speaking = new Set(wanted.length === 0 ? [] : places.map(({ place }) => place.component));
    this.#rows = places.map(({ place, measure }) => {
      const { component } = place;
      const row: Row = { name: nameOf(place), component, measure, sample: undefined };
      this.#byName.set(row.name, row);
      return row;
    });
  }

  /** Takes a value up; one the catalogue does not have, and one of a file, gets a row at the end. */
  take(value: CurrentValue): void {
    const name = nameOf(value);
    const { component, sample } = value;
    this.#speaking.add(component);
    const known = this.#byName.get(name);
    if (known !== undefined) {
      known.sample = sample;
      return;
    }
    const row: Row = { name, component, measure: measureOf(value, this.#known), sample };
    this.#byName.set(name, row);
    this.#rows.push(row);
  }

  /** Rows there are. */
  get size(): number {
    return this.#shown().length;
  }

  /** Measures that could be received. */
  get known(): number {
    return this.#rows.length;
  }

  /** Measures that were ever received. */
  get heard(): number {
    return this.#rows.filter(({ sample }) => sample !== undefined).length;
  }

  heading({ width, colour }: TableLook): string {
    const line = columns(this.#widths(), 'measure', 'value', '', 'age', '');
    return dressed(line, 'dim', { width, colour });
  }

  /** The lines of `count` rows from `first`. */
  lines(first: number, count: number, now: number, look: TableLook): string[] {
    const widths = this.#widths();
    return this.#shown()
      .slice(first, first + count)
      .map((row) => rowLine(row, widths, now, look));
  }

  #shown(): readonly Row[] {
    return this.#rows.filter(({ component }) => this.#speaking.has(component));
  }

  /** Of every row there may be: columns stay where they are. */
  #widths(): Widths {
    return {
      name: Math.max(7, ...this.#rows.map(({ name }) => name.length)),
      unit: Math.max(0, ...this.#rows.map(({ measure }) => measure?.unit?.length ?? 0)),
    };
  }
}

/** A value as one line of its own, for a reader that is no terminal. */
export function valueLine(value: CurrentValue, measure: MeasureView | undefined): string {
  const { sample } = value;
  const unit = measure?.unit === undefined ? '' : ` ${measure.unit}`;
  const words = [
    sample.ground_time,
    nameOf(value),
    `${valueText(sample.value)}${unit}`,
    ...remarks(sample, measure),
  ];
  return clean(words.join('  '));
}

/** The measures of a catalogue, as `valueLine` needs them. */
export function measuresByName(catalogue: CatalogueView): ReadonlyMap<string, MeasureView> {
  return new Map(measuresOf(catalogue).map(({ place, measure }) => [nameOf(place), measure]));
}

/** The selectors that name no measure of the catalogue: nothing would ever come of them. */
export function unmatched(catalogue: CatalogueView, selectors: readonly Selector[]): Selector[] {
  const files = catalogue.files?.component;
  const places = measuresOf(catalogue).map(({ place }) => place);
  return selectors.filter((selector) => {
    const { instance: _, ...anyInstance } = selector;
    // Files come and go: a file that is not there yet may be watched for.
    return !places.some((place) => isWanted(place, [place.component === files ? anyInstance : selector]));
  });
}

/** What the catalogue says of a value; of a file it has what holds for every file. */
export function measureOf(
  value: CurrentValue,
  known: ReadonlyMap<string, MeasureView>,
): MeasureView | undefined {
  return known.get(nameOf(value)) ?? known.get(`${value.component}.${value.measure}`);
}

/** `component[instance].measure` */
export function nameOf({ component, instance, measure }: Place): string {
  return `${component}${instance === undefined ? '' : `[${instance}]`}.${measure}`;
}

interface Place {
  readonly component: string;
  readonly instance?: string;
  readonly measure: string;
}

interface Widths {
  readonly name: number;
  readonly unit: number;
}

function measuresOf({ components }: CatalogueView): { place: Place; measure: MeasureView }[] {
  return components.flatMap(({ name: component, instances, measures }) => {
    const places = instances.length === 0 ? [{}] : instances.map((instance) => ({ instance }));
    return places.flatMap((place) =>
      measures.map((measure) => ({ place: { component, ...place, measure: measure.name }, measure })),
    );
  });
}

function isWanted(place: Place, selectors: readonly Selector[]): boolean {
  const matches = ({ component, instance, measure }: Selector): boolean =>
    measure === place.measure &&
    (component === undefined || component === place.component) &&
    (instance === undefined || instance === place.instance);
  return selectors.length === 0 || selectors.some(matches);
}

function rowLine({ name, measure, sample }: Row, widths: Widths, now: number, look: TableLook): string {
  const unit = measure?.unit ?? '';
  if (sample === undefined) return dressed(columns(widths, name, '-', unit, 'never', ''), 'dim', look);
  const age = ageText(now - Date.parse(sample.ground_time));
  const line = columns(widths, name, valueText(sample.value), unit, age, remarks(sample, measure).join(', '));
  return dressed(line, colourOf(sample, measure), look);
}

function columns(
  { name, unit }: Widths,
  ...[measure, value, of, age, said]: [string, string, string, string, string]
): string {
  const shown = clean(value);
  const fitting = shown.length > VALUE_CHARACTERS ? `${shown.slice(0, VALUE_CHARACTERS - 1)}…` : shown;
  const words = [
    measure.padEnd(name),
    fitting.padStart(VALUE_CHARACTERS),
    of.padEnd(unit),
    age.padStart(AGE_CHARACTERS),
  ];
  return `${words.join('  ')}  ${said}`.trimEnd();
}

/** T2 */
function remarks(sample: Sample, measure: Row['measure']): string[] {
  const limit = pastLimits(sample.value, measure);
  return [
    ...(sample.value === null ? ['unknown'] : []),
    ...(limit === undefined ? [] : [`${limit} limit`]),
    ...(sample.delivery === 'deferred' ? ['deferred'] : []),
  ];
}

function colourOf(sample: Sample, measure: Row['measure']): Colour {
  const limit = pastLimits(sample.value, measure);
  if (limit !== undefined) return limit === 'hard' ? 'red' : 'yellow';
  return sample.value === null || sample.delivery === 'deferred' ? 'dim' : 'plain';
}

function pastLimits(value: Sample['value'], measure: Row['measure']): 'soft' | 'hard' | undefined {
  const number = numberIn(value);
  if (number === undefined || measure === undefined) return undefined;
  const isPast = (limits: MeasureView['soft']): boolean =>
    limits !== undefined &&
    ((limits[0] !== null && number < limits[0]) || (limits[1] !== null && number > limits[1]));
  if (isPast(measure.hard)) return 'hard';
  return isPast(measure.soft) ? 'soft' : undefined;
}

/** A sample from a clock ahead of this one is new. */
function ageText(ageMs: number): string {
  const ms = Math.max(0, ageMs);
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  return ms < DAY_MS ? `${Math.floor(ms / HOUR_MS)} h` : `${Math.floor(ms / DAY_MS)} d`;
}

function clean(text: string): string {
  return printable(text);
}

/** T4 */
function dressed(line: string, colour: Colour, { width, colour: colours }: TableLook): string {
  const fits = line.length > width ? `${line.slice(0, Math.max(0, width - 1))}…` : line;
  return colours && CODES[colour] !== '' ? `${ESCAPE}[${CODES[colour]}m${fits}${ESCAPE}[0m` : fits;
}
