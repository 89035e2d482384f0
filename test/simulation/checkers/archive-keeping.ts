/** How archives look after what they have: what is durable, deleted and counted. archive/archive.V2, V4 and maintenance.N3. */

import type { Opened, Summary } from '../../../archive/work.ts';
import type { BucketColumn, SegmentName } from '../../../contract/history.ts';
import type { Everything, WorkDone } from '../archive/history.ts';
import { RETENTION } from '../archive/mission.ts';
import type { Checker } from './checker.ts';

export const durableStays: Checker = {
  name: 'durable-stays',
  promise: 'whoever opens an archive finds everything that an owner said is durable, and nothing damaged',
  overRewinds: 'complete',
  *check({ archives }) {
    if (archives === undefined) return;
    for (const { archive, at, value, instance } of archives.done.filter(({ name }) => name === 'open')) {
      for (const { stream, segments, damaged } of (value as Opened).streams) {
        for (const { segment, reason } of damaged)
          yield `${archive}: ${instance} finds ${segment.first} to ${segment.last} damaged: ${reason}`;
        const said = archives.announced.filter(
          (each) => each.state.archive === archive && each.state.stream === stream && each.wall < at,
        );
        const durable = Math.max(0, ...said.map(({ state }) => state.position));
        const last = segments.at(-1)?.last ?? 0;
        if (last < durable && segments.length > 0)
          yield `${archive}: ${instance} finds ${stream} to ${last}; ${durable} was durable`;
      }
    }
  },
};

export const deletesOnlyOld: Checker = {
  name: 'deletes-only-old',
  promise: 'samples are deleted when they are older than is kept, and where others have taken their place',
  overRewinds: 'complete',
  *check({ archives }) {
    if (archives === undefined) return;
    const keptFrom = (at: number, ms: number): number =>
      archives.retains ? at + archives.skewMs - ms : Number.NEGATIVE_INFINITY;
    for (const archive of archives.archives) {
      const known = new Map<string, Summary>();
      for (const done of archives.done.filter((each) => each.archive === archive)) {
        for (const made of madeBy(done)) known.set(nameOf(made.stream, made), made);
        if (done.name === 'compact' && done.args[3] === 'minutes')
          for (const each of named(done, known))
            if (each.received[1] >= keptFrom(done.at, RETENTION.samplesMs))
              yield `${archive}: samples of ${each.first} to ${each.last} were deleted early`;
        if (done.name !== 'remove') continue;
        for (const each of named(done, known)) {
          known.delete(nameOf(each.stream, each));
          if (each.received[1] < keptFrom(done.at, RETENTION.minutesMs)) continue;
          if (!isCovered(each, [...known.values()]))
            yield `${archive}: ${each.first} to ${each.last} were removed`;
        }
      }
    }
  },
};

function madeBy({ name, value }: WorkDone): readonly Summary[] {
  if (name === 'open') return (value as Opened).streams.flatMap(({ segments }) => segments);
  return name === 'seal' || name === 'compact' ? [value as Summary] : [];
}

function named({ args }: WorkDone, known: ReadonlyMap<string, Summary>): Summary[] {
  const [, stream, parts] = args as [string, string, readonly SegmentName[]];
  return parts.flatMap((part) => known.get(nameOf(stream, part)) ?? []);
}

function nameOf(stream: string, { first, last, level }: SegmentName): string {
  return `${stream} ${first} ${last} ${level}`;
}

function isCovered({ stream, first, last }: Summary, others: readonly Summary[]): boolean {
  return others.some((each) => each.stream === stream && each.first <= first && last <= each.last);
}

export const archivesComeBack: Checker = {
  name: 'archives-come-back',
  promise: 'when nothing goes wrong any more, every archive has read everything, writes it, and answers',
  overRewinds: 'complete',
  *check({ archives }) {
    if (archives === undefined) return;
    for (const archive of archives.archives) {
      const said = archives.announced.findLast(({ state }) => state.archive === archive);
      const answers = archives.everything.filter((each) => each.archive === archive && each.from === 'owner');
      if (answers.length < 2 * TARGETS)
        yield `${archive} answered ${answers.length} times, and said ${JSON.stringify(said?.state)}`;
      for (const { damaged } of archives.everything.filter((each) => each.archive === archive))
        for (const { segment, reason } of damaged)
          yield `${archive}: ${segment.first} to ${segment.last} cannot be read: ${reason}`;
    }
  },
};

const TARGETS = 2;
const CLOSE = 1e-9;

export const bucketsAreOfSamples: Checker = {
  name: 'buckets-are-of-samples',
  promise: 'buckets count, bound and average the very samples that the archive gives for their time',
  overRewinds: 'complete',
  *check({ archives }) {
    if (archives === undefined) return;
    for (const each of archives.everything) {
      const { buckets, thinned } = each;
      if (buckets === undefined || thinned) continue;
      for (const [measure, column] of buckets.measures.entries())
        for (const fault of bucketFaults(each, measure, column))
          yield `${each.archive}: ${each.query.measures[measure]} of ${each.query.target}, ${fault}`;
    }
  },
};

function* bucketFaults(
  { samples, buckets }: Everything,
  measure: number,
  column: BucketColumn,
): Iterable<string> {
  const { start, width } = buckets!;
  const own = samples.filter((sample) => sample.measure === measure);
  for (const [bucket, n] of column.n.entries()) {
    const [from, to] = [start + bucket * width, start + (bucket + 1) * width];
    const inside = own.filter(({ time }) => time >= from && time < to);
    if (inside.length !== n) {
      yield `bucket ${bucket} counts ${n} of ${inside.length} samples`;
      continue;
    }
    if (n === 0) continue;
    const numbers = inside.map(({ value }) => (typeof value === 'boolean' ? Number(value) : value));
    const known = numbers.filter((value): value is number => typeof value === 'number');
    const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
    const last = inside.at(-1)!;
    const lastValue = typeof last.value === 'boolean' ? Number(last.value) : last.value;
    if (known.length > 0) {
      if (column.min[bucket] !== Math.min(...known)) yield `bucket ${bucket} has another minimum`;
      if (column.max[bucket] !== Math.max(...known)) yield `bucket ${bucket} has another maximum`;
      if (Math.abs(column.mean[bucket]! - mean) > CLOSE * Math.max(1, ...known.map(Math.abs)))
        yield `bucket ${bucket} has another mean`;
    }
    if (column.first[bucket] !== inside[0]!.time || column.last[bucket] !== last.time)
      yield `bucket ${bucket} has other times`;
    if (column.value[bucket] !== lastValue) yield `bucket ${bucket} ends with another value`;
  }
}
