/**
 * Who answers in a dry run: decisions as it was asked, confirmations with yes, typed questions with what it was given.
 * Mission Control Service, section 4.2 rule 9 and section 8.
 *
 * S1. It takes `replay` at most `DRY_RUN_REPLAYS` times; then it decides `fail`: a step that fails each time would be
 *     begun for ever.
 */

import { DRY_RUN_REPLAYS } from '../contract/limits/run.ts';
import type { Answer, Choice } from '../contract/run.ts';
import type { RunEvent } from '../contract/run-event.ts';
import type { WrittenValue } from './written-value.ts';

/** An answer, and who gives it in which role. */
export interface StandInAnswer {
  readonly answer: Answer;
  readonly user: string;
  readonly roles: string | undefined;
}

export class StandIn {
  readonly #choice: Choice;
  readonly #answers: Readonly<Record<string, WrittenValue>>;
  #replays = 0;
  #answered = 0;

  /** `answers` by the path of the step that asks. */
  constructor(choice: Choice, answers: Readonly<Record<string, WrittenValue>>) {
    this.#choice = choice;
    this.#answers = answers;
  }

  /** What is answered to an event that asks; undefined when it asks nothing. */
  answerTo(event: RunEvent): StandInAnswer | undefined {
    if (event.event === 'decision_required') return this.#by({ ...yes(event), value: this.#decide() });
    if (event.event !== 'asked') return undefined;
    const value = this.#answers[event.path];
    return this.#by({ ...yes(event), ...(value !== undefined && { value }) }, event.role);
  }

  /** Each answer is another person's: nobody confirms a step twice. */
  #by(answer: Answer, role?: string): StandInAnswer {
    this.#answered += 1;
    return { answer, user: `dry-run-${this.#answered}`, roles: role };
  }

  #decide(): Choice {
    if (this.#choice !== 'replay') return this.#choice;
    this.#replays += 1;
    return this.#replays > DRY_RUN_REPLAYS ? 'fail' : 'replay';
  }
}

function yes({ path, seq }: Extract<RunEvent, { path: string }>): Answer {
  return { path, accepted: true, question: seq };
}
