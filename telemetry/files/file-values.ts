/**
 * The values of the files of one target as a store of current values has them: as ordinals behind those of its
 * platform, and as JSON. Mission Control Service, sections 2.2 and 2.8.
 *
 * F1. The ordinal of a measure of a file is private to a store and stands for as long as the file is known: a file that
 *     was forgotten leaves its own to another.
 * F2. In key order files come by their identifiers as text, like instances of any component.
 */

import type { FileSample } from '../../contract/batch.ts';
import { FILE_MEASURES, type FileMeasureName } from '../../contract/file-sample.ts';
import type { MeasureDefinition, Platform } from '../../mission/platform.ts';
import type { ChangedOrdinals } from '../changed-ordinals.ts';
import type { CurrentSample } from '../current-sample.ts';
import type { CurrentValueWriter, SampleColumns } from '../current-value-text.ts';
import { plainSample } from '../reading/unknown-value.ts';
import { LISTED, PLACE_OF, WIDTH } from './file-columns.ts';
import { compareIds, type FilesPart, KnownFiles } from './known-files.ts';
import { snapshotOf } from './snapshot.ts';

/** A file of the directory as it is known. */
export interface KnownFile {
  readonly id: string;
  readonly fileType: number | undefined;
  readonly size: number | undefined;
  readonly checksum: string | undefined;
  readonly generation: number | undefined;
  readonly transfer: string | undefined;
  /** The generation that the state of the transfer is of, where that is known. */
  readonly transferGeneration: number | undefined;
  /** Ground time of that state, or of its being forgotten. */
  readonly transferMs: number | undefined;
  /** Ground time of the last listing that had it, ms since 1970. */
  readonly listedMs: number | undefined;
  /** Its time on board, or that where it has none. */
  readonly listedOnboardMs: number | undefined;
}

interface FileValuesOptions {
  readonly platform: Platform;
  /** Of the component of the directory. */
  readonly component: string;
  readonly changes: ChangedOrdinals;
  readonly writer: CurrentValueWriter;
}

export class FileValues {
  readonly #writer: CurrentValueWriter;
  /** By place: what the catalogue says of the measure. */
  readonly #definitions: readonly (MeasureDefinition | undefined)[];
  /** Everything before the identifier of a file. */
  readonly #opening: string;
  /** The ordinal of place 0. */
  readonly #first: number;
  readonly #known: KnownFiles;
  readonly #json: (Buffer | undefined)[] = [];
  /** In key order; made when it is asked for. */
  #slots: readonly number[] | undefined;

  constructor({ platform, component, changes, writer }: FileValuesOptions) {
    const measures = platform.components.get(component)?.measures ?? [];
    this.#definitions = FILE_MEASURES.map((name) => measures.find((each) => each.name === name));
    this.#opening = `{"component":${JSON.stringify(component)},"instance":"`;
    this.#writer = writer;
    this.#first = platform.measures.length;
    this.#known = new KnownFiles({
      before: (place) => {
        if (isMeasure(place)) changes.before(this.#first + place);
      },
      changed: (place) => {
        this.#json[place] = undefined;
        if (isMeasure(place)) changes.note(this.#first + place);
      },
      renamed: () => {
        this.#slots = undefined;
        changes.grow(this.#first + this.#known.columns.room * WIDTH);
      },
    });
  }

  /** Rises with every change. */
  get version(): number {
    return this.#known.version;
  }

  apply(samples: readonly FileSample[], link: string, deferred: boolean): void {
    this.#known.apply(samples, link, deferred);
  }

  /** Takes up what a snapshot knows and this store does not. */
  restore(parts: readonly FilesPart[]): void {
    this.#known.restore(parts);
  }

  snapshot(): readonly FilesPart[] {
    return snapshotOf(this.#known);
  }

  /** The ordinals with a sample, in key order (F2). */
  *ordinals(): IterableIterator<number> {
    for (const slot of this.#inKeyOrder()) {
      for (let place = slot * WIDTH; place < slot * WIDTH + LISTED; place += 1)
        if (this.#known.columns.has(place)) yield this.#first + place;
    }
  }

  /** The identifier and the name of the measure of an ordinal. */
  named(ordinal: number): { readonly id: string; readonly name: FileMeasureName } | undefined {
    const place = ordinal - this.#first;
    const id = this.#known.columns.ids[Math.floor(place / WIDTH)];
    const name = FILE_MEASURES[place % WIDTH];
    return id === undefined || name === undefined ? undefined : { id, name };
  }

  /** The ordinal of a measure of a file; undefined where nothing is known of it. */
  ordinal(file: string, name: FileMeasureName): number | undefined {
    const slot = this.#known.columns.slot(file);
    const place = slot === undefined ? -1 : slot * WIDTH + PLACE_OF[name];
    return this.#known.columns.has(place) ? this.#first + place : undefined;
  }

  /** The CurrentValue as JSON. */
  json(ordinal: number): Buffer | undefined {
    const place = ordinal - this.#first;
    if (!this.#known.columns.has(place)) return undefined;
    this.#json[place] ??= this.#write(place);
    return this.#json[place];
  }

  sample(ordinal: number): CurrentSample | undefined {
    const place = ordinal - this.#first;
    const definition = this.#definitions[place % WIDTH];
    if (!this.#known.columns.has(place) || definition === undefined) return undefined;
    const { value, wide, timeMs, groundMs, link, deferred } = this.#sampleColumns(place);
    return { value: plainSample(definition, value, wide), timeMs, groundMs, link, deferred };
  }

  /** What is known of a file. */
  file(id: string): KnownFile | undefined {
    const slot = this.#known.columns.slot(id);
    return slot === undefined ? undefined : this.#file(id, slot);
  }

  /** Every file, by identifier. */
  files(): KnownFile[] {
    const slots = [...this.#known.columns.slots()];
    return slots.sort(([one], [other]) => compareIds(one, other)).map(([id, slot]) => this.#file(id, slot));
  }

  #write(place: number): Buffer | undefined {
    const id = this.#known.columns.ids[Math.floor(place / WIDTH)];
    const definition = this.#definitions[place % WIDTH];
    if (id === undefined || definition === undefined) return undefined;
    const opening = `${this.#opening}${id}","measure":"${definition.name}","sample":{"value":`;
    return this.#writer.writeAs(opening, definition, this.#sampleColumns(place));
  }

  #file(id: string, slot: number): KnownFile {
    const { columns } = this.#known;
    const first = slot * WIDTH;
    const number = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);
    return {
      id,
      fileType: number(columns.value[first + PLACE_OF.file_type]!),
      size: number(columns.value[first + PLACE_OF.size]!),
      checksum: columns.text[first + PLACE_OF.checksum],
      generation: number(columns.value[first + PLACE_OF.generation]!),
      transfer: columns.text[first + PLACE_OF.transfer],
      transferGeneration: number(columns.transferGeneration[slot]!),
      transferMs: columns.has(first + PLACE_OF.transfer)
        ? columns.ground[first + PLACE_OF.transfer]
        : undefined,
      listedMs: columns.has(first + LISTED) ? columns.ground[first + LISTED] : undefined,
      listedOnboardMs: columns.has(first + LISTED) ? columns.time[first + LISTED] : undefined,
    };
  }

  #inKeyOrder(): readonly number[] {
    this.#slots ??= [...this.#known.columns.slots()]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, slot]) => slot);
    return this.#slots;
  }

  #sampleColumns(place: number): SampleColumns {
    const { columns, links } = this.#known;
    return {
      value: columns.value[place]!,
      raw: columns.value[place]!,
      wide: columns.text[place],
      timeMs: columns.time[place]!,
      groundMs: columns.ground[place]!,
      link: links[columns.link[place]!]!,
      deferred: columns.deferred[place] === 1,
    };
  }
}

function isMeasure(place: number): boolean {
  return place % WIDTH !== LISTED;
}
