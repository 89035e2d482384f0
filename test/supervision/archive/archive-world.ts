/** Owners of archives on the twin of the bus, each with a disk in memory or on the machine: the clock is moved by hand. */

import type { FileSystem } from '../../../archive/file-system.ts';
import { workHere } from '../../../archive/workshop.ts';
import { encodeBatch, type ValueBatch } from '../../../contract/batch.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type { LoggedEvent } from '../../../contract/event.ts';
import type { HistoryQuery, HistorySample, SamplePage } from '../../../contract/history.ts';
import { HistoryAsker } from '../../../messaging/history-asker.ts';
import type { ArchiveSettings } from '../../../mission/configuration.ts';
import type { Appended } from '../../../ports/bus.ts';
import { ArchiveOwner, type OwnerOptions } from '../../../supervision/archive/owner.ts';
import { createDeadLetters, type DeadLetters } from '../../../supervision/cells/dead-letters.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import { KnownPlatforms } from '../../../telemetry/reading/known-platforms.ts';
import { FragileDisk } from '../../archive/fragile-disk.ts';
import { TwinServer } from '../../simulation/twin/server.ts';
import { TwinBus } from '../../simulation/twin/twin-bus.ts';
import { fairWeather } from '../../simulation/twin/weather.ts';
import { keptLog } from '../../support/silent-log.ts';
import { Missions, missionOf, platformOf } from '../../telemetry/platform.ts';

export const START = Date.UTC(2026, 0, 2, 3);
export const PLATFORM = platformOf({ 'bat.volt': { type: 'f64' }, 'obc.mode': { type: 'u8' } });
const VOLT = PLATFORM.ordinal('bat.volt')!;
const ULID = '01JZZZZZZZZZZZZZZZZZZZ';

export class ArchiveWorld {
  readonly clock = new HeapClock(START);
  readonly server = new TwinServer({ now: () => this.clock.now(), choose: () => 0 });
  readonly bus = this.open('test');
  readonly log = keptLog();
  readonly deadLetters: DeadLetters = createDeadLetters(this.bus, this.log);
  readonly missions = new Missions(undefined);
  readonly failures: unknown[] = [];
  /** Where the log of events is archived. */
  events: FileSystem = new FragileDisk();
  holds = true;
  #drawn = 0;

  constructor(archive: ArchiveSettings = {}) {
    const mission = missionOf('r1', { sat1: PLATFORM, sat2: PLATFORM });
    this.missions.publish({ ...mission, settings: { ...mission.settings, archive } });
  }

  open(name: string): TwinBus {
    const log = keptLog();
    const { clock, server } = this;
    return new TwinBus({ server, name, outside: clock, inside: clock, weather: fairWeather, log });
  }

  readonly newId = (): string => {
    this.#drawn += 1;
    return `${ULID}${String(this.#drawn).padStart(4, '0')}`;
  };

  async pass(ms: number): Promise<void> {
    const until = this.clock.now() + ms;
    for (let turn = 0; turn < 30; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      while ((this.clock.next() ?? Number.POSITIVE_INFINITY) <= until) {
        this.clock.step();
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    this.clock.advanceTo(until);
  }

  async done<Value>(promise: Promise<Value>, ms = 2_000): Promise<Value> {
    promise.catch(() => undefined);
    await this.pass(ms);
    return promise;
  }

  /** An owner that runs; `failed` is kept. */
  async owner(files: FileSystem, more: Partial<OwnerOptions> = {}): Promise<ArchiveOwner> {
    const owner = this.made(files, more);
    await this.done(owner.start());
    return owner;
  }

  /** One that is not started. */
  made(files: FileSystem, more: Partial<OwnerOptions> = {}): ArchiveOwner {
    const { clock, log, missions, deadLetters, newId } = this;
    return new ArchiveOwner({
      bus: this.open('owner'),
      clock,
      log,
      missions,
      deadLetters,
      newId,
      platforms: new KnownPlatforms(missions, clock),
      instance: 'p1',
      version: '0.1.0',
      id: 'a1',
      epoch: 1,
      holds: () => this.holds,
      failed: (error) => this.failures.push(error),
      workshop: async (part) => workHere('', part === 'values' ? files : this.events),
      count: () => undefined,
      ...more,
    });
  }

  async asker(): Promise<HistoryAsker> {
    const asker = new HistoryAsker({ bus: this.open('asker'), clock: this.clock, newId: this.newId });
    await this.pass(100);
    return asker;
  }

  /** Stores a batch of so many rows; their value is `value`. */
  async send(target: string, value: number, rows = 10, platform = PLATFORM.digest): Promise<number> {
    const at = this.clock.now();
    const numbers = new Float64Array(rows).fill(value);
    const batch: ValueBatch = {
      platform,
      link: 'uhf',
      deferred: false,
      reports: [],
      blocks: [
        {
          ordinals: Uint32Array.of(VOLT),
          ground: Float64Array.from(numbers, (_, n) => at + n),
          onboard: new Float64Array(rows).fill(Number.NaN),
          raw: numbers,
          value: numbers,
        },
      ],
    };
    return this.#stored(this.bus.append(streams.values, subject.values(target), encodeBatch(batch)));
  }

  /** Stores a message of the log of events. */
  async sendEvents(...events: readonly LoggedEvent[]): Promise<number> {
    return this.sendEventBytes(JSON.stringify({ events }));
  }

  async sendEventBytes(text: string): Promise<number> {
    return this.#stored(this.bus.append(streams.events, subject.events('test'), Buffer.from(text)));
  }

  async sendBytes(target: string, text: string): Promise<number> {
    return this.#stored(this.bus.append(streams.values, subject.values(target), Buffer.from(text)));
  }

  async #stored(appended: Promise<Appended>): Promise<number> {
    const outcome = await this.done(appended, 1);
    return outcome.outcome === 'conflict' ? 0 : outcome.seq;
  }
}

export function queryOf(target: string, more: Partial<HistoryQuery> = {}): HistoryQuery {
  const to = START + 30 * 86_400_000;
  return { target, measures: ['bat.volt'], from: START - 1_000, to, delivery: 'all', ...more };
}

/** Every sample there is, page by page. */
export async function everything(
  world: ArchiveWorld,
  asker: HistoryAsker,
  query: HistoryQuery,
): Promise<{ readonly samples: HistorySample[]; readonly last: SamplePage }> {
  const samples: HistorySample[] = [];
  for (let cursor: SamplePage['next']; ; ) {
    const got = await world.done(asker.samples(query, { cursor, limit: 7 }));
    if (!got.ok) throw new Error(got.faults[0].message);
    const page = got.value.value;
    samples.push(...page.samples);
    cursor = page.next;
    if (cursor === undefined) return { samples, last: page };
  }
}

/** How often each value is there. */
export function counted(samples: readonly HistorySample[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { value } of samples) counts[String(value)] = (counts[String(value)] ?? 0) + 1;
  return counts;
}
