/**
 * The way to the board. A modelled one is made here, another is connected to; one that is lost is asked for again.
 *
 * H1. There is at most one attachment: a board that is asked for again while it is there is the same one.
 */

import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import { connectIiod } from '../../../radio/iio/client.ts';
import { type IioContext, IioFailure } from '../../../radio/iio/context.ts';
import { createStub, type StubBoard } from '../../../radio/stub/stub.ts';
import { Board } from './board.ts';

export type BoardOption =
  | { readonly kind: 'stub'; readonly seed: number; readonly lossDb?: number }
  | { readonly kind: 'iiod'; readonly host: string; readonly port: number; readonly deadlineMs: number }
  /** One that somebody else makes: a model that is served to others too. */
  | { readonly kind: 'given'; readonly open: () => Promise<IioContext> };

export type AttachOutcome = { readonly board: Board } | { readonly missing: string };

interface AttachOptions {
  readonly board: BoardOption;
  readonly clock: Clock;
  readonly log: Log;
  readonly lost: (board: Board, reason: string) => void;
}

export class Attachment {
  readonly #options: AttachOptions;
  #board: Board | undefined;
  #count = 0;
  #opening: Promise<AttachOutcome> | undefined;
  #stopped = false;

  constructor(options: AttachOptions) {
    this.#options = options;
  }

  get board(): Board | undefined {
    return this.#board;
  }

  /** The board, or why there is none now. */
  async attach(): Promise<AttachOutcome> {
    if (this.#board !== undefined) return { board: this.#board };
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const board = this.#board;
    this.#board = undefined;
    await board?.context.close();
  }

  async #open(): Promise<AttachOutcome> {
    const { clock } = this.#options;
    try {
      const context = await openContext(this.#options);
      if (this.#stopped) {
        await context.close();
        return { missing: 'the daemon is stopping' };
      }
      this.#count += 1;
      const board = new Board(this.#count, context, clock);
      this.#board = board;
      void context.lost.then((failure) => this.#lost(board, failure.message));
      return { board };
    } catch (error) {
      if (error instanceof IioFailure) return { missing: error.message };
      throw error;
    }
  }

  #lost(board: Board, reason: string): void {
    if (this.#board !== board) return;
    this.#board = undefined;
    void board.context.close().catch(() => undefined);
    this.#options.lost(board, reason);
  }
}

/** The model behind a context, where it is one in this process: only that knows more than a board does. */
export function modelOf(context: IioContext): StubBoard | undefined {
  return 'truth' in context ? (context as StubBoard) : undefined;
}

async function openContext({ board, clock, log }: AttachOptions): Promise<IioContext> {
  switch (board.kind) {
    case 'stub':
      return createStub({
        seed: board.seed,
        clock,
        ...(board.lossDb !== undefined && { lossDb: board.lossDb }),
      });
    case 'iiod':
      return connectIiod({ host: board.host, port: board.port, deadlineMs: board.deadlineMs, clock, log });
    case 'given':
      return board.open();
  }
}
