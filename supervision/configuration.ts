/**
 * The compiled configuration on the bus (bucket `mcs_config`): one entry per revision and `current`, which names one.
 * Mission Control Service, sections 1.10 and 9.3.
 *
 * Z1. A revision is written before `current` names it, and never changes.
 * Z2. Every role takes up a new configuration without a restart, and keeps earlier ones at hand for the messages that
 *     still name them.
 * Z3. One that is larger than a message is stored in parts, before the entry that counts them.
 * Z4. One that is published again is stored again where the bus lost it, or has it damaged, and every process takes it
 *     up: nothing else corrects it.
 */

import { gunzipSync, gzipSync } from 'node:zlib';
import { buckets } from '../contract/bus/buckets.ts';
import { objectIn } from '../contract/json-bytes.ts';
import { CONFIGURATION_PART_BYTES, CONFIGURATION_PARTS, INFLATED_BYTES } from '../contract/limits/bus.ts';
import { TooLarge } from '../contract/too-large.ts';
import { everyOutage, retryWhileBusIsAway } from '../messaging/while-bus-is-away.ts';
import type { Configuration } from '../mission/configuration.ts';
import { load } from '../mission/load.ts';
import type { Mission } from '../mission/mission.ts';
import type { Bucket, Bus, Entry, Watch } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { MissionSource } from '../ports/mission-source.ts';

export interface Published {
  readonly configuration: Configuration;
  readonly revision: string;
}

/** Begins the entry that counts parts, and no compressed content. */
const BRACE = 0x7b;
/** Earlier missions kept loaded; telecommands of older ones load theirs again. */
const MISSIONS_KEPT = 8;

/** Writes the configuration and makes it the current one; the outcome says whether it was not already. */
export async function publishConfiguration(
  bus: Bus,
  { configuration, revision }: Published,
): Promise<boolean> {
  const bucket = bus.bucket(buckets.config);
  const text = JSON.stringify(configuration);
  const stands = await isStored(bucket, revision, text);
  if (!stands) await storeConfiguration(bucket, revision, gzipSync(text));
  for (;;) {
    const current = await bucket.get('current');
    if (stands && current !== undefined && readCurrent(current) === revision) return false;
    const value = Buffer.from(JSON.stringify({ revision }));
    const written = await bucket.put('current', value, current?.revision ?? 0);
    if (written.outcome === 'written') return true;
  }
}

/** Whether the bus has it as it is (Z4). */
async function isStored(bucket: Bucket, revision: string, text: string): Promise<boolean> {
  const stored = await storedConfiguration(bucket, revision);
  try {
    return stored !== undefined && inflated(stored) === text;
  } catch {
    return false;
  }
}

function inflated(stored: Uint8Array): string {
  return gunzipSync(stored, { maxOutputLength: INFLATED_BYTES }).toString();
}

/** Z3; over what is damaged (Z4). Whoever writes the same key at once writes the same: it is its hash. */
async function storeConfiguration(bucket: Bucket, revision: string, document: Buffer): Promise<void> {
  const parts = Math.ceil(document.length / CONFIGURATION_PART_BYTES);
  if (parts > CONFIGURATION_PARTS)
    throw new TooLarge('the configuration', document.length, CONFIGURATION_PARTS * CONFIGURATION_PART_BYTES);
  if (parts > 1) {
    for (let part = 0; part < parts; part += 1) {
      const from = part * CONFIGURATION_PART_BYTES;
      const bytes = document.subarray(from, from + CONFIGURATION_PART_BYTES);
      await bucket.overwrite(partKey(revision, part), bytes);
    }
  }
  const whole = parts > 1 ? Buffer.from(JSON.stringify({ parts })) : document;
  await bucket.overwrite(`revision.${revision}`, whole);
}

/** Undefined where the bus does not have it whole. */
async function storedConfiguration(bucket: Bucket, revision: string): Promise<Uint8Array | undefined> {
  const entry = await bucket.get(`revision.${revision}`);
  if (entry === undefined || entry.value[0] !== BRACE) return entry?.value;
  const { parts = 0 } = (objectIn(entry.value) ?? {}) as { readonly parts?: number };
  const read: Uint8Array[] = [];
  for (let part = 0; part < Math.min(parts, CONFIGURATION_PARTS); part += 1) {
    const stored = await bucket.get(partKey(revision, part));
    if (stored === undefined) return undefined;
    read.push(stored.value);
  }
  return Buffer.concat(read);
}

function partKey(revision: string, part: number): string {
  return `part.${revision}.${part}`;
}

/** Undefined where the entry does not say. */
function readCurrent({ value }: Entry): string | undefined {
  const { revision } = (objectIn(value) ?? {}) as { readonly revision?: unknown };
  return typeof revision === 'string' ? revision : undefined;
}

/** Follows the published configuration. */
export class BusMissionSource implements MissionSource {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #loaded = new Map<string, Mission>();
  /** Revisions of which it was said. */
  readonly #unreadable = new Set<string>();
  readonly #listeners = new Set<(mission: Mission) => void>();
  #current: Mission | undefined;
  #wanted: string | undefined;
  #watch: Watch | undefined;
  #taking: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();
  #asked = false;
  /** Whether one was ever published, as far as this process has seen. */
  #published = false;

  constructor(bus: Bus, clock: Clock, log: Log) {
    this.#bus = bus;
    this.#clock = clock;
    this.#log = log;
  }

  /** Resolves when the configuration of now, if any, is taken up. */
  async start(): Promise<void> {
    this.#watch = await this.#bus.bucket(buckets.config).watch('current', (_key, entry) => {
      if (entry === undefined) return;
      this.#published = true;
      const revision = readCurrent(entry);
      if (revision === undefined)
        return this.#log.error(
          { bucket: buckets.config.name },
          'the entry of the current configuration cannot be read',
        );
      this.#wanted = revision;
      this.#taking = this.#taking.then(() => this.#take());
    });
    await this.#watch.ready;
    await this.#taking;
    this.#asked = true;
  }

  async stop(): Promise<void> {
    this.#stopping.abort('stopped');
    await this.#watch?.stop();
  }

  get current(): Mission | undefined {
    return this.#current;
  }

  /** A configuration that is published and cannot be read may ask for tokens: it is not the same as none. */
  get known(): boolean {
    return this.#asked && (!this.#published || this.#current !== undefined);
  }

  async at(revision: string): Promise<Mission | undefined> {
    const known = this.#loaded.get(revision);
    if (known !== undefined) return known;
    const stored = await storedConfiguration(this.#bus.bucket(buckets.config), revision);
    if (stored === undefined) return undefined;
    const mission = this.#read(stored, revision);
    if (mission !== undefined) this.#keep(mission);
    return mission;
  }

  /** What is damaged, or of a later release, is as if it were not stored: it is one revision, and said once. */
  #read(stored: Uint8Array, revision: string): Mission | undefined {
    try {
      return load(JSON.parse(inflated(stored)) as Configuration, revision);
    } catch (error) {
      if (!this.#unreadable.has(revision))
        this.#log.error({ err: error, revision }, 'a stored configuration cannot be read');
      this.#unreadable.add(revision);
      return undefined;
    }
  }

  onChange(listener: (mission: Mission) => void): () => void {
    this.#listeners.add(listener);
    if (this.#current !== undefined) listener(this.#current);
    return () => void this.#listeners.delete(listener);
  }

  async #take(): Promise<void> {
    const waiting = { clock: this.#clock, signal: this.#stopping.signal, waitsFor: everyOutage };
    try {
      await retryWhileBusIsAway(waiting, () => this.#takeWanted());
    } catch (error) {
      // The last good configuration stays in force.
      this.#log.error({ err: error, revision: this.#wanted }, 'configuration could not be applied');
    }
  }

  async #takeWanted(): Promise<void> {
    const wanted = this.#wanted;
    if (wanted === undefined || wanted === this.#current?.revision) return;
    const mission = await this.at(wanted);
    if (mission === undefined)
      throw new Error(`the bus does not hold revision ${wanted}, or it cannot be read`);
    this.#current = mission;
    this.#log.info(
      { revision: wanted.slice(0, 12), targets: mission.targets.size },
      'configuration taken up',
    );
    for (const listener of [...this.#listeners]) listener(mission);
  }

  #keep(mission: Mission): void {
    this.#loaded.set(mission.revision, mission);
    for (const revision of this.#loaded.keys()) {
      if (this.#loaded.size <= MISSIONS_KEPT) return;
      if (revision !== this.#current?.revision) this.#loaded.delete(revision);
    }
  }
}
