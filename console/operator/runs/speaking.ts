/**
 * What a person says to a run: an answer, a decision, suspend, resume, abort; and what came of the last one.
 *
 * S1. An answer names the question that was seen (decision 28): a repetition never answers another one.
 */

import type { Answer, AnswerTold, Choice, RunTold } from '../../../contract/run.ts';
import { order } from '../../service.ts';
import type { ServiceError } from '../../service-error.ts';
import { refusalOf } from '../parts/refusal.ts';

export type RunAction = 'suspend' | 'resume' | 'abort';

export class Speaking {
  readonly #changed: () => void;
  /** What is under way, in a word; empty: nothing. */
  underWay = '';
  /** What the refusal is of. */
  said = '';
  refusal: ServiceError | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  answer(run: string, answer: Answer, operator: string): Promise<void> {
    return this.#say('answer', () => order<AnswerTold>(`/v1/runs/${run}/answers`, answer, operator));
  }

  /** `choice`: of `resume`. */
  command(run: string, action: RunAction, operator: string, choice?: Choice): Promise<void> {
    const body = choice === undefined ? undefined : { choice };
    return this.#say(action, () => order<RunTold>(`/v1/runs/${run}/${action}`, body, operator));
  }

  forget(): void {
    this.refusal = undefined;
    this.said = '';
  }

  async #say(word: string, work: () => Promise<unknown>): Promise<void> {
    if (this.underWay !== '') return;
    this.underWay = word;
    this.said = word;
    this.refusal = undefined;
    this.#changed();
    try {
      this.refusal = await refusalOf(work);
    } finally {
      this.underWay = '';
      this.#changed();
    }
  }
}
