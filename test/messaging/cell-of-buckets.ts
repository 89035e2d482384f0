/** A cell of buckets in memory: each operation of a connection happens at a moment that somebody chooses. */

import type { BucketDefinition } from '../../contract/bus/buckets.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { Outage } from '../../contract/outage.ts';
import type { StoredPass } from '../../contract/pass.ts';
import { byAos } from '../../mission/pass/pass.ts';
import type { Bucket, Bus, Entry, Watch, Written } from '../../ports/bus.ts';

type Told = (key: string, entry: Entry | undefined) => void;

export class Buckets {
  readonly #entries = new Map<string, Map<string, Entry>>();
  readonly #watches = new Map<string, Set<Told>>();
  #revision = 0;
  /** What the clock of the bus says. */
  now = 0;
  /** Operations so far, by what they were. */
  readonly asked = new Map<string, number>();

  of({ name }: BucketDefinition): Map<string, Entry> {
    const entries = this.#entries.get(name) ?? new Map<string, Entry>();
    this.#entries.set(name, entries);
    return entries;
  }

  put(bucket: BucketDefinition, key: string, value: Uint8Array, expected: number): Written {
    const entries = this.of(bucket);
    if ((entries.get(key)?.revision ?? 0) !== expected) return { outcome: 'conflict' };
    this.#revision += 1;
    const entry = { key, value, revision: this.#revision, at: this.now };
    entries.set(key, entry);
    this.#tell(bucket, key, entry);
    return { outcome: 'written', revision: this.#revision };
  }

  remove(bucket: BucketDefinition, key: string, expected: number): Written {
    const entries = this.of(bucket);
    if (expected === 0 || entries.get(key)?.revision !== expected) return { outcome: 'conflict' };
    entries.delete(key);
    this.#revision += 1;
    this.#tell(bucket, key, undefined);
    return { outcome: 'written', revision: this.#revision };
  }

  /** Makes a bucket what it was. */
  putBack({ name }: BucketDefinition, copy: ReadonlyMap<string, Entry>): void {
    this.#entries.set(name, new Map(copy));
  }

  stored(): StoredPass[] {
    const values = [...this.of(buckets.passes).values()];
    return values.map(({ value }) => JSON.parse(Buffer.from(value).toString()) as StoredPass).sort(byAos);
  }

  /** Those who watch a bucket are given each change in order, each at a moment that somebody chooses. */
  #watch(definition: BucketDefinition, changed: Told, turn: () => Promise<void>): Watch {
    const watches = this.#watches.get(definition.name) ?? new Set();
    this.#watches.set(definition.name, watches);
    let last = Promise.resolve();
    const tell: Told = (key, entry) => {
      last = last.then(turn).then(() => changed(key, entry));
    };
    for (const entry of this.of(definition).values()) tell(entry.key, entry);
    watches.add(tell);
    return { ready: last.then(() => undefined), stop: async () => void watches.delete(tell) };
  }

  #tell({ name }: BucketDefinition, key: string, entry: Entry | undefined): void {
    for (const tell of this.#watches.get(name) ?? []) tell(key, entry);
  }

  /** The bus of a process: dead, or away, behind its operation number `dies`. */
  bus(turn: () => Promise<void>, dies = Number.POSITIVE_INFINITY): Bus {
    let operations = 0;
    const step = async <Value>(what: string, operation: () => Value): Promise<Value> => {
      await turn();
      operations += 1;
      if (operations > dies) throw new Outage('bus.unavailable', 'dead');
      this.asked.set(what, (this.asked.get(what) ?? 0) + 1);
      const value = operation();
      await turn();
      if (operations >= dies) throw new Outage('bus.unavailable', 'dead');
      return value;
    };
    const bucket = (definition: BucketDefinition): Partial<Bucket> => ({
      get: (key) => step(`get ${definition.name}`, () => this.of(definition).get(key)),
      list: (filter) =>
        step(`list ${definition.name}`, () =>
          [...this.of(definition).values()].filter(({ key }) => key.startsWith(filter.slice(0, -1))),
        ),
      put: (key, value, expected) =>
        step(`put ${definition.name}`, () => this.put(definition, key, value, expected)),
      remove: (key, expected) =>
        step(`remove ${definition.name}`, () => this.remove(definition, key, expected)),
      watch: async (_all, changed) => this.#watch(definition, changed, turn),
    });
    return { bucket, connected: true, onConnection: () => () => undefined } as unknown as Bus;
  }
}

export const atOnce = (): Promise<void> => Promise.resolve();
