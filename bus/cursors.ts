/**
 * The cursors of one connection, kept alive together.
 *
 * U1. After a return of the connection every cursor makes a new consumer at once; waiting for the old one takes
 *     seconds.
 * U2. A consumer that went silent while the connection stands is noticed within seconds; within ten, where there are
 *     very many, and within three in a cluster where there are few.
 * U3. A pull is renewed long before it expires (pull.K1).
 */

import type { Stoppable } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';
import type { Reading } from './cursor.ts';
import { Cursor } from './cursor.ts';
import type { JetStream } from './jetstream.ts';
import type { Pace } from './pull.ts';
import { PACE, paceOf, watchfulPaceOf } from './pull.ts';

export class Cursors {
  readonly #jetstream: JetStream;
  readonly #log: Log;
  readonly #pace: Pace;
  /** By how many there are now; the second of streams with copies. */
  #current: readonly [Pace, Pace];
  readonly #open = new Set<Cursor>();
  readonly #timer: NodeJS.Timeout;
  readonly #unlisten: () => void;

  constructor(jetstream: JetStream, log: Log, pace: Pace = PACE) {
    this.#jetstream = jetstream;
    this.#log = log;
    this.#pace = pace;
    this.#current = [pace, pace];
    this.#timer = setInterval(() => {
      for (const cursor of this.#open) cursor.tend();
    }, pace.tendMs);
    this.#unlisten = jetstream.connection.onChange((connected) => {
      if (connected) for (const cursor of this.#open) cursor.restart('reconnected');
    });
  }

  /** Begins to read at once, in the background. */
  open(reading: Reading): Stoppable {
    const cursor = new Cursor(
      this.#jetstream,
      reading,
      this.#log,
      (isCopied) => this.#current[isCopied ? 1 : 0],
    );
    this.#open.add(cursor);
    this.#counted();
    cursor.restart('opened');
    return {
      stop: async () => {
        this.#open.delete(cursor);
        this.#counted();
        cursor.stop();
      },
    };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#unlisten();
    for (const cursor of this.#open) cursor.stop();
    this.#open.clear();
  }

  #counted(): void {
    const readers = this.#open.size;
    this.#current = [paceOf(this.#pace, readers), watchfulPaceOf(this.#pace, readers)];
  }
}
