/**
 * What is to be done with segments next: compaction and retention, decided from their list alone.
 *
 * N1. The hour (and the day) of a segment is that in which the bus stored its first message: it never goes back, as
 *     times of samples do.
 * N2. An hour is compacted when the archive has a later one, or its stream is not written any more: nothing comes to it
 *     any more. A day is, when it is over likewise and all its parts are in hours.
 * N3. Retention goes by the time of storing as well: samples of long ago that were received today are kept as long as
 *     those of today.
 * N4. A wider segment covers positions that follow each other, and no position that is missing.
 * N5. The newest segment of a stream that is written is never removed: it says from where on the stream is to be read.
 */

import type { Level, SegmentName } from '../contract/history.ts';
import type { Summary } from './work.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface Retention {
  /** How long samples are kept, and minutes; undefined: for ever. */
  readonly samplesMs?: number;
  readonly minutesMs?: number;
}

export type Job =
  | { readonly kind: 'compact'; readonly level: Level; readonly parts: readonly Summary[] }
  | { readonly kind: 'remove'; readonly parts: readonly Summary[] };

/** The next job on a stream; `left` are segments that cannot be read, and are left as they are. */
export function nextJob(
  segments: readonly Summary[],
  {
    isOpen,
    nowMs,
    retention,
    left,
  }: {
    readonly isOpen: boolean;
    readonly nowMs: number;
    readonly retention: Retention;
    readonly left: (segment: SegmentName) => boolean;
  },
): Job | undefined {
  return (
    overdue(isOpen ? segments.slice(0, -1) : segments, nowMs, retention, left) ??
    compaction(segments, 'part', 'hour', HOUR_MS, isOpen, left) ??
    compaction(segments, 'hour', 'day', DAY_MS, isOpen, left)
  );
}

function overdue(
  segments: readonly Summary[],
  nowMs: number,
  { samplesMs = Number.POSITIVE_INFINITY, minutesMs = Number.POSITIVE_INFINITY }: Retention,
  left: (segment: SegmentName) => boolean,
): Job | undefined {
  const olderThan = (ms: number): Summary[] => segments.filter(({ received }) => received[1] < nowMs - ms);
  const gone = olderThan(Math.max(samplesMs, minutesMs));
  if (gone.length > 0) return { kind: 'remove', parts: gone };
  const thinned = olderThan(samplesMs).find(
    (segment) => (segment.level === 'hour' || segment.level === 'day') && !left(segment),
  );
  return thinned && { kind: 'compact', level: 'minutes', parts: [thinned] };
}

/** The first hour (or day) whose segments of one level are to become one of the next. */
function compaction(
  segments: readonly Summary[],
  from: Level,
  to: Level,
  spanMs: number,
  isOpen: boolean,
  left: (segment: SegmentName) => boolean,
): Job | undefined {
  const spanOf = ({ received }: Summary): number => Math.floor(received[0] / spanMs);
  // Positions that are missing between two are read again, or become a gap: nothing reaches over them.
  const belongs = (each: Summary, before: Summary, span: number): boolean =>
    each.level === from && before.level === from && spanOf(each) === span && each.first === before.last + 1;
  const newest = isOpen ? Math.max(...segments.map(spanOf)) : Number.POSITIVE_INFINITY;
  for (let first = 0; first < segments.length; ) {
    const span = spanOf(segments[first]!);
    let end = first + 1;
    while (end < segments.length && belongs(segments[end]!, segments[end - 1]!, span)) end += 1;
    const parts = segments[first]!.level === from ? segments.slice(first, end) : [];
    const waits = segments.some((each) => each.level === 'part' && spanOf(each) === span) && from !== 'part';
    if (parts.length > 0 && span < newest && !waits && !parts.some(left))
      return { kind: 'compact', level: to, parts };
    first = end;
  }
  return undefined;
}
