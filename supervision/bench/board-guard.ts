/**
 * Silences the board of a bench before the bench runs: a daemon that was killed left its transmitter as it was, and
 * what the bench itself waits for (a mission that compiles, the bus, records, its port) may be long in coming. RF Bench
 * Service, section 1.
 *
 * U1. It looks at once, and again and again until it has looked once at a board or the bench takes over; nothing but
 *     what silences is written.
 * U2. What it found is given by the log at once, and by an event when there is a record for it.
 */

import type { BenchConfig } from '../../contract/bench/config.ts';
import { BOARD_RETRY_FIRST_MS, BOARD_RETRY_LARGEST_MS } from '../../contract/limits/bench.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { lateBy } from '../../radio/board/late.ts';
import { Modem } from '../../radio/board/modem.ts';
import { silence, silencedWords } from '../../radio/board/silence.ts';
import { connectIiod } from '../../radio/iio/client.ts';
import { IioFailure } from '../../radio/iio/context.ts';
import { IIOD_DEFAULTS } from './board-defaults.ts';

export interface BoardGuard {
  /** Ends it; what it silenced, in words. */
  stop(): Promise<readonly string[]>;
}

const WHY = 'found with no owner before the bench began';

/** Guards the board that the configuration names; a model in this process died with the one before. */
export function guardBoard({ board, iiod }: BenchConfig, clock: Clock, log: Log): BoardGuard {
  const reported: string[] = [];
  const stopping = new AbortController();
  const working = board === 'iiod' && iiod !== undefined ? guard() : Promise.resolve();
  return {
    stop: async () => {
      stopping.abort();
      await working;
      return reported.splice(0);
    },
  };

  async function guard(): Promise<void> {
    const { host, port = IIOD_DEFAULTS.port, deadline_ms: deadlineMs = IIOD_DEFAULTS.deadlineMs } = iiod!;
    for (let waitMs = BOARD_RETRY_FIRST_MS; !stopping.signal.aborted; ) {
      try {
        return await look(host, port, deadlineMs);
      } catch (error) {
        if (!(error instanceof IioFailure)) throw error;
        if (waitMs === BOARD_RETRY_FIRST_MS)
          log.warn({ reason: error.message }, 'the board is not there yet');
      }
      await pause(waitMs);
      waitMs = Math.min(2 * waitMs, BOARD_RETRY_LARGEST_MS);
    }
  }

  async function look(host: string, port: number, deadlineMs: number): Promise<void> {
    const context = await connectIiod({ host, port, deadlineMs, clock, log });
    try {
      const silenced = await silence(context, new Modem(context, context.urgent), lateBy(clock));
      if (silenced === undefined) return;
      const words = silencedWords(silenced, WHY);
      log.warn({ iiod: `${host}:${port}` }, words);
      reported.push(words);
    } finally {
      await context.close();
    }
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = clock.setTimeout(resolve, ms);
      stopping.signal.addEventListener('abort', () => {
        clock.clearTimeout(timer);
        resolve();
      });
    });
  }
}
