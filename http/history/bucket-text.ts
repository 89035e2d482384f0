/**
 * Buckets as JSON and as lines of CSV, written by hand: a page that draws has thousands of them.
 *
 * K1. A bucket without samples is left out: nothing was sent. Where something of its time was lost it stands there with
 *     `n` 0 and `lost`, and `lost` stands too where others of its time came.
 */

import type { BucketColumn, Buckets } from '../../contract/history.ts';
import { BUCKET_FIELDS } from '../../contract/history-view.ts';
import type { BucketRows } from '../../ports/history-tables.ts';
import { InstantText } from './instant-text.ts';
import { mentioned, type Question } from './question.ts';
import { csvText, csvValue, jsonValue } from './value-text.ts';

/** Which buckets something of was lost. */
function lostBuckets({ start, width, gaps, measures }: Buckets): boolean[] {
  const count = measures[0]?.n.length ?? 0;
  const lost = new Array<boolean>(count).fill(false);
  for (const { from, to } of gaps) {
    const last = Math.min(count - 1, Math.floor((to - start) / width));
    for (let place = Math.max(0, Math.floor((from - start) / width)); place <= last; place += 1)
      lost[place] = true;
  }
  return lost;
}

/** The buckets that are listed, of each measure that is mentioned (K1). */
export function listedBuckets(
  question: Question,
  buckets: Buckets,
): (BucketRows & { readonly at: number })[] {
  const { start, width, measures } = buckets;
  const lost = lostBuckets(buckets);
  const has = ({ n }: BucketColumn): boolean => n.some((count) => count > 0);
  return mentioned(question, (place) => has(measures[place]!)).map((at) => {
    const column = measures[at]!;
    const places: number[] = [];
    for (let place = 0; place < column.n.length; place += 1)
      if (column.n[place]! > 0 || lost[place]) places.push(place);
    return { at, measure: question.measures[at]!.name, column, start, width, places, lost };
  });
}

export function bucketsJson({ column, places, lost, start, width }: BucketRows): string {
  const [time, first, last] = [new InstantText(), new InstantText(), new InstantText()];
  const { n, min, max, mean } = column;
  const texts = places.map((place) => {
    const isEmpty = n[place] === 0;
    const range = `"min":${jsonValue(min[place]!)},"max":${jsonValue(max[place]!)},"mean":${jsonValue(mean[place]!)}`;
    const begins = isEmpty ? 'null' : `"${first.of(column.first[place]!)}"`;
    const ends = isEmpty ? 'null' : `"${last.of(column.last[place]!)}"`;
    const times = `"first_time":${begins},"last_time":${ends},"last":${jsonValue(column.value[place]!)}`;
    const opening = `{"time":"${time.of(start + place * width)}","n":${n[place]}`;
    return `${opening},${range},${times}${lost[place] ? ',"lost":true' : ''}}`;
  });
  return `[${texts.join()}]`;
}

export const BUCKET_HEADING = `${BUCKET_FIELDS.join()}\n`;

export function bucketsCsv(
  target: string,
  { measure, column, places, lost, start, width }: BucketRows,
): string {
  const [time, first, last] = [new InstantText(), new InstantText(), new InstantText()];
  const { n, min, max, mean } = column;
  const opening = `${csvText(target)},${csvText(measure)}`;
  const lines = places.map((place) => {
    const isEmpty = n[place] === 0;
    const range = [min, max, mean].map((each) => csvValue(each[place]!)).join();
    const times = isEmpty ? ',' : `${first.of(column.first[place]!)},${last.of(column.last[place]!)}`;
    const ends = `${csvValue(column.value[place]!)},${lost[place] === true}`;
    return `${opening},${time.of(start + place * width)},${n[place]},${range},${times},${ends}\n`;
  });
  return lines.join('');
}
