/**
 * The end of a service process: what ends it, its exit code, and the last line on stderr, which says why. SIGTERM,
 * SIGINT and SIGHUP (its terminal was closed) drain and exit 0; a second signal ends the process at once.
 *
 * N1. The reason is the last thing written, also when stopping fails or writes log lines of its own.
 * N3. One whose stopping fails exits all the same: what is still open of it would keep it for ever.
 * N2. A stdout or stderr that nobody reads any more, or that takes nothing because its disk is full, ends no process.
 */

import type { Log } from '../ports/log.ts';

interface Stoppable {
  stop(): Promise<void>;
}

interface End {
  readonly code: number;
  readonly reason: string;
}

/**
 * Runs what `start` gives until a signal comes or it fails beyond repair, stops it, and says why; resolves with the
 * exit code.
 */
export async function untilItEnds(
  log: Log,
  start: (fail: (reason: unknown) => void) => Promise<Stoppable>,
): Promise<number> {
  const { ended, fail } = waitForEnd(log);
  const serving = await start(fail);
  const { code, reason } = await ended;
  try {
    await serving.stop();
  } catch (error) {
    log.error({ err: error }, 'could not be shut down cleanly');
    process.stderr.write(`mcs: ended: ${reason}; stopping failed: ${inWords(error)}\n`);
    // N3
    return process.exit(1);
  }
  process.stderr.write(`mcs: ended: ${reason}\n`);
  return code;
}

function waitForEnd(log: Log): { readonly ended: Promise<End>; readonly fail: (reason: unknown) => void } {
  let end!: (how: End) => void;
  const ended = new Promise<End>((settle) => {
    end = settle;
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.once(signal, () => end({ code: 0, reason: signal }));
  const fail = (cause: unknown): void => {
    log.error({ err: cause }, 'the process cannot continue');
    end({ code: 1, reason: inWords(cause) });
  };
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  return { ended, fail };
}

function inWords(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
