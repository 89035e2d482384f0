/**
 * Streams and buckets as `contract/bus/` declares them: made where missing, brought up to date where different.
 * Mission Control Service, section 6.
 *
 * A1. Ensuring is idempotent and is done once per asset and connection: after a return the server may be another one.
 * A2. Retention and storage of a stream that exists are never changed; everything else follows the declaration.
 * A3. Nothing is read past the leader, since decisions hang on what is read: `allow_direct` is off, but for the pieces
 *     of objects. What stands at a position never changes, and a copy that does not have it yet says so.
 * A4. What changes with every message is never kept: whoever needs it asks the server (`look`), those who ask at once
 *     together (shared-question.V1).
 * A5. Copies are only ever added: a process that does not know better leaves what others have made, and where the
 *     servers cannot have as many as wanted, fewer do until they can (`ports/replication.ts`).
 * A6. What a mission may state about a stream, its age and its size, is not changed by a process that does not know the
 *     mission yet.
 * A7. A stream that is made for a rate is as large as the bus has room for: where there is not enough, all that are
 *     made now are made smaller alike, and what they keep is in the log. One that stands keeps its size until there is
 *     room.
 * A8. Whoever only looks makes and changes nothing (`looksOnly`): a stream that is missing is refused by the server,
 *     one that is different stays as it is.
 * A9. One that this process knew and that is gone is made again a moment later, not at once: nats-server answers that
 *     there is none before its files are removed. One that is made meanwhile loses what is stored in it, or delivers
 *     nothing of it, and acknowledges it all the same.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { StreamConfig, StreamInfo } from 'nats';
import type { BucketDefinition, ObjectsDefinition } from '../contract/bus/buckets.ts';
import type { StreamDefinition } from '../contract/bus/streams.ts';
import { BUS_ATTEMPT_MS, BUS_REMOVAL_MS } from '../contract/limits/bus.ts';
import { Outage } from '../contract/outage.ts';
import type { Log } from '../ports/log.ts';
import type { Installation, StreamOverrides } from '../ports/replication.ts';
import { SharedQuestions } from '../ports/shared-question.ts';
import { checkBucket, checkName } from './address.ts';
import {
  type Asset,
  type AssetHandle,
  type Compared,
  type Copies,
  described,
  identityOf,
  type Standing,
  standing,
} from './asset.ts';
import { bucketStream, type Config, Declared, differences } from './declared.ts';
import { ApiError, apiError } from './fault.ts';
import { Fitting } from './fitting.ts';
import type { JetStream } from './jetstream.ts';

interface AssetSettings {
  readonly replicas: number;
  readonly overrides: StreamOverrides;
  readonly looksOnly?: boolean | undefined;
  readonly log: Log;
}

/** Refusals of a server that is alone, or has too few others for the copies that were asked for. */
const NO_ROOM_FOR_COPIES = [apiError.notClustered, apiError.noPeers, apiError.tooFewResources] as const;

/** Longer than a look takes that is not waited for in vain (shared-question.V2). */
const LOOK_AWAITED_MS = 250;

interface Ensuring {
  readonly promise: Promise<Standing>;
  asset?: Asset;
}

export class Assets {
  readonly #jetstream: JetStream;
  readonly #log: Log;
  readonly #ensured = new Map<string, Ensuring>();
  /** Those that were there at any time (A9). */
  readonly #known = new Set<string>();
  readonly #fitting: Fitting;
  /** A4 */
  readonly #looks = new SharedQuestions((name) => this.#find(name), { awaitedMs: LOOK_AWAITED_MS });
  readonly #looksOnly: boolean;
  readonly #declared: Declared;
  #epoch = 0;

  constructor(jetstream: JetStream, { log, looksOnly = false, ...installation }: AssetSettings) {
    this.#jetstream = jetstream;
    this.#looksOnly = looksOnly;
    this.#log = log;
    this.#declared = new Declared(installation);
    this.#fitting = new Fitting(log, (config) => this.#shrink(config));
  }

  get replicas(): number {
    return this.#declared.replicas;
  }

  /** What the mission states; assets are brought up to it when they are next ensured. */
  install(installation: Installation): void {
    this.#declared.install(installation);
    this.#fitting.forget();
    this.#ensured.clear();
  }

  /** For how long the stream remembers the ids of messages, ms. */
  dedupeMs(definition: StreamDefinition): number {
    return this.#declared.dedupeMs(definition);
  }

  /** For how long the stream keeps messages, ms. */
  keptMs(definition: StreamDefinition): number {
    return this.#declared.keptMs(definition);
  }

  /** For how long an object store keeps what is stored, ms. */
  ttlMs(definition: ObjectsDefinition): number {
    return this.#declared.ttlMs(definition) ?? definition.ttlMs;
  }

  /** Throws on a definition with an illegal name. */
  stream(definition: StreamDefinition): AssetHandle {
    return this.#handle(checkName(definition.name), () => this.#sized(definition));
  }

  /** The stream beneath a bucket; throws on an illegal name. */
  bucket(definition: BucketDefinition): AssetHandle {
    return this.#handle(bucketStream(definition), () => this.#declared.bucket(definition));
  }

  /** The stream beneath an object store; throws on an illegal name. */
  objects(definition: ObjectsDefinition): AssetHandle {
    return this.#handle(`OBJ_${checkBucket(definition.name)}`, () => this.#declared.objects(definition));
  }

  /** A7 */
  #sized(definition: StreamDefinition): Config {
    const rate = this.#declared.rateOf(definition);
    if (rate !== undefined) this.#fitting.sized(definition.name, rate.bytesPerS, rate.isStated);
    return this.#declared.stream(definition);
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
      compare(timeoutMs) {
        return within(assets.#compare(name, config), timeoutMs, `stream ${name}`);
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
    const info = await this.#looks.ask(name);
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

  async #compare(name: string, config: () => Config): Promise<Compared> {
    const info = await this.#find(name);
    if (info?.config === undefined) return { stream: name, standing: undefined, differs: [] };
    const kept = new Set([...this.#declared.untouched(name), 'max_bytes']);
    return { stream: name, standing: standing(info), differs: differences(config(), info.config, kept) };
  }

  async #bringAbout(config: Config): Promise<Standing> {
    const { name } = config;
    if (this.#looksOnly) return standing(await this.#ask<StreamInfo>(`STREAM.INFO.${name}`));
    const found = (await this.#find(name)) ?? (await this.#afterRemoval(name));
    const info = found ?? (await this.#create(config));
    if (found === undefined && this.#known.has(name))
      this.#log.error(
        { stream: name },
        'a stream of the bus is missing with everything it held: created again',
      );
    this.#known.add(name);
    // In a cluster, before the stream has a leader.
    if (info.config === undefined) throw new Outage('bus.unavailable', `stream ${name} has no leader yet`);
    const wanted = info.config.description ? config : { ...config, description: described(identityOf(info)) };
    const difference = differences(wanted, info.config, this.#declared.untouched(name));
    const now = difference.length > 0 ? await this.#update(wanted, info.config, difference) : info.config;
    this.#fitting.report(config, now.max_bytes, this.#declared.untouched(name).has('max_bytes'));
    await this.#addCopies({ ...info, config: now });
    return standing(info);
  }

  /** A9: the one that somebody else has made by then. */
  async #afterRemoval(name: string): Promise<StreamInfo | undefined> {
    if (!this.#known.has(name)) return undefined;
    await pause(BUS_REMOVAL_MS);
    return this.#find(name);
  }

  /** A5: a server that cannot have them is no reason not to work. */
  async #addCopies(info: StreamInfo): Promise<void> {
    const { config } = info;
    const { name, num_replicas } = config;
    const { replicas } = this.#declared;
    if (num_replicas >= replicas || isAlone(info) || this.#looksOnly) return;
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
      return await this.#jetstream.askAgain<StreamInfo>(`STREAM.INFO.${name}`, BUS_ATTEMPT_MS);
    } catch (error) {
      if (error instanceof ApiError && error.is(apiError.noStream)) return undefined;
      throw error;
    }
  }

  async #create(config: Config): Promise<StreamInfo> {
    try {
      return await this.#fitting.made(config, (fitted) =>
        this.#ask<StreamInfo>(`STREAM.CREATE.${config.name}`, {
          ...fitted,
          description: described(randomUUID()),
        }),
      );
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.is(apiError.streamExists)) return this.#ask<StreamInfo>(`STREAM.INFO.${config.name}`);
      if ((config.num_replicas ?? 1) === 1 || !error.is(...NO_ROOM_FOR_COPIES)) throw named(error, config);
      return this.#create({ ...config, num_replicas: 1 });
    }
  }

  /** One that was just made, since another one has no room beside it. */
  async #shrink(config: Config): Promise<void> {
    const info = await this.#find(config.name);
    if (info?.config === undefined || info.config.max_bytes <= (config.max_bytes ?? 0)) return;
    await this.#ask(`STREAM.UPDATE.${config.name}`, { ...info.config, max_bytes: config.max_bytes });
  }

  #ask<Reply>(verb: string, body?: object): Promise<Reply> {
    return this.#jetstream.ask<Reply>(verb, body, BUS_ATTEMPT_MS);
  }

  async #update(
    config: Config,
    standing: StreamConfig,
    difference: readonly string[],
  ): Promise<StreamConfig> {
    const { name } = config;
    const kept = Object.fromEntries(
      [...this.#declared.untouched(name)].map((field) => [field, standing[field as keyof StreamConfig]]),
    );
    const wanted = { ...standing, ...config, ...kept } as StreamConfig;
    try {
      await this.#ask(`STREAM.UPDATE.${name}`, wanted);
      this.#log.info({ stream: name, difference }, 'updated a stream to its declaration');
      return wanted;
    } catch (error) {
      if (!this.#fitting.isTooLarge(error, wanted) || wanted.max_bytes <= standing.max_bytes) throw error;
      const smaller = { ...wanted, max_bytes: standing.max_bytes };
      if (difference.length > 1) await this.#ask(`STREAM.UPDATE.${name}`, smaller);
      return smaller;
    }
  }
}

/** A server that has no room for a stream does not say for which. */
function named(error: ApiError, { name }: Config): ApiError {
  return new ApiError(error.status, error.number, `stream ${name}: ${error.message}`);
}

/** A server without others takes an update to three copies, and has one. */
function isAlone({ cluster }: Partial<StreamInfo>): boolean {
  return cluster === undefined || cluster === null;
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
