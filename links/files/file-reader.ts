/**
 * The frames of a file with stored telemetry, read by the driver of a link as if the gateway of that link had received
 * them, in batches. Mission Control Service, section 4.7 rule 6. Pure: no bus, no clock.
 *
 * L1. A sample counts at the time its frame says: one of a frame without a time of its own is left out, for the time
 *     at which the file came down is none of a measurement.
 * L2. Only samples are taken. What a file repeats of the past besides them (reports on telecommands, listings, chunks)
 *     would be mistaken for something of now: a report is of a request whose number is in use again by then.
 * L3. Which frames are in a batch depends on the bytes, the framing and the catalogue alone: read again, the same batch
 *     begins at the same frame.
 * L4. Whatever the bytes are, nothing throws; what is no frame, and what gives nothing, is counted.
 */

import { BlockBuilder, type SampleBlock } from '../../contract/batch.ts';
import { isInstant } from '../../contract/instant.ts';
import { FILE_DECODE_BATCH_BYTES, FILE_DECODE_BATCH_SAMPLES } from '../../contract/limits/transfer.ts';
import type { FramingConfiguration } from '../../mission/endpoint.ts';
import type { Driver, LinkSource, Reading } from '../driver/driver.ts';
import type { Framer } from '../framing/framer.ts';
import { createFramer } from '../framing/framing.ts';

/** What came of the frames read so far. */
export interface Account {
  /** Frames read: the number of the next one. */
  readonly frames: number;
  readonly samples: number;
  /** Frames that the driver refused. */
  readonly unreadable: number;
  /** Frames that gave no sample. */
  readonly empty: number;
  /** Samples without a time of their own (L1). */
  readonly undated: number;
}

export const NOTHING_READ: Account = { frames: 0, samples: 0, unreadable: 0, empty: 0, undated: 0 };

export interface FileBatch {
  /** Number of its first frame, from 0. */
  readonly first: number;
  /** Empty where none of its frames gave a sample. */
  readonly blocks: readonly SampleBlock[];
  /** Up to its end. */
  readonly account: Account;
}

interface FileReaderOptions {
  readonly source: LinkSource;
  readonly driver: Driver;
  readonly framing: FramingConfiguration;
  /** When it is decoded, ms since 1970: reception on the ground. */
  readonly groundMs: number;
  /** Goes on behind these: frames before are only counted. */
  readonly from?: Account;
}

export class FileReader {
  /** Why the first frame was refused that was. */
  firstFault: string | undefined;
  readonly #options: FileReaderOptions;
  readonly #framer: Framer;
  readonly #into: Reading;
  /** Number of the next frame, those before included. */
  #next = 0;
  #first: number;
  #bytes = 0;
  #account: Account;
  #refused = false;

  constructor(options: FileReaderOptions) {
    this.#options = options;
    this.#framer = createFramer(options.framing);
    this.#account = options.from ?? NOTHING_READ;
    this.#first = this.#account.frames;
    this.#into = {
      samples: new BlockBuilder(),
      files: { samples: [], chunks: [] },
      reports: [],
      fault: (detail) => {
        this.#refused = true;
        this.firstFault ??= detail;
      },
    };
  }

  /** Whether it still passes over what was read before. */
  get isPassing(): boolean {
    return this.#next < this.#account.frames;
  }

  /** Bytes that are in no frame, so far. */
  get skipped(): number {
    return this.#framer.skipped;
  }

  get account(): Account {
    return this.#account;
  }

  /** The batches that these bytes complete. */
  push(bytes: Uint8Array): FileBatch[] {
    return this.#framer.push(bytes).flatMap((frame) => this.#take(frame) ?? []);
  }

  /** The last batch, where there is one. */
  end(): FileBatch | undefined {
    this.#framer.reset();
    return this.#account.frames > this.#first ? this.#cut() : undefined;
  }

  #take(frame: Buffer): FileBatch | undefined {
    const number = this.#next;
    this.#next += 1;
    if (number < this.#account.frames) return undefined;
    this.#read(frame);
    this.#bytes += frame.length;
    const isFull =
      this.#bytes >= FILE_DECODE_BATCH_BYTES || this.#into.samples.samples >= FILE_DECODE_BATCH_SAMPLES;
    return isFull ? this.#cut() : undefined;
  }

  #read(frame: Buffer): void {
    const { driver, source, groundMs } = this.#options;
    const { samples, reports, files } = this.#into;
    const before = samples.samples;
    this.#refused = false;
    driver.read(frame, groundMs, source, this.#into);
    // L2
    reports.length = 0;
    files.samples.length = 0;
    files.chunks.length = 0;
    const isEmpty = !this.#refused && samples.samples === before;
    const { frames, unreadable, empty } = this.#account;
    this.#account = {
      ...this.#account,
      frames: frames + 1,
      unreadable: unreadable + (this.#refused ? 1 : 0),
      empty: empty + (isEmpty ? 1 : 0),
    };
  }

  #cut(): FileBatch {
    const all = this.#into.samples.samples;
    const blocks = this.#into.samples.take().flatMap((block) => datedRows(block) ?? []);
    const dated = blocks.reduce((sum, { raw }) => sum + raw.length, 0);
    const { samples, undated } = this.#account;
    this.#account = { ...this.#account, samples: samples + dated, undated: undated + all - dated };
    const first = this.#first;
    this.#first = this.#account.frames;
    this.#bytes = 0;
    return { first, blocks, account: this.#account };
  }
}

/** The rows with a time of their own (L1); undefined when there is none. */
function datedRows(block: SampleBlock): SampleBlock | undefined {
  const { ordinals, ground, onboard, raw, wide } = block;
  const rows = [...onboard.keys()].filter((row) => isInstant(onboard[row]!));
  if (rows.length === onboard.length) return block;
  if (rows.length === 0) return undefined;
  const width = ordinals.length;
  const places = new Map(rows.map((row, place) => [row, place]));
  const kept = wide?.flatMap(([index, value]) => {
    const place = places.get(Math.floor(index / width));
    return place === undefined ? [] : [[place * width + (index % width), value] as const];
  });
  return {
    ordinals,
    ground: Float64Array.from(rows, (row) => ground[row]!),
    onboard: Float64Array.from(rows, (row) => onboard[row]!),
    raw: Float64Array.from({ length: rows.length * width }, (_, index) => {
      return raw[rows[Math.floor(index / width)]! * width + (index % width)]!;
    }),
    ...(kept !== undefined && kept.length > 0 && { wide: kept }),
  };
}

/** What gave no samples, in words; undefined where everything did. */
export function leftOut(
  { unreadable, empty, undated }: Account,
  skipped: number,
  firstFault?: string,
): string | undefined {
  const why = firstFault === undefined ? '' : ` (the first: ${firstFault})`;
  const parts = [
    unreadable > 0 ? `${counted(unreadable, 'frame')} could not be read${why}` : '',
    empty > 0 ? `${counted(empty, 'frame')} gave no sample` : '',
    undated > 0 ? `${counted(undated, 'sample')} without a time of their own` : '',
    skipped > 0 ? `${counted(skipped, 'byte')} in no frame` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? undefined : parts.join(', ');
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
