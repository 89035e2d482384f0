/**
 * How full the streams of the bus are and what else the service works with, looked at by every process: what is about
 * to end is said before it does. Mission Control Service, section 6.
 *
 * Q1. What has taken its share (`nats.warn_at`) is in the log, once when it begins and once when it is over, in
 *     `/healthz` and in the metrics. A stream keeps less from its size on than it is meant to; anything else takes
 *     nothing more.
 * Q2. A look costs one question for each stream and bucket of the contract, and one for the account, every
 *     `STREAM_FILLS_LOOK_MS`, `STREAMS_ASKED` at a time. Of buckets only those are reported that somebody has bounded.
 * Q3. One that does not answer keeps nobody from the others; its last level counts, and it is named.
 */

import { streams } from '../contract/bus/streams.ts';
import { STREAM_FILLS_LOOK_MS, STREAM_WARN_AT, STREAMS_ASKED } from '../contract/limits/bus.ts';
import { Outage } from '../contract/outage.ts';
import type { Bus, Stoppable } from '../ports/bus.ts';
import type { Clock, TimerHandle } from '../ports/clock.ts';
import type { Fills, Resource, StreamFill } from '../ports/fills.ts';
import type { Log } from '../ports/log.ts';
import type { MissionSource } from '../ports/mission-source.ts';
import type { ResourceLevel, StreamLevel, StreamLevels } from '../ports/stream-levels.ts';
import { fillOf } from './connector-lag.ts';
import { reasonOf } from './fill-reasons.ts';
import { Advances, keptS, rateOf } from './stream-rates.ts';

interface FillTools {
  readonly bus: Pick<Bus, 'connected' | 'levels'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly missions: Pick<MissionSource, 'current'>;
  /** Files and sockets of this process; default: not looked at. */
  readonly descriptors?: () => Promise<ResourceLevel | undefined>;
}

/** What is no stream has no age and no rate. */
const NO_RATE = { oldestS: 0, bytesPerS: 0, keepsS: Number.POSITIVE_INFINITY };
const STREAMS: ReadonlySet<string> = new Set(Object.values(streams).map(({ name }) => name));

export class StreamFills implements Fills, Stoppable {
  readonly #tools: FillTools;
  readonly #advances = new Advances();
  #all: readonly StreamFill[] = [];
  #silent: readonly string[] = [];
  #timer: TimerHandle | undefined;
  #stopped = false;

  constructor(tools: FillTools) {
    this.#tools = tools;
  }

  get all(): readonly StreamFill[] {
    return this.#all;
  }

  get silent(): readonly string[] {
    return this.#silent;
  }

  /** Looks now, and again and again. */
  start(): void {
    if (this.#tools.bus.levels !== undefined) this.#later(0);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== undefined) this.#tools.clock.clearTimeout(this.#timer);
  }

  /** Never rejects: while the bus does not answer the last look counts. */
  async look(): Promise<void> {
    const { bus, log, descriptors } = this.#tools;
    const { levels } = bus;
    if (levels === undefined) return;
    try {
      const own = this.#resource('descriptors', await descriptors?.());
      if (!bus.connected) return this.#report([...this.#all.filter(isOfBus), ...own]);
      const account = await levels.account().catch(withoutOutage);
      const looked = await this.#streams(levels);
      if (!bus.connected) return;
      this.#report([
        ...looked.fills,
        ...this.#resource('account', account),
        ...this.#resource('disk', levels.disk?.()),
        ...this.#resource('message', levels.message?.()),
        ...own,
      ]);
      this.#reportSilent(looked.silent);
    } catch (error) {
      log.error({ err: error }, 'how full the streams are could not be determined');
    }
  }

  /** Q3 */
  async #streams(levels: StreamLevels): Promise<{ fills: StreamFill[]; silent: string[] }> {
    const names = (levels.names?.() ?? [...STREAMS]).values();
    const fills: StreamFill[] = [];
    const silent: string[] = [];
    const ask = async (): Promise<void> => {
      for (const name of names) {
        try {
          const level = await levels.stream(name);
          if (level !== undefined && (STREAMS.has(name) || level.share !== undefined))
            fills.push(this.#fillOf(name, level));
        } catch (error) {
          withoutOutage(error);
          silent.push(name);
          fills.push(...this.#all.filter(({ stream }) => stream === name));
        }
      }
    };
    await Promise.all(Array.from({ length: STREAMS_ASKED }, ask));
    const byName = (one: string, other: string): number => (one < other ? -1 : 1);
    return {
      fills: fills.sort((one, other) => byName(one.stream, other.stream)),
      silent: silent.sort(byName),
    };
  }

  #later(ms: number): void {
    this.#timer = this.#tools.clock.setTimeout(() => {
      void this.look().then(() => {
        if (!this.#stopped) this.#later(STREAM_FILLS_LOOK_MS);
      });
    }, ms);
  }

  #fillOf(stream: string, level: StreamLevel): StreamFill {
    const { clock } = this.#tools;
    this.#advances.note(stream, level.lastSeq, clock.monotonic());
    const rate = rateOf(level, this.#advances.perS(stream));
    const fill = fillOf(level);
    return {
      stream,
      bytes: level.bytes,
      maxBytes: level.maxBytes,
      fill,
      oldestS: level.firstAt === undefined ? 0 : Math.max(0, (clock.now() - level.firstAt) / 1_000),
      bytesPerS: rate.bytesPerS,
      keepsS: keptS(level, rate),
      filling: fill !== undefined && fill >= this.#warnAt,
      isFull: level.isFull === true,
    };
  }

  /** Nothing where it has no limit, or nobody says. */
  #resource(resource: Resource, level: ResourceLevel | undefined): StreamFill[] {
    if (level?.maxBytes === undefined) return [];
    const { bytes, maxBytes, isFull = false } = level;
    const fill = Math.min(1, bytes / maxBytes);
    const filling = isFull || fill >= this.#warnAt;
    return [{ stream: resource, resource, bytes, maxBytes, fill, ...NO_RATE, filling, isFull }];
  }

  get #warnAt(): number {
    return this.#tools.missions.current?.settings.streamsWarnAt ?? STREAM_WARN_AT;
  }

  /** Q1 */
  #report(fills: readonly StreamFill[]): void {
    const { log } = this.#tools;
    const before = new Set(this.#all.filter(({ filling }) => filling).map(({ stream }) => stream));
    this.#all = fills;
    for (const fill of fills) {
      if (fill.filling === before.has(fill.stream)) continue;
      const what = fill.resource === undefined ? 'a stream of the bus' : `what is there (${fill.stream})`;
      if (fill.filling) log.warn({ ...fill, reason: reasonOf(fill) }, `${what} fills up`);
      else log.info({ ...fill }, `${what} has room again`);
    }
  }

  #reportSilent(silent: readonly string[]): void {
    const { log } = this.#tools;
    const before = this.#silent;
    this.#silent = silent;
    if (silent.join() === before.join()) return;
    if (silent.length > 0) log.warn({ streams: silent }, 'streams of the bus do not answer');
    else log.info({ streams: before }, 'every stream of the bus answers again');
  }
}

function isOfBus({ resource }: StreamFill): boolean {
  return resource !== 'descriptors';
}

function withoutOutage(error: unknown): undefined {
  if (!(error instanceof Outage)) throw error;
  return undefined;
}
