/**
 * The segments of one stream as they stand on the disk.
 *
 * S1. Opening reads each manifest once and keeps what finds a segment: positions, level, times of each target. What it
 *     costs grows with the number of segments, of which a year has some four hundred, not with their samples.
 * S2. Of segments that cover the same positions the one of the higher level counts, and those within it are removed:
 *     a crash came between its commit and their removal.
 * S3. A segment whose manifest cannot be read is set aside under another name and said, with the positions that are
 *     missing for it; everything else is as it was. Nothing of it is deleted.
 * S4. The directory is synced before anything is believed or removed: a process that died between the rename of a wider
 *     segment and its sync has left a name that a power cut takes back.
 */

import { type Damage, LEVELS, type SegmentName } from '../contract/history.ts';
import type { FileSystem } from './file-system.ts';
import { type Manifest, nameOf, parseName, readManifest } from './manifest.ts';
import type { Places } from './segment-draft.ts';
import { discard, putAside } from './writing-place.ts';

export interface SegmentList {
  /** In order of their positions. */
  readonly segments: readonly Manifest[];
  readonly damaged: readonly Damage[];
}

export const SET_ASIDE = 'damaged-';

/** What stands there, put in order (S2, S3). Throws where the disk refuses. */
export function openSegments(files: FileSystem, { parent, writing }: Places): SegmentList {
  files.syncDirectory(parent);
  const names = files.list(parent);
  const found: Manifest[] = [];
  const unreadable: Damage[] = [];
  for (const segment of names.flatMap((name) => parseName(name) ?? [])) {
    try {
      found.push(readManifest(files, `${parent}/${nameOf(segment)}`));
    } catch (error) {
      unreadable.push({ segment, reason: (error as Error).message });
    }
  }
  const segments: Manifest[] = [];
  for (const manifest of found.sort(widestFirst))
    if (isCovered(manifest, segments)) discard(files, writing, parent, [nameOf(manifest)]);
    else segments.push(manifest);
  segments.sort((one, other) => one.first - other.first);
  const damaged = names.flatMap(asideOf).filter(({ segment }) => !isCovered(segment, segments));
  for (const damage of unreadable) {
    // What a wider one has, or one that is missing.
    if (isCovered(damage.segment, segments)) discard(files, writing, parent, [nameOf(damage.segment)]);
    else {
      putAside(files, writing, parent, nameOf(damage.segment), asideName(damage.segment, names));
      damaged.push(damage);
    }
  }
  return { segments, damaged };
}

function widestFirst(one: Manifest, other: Manifest): number {
  const width = (each: Manifest): number => each.last - each.first;
  return width(other) - width(one) || LEVELS.indexOf(other.level) - LEVELS.indexOf(one.level);
}

/** Whether others have all its positions. */
function isCovered({ first, last }: SegmentName, segments: readonly Manifest[]): boolean {
  const inOrder = [...segments].sort((one, other) => one.first - other.first);
  let next = first;
  for (const segment of inOrder) if (segment.first <= next && segment.last >= next) next = segment.last + 1;
  return next > last;
}

/** Damaged ones of earlier starts. */
function asideOf(name: string): Damage[] {
  if (!name.startsWith(SET_ASIDE)) return [];
  const segment = parseName(name.slice(SET_ASIDE.length).replace(/~\d+$/, ''));
  return segment === undefined ? [] : [{ segment, reason: `it was damaged and stands in ${name}` }];
}

function asideName(segment: SegmentName, names: readonly string[]): string {
  const name = `${SET_ASIDE}${nameOf(segment)}`;
  let free = name;
  for (let n = 1; names.includes(free); n += 1) free = `${name}~${n}`;
  return free;
}
