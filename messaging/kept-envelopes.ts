/**
 * Envelopes of a kind whose truth is a log, kept beside that log in bucket `mcs_actors`: `<kind>.<id>`. Decision 31.
 *
 * K1. What is kept is a shortcut and never the truth: whatever is wrong with it (missing, unreadable, of another
 *     format, chart version or entity), it is as if nothing were kept.
 * K2. Written by condition on the revision that this process knows. Where another owner of a later epoch has written,
 *     this one writes no more of that entity; what an earlier one left is written over.
 * K3. At most one write of an entity is under way. A removal waits for it, and so does who reads what is kept: an owner
 *     of before may have asked for it. One whose answer was lost counts as written.
 * K5. What is kept bears a digest: of bytes that were damaged nothing is gone by.
 * K4. Revisions are known of entities that live here only: whoever lets one go forgets it.
 * K9. What was written behind the end of an entity, by an owner that slept or was cut off, nobody knows of: it is found
 *     by looking through everything that is kept, once for all who look in the same moment.
 * K10. The first envelope of an entity that reaches the bus when this process has let the entity go, is taken back: the
 *     entity may be over by then, and whoever has it goes by its log.
 */

import { createHash } from 'node:crypto';
import { Packr } from 'msgpackr';
import { buckets } from '../contract/bus/buckets.ts';
import { KEPT_ENVELOPE_BYTES } from '../contract/limits/cell.ts';
import type { Bucket, Bus, Entry } from '../ports/bus.ts';
import type { Envelope, KeptEnvelope } from '../ports/entity.ts';

/** Another one when the form of what is kept changes; the version of a chart stands beside it. */
export const KEPT_FORMAT = 'kept-1';

export const packr = new Packr({ useRecords: false, moreTypes: true });

/** Lists under way at once: many lanes are taken over in the same moment. */
const LISTS = 4;
/** Rounds in which a write finds that somebody else has written; more than one is a race lost. */
const WRITE_ROUNDS = 3;

export type KeptWrite = 'written' | 'overtaken' | 'too-large';

interface KeptKey {
  readonly id: string;
  readonly revision: number;
}

/** What a kind expects of what is kept of an entity (K1). */
interface Expected {
  readonly kind: string;
  readonly version: number;
}

/** Throws `Outage` wherever the bus is away. */
export class KeptEnvelopes {
  readonly #expected: Expected;
  readonly #bucket: Bucket;
  /** Of what stands in the bucket, by id; 0: nothing. */
  readonly #revisions = new Map<string, number>();
  readonly #overtaken = new Set<string>();
  /** Of which a write was asked for whose outcome is not known: it may stand in the bucket. */
  readonly #unsure = new Set<string>();
  readonly #writing = new Map<string, Promise<KeptWrite>>();
  /** The look under way through everything that is kept (K9). */
  #everything: Promise<readonly KeptKey[]> | undefined;
  readonly #lists: Promise<unknown>[] = Array.from({ length: LISTS }, () => Promise.resolve());
  #listed = 0;

  constructor(bus: Bus, expected: Expected) {
    this.#expected = expected;
    this.#bucket = bus.bucket(buckets.actors);
  }

  /** What is kept of an entity that this process has now; undefined when there is nothing to go by (K1). */
  async read(id: string): Promise<KeptEnvelope | undefined> {
    await this.#written((each) => each === id);
    const entry = await this.#bucket.get(this.#key(id));
    if (!this.#writing.has(id)) this.#revisions.set(id, entry?.revision ?? 0);
    return entry && this.#usable(id, entry);
  }

  /** Nothing is kept of an entity that begins here. */
  begins(id: string): void {
    this.#revisions.set(id, 0);
  }

  /**
   * The same of every entity whose id matches (`sat1.*`) and of which something is kept: one question for all of them,
   * and one of which nothing is kept costs none.
   */
  async readAll(filter: string): Promise<Map<string, KeptEnvelope | undefined>> {
    const place = this.#listed % LISTS;
    this.#listed += 1;
    const isMeant = (id: string): boolean => id.startsWith(filter.replace(/[*>]$/, ''));
    const entries = this.#lists[place]!.then(() => this.#written(isMeant)).then(() =>
      this.#bucket.list(this.#key(filter)),
    );
    this.#lists[place] = entries.catch(() => undefined);
    const found = (await entries).map((entry): [string, Entry] => [
      entry.key.slice(this.#key('').length),
      entry,
    ]);
    for (const [id, { revision }] of found) if (!this.#writing.has(id)) this.#revisions.set(id, revision);
    return new Map(found.map(([id, entry]) => [id, this.#usable(id, entry)]));
  }

  write(envelope: KeptEnvelope): Promise<KeptWrite> {
    const { id } = envelope;
    const written = this.#write(envelope).finally(() => this.#writing.delete(id));
    this.#writing.set(id, written);
    return written;
  }

  /** The writes under way of these have ended, one way or the other (K3). */
  async #written(isMeant: (id: string) => boolean): Promise<void> {
    const underWay = [...this.#writing].filter(([id]) => isMeant(id));
    await Promise.allSettled(underWay.map(([, writing]) => writing));
  }

  isWriting(id: string): boolean {
    return this.#writing.has(id);
  }

  /** The entity is over: nothing is kept of it any more. Asked again it goes on. */
  async remove(id: string): Promise<void> {
    await this.#writing.get(id)?.catch(() => undefined);
    if (this.#unsure.has(id)) {
      this.#revisions.set(id, (await this.#bucket.get(this.#key(id)))?.revision ?? 0);
      this.#unsure.delete(id);
    }
    while ((this.#revisions.get(id) ?? 0) > 0) {
      const removed = await this.#bucket.remove(this.#key(id), this.#revisions.get(id) ?? 0);
      if (removed.outcome === 'written') break;
      this.#revisions.set(id, (await this.#bucket.get(this.#key(id)))?.revision ?? 0);
    }
    this.forget(id);
  }

  /** Removes what is kept of entities that are over, whoever kept it (K9); what somebody writes meanwhile stays. */
  async sweep(isOver: (id: string) => Promise<boolean>): Promise<void> {
    this.#everything ??= this.#look();
    for (const { id, revision } of await this.#everything)
      if (await isOver(id)) await this.#bucket.remove(this.#key(id), revision);
  }

  async #look(): Promise<readonly KeptKey[]> {
    try {
      const entries = await this.#bucket.list(this.#key('>'));
      return entries.map(({ key, revision }) => ({ id: key.slice(this.#key('').length), revision }));
    } finally {
      this.#everything = undefined;
    }
  }

  /** Whether something may be kept of it that `remove` takes away. */
  mayBeKept(id: string): boolean {
    return this.#writing.has(id) || this.#unsure.has(id) || (this.#revisions.get(id) ?? 0) > 0;
  }

  /** The entity is not this process's any more (K4). */
  forget(id: string): void {
    this.#revisions.delete(id);
    this.#overtaken.delete(id);
    this.#unsure.delete(id);
  }

  async #write(envelope: KeptEnvelope): Promise<KeptWrite> {
    const { id } = envelope;
    if (this.#overtaken.has(id)) return 'overtaken';
    const bytes = keptBytes(envelope);
    if (bytes.length > KEPT_ENVELOPE_BYTES) return 'too-large';
    let expected = this.#revisions.get(id) ?? 0;
    this.#revisions.set(id, expected);
    for (let round = 0; round < WRITE_ROUNDS; round += 1) {
      this.#unsure.add(id);
      const written = await this.#bucket.put(this.#key(id), bytes, expected);
      this.#unsure.delete(id);
      if (written.outcome === 'written') {
        if (expected === 0 && !this.#revisions.has(id)) await this.#takeBack(id, written.revision);
        this.#known(id, written.revision);
        return 'written';
      }
      const stands = await this.#bucket.get(this.#key(id));
      // Who took it away has ended the entity.
      if (stands === undefined || epochIn(stands) > envelope.epoch) break;
      expected = stands.revision;
      this.#known(id, expected);
    }
    if (this.#revisions.has(id)) this.#overtaken.add(id);
    return 'overtaken';
  }

  /** K10 */
  async #takeBack(id: string, revision: number): Promise<void> {
    await this.#bucket.remove(this.#key(id), revision);
  }

  /** One that was let go meanwhile stays forgotten (K4). */
  #known(id: string, revision: number): void {
    if (this.#revisions.has(id)) this.#revisions.set(id, revision);
  }

  #usable(id: string, entry: Entry): KeptEnvelope | undefined {
    const { kind, version } = this.#expected;
    const kept = readEnvelope(entry);
    if (kept === undefined || !isKept(kept)) return undefined;
    return kept.kind === kind && kept.id === id && kept.version === version ? kept : undefined;
  }

  #key(id: string): string {
    return `${this.#expected.kind}.${id}`;
  }
}

/** What of an envelope beside a log stands in the bucket (K5). */
export function keptBytes(envelope: KeptEnvelope): Uint8Array {
  const body = packr.pack(envelope);
  return packr.pack({ format: KEPT_FORMAT, digest: digestOf(body), body });
}

/** The envelope in an entry of a bucket, beside a log or the record itself; undefined when it cannot be read. */
export function readEnvelope({ value }: Pick<Entry, 'value'>): Envelope | undefined {
  try {
    const read = packr.unpack(value) as Partial<KeptBody & Envelope> | null;
    if (typeof read !== 'object' || read === null) return undefined;
    if (read.body === undefined) return typeof read.kind === 'string' ? (read as Envelope) : undefined;
    if (read.format !== KEPT_FORMAT || read.digest !== digestOf(read.body)) return undefined;
    return packr.unpack(read.body) as KeptEnvelope;
  } catch {
    return undefined;
  }
}

export function isKept(envelope: Envelope): envelope is KeptEnvelope {
  return 'covers' in envelope;
}

interface KeptBody {
  readonly format: string;
  readonly digest: string;
  readonly body: Uint8Array;
}

function digestOf(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 16);
}

function epochIn(entry: Entry): number {
  const epoch = readEnvelope(entry)?.epoch;
  return typeof epoch === 'number' ? epoch : 0;
}
