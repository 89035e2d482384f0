/**
 * What is known of the files of a target as samples that say it: taken up in their order by who knows nothing, they
 * make the same. Mission Control Service, section 2.8. One form for the stream, the bucket and a new catalogue.
 *
 * S1. What a file has from earlier listings comes first, then its last listing, then the state of its transfer.
 */

import type { FileSample } from '../../contract/batch.ts';
import { FILE_MEASURES } from '../../contract/file-sample.ts';
import { LISTED, PLACE_OF, WIDTH } from './file-columns.ts';
import type { KnownFiles } from './known-files.ts';

/** Samples of one link. */
export interface FilesPart {
  readonly link: string;
  readonly deferred: boolean;
  readonly samples: readonly FileSample[];
}

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
    const first = slot * WIDTH;
    for (const [place, places] of stampsOf(known, first)) {
      const isListing = isSameStamp(known, place, first + LISTED);
      const sample = sampleOf(known, file, places);
      (isListing ? listings : earlier).push({ place, sample });
    }
    const transfer = first + PLACE_OF.transfer;
    if (columns.isKnown(transfer))
      transfers.push({ place: transfer, sample: transferOf(known, file, transfer) });
  }
  earlier.sort((one, other) => one.sample.ground - other.sample.ground);
  return [earlier, listings, transfers].flatMap((places) => partsOf(known, places));
}

/** The places that say something of a listing, by what they have in common; the first place of each names it. */
function stampsOf(known: KnownFiles, first: number): Map<number, number[]> {
  const { columns } = known;
  const stamps = new Map<number, number[]>();
  for (let place = first; place < first + WIDTH; place += 1) {
    const isTransfer = place === first + PLACE_OF.transfer;
    if (!columns.has(place) || (isTransfer && columns.isKnown(place))) continue;
    const same = [...stamps.keys()].find((each) => isSameStamp(known, each, place));
    if (same === undefined) stamps.set(place, [place]);
    else stamps.get(same)!.push(place);
  }
  return stamps;
}

function isSameStamp({ columns }: KnownFiles, one: number, other: number): boolean {
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
