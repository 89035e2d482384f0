/**
 * Streams and buckets as they are to be: what `contract/bus/` declares, with what the process was started with and what
 * the mission states of it. Asks nobody; the promises are those of `bus/assets.ts`.
 */

import { DiscardPolicy, nanos, RetentionPolicy, StorageType, type StreamConfig } from 'nats';
import {
  type BucketDefinition,
  buckets,
  type ObjectsDefinition,
  objectStores,
} from '../contract/bus/buckets.ts';
import { type StreamDefinition, sizeOf, streams } from '../contract/bus/streams.ts';
import type { Installation, StreamOverrides } from '../ports/replication.ts';
import { checkBucket, checkFilter } from './address.ts';

export type Config = Partial<StreamConfig> & { readonly name: string };

/** Streams, and what is as old as they are, whose age and size a mission states (assets.A6). */
const STATED_BY_MISSION: ReadonlySet<string> = new Set([
  ...Object.values(streams).map(({ name }) => name),
  ...[buckets.runs, buckets.runReports, buckets.programs].map(({ name }) => `KV_${name}`),
  `OBJ_${objectStores.uploads.name}`,
]);
const STATED = ['max_age', 'max_bytes', 'duplicate_window'] as const;
/** A client retries a conditional write for seconds; two minutes are the default of the bus. */
const BUCKET_DEDUPE_MS = 120_000;

export class Declared {
  #installation: Installation;
  /** What the process was started with, whatever missions state. */
  readonly #started: StreamOverrides;
  /** Whether a mission has said so (assets.A6). */
  #isInstalled = false;

  constructor(installation: Installation) {
    this.#installation = installation;
    this.#started = installation.overrides;
  }

  get replicas(): number {
    return this.#installation.replicas;
  }

  /** What the mission states. */
  install(installation: Installation): void {
    this.#installation = {
      ...installation,
      // What a mission does not state any more is as declared again, but for what the process was started with.
      overrides: { ...this.#started, ...installation.overrides },
    };
    this.#isInstalled = true;
  }

  /** For what rate a stream is made, and whether its size was stated; undefined where it is made for none. */
  rateOf(
    definition: StreamDefinition,
  ): { readonly bytesPerS: number; readonly isStated: boolean } | undefined {
    const { bytesPerS } = this.#stated(definition);
    if (bytesPerS === undefined) return undefined;
    const { bytesPerS: rate, maxBytes: size } = this.#installation.overrides[definition.name] ?? {};
    return { bytesPerS, isStated: rate !== undefined || size !== undefined };
  }

  /** Fields that stay as they stand, whatever the declaration says (assets.A2, A5, A6). */
  untouched(name: string): ReadonlySet<string> {
    const always = ['retention', 'storage', 'num_replicas'];
    return new Set(this.#isInstalled || !STATED_BY_MISSION.has(name) ? always : [...always, ...STATED]);
  }

  /** The declaration with what the installation states otherwise. */
  #stated(definition: StreamDefinition): StreamDefinition {
    return { ...definition, ...this.#installation.overrides[definition.name] };
  }

  /** For how long the stream remembers the ids of messages, ms. */
  dedupeMs(definition: StreamDefinition): number {
    const { dedupeMs, maxAgeMs } = this.#stated(definition);
    return Math.min(dedupeMs, maxAgeMs);
  }

  /** For how long the stream keeps messages, ms. */
  keptMs(definition: StreamDefinition): number {
    return this.#stated(definition).maxAgeMs;
  }

  /** For how long a bucket or object store keeps what is stored, ms; undefined: for good. */
  ttlMs({ name, ttlMs }: { readonly name: string; readonly ttlMs?: number }): number | undefined {
    return this.#installation.ttls?.[name] ?? ttlMs;
  }

  stream(definition: StreamDefinition): Config {
    const stated = this.#stated(definition);
    const { name, subjects, maxAgeMs } = stated;
    return {
      ...this.#common(name),
      subjects: subjects.map(checkFilter),
      max_age: nanos(maxAgeMs),
      duplicate_window: nanos(this.dedupeMs(definition)),
      max_bytes: sizeOf(stated) ?? -1,
      discard: DiscardPolicy.Old,
    };
  }

  bucket(definition: BucketDefinition): Config {
    const { name, history } = definition;
    const ttlMs = this.ttlMs(definition);
    return {
      ...this.#common(bucketStream(definition)),
      subjects: [`$KV.${name}.>`],
      max_msgs_per_subject: history,
      max_age: ttlMs === undefined ? 0 : nanos(ttlMs),
      duplicate_window: nanos(Math.min(BUCKET_DEDUPE_MS, ttlMs ?? BUCKET_DEDUPE_MS)),
      discard: DiscardPolicy.New,
      allow_rollup_hdrs: true,
    };
  }

  objects(definition: ObjectsDefinition): Config {
    const { name } = definition;
    const ttlMs = this.ttlMs(definition) ?? definition.ttlMs;
    return {
      ...this.#common(`OBJ_${name}`),
      subjects: [`$O.${name}.C.>`, `$O.${name}.M.>`],
      max_age: nanos(ttlMs),
      duplicate_window: nanos(Math.min(BUCKET_DEDUPE_MS, ttlMs)),
      discard: DiscardPolicy.New,
      allow_rollup_hdrs: true,
      allow_direct: true,
    };
  }

  #common(name: string): Config {
    return {
      name,
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      num_replicas: this.#installation.replicas,
      allow_direct: false,
    };
  }
}

/** The stream that holds a bucket; throws on a malformed name. */
export function bucketStream({ name }: BucketDefinition): string {
  return `KV_${checkBucket(name)}`;
}

/** Fields that are not as they are to be. */
export function differences(
  wanted: Config,
  standing: StreamConfig,
  untouched: ReadonlySet<string>,
): string[] {
  return Object.entries(wanted)
    .filter(([field]) => !untouched.has(field))
    .filter(([field, value]) => {
      const stands = standing[field as keyof StreamConfig];
      return JSON.stringify(stands ?? false) !== JSON.stringify(value);
    })
    .map(([field]) => field);
}
