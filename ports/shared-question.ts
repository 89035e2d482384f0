/**
 * A question that many ask at once and that each answers for all: how a stream stands when two thousand lanes begin, or
 * what a bucket of a hundred thousand entries holds.
 *
 * V1. An answer is given only to those who asked before it was asked for: who comes while one is on its way waits for
 *     the next, which is asked for when that is there.
 * V2. One that takes longer than `awaitedMs` holds nobody back: behind that, the next is asked for beside it. Without
 *     one, at most one of a kind is under way, however many ask: for questions that cost much.
 */

interface SharedQuestionsOptions {
  /** Longer than an answer takes that is not waited for in vain, ms; default: none is given up. */
  readonly awaitedMs?: number;
  readonly now?: () => number;
}

interface Asked<Answer> {
  readonly at: number;
  readonly answer: Promise<Answer>;
  /** Of those who came since. */
  next: Promise<Answer> | undefined;
}

export class SharedQuestions<Answer> {
  readonly #asked = new Map<string, Asked<Answer>>();
  readonly #ask: (about: string) => Promise<Answer>;
  readonly #awaitedMs: number;
  readonly #now: () => number;

  constructor(
    ask: (about: string) => Promise<Answer>,
    { awaitedMs = Number.POSITIVE_INFINITY, now = () => performance.now() }: SharedQuestionsOptions = {},
  ) {
    this.#ask = ask;
    this.#awaitedMs = awaitedMs;
    this.#now = now;
  }

  /** The answer to a question asked from now on; rejects as asking does. */
  ask(about: string): Promise<Answer> {
    const asked = this.#asked.get(about);
    if (asked === undefined || this.#now() - asked.at > this.#awaitedMs) return this.#begin(about);
    asked.next ??= asked.answer.then(
      () => this.#begin(about),
      () => this.#begin(about),
    );
    return asked.next;
  }

  #begin(about: string): Promise<Answer> {
    const asked: Asked<Answer> = { at: this.#now(), answer: this.#ask(about), next: undefined };
    this.#asked.set(about, asked);
    const over = (): void => {
      if (this.#asked.get(about) === asked && asked.next === undefined) this.#asked.delete(about);
    };
    asked.answer.then(over, over);
    return asked.answer;
  }
}
