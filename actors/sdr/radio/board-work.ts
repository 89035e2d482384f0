/** The command under way: the board, what it may do to it, and what is known of it so far. */

import type { ChainTarget } from '../../../contract/bench/chain.ts';
import type { Holder } from '../../../machines/bench/radio-protocol.ts';
import { afterFact, type RadioFact, type RadioRecord } from '../../../machines/bench/radio-record.ts';
import type { Clock } from '../../../ports/clock.ts';
import { BoardActions } from '../../../radio/board/actions.ts';
import type { Permit } from '../../../radio/board/stops.ts';
import type { Board } from './board.ts';

/** In whose name, and until when it is wanted. */
export interface Asking {
  readonly by?: Holder;
  readonly signal?: AbortSignal;
}

export interface WorkOptions {
  readonly board: Board;
  readonly route: string;
  readonly record: RadioRecord;
  readonly asking: Asking;
  readonly clock: Clock;
  readonly permit: Permit;
  /** Drops what waits for the transmitter on another path than that; the bytes that are lost. */
  readonly leavePath: (board: Board, target: ChainTarget, route: string) => Promise<number>;
}

export class Work {
  readonly board: Board;
  readonly actions: BoardActions;
  /** Until a stop of the transmitter that was asked later. */
  readonly permit: Permit;
  /** In words: `manual`, `campaign 01J…`. */
  readonly by: string;
  readonly signal: AbortSignal | undefined;
  readonly #clock: Clock;
  readonly facts: RadioFact[] = [];
  #record: RadioRecord;
  #droppedBytes = 0;

  constructor({ board, route, record, asking: { by, signal }, clock, permit, leavePath }: WorkOptions) {
    this.board = board;
    this.permit = permit;
    this.#record = record;
    this.by = by === undefined ? 'manual' : `${by.kind} ${by.id}`;
    this.signal = signal;
    this.#clock = clock;
    this.actions = new BoardActions(board.context, board.modem, {
      permit,
      disturbing: async () => {
        board.buffers.pause();
        await board.buffers.endFeed(`${route} changes the chain`);
      },
      leaving: async (target) => this.dropped(await leavePath(board, target, route)),
    });
  }

  /** As it stands with what this command has done. */
  get record(): RadioRecord {
    return this.#record;
  }

  /** What waited for the transmitter and is lost by this command, for its answer. */
  get droppedBytes(): { readonly dropped_bytes?: number } {
    return this.#droppedBytes === 0 ? {} : { dropped_bytes: this.#droppedBytes };
  }

  dropped(bytes: number): void {
    this.#droppedBytes += bytes;
  }

  /** Before it is done: it may have happened also when the board then fails. */
  note(fact: RadioFact): void {
    this.facts.push(fact);
    this.#record = afterFact(this.#record, fact, this.#clock.now());
  }
}
