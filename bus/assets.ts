/**
 * Streams and buckets as `contract/subject.ts` declares them: made where missing, brought up to date where different.
 * Mission Control Service, section 6.
 *
 * A1. Ensuring is idempotent and is done once per asset and connection: after a return the server may be another one.
 * A2. Retention and storage of a stream that exists are never changed; everything else follows the declaration.
 * A3. Nothing is read past the leader: `allow_direct` is off, since decisions hang on what is read.
 * A4. What changes with every message is never kept: whoever needs it asks the server (`look`).
 */

import type { StreamConfig, StreamInfo } from 'nats';
import { DiscardPolicy, nanos, RetentionPolicy, StorageType } from 'nats';
import { BUS_ATTEMPT_MS } from '../contract/limits.ts';
import { Outage } from '../contract/outage.ts';
import type { BucketDefinition, ObjectsDefinition, StreamDefinition } from '../contract/subject.ts';
import type { Log } from '../ports/log.ts';
import { checkBucket, checkFilter, checkName } from './address.ts';
import { ApiError, apiError } from './fault.ts';
import type { JetStream } from './jetstream.ts';

/** What an installation may state otherwise for a stream, by the stream's name. */
export type StreamOverrides = Readonly<
  Record<string, Partial<Pick<StreamDefinition, 'maxAgeMs' | 'dedupeMs' | 'maxBytes'>>>
>;

/** A stream that was there when it was last ensured; another one may bear its name by now. */
export interface Asset {
  readonly stream: string;
  /** Tells a stream from another one that later bears the same name. */
  readonly created: string;
}

/** A stream as its leader says it stands, asked just now. */
export interface Standing extends Asset {
  readonly lastSeq: number;
  readonly replicas: number;
  /** What a message takes in the store on average; 0 when there is none. */
  readonly meanBytes: number;
}

interface AssetSettings {
  readonly replicas: number;
  readonly overrides: StreamOverrides;
  readonly log: Log;
}

type Config = Partial<StreamConfig> & { readonly name: string };

/** A client retries a conditional write for seconds; two minutes are the default of the bus. */
const BUCKET_DEDUPE_MS = 120_000;

/** One stream or bucket, to be made sure of before each use. */
export interface AssetHandle {
  /**
   * There and up to date, known at once after the first time; tries once. Rejects with an outage after `timeoutMs`, with
   * `ApiError` when the server refuses the asset for good.
   */
  ensure(timeoutMs: number): Promise<Asset>;
  /** The stream as it stands, made first where it is missing; asks the server each time, and rejects as `ensure` does. */
  look(timeoutMs: number): Promise<Standing>;
  /** To be called when it turned out to be gone. */
  forget(): void;
}

interface Ensuring {
  readonly promise: Promise<Standing>;
  asset?: Asset;
}

export class Assets {
  readonly #jetstream: JetStream;
  readonly #settings: AssetSettings;
  readonly #ensured = new Map<string, Ensuring>();
  #epoch = 0;

  constructor(jetstream: JetStream, settings: AssetSettings) {
    this.#jetstream = jetstream;
    this.#settings = settings;
  }

  /** Throws on a definition with an illegal name. */
  stream(definition: StreamDefinition): AssetHandle {
    return this.#handle(checkName(definition.name), () => this.#streamConfig(definition));
  }

  /** The stream beneath a bucket; throws on an illegal name. */
  bucket(definition: BucketDefinition): AssetHandle {
    return this.#handle(bucketStream(definition), () => this.#bucketConfig(definition));
  }

  /** The stream beneath an object store; throws on an illegal name. */
  objects(definition: ObjectsDefinition): AssetHandle {
    return this.#handle(`OBJ_${checkBucket(definition.name)}`, () => this.#objectsConfig(definition));
  }

  /** The configuration is made when it is needed: a handle is asked for at each write. */
  #handle(name: string, config: () => Config): AssetHandle {
    const assets = this;
    // Methods and no closures: what runs the sources names each closure it makes, which costs a microsecond.
    return {
      async ensure(timeoutMs) {
        const ensuring = assets.#ensure(name, config);
        return ensuring.asset ?? within(ensuring.promise, timeoutMs, `stream ${name}`);
      },
      look(timeoutMs) {
        return within(assets.#look(name, config), timeoutMs, `stream ${name}`);
      },
      forget() {
        assets.#ensured.delete(name);
      },
    };
  }

  /** What an ensuring before this call learned is stale; only one that begins after it was found missing will do. */
  async #look(name: string, config: () => Config): Promise<Standing> {
    await this.#ensure(name, config).promise;
    const info = await this.#find(name);
    if (info !== undefined) return standing(info);
    this.#ensured.delete(name);
    return this.#ensure(name, config).promise;
  }

  #ensure(name: string, config: () => Config): Ensuring {
    if (this.#epoch !== this.#jetstream.connection.epoch) {
      this.#epoch = this.#jetstream.connection.epoch;
      this.#ensured.clear();
    }
    const known = this.#ensured.get(name);
    if (known !== undefined) return known;
    const ensuring: Ensuring = { promise: this.#bringAbout(config()) };
    this.#ensured.set(name, ensuring);
    ensuring.promise.then(
      (asset) => {
        ensuring.asset = asset;
      },
      () => {
        if (this.#ensured.get(name) === ensuring) this.#ensured.delete(name);
      },
    );
    return ensuring;
  }

  async #bringAbout(config: Config): Promise<Standing> {
    const { name } = config;
    const info = (await this.#find(name)) ?? (await this.#create(config));
    const difference = differences(config, info.config);
    if (difference.length > 0) await this.#update(config, info.config, difference);
    return standing(info);
  }

  async #find(name: string): Promise<StreamInfo | undefined> {
    try {
      return await this.#ask<StreamInfo>(`STREAM.INFO.${name}`);
    } catch (error) {
      if (error instanceof ApiError && error.is(apiError.noStream)) return undefined;
      throw error;
    }
  }

  async #create(config: Config): Promise<StreamInfo> {
    try {
      return await this.#ask<StreamInfo>(`STREAM.CREATE.${config.name}`, config);
    } catch (error) {
      if (!(error instanceof ApiError && error.is(apiError.streamExists))) throw named(error, config);
      return this.#ask<StreamInfo>(`STREAM.INFO.${config.name}`);
    }
  }

  #ask<Reply>(verb: string, body?: object): Promise<Reply> {
    return this.#jetstream.ask<Reply>(verb, body, BUS_ATTEMPT_MS);
  }

  async #update(config: Config, standing: StreamConfig, difference: readonly string[]): Promise<void> {
    const { log } = this.#settings;
    log.info({ stream: config.name, difference }, 'stream is brought up to its declaration');
    const wanted = { ...standing, ...config, retention: standing.retention, storage: standing.storage };
    await this.#ask(`STREAM.UPDATE.${config.name}`, wanted);
  }

  #streamConfig(definition: StreamDefinition): Config {
    const { name, subjects, maxAgeMs, dedupeMs, maxBytes } = {
      ...definition,
      ...this.#settings.overrides[definition.name],
    };
    return {
      ...this.#common(name),
      subjects: subjects.map(checkFilter),
      max_age: nanos(maxAgeMs),
      duplicate_window: nanos(Math.min(dedupeMs, maxAgeMs)),
      max_bytes: maxBytes ?? -1,
      discard: DiscardPolicy.Old,
    };
  }

  #bucketConfig(definition: BucketDefinition): Config {
    const { name, history, ttlMs } = definition;
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

  #objectsConfig({ name, ttlMs }: ObjectsDefinition): Config {
    return {
      ...this.#common(`OBJ_${name}`),
      subjects: [`$O.${name}.C.>`, `$O.${name}.M.>`],
      max_age: nanos(ttlMs),
      duplicate_window: nanos(BUCKET_DEDUPE_MS),
      discard: DiscardPolicy.New,
      allow_rollup_hdrs: true,
    };
  }

  #common(name: string): Config {
    return {
      name,
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      num_replicas: this.#settings.replicas,
      allow_direct: false,
    };
  }
}

/** The stream that holds a bucket; throws on a name that is none. */
export function bucketStream({ name }: BucketDefinition): string {
  return `KV_${checkBucket(name)}`;
}

/** A server that has no room for a stream does not say for which. */
function named(error: unknown, { name }: Config): unknown {
  if (!(error instanceof ApiError)) return error;
  return new ApiError(error.status, error.number, `stream ${name}: ${error.message}`);
}

function standing({ config, created, state }: StreamInfo): Standing {
  return {
    stream: config.name,
    created: String(created),
    lastSeq: state.last_seq,
    replicas: config.num_replicas,
    meanBytes: state.messages === 0 ? 0 : state.bytes / state.messages,
  };
}

function within<Value>(promise: Promise<Value>, timeoutMs: number, what: string): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Outage('bus.timeout', `no answer about ${what} in time`)),
      Math.max(1, timeoutMs),
    );
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function differences(wanted: Config, standing: StreamConfig): string[] {
  const fixed = new Set(['retention', 'storage']);
  return Object.entries(wanted)
    .filter(([field]) => !fixed.has(field))
    .filter(([field, value]) => {
      const stands = standing[field as keyof StreamConfig];
      return JSON.stringify(stands ?? false) !== JSON.stringify(value);
    })
    .map(([field]) => field);
}
