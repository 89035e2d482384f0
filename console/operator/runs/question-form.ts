/** What a run asks, and the ways to answer, each with what it leads to. */

import { html } from 'lit-html';
import type { Answer, Choice } from '../../../contract/run.ts';
import { answerFault } from '../../../contract/run-question.ts';
import { MEANING_OF } from '../../../contract/run-words.ts';
import type { Pending } from '../../inspect/run-picture.ts';
import { duration } from '../../moment.ts';
import { type FieldView, fieldFault, sentValue } from '../parts/arguments.ts';
import { fieldView } from '../parts/field.ts';
import { needsView } from '../parts/needs.ts';

export interface QuestionActions {
  readonly typed: (text: string) => void;
  readonly answer: (answer: Omit<Answer, 'path' | 'question'>) => void;
}

const DECISIONS: readonly Choice[] = ['replay', 'skip', 'fail', 'abort'];

/** `text`: what was typed so far. `note`: what came of the last answer. */
export function questionView(
  pending: Pending,
  text: string,
  isBusy: boolean,
  /** What the caller does not have for it (permission.P1). */
  needs: string,
  now: number,
  note: unknown,
  actions: QuestionActions,
): unknown {
  const left = pending.deadline === undefined ? undefined : pending.deadline - now;
  return html`<section class="question panel" aria-labelledby="question-title">
    <h2 id="question-title">${pending.kind === 'decision' ? 'Needs a decision' : 'Asks'}${pending.role === undefined ? '' : `, for role ${pending.role}`}</h2>
    <p class="prompt">${pending.prompt}</p>
    <p class="muted">at <span class="mono">${pending.path}</span>, for ${duration(Math.max(0, now - pending.at))}${left === undefined ? '' : left > 0 ? html`; <strong class="warn">${duration(left)} left</strong>, then the step fails` : '; its time is over'}</p>
    ${pending.kind === 'decision' ? decisionButtons(isBusy, needs, actions) : pending.answer === undefined ? yesOrNo(isBusy, needs, actions) : typedAnswer(pending, text, isBusy, needs, actions)}
    ${note}
  </section>`;
}

function decisionButtons(isBusy: boolean, needs: string, { answer }: QuestionActions): unknown {
  return html`<ul class="decisions">${DECISIONS.map(
    (choice) => html`<li>
    <button class=${choice === 'abort' ? 'danger' : ''} ?disabled=${isBusy} @click=${() => answer({ accepted: true, value: choice })}>${choice}${needsView(needs)}</button>
    <span>${MEANING_OF[choice]}</span></li>`,
  )}</ul>`;
}

function yesOrNo(isBusy: boolean, needs: string, { answer }: QuestionActions): unknown {
  return html`<div class="choices"><button class="primary" ?disabled=${isBusy} @click=${() => answer({ accepted: true })}>Yes${needsView(needs)}</button>
    <button ?disabled=${isBusy} @click=${() => answer({ accepted: false })}>No${needsView(needs)}</button> <span class="muted">answering no fails the step</span></div>`;
}

function typedAnswer(
  pending: Pending,
  text: string,
  isBusy: boolean,
  needs: string,
  { typed, answer }: QuestionActions,
): unknown {
  const { type, unit, range, choices } = pending.answer!;
  const field: FieldView = { name: 'answer', type, unit, range, choices, required: true };
  const value = sentValue(field, text);
  const isFit =
    fieldFault(field, text) === undefined &&
    answerFault(pending, { accepted: true, ...(value !== undefined && { value }) }) === undefined;
  return html`<form @submit=${(event: Event) => {
    event.preventDefault();
    if (isFit && value !== undefined) answer({ accepted: true, value });
  }}>${fieldView('run', field, text, typed)}
    <div class="choices"><button class="primary" type="submit" ?disabled=${isBusy || !isFit}>Answer${needsView(needs)}</button>
    <button type="button" ?disabled=${isBusy} @click=${() => answer({ accepted: false })}>No${needsView(needs)}</button>
    <span class="muted">answering no fails the step</span></div></form>`;
}
