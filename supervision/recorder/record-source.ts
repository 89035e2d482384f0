/**
 * Records of a bucket whose changes are recorded. A bucket keeps the newest value of each key alone: what a record says
 * of its earlier changes itself is recorded too, what it does not say is lost while nobody records.
 *
 * R1. What was recorded up to a revision is not recorded again. Of a record that was written since, changes from
 *     shortly before that are compared with the log.
 * R2. A change is known by its key and what it says: writing a record again is none.
 * R3. An entry that cannot be read, or breaks its reader, is an event, once, and stops nothing.
 */

import type { BucketDefinition } from '../../contract/bus/buckets.ts';
import type { LoggedEvent } from '../../contract/event.ts';
import { RECORDER_AGAIN_MS } from '../../contract/limits/event.ts';
import type { Bus, Entry, Watch } from '../../ports/bus.ts';
import type { LogWriter } from './log-writer.ts';
import { noteOf } from './notes.ts';

/** A change that a record shows. */
export interface RecordChange {
  /** Unique among the changes of its key. */
  readonly id: string;
  /** ms since 1970 */
  readonly at: number;
  readonly event: LoggedEvent;
}

/** The changes that an entry shows, the oldest first; undefined where it cannot be read, and it may throw then. */
export type ReadRecord = (entry: Entry) => readonly RecordChange[] | undefined;

export interface RecordSourceOptions {
  readonly bus: Pick<Bus, 'bucket'>;
  readonly bucket: BucketDefinition;
  readonly filter: string;
  readonly writer: LogWriter;
  readonly read: ReadRecord;
  readonly failed: (error: unknown) => void;
}

export class RecordSource {
  readonly #options: RecordSourceOptions;
  /** What was seen last of each key that is there. */
  readonly #seen = new Map<string, readonly string[]>();
  #entries: Entry[] = [];
  #watch: Watch | undefined;
  #ready = false;
  #recent: ReadonlySet<string> = new Set();
  #since = Number.NEGATIVE_INFINITY;
  #revision = 0;
  #work: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: RecordSourceOptions) {
    this.#options = options;
  }

  /** Rejects with `Outage`. */
  async start(): Promise<void> {
    const { bus, bucket, filter, writer } = this.#options;
    const upTo = await writer.open();
    this.#recent = await writer.recent();
    if (upTo !== undefined) {
      this.#revision = upTo.seq;
      this.#since = upTo.at - RECORDER_AGAIN_MS;
    }
    this.#watch = await bus.bucket(bucket).watch(filter, (key, entry) => {
      if (entry === undefined) return void this.#seen.delete(key);
      this.#entries.push(entry);
      if (this.#ready) this.#soon();
    });
    await this.#watch.ready;
    this.#ready = true;
    this.#soon();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#watch?.stop();
    await this.#work;
  }

  #soon(): void {
    this.#work = this.#work
      .then(() => this.#recordAll())
      .catch((error: unknown) => {
        if (!this.#stopped) this.#options.failed(error);
        this.#stopped = true;
      });
  }

  async #recordAll(): Promise<void> {
    const { writer } = this.#options;
    const entries = this.#entries.sort((one, other) => one.revision - other.revision);
    this.#entries = [];
    for (const entry of entries) {
      if (this.#stopped) return;
      const events = this.#changes(entry);
      if (events.length === 0) continue;
      writer.add(events, { seq: Math.max(entry.revision, writer.upTo?.seq ?? 0), at: entry.at });
      if (writer.isFull) await writer.flush();
    }
    await writer.flush();
  }

  /** R1, R2 */
  #changes(entry: Entry): LoggedEvent[] {
    const { bucket } = this.#options;
    const { key, revision, rewound } = entry;
    const prefix = `${bucket.name}:${key}:`;
    const changes = this.#read(entry);
    const ids = changes?.map(({ id }) => id) ?? [`unreadable-${revision}`];
    const seen = this.#seen.get(key);
    this.#seen.set(key, ids);
    if (seen === undefined && revision <= this.#revision && rewound === undefined) return [];
    if (changes === undefined) {
      const text = `Entry ${key} of ${bucket.name} cannot be read (revision ${revision}).`;
      return [noteOf(entry.at, text, `${prefix}${ids[0]}`)];
    }
    return changes
      .filter(({ id, at }) =>
        seen === undefined ? at >= this.#since && !this.#recent.has(prefix + id) : !seen.includes(id),
      )
      .map(({ id, event }) => Object.assign({}, event, { source: prefix + id }));
  }

  /** R3 */
  #read(entry: Entry): readonly RecordChange[] | undefined {
    try {
      return this.#options.read(entry);
    } catch {
      return undefined;
    }
  }
}
