/** People who ask about the past while things go wrong. */

import type { HistoryQuery } from '../../../contract/history.ts';
import type { Asking } from '../persistence.ts';
import type { TwinServer } from '../twin/server.ts';
import { through, walked } from './asking.ts';
import type { Announced, AnsweredQuestion } from './history.ts';
import type { Question } from './keeping.ts';

export interface QuestionsOptions extends Asking {
  readonly server: TwinServer;
  /** Of every target. */
  readonly measures: readonly string[];
  readonly announced: readonly Announced[];
  readonly tell: (what: string) => void;
}

const PATIENCE_MS = 30_000;
const AGAIN_MS = 700;
/** Then nobody asks any more. */
const TRIES = 5;

export class Questions {
  readonly #options: QuestionsOptions;
  readonly #answered: (Omit<AnsweredQuestion, 'after'> & { readonly toldBefore: number })[] = [];
  #open = 0;

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  plan(questions: readonly Question[]): void {
    for (const question of questions) {
      this.#open += 1;
      this.#options.clock.setTimeout(() => void this.#ask(question), question.at);
    }
  }

  get areOver(): boolean {
    return this.#open === 0;
  }

  get answered(): AnsweredQuestion[] {
    const { announced } = this.#options;
    return this.#answered.map(({ toldBefore, ...question }) => {
      const after = announced
        .slice(toldBefore)
        .find(({ state }) => state.archive === question.before?.archive);
      return { ...question, after: after?.state };
    });
  }

  async #ask(question: Question): Promise<void> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      if (await this.#asked(question, tries)) break;
      await new Promise<void>((resolve) => void this.#options.clock.setTimeout(resolve, AGAIN_MS));
    }
    this.#open -= 1;
  }

  async #asked({ slot, target, backMs, delivery, limit }: Question, tries: number): Promise<boolean> {
    const { clock, server, processAt, slots, measures, announced, tell } = this.#options;
    const { now, order: askedAt } = server;
    const query: HistoryQuery = { target, measures, from: now - backMs, to: now, delivery };
    const process = processAt((slot + tries) % slots);
    const known = announced.length;
    const found = await through({ clock, process, patienceMs: PATIENCE_MS }, async ({ api }) =>
      api === undefined ? undefined : walked(api.history(), query, limit),
    );
    if (found === undefined) return false;
    const { archives, ...answer } = found;
    // Of several archives none is what the answer is of.
    const archive = archives.length === 1 ? archives[0] : undefined;
    const before = announced.slice(0, known).findLast(({ state }) => state.archive === archive)?.state;
    const toldBefore = announced.length;
    this.#answered.push({ query, askedAt, answeredAt: server.order, before, toldBefore, ...answer });
    tell(
      `${target} back to ${backMs}: ${answer.samples.length} samples, ${answer.gaps.length} gaps of ${archives}`,
    );
    return true;
  }
}
