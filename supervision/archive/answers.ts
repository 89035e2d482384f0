/**
 * Answers of an archive to questions over the bus (contract/archive-wire.ts).
 *
 * A1. Whoever asks does not choose the cost: so many questions are looked into at once, each for so long, and an answer
 *     fits one message: a page is cut shorter, long texts of buckets are.
 * A2. A process that is not the owner any more and has not noticed says nothing: the owner is asked on the same
 *     subject.
 * A3. A question that is called off, or whose time is over, is given up between two files.
 */

import type { Archive } from '../../archive/archive.ts';
import { TooManyQuestions } from '../../archive/history-questions.ts';
import {
  type ArchiveAnswer,
  type HistoryCall,
  packAnswer,
  type Retrievable,
  readCall,
  readCancel,
} from '../../contract/archive-wire.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { Buckets } from '../../contract/history.ts';
import {
  HISTORY_ANSWER_BYTES,
  HISTORY_ANSWER_MS,
  HISTORY_ANSWER_SAMPLES,
  HISTORY_BUCKET_TEXT,
  HISTORY_WAITING,
} from '../../contract/limits/archive.ts';
import { EVENT_PAGE } from '../../contract/limits/event.ts';
import { accepted, refused } from '../../contract/result.ts';
import type { Bus, CoreMessage, Stoppable } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

export type AnswerOutcome = 'answered' | 'refused' | 'given-up';

interface AnswersOptions {
  readonly bus: Pick<Bus, 'serve' | 'subscribe'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly id: string;
  /** Each throws where it is not open. */
  readonly archives: {
    readonly values: () => Pick<Archive, 'samples' | 'buckets'>;
    readonly events: () => Pick<Archive, 'events'>;
  };
  readonly holds: () => boolean;
  readonly count: (outcome: AnswerOutcome) => void;
}

type Answer = ArchiveAnswer<Retrievable>;

export class Answers implements Stoppable {
  readonly #options: AnswersOptions;
  readonly #open = new Map<string, AbortController>();
  readonly #serving: readonly Stoppable[];

  constructor(options: AnswersOptions) {
    const { bus, id } = options;
    this.#options = options;
    this.#serving = [
      bus.serve(subject.archiveAsk(id), (message) => this.#answer(message)),
      bus.subscribe(subject.archiveCancel(id), ({ data }) => this.#cancel(data)),
    ];
  }

  async stop(): Promise<void> {
    for (const each of this.#open.values()) each.abort(new Error('the archive stops'));
    for (const each of this.#serving) await each.stop();
  }

  async #answer({ data }: CoreMessage): Promise<Uint8Array> {
    const { holds, count } = this.#options;
    const call = readCall(data);
    if (call === undefined) {
      count('refused');
      return packAnswer(refused({ code: 'archive::invalid', message: 'that is no question about the past' }));
    }
    const bytes = await this.#bounded(call);
    if (!holds()) throw new Error('this process does not own the archive any more');
    return bytes;
  }

  /** A1, A3 */
  async #bounded(call: HistoryCall): Promise<Uint8Array> {
    const { clock, count } = this.#options;
    if (this.#open.size >= HISTORY_WAITING || this.#open.has(call.id)) {
      count('refused');
      return packAnswer(busy(`${HISTORY_WAITING} questions about the past wait already; ask again later`));
    }
    const given = new AbortController();
    this.#open.set(call.id, given);
    const late = new Error(`it took longer than ${HISTORY_ANSWER_MS / 1_000} s`);
    const timer = clock.setTimeout(() => given.abort(late), HISTORY_ANSWER_MS);
    try {
      const answer = await this.#asked(call, given.signal);
      count(answer.ok ? 'answered' : 'refused');
      return await this.#fitting(call, answer, given.signal);
    } catch (error) {
      count(given.signal.aborted ? 'given-up' : 'refused');
      if (given.signal.aborted) throw error;
      return packAnswer(refusalOf(error as Error, this.#options.log));
    } finally {
      clock.clearTimeout(timer);
      this.#open.delete(call.id);
    }
  }

  async #asked(call: HistoryCall, signal: AbortSignal): Promise<Answer> {
    const { values, events } = this.#options.archives;
    if (call.ask === 'buckets') return accepted(await values().buckets(call.query, call.points, signal));
    if (call.ask === 'events') {
      const { before } = call;
      const page = Object.assign(
        { limit: Math.min(call.limit, EVENT_PAGE) },
        before === undefined ? {} : { before },
      );
      return accepted(await events().events(call.query, page, signal));
    }
    const { query, cursor } = call;
    const limit = Math.min(call.limit, HISTORY_ANSWER_SAMPLES);
    return accepted(
      await values().samples(query, cursor === undefined ? { limit } : { cursor, limit }, signal),
    );
  }

  /** The answer in one message (A1). */
  async #fitting(call: HistoryCall, answer: Answer, signal: AbortSignal): Promise<Uint8Array> {
    const bytes = packAnswer(answer);
    if (bytes.length <= HISTORY_ANSWER_BYTES || !answer.ok) return bytes;
    if (call.ask === 'buckets') {
      const cut = packAnswer(accepted(withShortTexts(answer.value as Buckets)));
      if (cut.length <= HISTORY_ANSWER_BYTES) return cut;
    } else {
      const given = lengthOf(answer.value);
      const limit = Math.floor((given * HISTORY_ANSWER_BYTES * 0.8) / bytes.length);
      const shorter = Object.assign({}, call, { limit: Math.max(1, Math.min(limit, given - 1)) });
      if (given > 1) return this.#fitting(shorter, await this.#asked(shorter, signal), signal);
    }
    return packAnswer(refused({ code: 'archive::invalid', message: 'the answer is too long: ask for less' }));
  }

  #cancel(data: Uint8Array): void {
    const id = readCancel(data);
    if (id !== undefined) this.#open.get(id)?.abort(new Error('nobody waits for the answer'));
  }
}

function lengthOf(value: Retrievable): number {
  if ('samples' in value) return value.samples.length;
  return 'events' in value ? value.events.length : 0;
}

function busy(message: string): Answer {
  return refused({ code: 'archive::busy', message });
}

function refusalOf(error: Error, log: Log): Answer {
  if (error instanceof TooManyQuestions) return busy(error.message);
  if (error instanceof RangeError) return refused({ code: 'archive::invalid', message: error.message });
  log.error({ err: error }, 'question about the past failed');
  return refused({ code: 'archive::failed', message: error.message });
}

function withShortTexts(buckets: Buckets): Buckets {
  const short = (text: string): string =>
    text.length <= HISTORY_BUCKET_TEXT ? text : `${text.slice(0, HISTORY_BUCKET_TEXT)}…`;
  return Object.assign({}, buckets, {
    measures: buckets.measures.map((column) =>
      Object.assign({}, column, {
        value: column.value.map((each) => (typeof each === 'string' ? short(each) : each)),
      }),
    ),
  });
}
