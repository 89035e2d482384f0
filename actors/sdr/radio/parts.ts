/** What every part of the radio works with. */

import type { ChainTarget } from '../../../contract/bench/chain.ts';
import type { RadioContext } from '../../../machines/bench/radio-protocol.ts';
import type { Refusable } from '../../../ports/bench.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import type { Late } from '../../../radio/board/modem.ts';
import type { BoardBounds } from '../../../radio/document/bounds.ts';
import type { Board } from './board.ts';
import { refuse } from './board-fault.ts';
import type { EventSink } from './board-user.ts';
import type { CommandQueue } from './command-queue.ts';

export interface RadioParts {
  readonly queue: CommandQueue;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventSink;
  readonly bounds: BoardBounds;
  /** What the board is wired for. */
  readonly wired: ChainTarget;
  readonly context: () => RadioContext;
  readonly board: () => Board | undefined;
  /** When an access under way has had the time that what cannot wait gives it. */
  readonly late: Late;
}

/** What is read of the board, beside whatever it does; refused while there is none. */
export async function reading<Value>(
  { board, context }: RadioParts,
  read: (board: Board) => Promise<Value>,
): Promise<Refusable<Value>> {
  const attached = board();
  if (attached === undefined) return noBoard(context());
  const value = await read(attached);
  return board() === attached ? { ok: true, value } : noBoard(context());
}

function noBoard({ trouble }: RadioContext): Refusable<never> {
  return refuse('unavailable', `there is no board: ${trouble}`, {
    help: 'the daemon keeps looking for it; check its power, its cable and its iiod',
  });
}
