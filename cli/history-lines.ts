/**
 * The past of measures as lines of a terminal: a spark line, minimum, maximum, last value and number of samples of
 * each; and what is to be said beside them. Pure.
 *
 * L1. No line is wider than the terminal. The spark line takes what is left; where that is too little to see anything
 *     it has a line of its own.
 * L2. What is missing is said in words, whatever the line shows (spark.S2).
 */

import type { HistoryBuckets, HistorySamples } from '../contract/history-view.ts';
import { dayAndTime, dressed, lasting, momentText } from './pass-look.ts';
import { rangeOf, type SparkTime, sparkLine } from './spark.ts';
import { valueText } from './value-text.ts';

type Measure = HistoryBuckets['measures'][number];
type Beside = Pick<HistorySamples, 'gaps' | 'damaged' | 'thinned' | 'archive'>;

export interface HistoryLook {
  /** Of the terminal; undefined: nothing is cut. */
  readonly width: number | undefined;
  readonly colour: boolean;
  readonly local: boolean;
}

const GAP = '  ';
const SPARK_LEAST = 16;
const SPARK_USUAL = 60;
const SPARK_MOST = 200;
/** Gaps, and segments, that are said one by one. */
const SAID_MOST = 5;

interface Words {
  readonly name: string;
  readonly numbers: readonly string[];
  readonly unit: string;
}

export function historyLines(history: HistoryBuckets, look: HistoryLook): string[] {
  const time = { fromMs: Date.parse(history.from), toMs: Date.parse(history.to) };
  const words = history.measures.map((measure) => wordsOf(measure, look));
  const widths = [0, 1, 2, 3].map((at) =>
    Math.max(HEADINGS[at]!.length, ...words.map(({ numbers }) => numbers[at]!.length)),
  );
  const nameWidth = Math.max('measure'.length, ...words.map(({ name }) => name.length));
  const unitWidth = Math.max(0, ...words.map(({ unit }) => unit.length));
  const numbersWidth = widths.reduce((sum, each) => sum + each + GAP.length, 0) + GAP.length + unitWidth;
  const room = (look.width ?? Number.POSITIVE_INFINITY) - nameWidth - GAP.length - numbersWidth;
  const spark = look.width === undefined ? SPARK_USUAL : Math.min(SPARK_MOST, room);
  const isBelow = spark < SPARK_LEAST;
  const row = (name: string, line: string, numbers: readonly string[], unit: string): string => {
    const cells = numbers.map((text, at) => text.padStart(widths[at]!));
    const drawn = isBelow ? [] : [line.padEnd(spark)];
    return [name.padEnd(nameWidth), ...drawn, ...cells, unit].join(GAP).trimEnd();
  };
  const heading = row('measure', '', HEADINGS, '');
  const lines = history.measures.flatMap(({ buckets }, at) => {
    const { name, numbers, unit } = words[at]!;
    const own = isBelow ? Math.max(1, (look.width ?? SPARK_USUAL) - 1) : spark;
    const line = sparkLine(buckets, time, own);
    return [row(name, line, numbers, unit), ...(isBelow ? [line] : [])];
  });
  return [
    dressed(titleOf(history, time, look), 'bright', look),
    dressed(heading, 'dim', look),
    ...lines.map((line) => dressed(line, undefined, look)),
  ];
}

const HEADINGS = ['min', 'max', 'last', 'samples'] as const;

function titleOf(
  { target, width_ms, delivery }: HistoryBuckets,
  { fromMs, toMs }: SparkTime,
  { local }: HistoryLook,
): string {
  const [from, to] = [fromMs, toMs].map((ms) => dayAndTime(ms, local).join(' '));
  const width = width_ms < 1_000 ? `${width_ms} ms` : lasting(width_ms);
  return `${target}  ${from} to ${to}  ${delivery}  buckets of ${width}`;
}

/** Longest value shown: texts of a spacecraft may be of any length. */
const VALUE_CHARACTERS = 16;

function wordsOf({ name, unit = '', buckets }: Measure, _look: HistoryLook): Words {
  const range = rangeOf(buckets);
  const samples = buckets.reduce((sum, { n }) => sum + n, 0);
  const last = buckets.findLast(({ n }) => n > 0)?.last;
  const numbers = [shown(range?.min), shown(range?.max), shown(last), String(samples)];
  return { name, numbers, unit };
}

function shown(value: number | string | null | undefined): string {
  if (value === undefined) return '-';
  const text = valueText(value);
  return text.length > VALUE_CHARACTERS ? `${text.slice(0, VALUE_CHARACTERS - 1)}…` : text;
}

/** L2 */
export function saidBeside({ gaps, damaged, thinned, archive }: Beside, local: boolean): string[] {
  const at = (moment: string): string => momentText(moment, local);
  const lost = gaps.map(
    ({ from, to, positions: [first, last] }) =>
      `lost before it was archived: ${last - first + 1} messages of all targets, ${at(from)} to ${at(to)}`,
  );
  const broken = damaged.map(
    ({ positions: [first, last], reason }) => `positions ${first} to ${last} cannot be read: ${reason}`,
  );
  return [
    ...fewOf(lost, 'further gaps'),
    ...fewOf(broken, 'further segments'),
    ...(thinned ? ['samples of a part of this time are deleted by age: one-minute buckets are left'] : []),
    ...(archive.pending > 0
      ? [`the archive has ${archive.pending} messages still to read: the newest samples are missing`]
      : []),
    ...(archive.trouble === undefined
      ? []
      : [`the archive writes nothing at the moment: ${archive.trouble}`]),
  ];
}

function fewOf(said: readonly string[], further: string): string[] {
  const more = said.length - SAID_MOST;
  return more > 0 ? [...said.slice(0, SAID_MOST), `and ${more} ${further} (--json lists them)`] : [...said];
}

/** Of names that the catalogue does not have: one that is misspelt would look like calm. */
export function saidOfMeasures(
  measures: readonly { readonly name: string; readonly in_catalogue: boolean }[],
): string[] {
  return measures
    .filter(({ in_catalogue }) => !in_catalogue)
    .map(({ name }) => `the catalogue has no measure ${name}: only samples of an earlier one can be found`);
}
