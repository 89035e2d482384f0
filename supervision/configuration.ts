/**
 * The compiled configuration on the bus (bucket `mcs_config`): one entry per revision and `current`, which names one.
 * Mission Control Service, sections 1.10 and 9.3.
 *
 * Z1. A revision is written before `current` names it, and never changes.
 * Z2. Every role takes up a new configuration without a restart, and keeps earlier ones at hand for the messages that
 *     still name them.
 */

import { gunzipSync, gzipSync } from 'node:zlib';
import { buckets } from '../contract/bus/buckets.ts';
import { everyOutage, retryWhileBusIsAway } from '../messaging/while-bus-is-away.ts';
import type { Configuration } from '../mission/configuration.ts';
import { load } from '../mission/load.ts';
import type { Mission } from '../mission/mission.ts';
import type { Bus, Entry, Watch } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { MissionSource } from '../ports/mission-source.ts';

export interface Published {
  readonly configuration: Configuration;
  readonly revision: string;
}

/** Earlier missions kept loaded; telecommands of older ones load theirs again. */
const MISSIONS_KEPT = 8;

/** Writes the configuration and makes it the current one; the outcome says whether it was not already. */
export async function publishConfiguration(
  bus: Bus,
  { configuration, revision }: Published,
): Promise<boolean> {
  const bucket = bus.bucket(buckets.config);
  const document = gzipSync(JSON.stringify(configuration));
  // A conflict means that it stands there: the key is its hash.
  await bucket.put(`revision.${revision}`, document, 0);
  for (;;) {
    const current = await bucket.get('current');
    if (current !== undefined && readCurrent(current) === revision) return false;
    const value = Buffer.from(JSON.stringify({ revision }));
    const written = await bucket.put('current', value, current?.revision ?? 0);
    if (written.outcome === 'written') return true;
  }
}

function readCurrent(entry: Entry): string {
  return (JSON.parse(Buffer.from(entry.value).toString()) as { revision: string }).revision;
}

/** Follows the published configuration. */
export class BusMissionSource implements MissionSource {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #loaded = new Map<string, Mission>();
  readonly #listeners = new Set<(mission: Mission) => void>();
  #current: Mission | undefined;
  #wanted: string | undefined;
  #watch: Watch | undefined;
  #taking: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();
  #asked = false;

  constructor(bus: Bus, clock: Clock, log: Log) {
    this.#bus = bus;
    this.#clock = clock;
    this.#log = log;
  }

  /** Resolves when the configuration of now, if any, is taken up. */
  async start(): Promise<void> {
    this.#watch = await this.#bus.bucket(buckets.config).watch('current', (_key, entry) => {
      if (entry === undefined) return;
      this.#wanted = readCurrent(entry);
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
    return this.#asked && (this.#wanted === undefined || this.#current !== undefined);
  }

  async at(revision: string): Promise<Mission | undefined> {
    const known = this.#loaded.get(revision);
    if (known !== undefined) return known;
    const entry = await this.#bus.bucket(buckets.config).get(`revision.${revision}`);
    if (entry === undefined) return undefined;
    const mission = load(JSON.parse(gunzipSync(entry.value).toString()) as Configuration, revision);
    this.#keep(mission);
    return mission;
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
    if (mission === undefined) throw new Error(`the bus does not hold revision ${wanted}`);
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
