/**
 * Whose turn it is: at most one campaign or scenario runs. RF Bench Service, section 3; a scenario that a campaign runs
 * as its step is not another start.
 *
 * N1. The turn is taken before the board is, so that two starts at one moment cannot both succeed.
 */

import type { BenchFault } from '../../../contract/bench/errors.ts';
import { type Result, refused } from '../../../contract/result.ts';
import type { BoardHolder, BoardUser } from '../radio/board-user.ts';

export interface RunningNow extends BoardHolder {
  /** Of its document. */
  readonly name: string;
}

export class ExclusiveRun {
  readonly #board: BoardUser;
  #current: RunningNow | undefined;

  constructor(board: BoardUser) {
    this.#board = board;
  }

  /** Who runs. */
  get current(): RunningNow | undefined {
    return this.#current;
  }

  /** Takes the turn and the board; refused while another has either, or there is no board. */
  async take(turn: RunningNow): Promise<Result<void, BenchFault>> {
    if (this.#current !== undefined) return refused(busy(this.#current));
    if (this.#board.source === undefined) return refused(noBoard(this.#board));
    this.#current = turn;
    const held = await this.#board.hold(holderOf(turn));
    if (!held.ok) this.#current = undefined;
    return held;
  }

  /** Gives both back; nothing when somebody else has them. */
  async give(id: string): Promise<void> {
    const turn = this.#current;
    if (turn?.id !== id) return;
    this.#current = undefined;
    await this.#board.release(holderOf(turn));
  }
}

export function holderOf({ kind, id }: BoardHolder): BoardHolder {
  return { kind, id };
}

/** `conflict` that names who runs. */
function busy({ kind, name, id }: RunningNow): BenchFault {
  return {
    code: 'conflict',
    message: `${kind} "${name}" is running (${id})`,
    help:
      kind === 'campaign'
        ? 'wait until it stops, or pause it'
        : 'wait until it is over, or POST /api/v1/scenarios/active/cancel',
  };
}

function noBoard({ provider }: BoardUser): BenchFault {
  return {
    code: 'unavailable',
    message: `there is no board: ${provider}`,
    help: 'attach a board to the daemon',
  };
}
