/**
 * The board of a simulated scenario and the way to it: the real model behind a context whose questions take time, are
 * lost, and are written down with what was so before and behind each write.
 *
 * B1. The board outlives the daemon, and an attachment that is cut: what it was set to stays.
 * B2. Of a daemon that died nothing more reaches the board; of a cut attachment nothing is answered but that it is
 *     lost.
 * B3. Each question takes time, so that nothing happens between a command's end and its answer.
 */

import type { Clock } from '../../../ports/clock.ts';
import {
  errno,
  type IioAttribute,
  type IioBuffer,
  type IioBufferOptions,
  type IioContext,
  IioFailure,
} from '../../../radio/iio/context.ts';
import type { StubFaults } from '../../../radio/stub/faults.ts';
import { createStub, type StubBoard } from '../../../radio/stub/stub.ts';
import type { HeapClock } from '../../../supervision/clock.ts';
import { BoardMirror, writeOf } from './board-write.ts';
import type { BoardTruth, Write } from './history.ts';

const LATENCY_MS = 0.25;
/** The client of a board gives an answer up after so long. */
const SILENCE_MS = 300;

export type Written = Omit<Write, 'order' | 'at' | 'life' | 'act'>;

export class SimulatedBoard {
  readonly #clock: HeapClock;
  readonly #seed: number;
  #stub: StubBoard;
  #mirror = new BoardMirror();
  #attachments = 0;
  readonly #open = new Set<Attached>();
  latencyMs = LATENCY_MS;
  isAway = false;
  /** Questions until one is never answered. */
  silence: { left: number; readonly done: boolean } | undefined;

  constructor(clock: HeapClock, seed: number) {
    this.#clock = clock;
    this.#seed = seed;
    this.#stub = createStub({ seed, clock });
  }

  get stub(): StubBoard {
    return this.#stub;
  }

  get mirror(): BoardMirror {
    return this.#mirror;
  }

  truth(): BoardTruth {
    const { levelDb, secondDb, egressOpen } = this.#mirror;
    return {
      ...this.#stub.truth(),
      levelDb,
      secondDb,
      egressOpen,
      isStuck: this.#stub.faults.stuckReceiver === true,
    };
  }

  inject(faults: StubFaults): void {
    this.#stub.inject(faults);
  }

  /** An attachment for a life of the daemon; rejects while the board is away. */
  attach(life: Clock, told: (write: Written) => void): IioContext {
    if (this.isAway) throw new IioFailure(errno.ENODEV, 'no board on the bench');
    this.#attachments += 1;
    const attached = new Attached({ board: this, clock: life, told, number: this.#attachments });
    this.#open.add(attached);
    return attached;
  }

  /** Cuts every attachment; a cold board begins again. */
  cut(reason: string, cold: boolean): void {
    this.#leave((attached) => attached.lose(reason));
    if (!cold) return;
    void this.#stub.close();
    this.#stub = createStub({ seed: this.#seed, clock: this.#clock });
    this.#mirror = new BoardMirror();
  }

  /** The daemon is gone, without a word (B2). */
  abandon(): void {
    this.#leave((attached) => attached.abandon());
  }

  get normalLatencyMs(): number {
    return LATENCY_MS;
  }

  #leave(end: (attached: Attached) => void): void {
    for (const attached of this.#open) end(attached);
    this.#open.clear();
  }
}

interface AttachedOptions {
  readonly board: SimulatedBoard;
  readonly clock: Clock;
  readonly told: (write: Written) => void;
  readonly number: number;
}

class Attached implements IioContext {
  readonly source = 'stub';
  readonly name = 'a board on the bench';
  readonly lost: Promise<IioFailure>;
  readonly #options: AttachedOptions;
  readonly #stub: StubBoard;
  readonly #buffers = new Set<IioBuffer>();
  #tellLost: (failure: IioFailure) => void = () => undefined;
  #gone: IioFailure | undefined;
  #isAbandoned = false;

  constructor(options: AttachedOptions) {
    this.#options = options;
    this.#stub = options.board.stub;
    this.lost = new Promise((reported) => {
      this.#tellLost = reported;
    });
  }

  get devices(): IioContext['devices'] {
    return this.#stub.devices;
  }

  read(at: IioAttribute): Promise<string> {
    return this.#asked(() => this.#stub.read(at));
  }

  write(at: IioAttribute, value: string): Promise<void> {
    return this.#asked(() => this.#noted(at, value));
  }

  async open(device: string, options: IioBufferOptions): Promise<IioBuffer> {
    return this.#asked(async () => {
      const buffer = await this.#stub.open(device, options);
      this.#buffers.add(buffer);
      return {
        read: (bytes, timeoutMs) => this.#answered(buffer.read(bytes, timeoutMs)),
        write: (data, timeoutMs) => {
          const before = this.#options.board.truth();
          const written = this.#answered(buffer.write(data, timeoutMs));
          this.#tell({ kind: 'data', words: `${data.length} bytes to ${device}`, before, failed: false });
          return written;
        },
        close: async () => {
          this.#buffers.delete(buffer);
          await buffer.close();
        },
      };
    });
  }

  async close(): Promise<void> {
    this.#end(new IioFailure(errno.EBADF, 'the board is closed'));
  }

  lose(reason: string): void {
    const failure = new IioFailure(errno.ENODEV, reason);
    this.#end(failure);
    this.#tellLost(failure);
  }

  abandon(): void {
    this.#isAbandoned = true;
    this.#end(new IioFailure(errno.ENODEV, 'the daemon died'));
  }

  #end(failure: IioFailure): void {
    if (this.#gone !== undefined) return;
    this.#gone = failure;
    for (const buffer of this.#buffers) void buffer.close();
    this.#buffers.clear();
  }

  /** Takes its time, is perhaps never answered, and does it (B3). */
  async #asked<Value>(question: () => Promise<Value>): Promise<Value> {
    const { board } = this.#options;
    if (this.#gone !== undefined) return this.#answered(Promise.reject(this.#gone));
    const isSilent = board.silence !== undefined && board.silence.left-- <= 0;
    if (!isSilent) {
      await this.#wait(board.latencyMs);
      if (this.#gone !== undefined) return this.#answered(Promise.reject(this.#gone));
      return this.#answered(question());
    }
    const isDone = board.silence?.done === true;
    board.silence = undefined;
    await this.#wait(board.latencyMs);
    if (isDone && this.#gone === undefined) await question().catch(() => undefined);
    await this.#wait(SILENCE_MS);
    if (this.#gone === undefined) this.lose('no answer in time');
    return this.#answered(Promise.reject(this.#gone ?? new IioFailure(errno.ETIMEDOUT, 'no answer in time')));
  }

  async #noted(at: IioAttribute, value: string): Promise<void> {
    const { board } = this.#options;
    const write = writeOf(at, value, board.mirror);
    if (write === undefined) return this.#stub.write(at, value);
    const before = board.truth();
    try {
      await this.#stub.write(at, value);
    } catch (error) {
      this.#tell({ ...write, before, failed: true });
      throw error;
    }
    write.kept?.();
    this.#tell({ ...write, before, failed: false });
  }

  #tell({ kind, words, before, failed }: Pick<Written, 'kind' | 'words' | 'before' | 'failed'>): void {
    const { board, told, number } = this.#options;
    told({ kind, words, before, failed, after: board.truth(), attachment: number });
  }

  /** B2 */
  #answered<Value>(answer: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const living =
        <Argument>(settle: (argument: Argument) => void) =>
        (argument: Argument): void => {
          if (!this.#isAbandoned) settle(argument);
        };
      answer.then(
        living(resolve),
        living((error) => reject(this.#gone ?? error)),
      );
    });
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#options.clock.setTimeout(resolve, ms));
  }
}
