/**
 * Follows the chunks of every file from a low-water mark on. Mission Control Service, section 4.7 rule 3.
 *
 * I1. Chunks up to the low-water mark are recorded, or nobody waits for them: whoever takes over reads the others
 *     again.
 * I2. What is no chunk is left out, with a line in the log for each minute.
 * I3. Where the stream went back it is read from its beginning: a byte that is there already is not taken again.
 * I4. The low-water mark is taken before any record is read: what it has passed is in the records that are read then,
 *     and what is not in them is read again.
 */

import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { type FileChunk, readFileChunk } from '../../contract/file-chunk.ts';
import { LowWaterMark, pastIsGone } from '../../messaging/low-water-mark.ts';
import type { Bus, Follower, StreamMessage } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

type Stands = { readonly position: number };

/** A chunk of a target, with its position in the stream. */
export interface ArrivedChunk extends FileChunk {
  readonly target: string;
  readonly position: number;
}

interface IntakeOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly epoch: number;
  /** Resolves when more may come. */
  readonly take: (chunk: ArrivedChunk) => void | Promise<void>;
  /** Position of the first chunk taken that is not recorded; undefined: all are. */
  readonly firstOpen: () => number | undefined;
  readonly failed: (error: unknown) => void;
}

const SAID_EVERY_MS = 60_000;

export class ChunkIntake {
  readonly #options: IntakeOptions;
  readonly #mark: LowWaterMark<Stands>;
  #last: { readonly seq: number; readonly at: number } | undefined;
  #position = 0;
  #follower: Follower | undefined;
  #saidAt = Number.NEGATIVE_INFINITY;

  constructor(options: IntakeOptions) {
    this.#options = options;
    const { bus, clock, log, epoch, failed } = options;
    this.#mark = new LowWaterMark<Stands>({
      bus,
      clock,
      log,
      epoch,
      name: 'transfers.chunks',
      first: { position: 0 },
      stands: () => ({ position: Math.min(this.#position, (options.firstOpen() ?? Infinity) - 1) }),
      known: () => (this.#last === undefined ? [] : [{ stream: streams.fileChunks, ...this.#last }]),
      lost: failed,
    });
  }

  /** Finds out where to begin; nobody before moves the low-water mark from here on (I4). Rejects with `Outage`. */
  async claim(): Promise<void> {
    const { position } = await this.#mark.take();
    this.#position = this.#mark.wentBack === undefined ? position : 0;
  }

  /** Resolves when everything stored before the call was taken. Rejects with `Outage`. */
  async start(): Promise<void> {
    const { bus, failed } = this.#options;
    const from = { from: 'seq', seq: this.#position + 1 } as const;
    this.#follower = await bus.follow(
      streams.fileChunks,
      subject.fileChunks(),
      from,
      (message) => this.#take(message),
      { wentBack: () => failed(pastIsGone(streams.fileChunks)) },
    );
    this.#mark.keep();
    await this.#follower.caughtUp;
  }

  async stop(): Promise<void> {
    await this.#follower?.stop();
    await this.#mark.stop();
  }

  async #take(message: StreamMessage): Promise<void> {
    const chunk = readFileChunk(message);
    const target = message.subject.split('.').at(-2) ?? '';
    if (chunk === undefined) this.#malformed(message);
    else await this.#options.take({ ...chunk, target, position: message.seq });
    this.#position = message.seq;
    this.#last = { seq: message.seq, at: message.at };
  }

  #malformed({ seq, subject: about }: StreamMessage): void {
    const { clock, log } = this.#options;
    if (clock.now() - this.#saidAt < SAID_EVERY_MS) return;
    this.#saidAt = clock.now();
    log.error({ position: seq, subject: about }, 'malformed chunk of a file: left out');
  }
}
