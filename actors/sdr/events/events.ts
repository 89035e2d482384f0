/**
 * What happened at the bench: events, kept over restarts, and the last lines of the log. RF Bench Service, sections 4
 * and 6.
 *
 * V1. Ids rise, also over restarts and purges. The newest are kept, so many as `BENCH_EVENTS_KEPT` says.
 * V2. Recording never waits: the record is written behind (`record.ts`).
 * V3. A purge removes exactly what is older, and answers when that is durable.
 */

import { type BenchEvent, LOG_KIND, SEVERITIES, type Severity } from '../../../contract/bench/event.ts';
import { BENCH_EVENTS_KEPT, BENCH_LOG_LINES_KEPT } from '../../../contract/limits/bench.ts';
import { Outage } from '../../../contract/outage.ts';
import type { Answered, BenchEvents, EventFilter } from '../../../ports/bench.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import { refuse } from '../radio/board-fault.ts';
import type { EventSink } from '../radio/board-user.ts';
import type { EventRecords, KeptEvent } from './record.ts';

const HOUR_MS = 3_600_000;

interface EventsOptions {
  readonly clock: Clock;
  readonly records: EventRecords;
  readonly framesSince: (at: number) => number;
}

type EventFacts = KeptEvent['told'];

interface Line {
  readonly at: number;
  readonly told: EventFacts;
}

export class Events implements BenchEvents, EventSink {
  readonly #options: EventsOptions;
  /** Oldest first, by id. */
  #events: KeptEvent[] = [];
  readonly #lines: Line[] = [];
  #last = 0;
  /** Before that it is not known which ids are given. */
  #isLoaded = false;

  constructor(options: EventsOptions) {
    this.#options = options;
  }

  /** Reads what an earlier life recorded; what was recorded before that gets ids behind those. */
  async load(): Promise<void> {
    const { events, last } = await this.#options.records.load();
    const meanwhile = this.#events;
    this.#isLoaded = true;
    this.#last = Math.max(last, events.at(-1)?.id ?? 0);
    this.#events = [...events];
    for (const { at, told } of meanwhile) this.#keep(at, told);
    this.#trim();
  }

  record(reported: EventFacts): number {
    const id = this.#keep(this.#options.clock.now(), reported);
    this.#trim();
    return id;
  }

  /** A line of the log, which is kept in memory only. */
  line(severity: Severity, source: string, message: string): void {
    this.#lines.push({ at: this.#options.clock.now(), told: { kind: LOG_KIND, source, severity, message } });
    if (this.#lines.length > BENCH_LOG_LINES_KEPT) this.#lines.shift();
  }

  countSince(what: 'frames' | { readonly kind: string | undefined }, at: number): number {
    if (what === 'frames') return this.#options.framesSince(at);
    const { kind } = what;
    return this.#events.filter((event) => event.at >= at && (kind === undefined || event.told.kind === kind))
      .length;
  }

  events({ kind, source, severity, since, until, limit }: EventFilter): readonly BenchEvent[] {
    return this.#events
      .filter(
        ({ at, told }) =>
          (kind === undefined || told.kind === kind) &&
          (source === undefined || told.source === source) &&
          (severity === undefined || told.severity === severity) &&
          isWithin(at, since, until),
      )
      .toReversed()
      .slice(0, limit)
      .map(shownEvent);
  }

  logs({
    severity = 'debug',
    since,
    until,
    limit,
  }: Omit<EventFilter, 'kind' | 'source'>): readonly BenchEvent[] {
    const least = SEVERITIES.indexOf(severity);
    const fits = ({ at, told }: Line): boolean =>
      SEVERITIES.indexOf(told.severity) >= least && isWithin(at, since, until);
    const events = this.#events.filter(fits).map((event) => ({ at: event.at, shown: shownEvent(event) }));
    const lines = this.#lines.filter(fits).map((line) => ({ at: line.at, shown: shown(line) }));
    return [...events, ...lines]
      .sort((one, other) => other.at - one.at || (other.shown.id ?? 0) - (one.shown.id ?? 0))
      .slice(0, limit)
      .map((each) => each.shown);
  }

  async purge(olderThanHours: number): Answered<number> {
    const before = this.#options.clock.now() - olderThanHours * HOUR_MS;
    const old = this.#events.filter(({ at }) => olderThanHours === 0 || at < before);
    try {
      await this.#options.records.remove(old, this.#last);
    } catch (error) {
      if (!(error instanceof Outage)) throw error;
      return refuse('unavailable', `events cannot be purged: ${error.message}`, {
        help: 'try again when the record of the bench can be reached; repeating it is safe',
      });
    }
    const gone = new Set(old.map(({ id }) => id));
    this.#events = this.#events.filter(({ id }) => !gone.has(id));
    return { ok: true, value: old.length };
  }

  #keep(at: number, told: EventFacts): number {
    this.#last += 1;
    const event = { id: this.#last, at, told };
    this.#events.push(event);
    if (this.#isLoaded) this.#options.records.add(event);
    return event.id;
  }

  /** V1 */
  #trim(): void {
    const surplus = this.#events.length - BENCH_EVENTS_KEPT;
    if (surplus <= 0) return;
    for (const event of this.#events.splice(0, surplus)) this.#options.records.drop(event);
  }
}

/** The log, of which the events keep the last lines. */
export function keptLines(log: Log, events: () => Events | undefined, source = 'daemon'): Log {
  const announced =
    (level: 'debug' | 'info' | 'warn' | 'error', severity: Severity) =>
    (fields: object, message: string): void => {
      log[level](fields, message);
      events()?.line(severity, source, withFields(message, fields));
    };
  return {
    debug: announced('debug', 'debug'),
    info: announced('info', 'info'),
    warn: announced('warn', 'warning'),
    error: announced('error', 'error'),
    child: (bindings) => keptLines(log.child(bindings), events, Object.values(bindings).join(' ') || source),
  };
}

/** The message with its fields behind it, as they are read in one line. */
function withFields(message: string, fields: object): string {
  const words = Object.entries(fields).map(([name, value]) => {
    const text =
      value instanceof Error ? value.message : typeof value === 'string' ? value : JSON.stringify(value);
    return `${name}=${text}`;
  });
  return [message, ...words].join(' ').slice(0, 1_000);
}

function isWithin(at: number, since: number | undefined, until: number | undefined): boolean {
  return (since === undefined || at >= since) && (until === undefined || at <= until);
}

function shown({ at, told: { kind, source, severity, message } }: Line): BenchEvent {
  return { kind, source, severity, message, timestamp: new Date(at).toISOString() };
}

function shownEvent(event: KeptEvent): BenchEvent {
  return { id: event.id, ...shown(event) };
}
