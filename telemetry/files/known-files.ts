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
 * K3. The state of a transfer of another generation than the one shown goes by generation, not by time: who lists and
 *     who transfers have clocks of their own.
 * K4. A file that is not listed any more keeps its last values, dated by its last listing (MC-FILE-009). Past
 *     `DIRECTORY_FILES` those are forgotten first whose last listing is longest ago, after a batch: every process
 *     forgets the same.
 * K5. What is known already changes nothing.
 */

import type { FileSample } from '../../contract/batch.ts';
import { FILE_MEASURES, type FileMeasureName, isListed } from '../../contract/file-sample.ts';
import { DIRECTORY_FILES } from '../../contract/limits.ts';
import { timeOf } from '../reading/instant.ts';
import { isOlderBy } from '../sample-order.ts';
import { FileColumns, LISTED, PLACE_OF, WIDTH } from './file-columns.ts';
import type { FilesPart } from './snapshot.ts';

/** What all places of a sample have in common. */
interface Stamp {
  readonly time: number;
  readonly ground: number;
  readonly deferred: 0 | 1;
  /** Index of the link. */
  readonly link: number;
}

/** Is told of a place before a sample of it is looked at, and when it has changed. */
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
  /** States of transfers and other texts that many files have. */
  readonly #texts = new Map<string, string>();

  constructor(listener: ChangeListener = SILENT) {
    this.#listener = listener;
  }

  /** Takes up what a snapshot holds. */
  restore(parts: readonly FilesPart[]): void {
    for (const { samples, link, deferred } of parts) this.apply(samples, link, deferred);
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
    const listing = isListed(sample) && !this.#isOlder(first + LISTED, stamp);
    const generation =
      listing && sample.generation !== undefined ? sample.generation : this.#number(first, GENERATION);
    const transfer = sample.transfer !== undefined && this.#takesTransfer(first, sample, generation, stamp);
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
    const isRewritten = !Number.isNaN(generation) && !Number.isNaN(known) && generation !== known;
    const gone: FileMeasureName[] = LISTED_MEASURES.filter(
      (name) => sample[name] === undefined && this.#goes(first, name, sample, isRewritten),
    );
    if (
      !transfer &&
      this.#goes(first, 'transfer', sample, isRewritten) &&
      !this.#staysWith(slot, generation, stamp)
    ) {
      gone.push('transfer');
      this.columns.transferGeneration[slot] = Number.NaN;
    }
    for (const name of LISTED_MEASURES) {
      const said = sample[name];
      if (said !== undefined) this.#set(first + PLACE_OF[name], said, stamp);
    }
    for (const name of gone) this.#set(first + PLACE_OF[name], undefined, stamp);
    this.#set(first + LISTED, undefined, stamp);
    return gone;
  }

  #goes(first: number, name: FileMeasureName, sample: FileSample, isRewritten: boolean): boolean {
    const isSaid = sample.unknown?.includes(name) === true;
    return isSaid || (isRewritten && this.columns.isKnown(first + PLACE_OF[name]));
  }

  /** Whether the known state of a transfer is of that generation; where it does not say, whether it came later. */
  #staysWith(slot: number, generation: number, stamp: Stamp): boolean {
    const of = this.columns.transferGeneration[slot]!;
    return Number.isNaN(of) ? this.#isOlder(slot * WIDTH + TRANSFER, stamp) : of === generation;
  }

  #takeTransfer(slot: number, sample: FileSample, stamp: Stamp): void {
    this.#set(slot * WIDTH + TRANSFER, sample.transfer, stamp);
    this.columns.transferGeneration[slot] = sample.transfer_generation ?? Number.NaN;
  }

  /** K2, K3 */
  #takesTransfer(first: number, sample: FileSample, generation: number, stamp: Stamp): boolean {
    const { transfer_generation: of } = sample;
    if (first < 0) return of === undefined || !(of < generation);
    if (of === undefined) return !this.#isOlder(first + TRANSFER, stamp);
    const known = this.columns.transferGeneration[first / WIDTH]!;
    if (of < generation || of < known) return false;
    return of !== known || !this.#isOlder(first + TRANSFER, stamp);
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
