/**
 * Streams and buckets as `contract/bus/` declares them: made where missing, brought up to date where different.
 * Mission Control Service, section 6.
 *
 * A1. Ensuring is idempotent and is done once per asset and connection: after a return the server may be another one.
 * A2. Retention and storage of a stream that exists are never changed; everything else follows the declaration.
 * A3. Nothing is read past the leader: `allow_direct` is off, since decisions hang on what is read.
 * A4. What changes with every message is never kept: whoever needs it asks the server (`look`).
 * A5. Copies are only ever added: a process that does not know better leaves what others have made, and where the
 *     servers cannot have as many as wanted, fewer do until they can (`ports/replication.ts`).
 * A6. What the mission states about a stream is not changed by a process that does not know the mission yet.
 */

import type { StreamConfig, StreamInfo } from 'nats';
import { DiscardPolicy, nanos, RetentionPolicy, StorageType } from 'nats';
import type { BucketDefinition, ObjectsDefinition } from '../contract/bus/buckets.ts';
import { type StreamDefinition, streams } from '../contract/bus/streams.ts';
import { BUS_ATTEMPT_MS } from '../contract/limits.ts';
import { Outage } from '../contract/outage.ts';
import type { Log } from '../ports/log.ts';
import type { Installation, StreamOverrides } from '../ports/replication.ts';
import { checkBucket, checkFilter, checkName } from './address.ts';
import { ApiError, apiError } from './fault.ts';
import type { JetStream } from './jetstream.ts';

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

/** How a stream and its copies stand. */
export interface Copies {
  readonly stream: string;
  readonly inPlace: number;
}

type Config = Partial<StreamConfig> & { readonly name: string };

/** Streams whose retention a mission states. */
const STATED_BY_MISSION: ReadonlySet<string> = new Set([streams.alarms.name]);
/** Refusals of a server that is alone, or has too few others for the copies that were asked for. */
const NO_ROOM_FOR_COPIES = [apiError.notClustered, apiError.noPeers, apiError.tooFewResources] as const;

/** A client retries a conditional write for seconds; two minutes are the default of the bus. */
const BUCKET_DEDUPE_MS = 120_000;

/** One stream or bucket, to be made sure of before each use. */
export interface AssetHandle {
  /** Of the stream. */
  readonly name: string;
  /**
   * There and up to date, known at once after the first time; tries once. Rejects with an outage after `timeoutMs`,
   * with `ApiError` when the server refuses the asset for good.
   */
  ensure(timeoutMs: number): Promise<Asset>;
  /**
   * The stream as it stands, made first where it is missing; asks the server each time, and rejects as `ensure` does.
   */
  look(timeoutMs: number): Promise<Standing>;
  /** To be called when it turned out to be gone. */
  forget(): void;
  /** Its copies that are up to date, after those that are missing were asked for; rejects as `ensure` does. */
  copies(timeoutMs: number): Promise<Copies>;
}

interface Ensuring {
  readonly promise: Promise<Standing>;
  asset?: Asset;
}

export class Assets {
  readonly #jetstream: JetStream;
  readonly #log: Log;
  readonly #ensured = new Map<string, Ensuring>();
  #installation: Installation;
  /** Whether a mission has said so (A6). */
  #isInstalled = false;
  #epoch = 0;

  constructor(jetstream: JetStream, { log, ...installation }: AssetSettings) {
    this.#jetstream = jetstream;
    this.#log = log;
    this.#installation = installation;
  }

  get replicas(): number {
    return this.#installation.replicas;
  }

  /** What the mission states; assets are brought up to it when they are next ensured. */
  install(installation: Installation): void {
    const before = this.#installation;
    this.#installation = { ...installation, overrides: { ...before.overrides, ...installation.overrides } };
    this.#isInstalled = true;
    this.#ensured.clear();
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
      name,
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
      copies(timeoutMs) {
        return within(assets.#copies(name, config), timeoutMs, `stream ${name}`);
      },
    };
  }

  /** Adds what is missing first: the servers may be able to have it by now. */
  async #copies(name: string, config: () => Config): Promise<Copies> {
    await this.#ensure(name, config).promise;
    const info = await this.#find(name);
    if (info?.config === undefined) return { stream: name, inPlace: 0 };
    await this.#addCopies(info);
    const { cluster } = info;
    if (cluster === undefined || cluster === null) return { stream: name, inPlace: 1 };
    const { leader, replicas = [] } = cluster;
    const others = replicas.filter(({ current, offline }) => current && offline !== true);
    return { stream: name, inPlace: (leader ? 1 : 0) + others.length };
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
    // In a cluster, before the stream has a leader.
    if (info.config === undefined) throw new Outage('bus.unavailable', `stream ${name} has no leader yet`);
    const difference = differences(config, info.config, this.#untouched(name));
    if (difference.length > 0) await this.#update(config, info.config, difference);
    await this.#addCopies(info);
    return standing(info);
  }

  /** Fields that stay as they stand, whatever the declaration says (A2, A5, A6). */
  #untouched(name: string): ReadonlySet<string> {
    const always = ['retention', 'storage', 'num_replicas'];
    return new Set(this.#isInstalled || !STATED_BY_MISSION.has(name) ? always : [...always, 'max_age']);
  }

  /** A5: a server that cannot have them is no reason not to work. */
  async #addCopies(info: StreamInfo): Promise<void> {
    const { config } = info;
    const { name, num_replicas } = config;
    const { replicas } = this.#installation;
    if (num_replicas >= replicas || isAlone(info)) return;
    try {
      await this.#ask(`STREAM.UPDATE.${name}`, { ...config, num_replicas: replicas });
      this.#log.info({ stream: name, from: num_replicas, to: replicas }, 'adding copies of a stream');
    } catch (error) {
      const fields = { err: error, stream: name, copies: num_replicas, wanted: replicas };
      this.#log.warn(fields, 'stream has fewer copies than configured: there are not enough servers');
    }
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
      if (!(error instanceof ApiError)) throw error;
      if (error.is(apiError.streamExists)) return this.#ask<StreamInfo>(`STREAM.INFO.${config.name}`);
      if ((config.num_replicas ?? 1) === 1 || !error.is(...NO_ROOM_FOR_COPIES)) throw named(error, config);
      return this.#create({ ...config, num_replicas: 1 });
    }
  }

  #ask<Reply>(verb: string, body?: object): Promise<Reply> {
    return this.#jetstream.ask<Reply>(verb, body, BUS_ATTEMPT_MS);
  }

  async #update(config: Config, standing: StreamConfig, difference: readonly string[]): Promise<void> {
    this.#log.info({ stream: config.name, difference }, 'updating a stream to its declaration');
    const { name } = config;
    const kept = Object.fromEntries(
      [...this.#untouched(name)].map((field) => [field, standing[field as keyof StreamConfig]]),
    );
    const wanted = { ...standing, ...config, ...kept };
    await this.#ask(`STREAM.UPDATE.${config.name}`, wanted);
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

  #streamConfig(definition: StreamDefinition): Config {
    const { name, subjects, maxAgeMs, maxBytes } = this.#stated(definition);
    return {
      ...this.#common(name),
      subjects: subjects.map(checkFilter),
      max_age: nanos(maxAgeMs),
      duplicate_window: nanos(this.dedupeMs(definition)),
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
      num_replicas: this.#installation.replicas,
      allow_direct: false,
    };
  }
}

/** The stream that holds a bucket; throws on a malformed name. */
export function bucketStream({ name }: BucketDefinition): string {
  return `KV_${checkBucket(name)}`;
}

/** A server that has no room for a stream does not say for which. */
function named(error: ApiError, { name }: Config): ApiError {
  return new ApiError(error.status, error.number, `stream ${name}: ${error.message}`);
}

/** A server without others takes an update to three copies, and has one. */
function isAlone({ cluster }: Partial<StreamInfo>): boolean {
  return cluster === undefined || cluster === null;
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

function differences(wanted: Config, standing: StreamConfig, untouched: ReadonlySet<string>): string[] {
  return Object.entries(wanted)
    .filter(([field]) => !untouched.has(field))
    .filter(([field, value]) => {
      const stands = standing[field as keyof StreamConfig];
      return JSON.stringify(stands ?? false) !== JSON.stringify(value);
    })
    .map(([field]) => field);
}
