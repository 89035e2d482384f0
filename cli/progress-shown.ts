/**
 * The progress of one file on stderr: in a terminal one line that is drawn in place, elsewhere a line for each state.
 *
 * S1. The line is drawn ten times a second at most, and each second also where nothing comes: its times go on.
 * S2. What is said beside it stands above it.
 */

import type { Transfer } from '../contract/transfer.ts';
import type { Clock, TimerHandle } from '../ports/clock.ts';
import { remaining } from './pass-look.ts';
import { printable } from './printable.ts';
import { transferLine } from './transfer-columns.ts';
import { bytesText, Progress, progressLine, receivedBytes, share } from './transfer-progress.ts';

/** Of a terminal, as much as is used. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const DRAW_MS = 100;
const TICK_MS = 1_000;
const CLEAR = '\r\u001b[2K';
const USUAL_COLUMNS = 80;

export class ProgressShown {
  readonly #stream: ProgressStream;
  readonly #clock: Clock;
  readonly #isTerminal: boolean;
  readonly #isQuiet: boolean;
  #progress = new Progress();
  #line: ((now: number, width: number) => string) | undefined;
  #state = '';
  #drawnAt = Number.NEGATIVE_INFINITY;
  #timer: TimerHandle | undefined;

  constructor(stream: ProgressStream, clock: Clock, quiet: boolean) {
    this.#stream = stream;
    this.#clock = clock;
    this.#isQuiet = quiet;
    this.#isTerminal = stream.isTTY === true && process.env.TERM !== 'dumb';
  }

  progress(transfer: Transfer): void {
    // What was copied before has nothing to do with how fast it comes or goes.
    if (this.#state === 'storing') this.#progress = new Progress();
    this.#progress.note(receivedBytes(transfer), this.#clock.monotonic());
    const state = `${transfer.state} ${transfer.reason ?? ''}`;
    if (!this.#isTerminal && state !== this.#state) this.#write(`${printable(transferLine(transfer))}\n`);
    this.#state = state;
    this.#show((now, width) => progressLine(transfer, this.#progress, now, width));
  }

  /** Bytes of the content that are there, between this machine and the service. */
  copying(what: 'saving' | 'storing', bytes: number, size: number): void {
    if (this.#state !== what) this.#progress = new Progress();
    this.#state = what;
    this.#progress.note(bytes, this.#clock.monotonic());
    this.#show((now) =>
      [
        what,
        `${share(bytes, size)} %`,
        `${bytesText(bytes)} of ${bytesText(size)}`,
        this.#progress.text(size, now),
      ].join('  '),
    );
  }

  /** Samples of so many that are there, with the bytes they take. */
  exporting(samples: number, all: number, bytes: number): void {
    this.#state = 'exporting';
    this.#progress.note(samples, this.#clock.monotonic());
    this.#show((now) => {
      const rate = this.#progress.rate(now);
      const left =
        rate === undefined || samples >= all ? '' : `${remaining(((all - samples) * 1_000) / rate)} left`;
      const words = [
        'exporting',
        `${share(Math.min(samples, all), all)} %`,
        `${samples} samples`,
        bytesText(bytes),
        left,
      ];
      return words.join('  ').trimEnd();
    });
  }

  /** S2 */
  say(text: string): void {
    this.#write(`${this.#isTerminal ? CLEAR : ''}${printable(text)}\n`);
    this.#drawnAt = Number.NEGATIVE_INFINITY;
  }

  /** The last word on it, also where progress is not shown; the exit code of what did not come to its end. */
  failed(said: string): 1 {
    this.end();
    this.#stream.write(`${said}\n`);
    return 1;
  }

  /** Nothing is drawn any more. */
  end(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isTerminal && this.#line !== undefined) this.#write(CLEAR);
    this.#line = undefined;
  }

  /** S1 */
  #show(line: (now: number, width: number) => string): void {
    this.#line = line;
    if (this.#isTerminal) this.#later(DRAW_MS);
  }

  #later(ms: number): void {
    const now = this.#clock.monotonic();
    if (now - this.#drawnAt >= DRAW_MS) return this.#draw();
    if (this.#timer !== undefined && ms === DRAW_MS) this.#clock.clearTimeout(this.#timer);
    this.#timer = this.#clock.setTimeout(() => this.#draw(), Math.max(0, this.#drawnAt + ms - now));
  }

  #draw(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#line === undefined) return;
    this.#drawnAt = this.#clock.monotonic();
    this.#write(`${CLEAR}${this.#line(this.#drawnAt, this.#stream.columns ?? USUAL_COLUMNS)}`);
    this.#later(TICK_MS);
  }

  #write(text: string): void {
    if (!this.#isQuiet) this.#stream.write(text);
  }
}
