/**
 * Looks at the board again and again, for what another tool does to it: settings of the applied profile that are
 * changed, samples or tones that leave instead of what the modem sends. RF Bench Service, section 4, rule 4.
 *
 * B1. What is read while a command changes settings is not judged: what this daemon sets is nobody else's.
 * B2. One look at a time; a board that answers slowly is looked at less often.
 * B3. What another tool feeds to the transmitter is an event when it begins and when it ends.
 * B4. A board that is gone is not taken for found, in whatever order that became known.
 */

import { BENCH_LOOK_MS } from '../../../contract/limits/bench.ts';
import type { TimerHandle } from '../../../ports/clock.ts';
import { knownValue, type Observed } from '../../../radio/board/observed.ts';
import { type BoardReading, currentTarget, readBoard } from '../../../radio/board/reading.ts';
import { deviation } from '../../../radio/chain/deviation.ts';
import type { Board } from './board.ts';
import type { Chain } from './chain.ts';
import type { RadioParts } from './parts.ts';

interface WatchParts extends RadioParts {
  readonly chain: Chain;
  /** There is no board: whoever takes one for found is to be corrected. */
  readonly lostUnseen: () => void;
}

export class BoardWatch {
  readonly #parts: WatchParts;
  #looking: Promise<void> | undefined;
  #timer: TimerHandle | undefined;
  #isStopped = false;
  /** What another tool was seen to feed, and on which attachment. */
  #foreign: { readonly board: Board; readonly what: string } | undefined;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== undefined) this.#parts.clock.clearTimeout(this.#timer);
  }

  /** Resolves when the board was looked at, by this call or by one under way (B2). */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer = this.#parts.clock.setTimeout(() => void this.#turn(), BENCH_LOOK_MS);
  }

  async #turn(): Promise<void> {
    try {
      await this.look();
    } catch (error) {
      this.#parts.log.error({ err: error }, 'the board could not be read');
    }
    this.#schedule();
  }

  async #look(): Promise<void> {
    const { board, queue, chain } = this.#parts;
    const attached = board();
    const moment = queue.moment;
    if (attached === undefined) return this.#parts.lostUnseen();
    if (moment === undefined) return;
    const reading = await readBoard(attached.context, attached.modem);
    // B1
    if (board() !== attached || queue.moment !== moment) return;
    this.#noteForeign(attached, reading);
    const differs = queue.applied === undefined ? undefined : deviation(chain.viewOf(reading, queue.applied));
    if (differs !== undefined) queue.observed(`on the board: ${differs}`);
  }

  /** B3 */
  #noteForeign(board: Board, reading: BoardReading): void {
    const before = this.#foreign?.board === board ? this.#foreign.what : undefined;
    const what = foreignSource(reading);
    this.#foreign = what === undefined ? undefined : { board, what };
    if (what === before) return;
    const { events } = this.#parts;
    if (what === undefined)
      events.record({
        kind: 'transmitter.foreign',
        source: 'radio',
        severity: 'info',
        message: 'the modem has the transmitter again: no samples or tones of another tool',
      });
    else
      events.record({
        kind: 'transmitter.foreign',
        source: 'radio',
        severity: 'warning',
        message: `another tool sends ${what} instead of the modem: ${whereTo(reading)}`,
      });
  }
}

function foreignSource({ samples, tone }: BoardReading): string | undefined {
  if (knownValue(samples) === true) return 'samples';
  return knownValue(tone) === true ? 'a test tone' : undefined;
}

function whereTo(reading: BoardReading): string {
  const { gainDb, oscillatorHz } = reading.tx;
  const path = currentTarget(reading) ?? 'a path that cannot be read';
  return `${shown(gainDb, 'dB')} at ${shown(oscillatorHz, 'Hz')}, to ${path}`;
}

function shown(seen: Observed<number>, unit: string): string {
  return 'value' in seen ? `${seen.value} ${unit}` : `an unknown number of ${unit}`;
}
