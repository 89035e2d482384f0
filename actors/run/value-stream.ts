/**
 * The samples of a few measures of one target, read row by row from its value stream, from a time on. Mission Control
 * Service, section 6.
 *
 * W1. No sample stored since that time is missed, also when the stream was first reached late: it is asked for until the bus
 *     lets it.
 * W2. Columns of another catalogue are read by key, and only where the measure means the same.
 * W3. Deferred samples are passed over: they were taken long before they came.
 */

import type { ValueBatch, ValueBlock, WideValue } from '../../contract/batch.ts';
import { header, streams, subject } from '../../contract/subject.ts';
import { meansTheSame } from '../../mission/measure-meaning.ts';
import type { Measure, Platform } from '../../mission/platform.ts';
import type { Bus, Follower, StreamMessage } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { patiently } from '../patiently.ts';
import { valuesIn } from '../values-in.ts';
import type { PlainValue } from './samples.ts';

/** A sample of a watched measure. */
export interface Row {
  readonly groundMs: number;
  readonly timeMs: number;
  readonly ordinal: number;
  readonly value: PlainValue;
}

/** A measure to read, with the ordinal its rows are given. */
export interface Wanted {
  readonly ordinal: number;
  readonly measure: Measure;
}

/** What to read of the columns of one platform, by column. */
export type WantedColumns = ReadonlyMap<number, readonly Wanted[]>;

export interface ValueStreamOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly target: string;
  /** What the bus stored at this time and later is read. */
  readonly from: number;
  readonly watched: readonly Wanted[];
  /** The platform with this digest, known or of that revision of the configuration (W2). */
  readonly platformOf: (digest: string, revision: string | undefined) => Promise<Platform | undefined>;
  /** Rows of one message in the order of their ground time; `atHead`: nothing stored before is still to come. */
  readonly hear: (rows: readonly Row[], atHead: boolean) => void;
  readonly signal: AbortSignal;
}

const NOTHING: WantedColumns = new Map();
/** Years 1 to 9999: what RFC 3339 can say; an on-board time outside is not a time but a broken clock. */
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

export class ValueStream {
  readonly #options: ValueStreamOptions;
  /** By digest of the platform, made when a first batch of it comes. */
  readonly #columns = new Map<string, WantedColumns>();
  #follower: Follower | undefined;
  #position = 0;
  #waiting: (() => void)[] = [];

  constructor(options: ValueStreamOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => this.#stop(), { once: true });
  }

  /** Resolves when everything stored before the call has been heard, or `signal` ended it. */
  async caughtUp(): Promise<void> {
    const { bus, clock, signal, target, from } = this.#options;
    const reached = await patiently(clock, signal, async () => {
      this.#follower ??= await bus.follow(
        streams.values,
        subject.values(target),
        { from: 'time', at: from },
        (message) => this.#hear(message),
      );
      if (signal.aborted) this.#stop();
      return this.#follower.caughtUp;
    });
    this.#position = Math.max(this.#position, reached?.value ?? 0);
  }

  /** Once caught up: resolves when everything stored before this call has been heard too, or `signal` ended it. */
  async drained(): Promise<void> {
    const { bus, clock, signal, target } = this.#options;
    const stored = await patiently(clock, signal, () => bus.last(streams.values, subject.values(target)));
    const end = stored?.value?.seq ?? 0;
    while (this.#position < end && !signal.aborted) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #stop(): void {
    void this.#follower?.stop().catch(() => undefined);
    this.#wake();
  }

  async #hear(message: StreamMessage): Promise<void> {
    const { signal, hear, log } = this.#options;
    if (signal.aborted) return;
    const batch = valuesIn(message, log);
    const columns = batch && (await this.#columnsOf(batch.platform, message.headers[header.config]));
    if (signal.aborted) return;
    const rows = batch === undefined || batch.deferred || columns === undefined ? [] : rowsOf(batch, columns);
    hear(rows, message.pending === 0);
    this.#position = message.seq;
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** W2 */
  async #columnsOf(digest: string, revision: string | undefined) {
    const known = this.#columns.get(digest);
    if (known !== undefined) return known;
    const { clock, signal, platformOf, watched } = this.#options;
    const found = await patiently(clock, signal, () => platformOf(digest, revision));
    if (found === undefined) return undefined;
    // A catalogue that its own revision does not have is gone: nothing is read from it.
    const columns = found.value === undefined ? NOTHING : wantedColumns(watched, found.value);
    if (found.value !== undefined || revision !== undefined) this.#columns.set(digest, columns);
    return columns;
  }
}

/** W2 */
function wantedColumns(watched: readonly Wanted[], platform: Platform): WantedColumns {
  const columns = new Map<number, Wanted[]>();
  for (const wanted of watched) {
    const column = platform.ordinal(wanted.measure.key);
    if (column === undefined || !meansTheSame(platform.measures[column], wanted.measure)) continue;
    columns.set(column, [...(columns.get(column) ?? []), wanted]);
  }
  return columns;
}

/** The rows of the columns, in the order of their ground time. */
function rowsOf(batch: ValueBatch, columns: WantedColumns): Row[] {
  return batch.blocks
    .filter((block) => block.deferred !== true)
    .flatMap((block) => rowsOfBlock(block, columns))
    .sort((a, b) => a.groundMs - b.groundMs);
}

function rowsOfBlock(block: ValueBlock, columns: WantedColumns): Row[] {
  const width = block.ordinals.length;
  const read = Array.from(block.ordinals, (column, place) => ({ place, wanted: columns.get(column) ?? [] }));
  const places = read.filter(({ wanted }) => wanted.length > 0);
  if (places.length === 0) return [];
  const wide = new Map(block.wide);
  return Array.from(block.ground, (groundMs, row) => {
    const onboard = block.onboard[row]!;
    const timeMs = onboard >= FIRST_MS && onboard <= LAST_MS ? onboard : groundMs;
    return places.flatMap(({ place, wanted }) =>
      wanted.map(({ ordinal, measure }) => {
        const value = plainValue(measure, block.value[row * width + place]!, wide.get(row * width + place));
        return { groundMs, timeMs, ordinal, value };
      }),
    );
  }).flat();
}

/** As the current values have it: what a double does not hold stands aside, unless it was calibrated. */
function plainValue({ definition }: Measure, value: number, wide: WideValue | undefined): PlainValue {
  if (!Number.isNaN(value)) return value;
  return wide === undefined || definition.calibrate !== undefined ? null : String(wide);
}
