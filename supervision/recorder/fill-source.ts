/**
 * Streams and stores that fill up, in the log before they take nothing more or discard what is not read: what the
 * process of the recorder sees of the bus.
 *
 * L1. What began to fill up is said once, and once when it has room again, whoever records: which ones were said last
 *     is kept beside the log (recorder.R2).
 */

import { STREAM_FILLS_LOOK_MS } from '../../contract/limits/bus.ts';
import { reasonOf } from '../../messaging/fill-reasons.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { StreamFill } from '../../ports/fills.ts';
import { eventOf } from './event-of.ts';
import type { LogWriter } from './log-writer.ts';

interface FillSourceOptions {
  readonly clock: Clock;
  readonly fills: () => readonly StreamFill[];
  readonly writer: LogWriter;
  /** What was filling up when that was said last, by name. */
  readonly known: Iterable<string>;
  readonly failed: (error: unknown) => void;
}

export class FillSource {
  readonly #options: FillSourceOptions;
  readonly #filling: Set<string>;
  #timer: TimerHandle | undefined;
  #work: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: FillSourceOptions) {
    this.#options = options;
    this.#filling = new Set(options.known);
  }

  /** What fills up as far as the log says. */
  get filling(): ReadonlySet<string> {
    return this.#filling;
  }

  /** Rejects with `Outage`. */
  async start(): Promise<void> {
    await this.#options.writer.open();
    this.#look();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    await this.#work;
  }

  #look(): void {
    if (this.#stopped) return;
    this.#timer = this.#options.clock.setTimeout(() => this.#look(), STREAM_FILLS_LOOK_MS);
    this.#work = this.#work
      .then(() => this.#record())
      .catch((error: unknown) => {
        if (!this.#stopped) this.#options.failed(error);
        this.#stopped = true;
      });
  }

  async #record(): Promise<void> {
    const { fills, clock, writer } = this.#options;
    const changed = fills().filter(
      // Files and sockets are those of a process, and no matter of the bus.
      ({ stream, resource, filling }) => resource !== 'descriptors' && filling !== this.#filling.has(stream),
    );
    if (changed.length === 0) return;
    const at = clock.now();
    writer.add(
      changed.map((fill) => fillEvent(fill, at)),
      { seq: Math.max(at, writer.upTo?.seq ?? 0), at },
    );
    await writer.flush();
    for (const { stream, filling } of changed)
      if (filling) this.#filling.add(stream);
      else this.#filling.delete(stream);
  }
}

function fillEvent(fill: StreamFill, at: number) {
  const { stream, filling } = fill;
  return eventOf({
    time: new Date(at).toISOString(),
    kind: 'log',
    severity: filling ? 'warning' : 'info',
    subject: stream,
    state: filling ? 'filling' : 'has_room',
    text: filling ? `The bus fills up: ${reasonOf(fill)}.` : `The bus has room again: ${stream}.`,
    link: '/healthz',
    source: `fills:${stream}-${at}`,
  });
}
