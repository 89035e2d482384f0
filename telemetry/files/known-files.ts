/**
 * What is known of the files on board of one target: which sample of a file is current, and what a rewritten file makes
 * unknown. Mission Control Service, sections 2.8, 3.5, 4.1 rule 10 and 4.7 rule 1. It knows neither the bus nor the
 * clock. The owner of the target asks it what to publish; every store of values takes in what was published the same
 * way.
 *
 * K1. A listing is older or newer as a whole, by the order of samples (sample-order.V2, V5): of an older one nothing is
 *     taken up, also not what the newer one did not say.
 * K2. Nothing of two generations is shown together (MC-GEN-022): a listing of another generation makes unknown what it
 *     does not say, and the state of a transfer of an earlier generation is not taken up.
 * K3. States of transfers go by their ground times: they have no time on board. Whoever transfers dates what it
 *     publishes of a file behind the listing it goes by and behind what it published of it before.
 * K4. A file that is not listed any more keeps its last values, dated by its last listing (MC-FILE-009). Past
 *     `DIRECTORY_FILES` those are forgotten first whose last listing is longest ago, after a batch: every process
 *     forgets the same.
 * K5. What is known already changes nothing.
 */

import type { FileSample } from '../../contract/batch.ts';
import { FILE_MEASURES, type FileMeasureName, isListed } from '../../contract/file-sample.ts';
import { DIRECTORY_FILES } from '../../contract/limits/transfer.ts';
import { timeOf } from '../reading/instant.ts';
import { isOlderBy } from '../sample-order.ts';
import { FileColumns, LISTED, PLACE_OF, WIDTH } from './file-columns.ts';

/** Samples of one link. */
export interface FilesPart {
  readonly link: string;
  readonly deferred: boolean;
  readonly samples: readonly FileSample[];
}

/** What all places of a sample have in common. */
interface Stamp {
  readonly time: number;
  readonly ground: number;
  readonly deferred: 0 | 1;
  /** Index of the link. */
  readonly link: number;
}

/** Learns of a place before a sample of it is looked at, and when it has changed. */
export interface ChangeListener {
  before(place: number): void;
  changed(place: number): void;
  /** There are other files than before. */
  renamed(): void;
}

const SILENT: ChangeListener = { before: () => {}, changed: () => {}, renamed: () => {} };
const LISTED_MEASURES = FILE_MEASURES.filter((name) => name !== 'transfer');
const TRANSFER = PLACE_OF.transfer;
const GENERATION = PLACE_OF.generation;

export class KnownFiles {
  readonly columns = new FileColumns();
  readonly links: string[] = [];
  /** Rises with every change. */
  version = 0;
  readonly #listener: ChangeListener;
  /** While a snapshot is taken up: the files that were known before. */
  #before: ReadonlySet<string> | undefined;
  /** States of transfers and other texts that many files have. */
  readonly #texts = new Map<string, string>();

  constructor(listener: ChangeListener = SILENT) {
    this.#listener = listener;
  }

  /** Takes up what a snapshot holds: of a file that is not known here yet, as it stands. */
  restore(parts: readonly FilesPart[]): void {
    this.#before = new Set([...this.columns.slots()].map(([file]) => file));
    for (const { samples, link, deferred } of parts) this.apply(samples, link, deferred);
    this.#before = undefined;
  }

  /** Takes samples of one batch up; returns those that became current, as far as they did. */
  apply(samples: readonly FileSample[], link: string, deferred: boolean): readonly FileSample[] {
    const linkIndex = this.#linkIndex(link);
    const taken = samples.flatMap((sample) => this.#take(sample, linkIndex, deferred ? 1 : 0) ?? []);
    this.#forgetOldest();
    return taken;
  }

  #linkIndex(link: string): number {
    const known = this.links.indexOf(link);
    return known >= 0 ? known : this.links.push(link) - 1;
  }

  #take(sample: FileSample, link: number, deferred: 0 | 1): FileSample | undefined {
    const { file, ground, onboard } = sample;
    const stamp = { time: timeOf(onboard, ground), ground, deferred, link };
    const first = (this.columns.slot(file) ?? -1) * WIDTH;
    const anyhow = this.#before?.has(file) === false;
    const listing = isListed(sample) && (anyhow || !this.#isOlder(first + LISTED, stamp));
    const generation =
      listing && sample.generation !== undefined ? sample.generation : this.#number(first, GENERATION);
    const transfer =
      sample.transfer !== undefined && (anyhow || this.#takesTransfer(first, sample, generation, ground));
    if (!listing && !transfer) return undefined;
    const slot = first >= 0 ? first / WIDTH : this.#add(file);
    const unknown = listing ? this.#takeListing(slot, sample, transfer, stamp) : [];
    if (transfer) this.#takeTransfer(slot, sample, stamp);
    return currentPart(sample, listing, transfer, unknown);
  }

  /** K1, K2; gives the measures that are not known any more. */
  #takeListing(slot: number, sample: FileSample, transfer: boolean, stamp: Stamp): FileMeasureName[] {
    const first = slot * WIDTH;
    const known = this.#number(first, GENERATION);
    const { generation = Number.NaN } = sample;
    const isRewritten = generation < known || generation > known;
    const gone = LISTED_MEASURES.filter(
      (name) => sample[name] === undefined && this.#goes(first, name, sample, isRewritten),
    );
    const isGone = !transfer && this.#transferGoes(slot, sample, isRewritten, stamp);
    if (isGone) this.#forgetTransfer(slot, stamp);
    for (const name of LISTED_MEASURES) {
      const said = sample[name];
      if (said !== undefined) this.#set(first + PLACE_OF[name], said, stamp);
    }
    for (const name of gone) this.#set(first + PLACE_OF[name], undefined, stamp);
    this.#set(first + LISTED, undefined, stamp);
    return isGone ? [...gone, 'transfer'] : gone;
  }

  #goes(first: number, name: FileMeasureName, sample: FileSample, isRewritten: boolean): boolean {
    const isSaid = sample.unknown?.includes(name) === true;
    return isSaid || (isRewritten && this.columns.isKnown(first + PLACE_OF[name]));
  }

  /** K2; where a generation comes again, a state of another one goes as well. */
  #transferGoes(slot: number, sample: FileSample, isRewritten: boolean, { ground }: Stamp): boolean {
    const first = slot * WIDTH;
    const { generation = Number.NaN } = sample;
    const of = this.columns.transferGeneration[slot]!;
    if (of < generation) return true;
    if (!Number.isNaN(of)) return generation < this.#number(first, GENERATION) && of !== generation;
    const isLater = this.columns.ground[first + TRANSFER]! > ground;
    return !isLater && this.#goes(first, 'transfer', sample, isRewritten);
  }

  /** What came before the listing is not taken up again (K3). */
  #forgetTransfer(slot: number, stamp: Stamp): void {
    const place = slot * WIDTH + TRANSFER;
    this.#set(place, undefined, { ...stamp, ground: Math.max(stamp.ground, this.columns.ground[place]!) });
    this.columns.transferGeneration[slot] = Number.NaN;
  }

  #takeTransfer(slot: number, sample: FileSample, stamp: Stamp): void {
    this.#set(slot * WIDTH + TRANSFER, sample.transfer, stamp);
    this.columns.transferGeneration[slot] = sample.transfer_generation ?? Number.NaN;
  }

  /** K2, K3 */
  #takesTransfer(first: number, sample: FileSample, generation: number, ground: number): boolean {
    const { transfer_generation: of = Number.NaN } = sample;
    const place = first + TRANSFER;
    if (of < generation) return false;
    if (first < 0 || !this.columns.has(place)) return true;
    if (of < this.columns.transferGeneration[first / WIDTH]!) return false;
    const later = ground - this.columns.ground[place]!;
    return this.columns.isKnown(place) ? later >= 0 : later > 0;
  }

  #isOlder(place: number, { time, ground, deferred }: Stamp): boolean {
    const { columns } = this;
    if (place < 0 || !columns.has(place)) return false;
    return isOlderBy(
      time - columns.time[place]!,
      ground - columns.ground[place]!,
      deferred,
      columns.deferred[place]!,
    );
  }

  #number(first: number, place: number): number {
    return first < 0 ? Number.NaN : this.columns.value[first + place]!;
  }

  /** K5 */
  #set(place: number, said: number | string | undefined, { time, ground, deferred, link }: Stamp): void {
    const { columns } = this;
    const value = typeof said === 'number' ? said : Number.NaN;
    const text = typeof said === 'string' ? this.#shared(said) : undefined;
    this.#listener.before(place);
    const isSame =
      columns.time[place] === time &&
      columns.ground[place] === ground &&
      columns.link[place] === link &&
      columns.deferred[place] === deferred &&
      columns.text[place] === text &&
      Object.is(columns.value[place], value);
    if (isSame) return;
    columns.value[place] = value;
    columns.text[place] = text;
    columns.time[place] = time;
    columns.ground[place] = ground;
    columns.link[place] = link;
    columns.deferred[place] = deferred;
    this.version += 1;
    this.#listener.changed(place);
  }

  #shared(text: string): string {
    if (text.length > 16) return text;
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size < 32) this.#texts.set(text, text);
    return text;
  }

  #add(file: string): number {
    const slot = this.columns.add(file);
    this.version += 1;
    this.#listener.renamed();
    return slot;
  }

  /** K4 */
  #forgetOldest(): void {
    const { columns } = this;
    const beyond = columns.count - DIRECTORY_FILES;
    if (beyond <= 0) return;
    const byListing = [...columns.slots()].sort(
      ([oneId, one], [otherId, other]) =>
        compare(columns.ground[one * WIDTH + LISTED]!, columns.ground[other * WIDTH + LISTED]!) ||
        compareIds(oneId, otherId),
    );
    for (const [file] of byListing.slice(0, beyond)) columns.remove(file);
    this.version += 1;
    this.#listener.renamed();
  }
}

/** By number: identifiers have no leading zeros. */
export function compareIds(one: string, other: string): number {
  return one.length - other.length || compare(one, other);
}

function compare<Value extends number | string>(one: Value, other: Value): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** As much of the sample as became current. */
function currentPart(
  sample: FileSample,
  listing: boolean,
  transfer: boolean,
  unknown: readonly FileMeasureName[],
): FileSample {
  const { file, ground, onboard, transfer: state, transfer_generation: of } = sample;
  if (!listing) {
    const part = { file, ground, onboard, ...(state !== undefined && { transfer: state }) };
    return of === undefined ? part : { ...part, transfer_generation: of };
  }
  const whole = transfer || state === undefined ? sample : withoutTransfer(sample);
  return unknown.length === 0 ? whole : { ...whole, unknown };
}

function withoutTransfer({
  transfer: _transfer,
  transfer_generation: _of,
  ...listing
}: FileSample): FileSample {
  return listing;
}
