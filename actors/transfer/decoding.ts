/**
 * Offers files to the drivers of their targets. Mission Control Service, sections 3.5 and 4.7 rule 6; decision 43. A
 * driver is asked for at most five minutes; silence and malformed replies are failures, and the file is offered again
 * (MC-XFER-035, MC-XFER-057).
 *
 * E1. The files of a target are offered one after the other: what a driver is given at once does not depend on how many
 *     files came down.
 * E2. Whether anybody serves a target is asked once in 30 s for all its files. Once somebody answers, those that waited
 *     for that are offered at once.
 * E3. What is known already is not said again: a reply that the record gives as its reason is kept here, and the file
 *     waits on.
 * E4. Files that wait have a bound. Beyond it a file of a target that has more than its share of them is left as it is,
 *     until there is room (left-files.L2) or somebody asks for it again.
 */

import { assertNever } from '../../contract/assert.ts';
import { subject } from '../../contract/bus/subjects.ts';
import {
  type DecodeFileCall,
  type DecodeFileReply,
  readDecodeFileReply,
} from '../../contract/file-decoding.ts';
import { FILE_DECODE_AGAIN_MS, FILE_DECODE_MS, FILES_UNDECODED } from '../../contract/limits/transfer.ts';
import { contentObject, type StoredTransfer } from '../../contract/transfer.ts';
import { type Asked, askWhileBusIsAway } from '../../messaging/ask.ts';
import { pause } from '../../messaging/pause.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';

/** With what is not a driver's to say: it is not offered any more (E4). */
export type OfferOutcome = DecodeFileReply | { readonly outcome: 'left'; readonly reason: string };

interface OffersOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  /** Files that may wait, over all targets. */
  readonly most?: number;
}

/** The files of one target that are to be decoded. */
interface TargetFiles {
  /** Files here. */
  files: number;
  /** Files that wait for their next offer. */
  waiting: number;
  /** The offer that is out (E1). */
  turn: Promise<unknown>;
  /** Until then nobody is taken to serve it (E2). */
  unservedUntil: number;
  /** Those that wait for somebody to serve it. */
  readonly wake: Set<() => void>;
}

const UNSERVED = { outcome: 'failed', reason: 'no driver decodes files of the target' } as const;

export class DecodingOffers {
  readonly #options: OffersOptions;
  readonly #most: number;
  readonly #targets = new Map<string, TargetFiles>();
  #waiting = 0;
  /** Offers that are not over. */
  #files = 0;
  /** Targets of which the last question was answered. */
  readonly #served = new Set<string>();

  constructor(options: OffersOptions) {
    this.#options = options;
    this.#most = options.most ?? FILES_UNDECODED;
  }

  /** The next that there is to say of the file, offered at `after` first; undefined when `signal` ended it. */
  async offer(record: StoredTransfer, after: number, signal: AbortSignal): Promise<OfferOutcome | undefined> {
    const files = this.#of(record.target);
    files.files += 1;
    this.#files += 1;
    try {
      return await this.#untilNews(files, record, after, signal);
    } finally {
      files.files -= 1;
      this.#files -= 1;
      if (files.files === 0) this.#targets.delete(record.target);
    }
  }

  /** How many more files of the target are to be offered now: where nobody decodes them one asks for all. */
  room(target: string): number {
    const room = Math.max(0, this.#most - this.#files);
    if (this.#served.has(target)) return room;
    return this.#targets.has(target) ? 0 : Math.min(1, room);
  }

  async #untilNews(
    files: TargetFiles,
    record: StoredTransfer,
    after: number,
    signal: AbortSignal,
  ): Promise<OfferOutcome | undefined> {
    const { clock } = this.#options;
    const isUnserved = record.reason === UNSERVED.reason;
    for (let at = after; ; at = clock.now() + FILE_DECODE_AGAIN_MS) {
      if (isUnserved && files.unservedUntil > clock.now()) at = files.unservedUntil;
      if (at > clock.now()) {
        if (this.#isTooMany(files)) return { outcome: 'left', reason: this.#tooMany(isUnserved) };
        await this.#wait(files, at, isUnserved, signal);
      }
      const reply = await this.#inTurn(files, record, signal);
      // E3
      if (reply === undefined || reply.outcome !== 'failed' || reply.reason !== record.reason) return reply;
    }
  }

  async #wait(files: TargetFiles, at: number, isUnserved: boolean, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const wakeOn = (wake: () => void): (() => void) => {
      files.wake.add(wake);
      return () => files.wake.delete(wake);
    };
    files.waiting += 1;
    this.#waiting += 1;
    await pause(clock, at - clock.now(), signal, isUnserved ? wakeOn : undefined);
    files.waiting -= 1;
    this.#waiting -= 1;
  }

  /** E1 */
  #inTurn(
    files: TargetFiles,
    record: StoredTransfer,
    signal: AbortSignal,
  ): Promise<DecodeFileReply | undefined> {
    const turn = files.turn.then(() => this.#now(files, record, signal));
    files.turn = turn.catch(() => undefined);
    return turn;
  }

  /** E2 */
  async #now(
    files: TargetFiles,
    record: StoredTransfer,
    signal: AbortSignal,
  ): Promise<DecodeFileReply | undefined> {
    const { clock } = this.#options;
    if (signal.aborted) return undefined;
    if (files.unservedUntil > clock.now()) return UNSERVED;
    const asked = await this.#ask(record, signal);
    if (asked === undefined) return undefined;
    if (asked.outcome === 'unserved') {
      files.unservedUntil = clock.now() + FILE_DECODE_AGAIN_MS;
      this.#served.delete(record.target);
    } else {
      this.#served.add(record.target);
      for (const wake of [...files.wake]) wake();
    }
    return replyIn(asked);
  }

  #ask(record: StoredTransfer, signal: AbortSignal): Promise<Asked<DecodeFileReply> | undefined> {
    const { bus, clock } = this.#options;
    const { target, file_id, generation, file_type = 0 } = record;
    const call: DecodeFileCall = { file_id, generation, file_type, object: contentObject(record) };
    const question = {
      to: subject.fileDecode(target),
      call,
      read: readDecodeFileReply,
      timeoutMs: FILE_DECODE_MS,
    };
    return askWhileBusIsAway(bus, question, { clock, signal });
  }

  /** E4: its share is what each would have if all targets with files here had as many. */
  #isTooMany({ waiting }: TargetFiles): boolean {
    return this.#waiting >= this.#most && waiting >= this.#most / this.#targets.size;
  }

  #tooMany(isUnserved: boolean): string {
    const why = isUnserved ? UNSERVED.reason : 'it was not decoded';
    return `${why}, and ${this.#waiting} files wait already: it is offered when there is room`;
  }

  #of(target: string): TargetFiles {
    const known = this.#targets.get(target);
    if (known !== undefined) return known;
    const turn = Promise.resolve();
    const files = { files: 0, waiting: 0, turn, unservedUntil: 0, wake: new Set<() => void>() };
    this.#targets.set(target, files);
    return files;
  }
}

function replyIn(asked: Asked<DecodeFileReply>): DecodeFileReply {
  switch (asked.outcome) {
    case 'answered':
      return asked.answer;
    case 'unserved':
      return UNSERVED;
    case 'unanswered':
      return { outcome: 'failed', reason: 'its driver did not answer in time' };
    case 'unreadable':
      return { outcome: 'failed', reason: 'malformed reply of its driver' };
    default:
      return assertNever(asked);
  }
}
