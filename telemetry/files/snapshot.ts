/**
 * What is known of the files of a target as samples that say it: taken up in their order by who knows nothing, they
 * make the same. Mission Control Service, section 2.8. One form for the stream, the bucket and a new catalogue.
 *
 * S1. What a file has from earlier listings comes first, then its last listing, then the state of its transfer.
 */

import type { FileSample } from '../../contract/batch.ts';
import { FILE_MEASURES } from '../../contract/file-sample.ts';
import { type FileColumns, LISTED, PLACE_OF, WIDTH } from './file-columns.ts';
import type { FilesPart, KnownFiles } from './known-files.ts';

interface GrowingPart extends FilesPart {
  readonly samples: FileSample[];
}

interface Places {
  /** One of them: all have its times and its link. */
  readonly place: number;
  readonly sample: FileSample;
}

/** What is known, in the order in which it has to be taken up (S1). */
export function snapshotOf(known: KnownFiles): readonly FilesPart[] {
  const { columns } = known;
  const [earlier, listings, transfers]: [Places[], Places[], Places[]] = [[], [], []];
  for (const [file, slot] of columns.slots()) {
    const listed = slot * WIDTH + LISTED;
    const transfer = slot * WIDTH + PLACE_OF.transfer;
    const isState = columns.isKnown(transfer);
    const places = placesOf(columns, slot).filter((place) => place !== transfer || !isState);
    const rest = places.filter((place) => !isSameStamp(columns, place, listed));
    if (columns.has(listed)) {
      const own = rest.length === 0 ? places : places.filter((place) => !rest.includes(place));
      listings.push({ place: listed, sample: sampleOf(known, file, own) });
    }
    for (const same of byStamp(columns, rest))
      earlier.push({ place: same[0]!, sample: sampleOf(known, file, same) });
    if (isState) transfers.push({ place: transfer, sample: transferOf(known, file, transfer) });
  }
  earlier.sort((one, other) => one.sample.ground - other.sample.ground);
  return [earlier, listings, transfers].flatMap((places) => partsOf(known, places));
}

/** The places of a file with a sample. */
function placesOf(columns: FileColumns, slot: number): number[] {
  const places: number[] = [];
  for (let place = slot * WIDTH; place < (slot + 1) * WIDTH; place += 1)
    if (columns.has(place)) places.push(place);
  return places;
}

/** Places by what their samples have in common. */
function byStamp(columns: FileColumns, places: readonly number[]): number[][] {
  const groups: number[][] = [];
  for (const place of places) {
    const same = groups.find(([first]) => isSameStamp(columns, first!, place));
    if (same === undefined) groups.push([place]);
    else same.push(place);
  }
  return groups;
}

function isSameStamp(columns: FileColumns, one: number, other: number): boolean {
  return (
    columns.time[one] === columns.time[other] &&
    columns.ground[one] === columns.ground[other] &&
    columns.link[one] === columns.link[other] &&
    columns.deferred[one] === columns.deferred[other]
  );
}

function sampleOf({ columns }: KnownFiles, file: string, places: readonly number[]): FileSample {
  const said: Record<string, number | string> = {};
  const unknown: string[] = [];
  for (const place of places) {
    const name = FILE_MEASURES[place % WIDTH];
    if (name === undefined) continue;
    if (columns.isKnown(place)) said[name] = columns.text[place] ?? columns.value[place]!;
    else unknown.push(name);
  }
  const sample = { ...timed(columns, file, places[0]!), ...said };
  return unknown.length === 0 ? sample : { ...sample, unknown };
}

function transferOf({ columns }: KnownFiles, file: string, place: number): FileSample {
  const sample = { ...timed(columns, file, place), transfer: columns.text[place]! };
  const generation = columns.transferGeneration[Math.floor(place / WIDTH)]!;
  return Number.isNaN(generation) ? sample : { ...sample, transfer_generation: generation };
}

function timed({ time, ground }: KnownFiles['columns'], file: string, place: number): FileSample {
  return { file, ground: ground[place]!, onboard: time[place]! };
}

function partsOf({ columns, links }: KnownFiles, places: readonly Places[]): readonly FilesPart[] {
  const parts: GrowingPart[] = [];
  for (const { place, sample } of places) {
    const [link, deferred] = [links[columns.link[place]!]!, columns.deferred[place] === 1];
    const last = parts.at(-1);
    if (last?.link === link && last.deferred === deferred) last.samples.push(sample);
    else parts.push({ link, deferred, samples: [sample] });
  }
  return parts;
}
