/**
 * What a run waits for, large: a question, a decision or a suspension with the commands that answer it, and how it
 * ended. Nothing is answered here: a person copies the command, or types it where answers are given.
 */

import { wantedWords } from '../../contract/run-question.ts';
import { later } from '../browser-clock.ts';
import { byId, element, setAttribute, setText } from '../element.ts';
import { dateTime, duration } from '../moment.ts';
import type { RunPicture } from './run-picture.ts';
import { answerCommands, type Command, resumeCommands } from './run-words.ts';

const COPIED_MS = 2_000;

interface Notice {
  readonly tone: string;
  readonly title: string;
  readonly text: string;
  readonly commands: readonly Command[];
  /** Since when, ms since 1970; absent where it waits for nobody. */
  readonly since?: number;
  /** Until when, ms since 1970; absent where it waits for ever. */
  readonly deadline?: number;
}

export class RunNotice {
  readonly #section = byId('run-notice', HTMLElement);
  readonly #title = byId('run-notice-title', HTMLElement);
  readonly #since = byId('run-notice-since', HTMLElement);
  readonly #text = byId('run-notice-text', HTMLElement);
  readonly #commands = byId('run-notice-commands', HTMLUListElement);
  #notice: Notice | undefined;
  #drawn = '';

  /** What is said; undefined when the run goes on by itself. */
  get words(): string | undefined {
    return this.#notice && `${this.#notice.title}: ${this.#notice.text}`;
  }

  clear(): void {
    this.#show(undefined);
  }

  /** `isPresent`: what is asked can be answered now. */
  show(picture: RunPicture, isPresent: boolean): void {
    const notice = noticeOf(picture);
    this.#show(notice && (isPresent ? notice : { ...notice, commands: [] }));
  }

  tick(now: number): void {
    const { since, deadline } = this.#notice ?? {};
    const waits = since === undefined ? '' : `for ${duration(Math.max(0, now - since))}`;
    const left = deadline === undefined ? '' : `, ${duration(Math.max(0, deadline - now))} left`;
    setText(this.#since, `${waits}${left}`);
  }

  #show(notice: Notice | undefined): void {
    this.#notice = notice;
    this.#section.hidden = notice === undefined;
    const drawn = JSON.stringify(notice ?? null);
    if (notice === undefined || drawn === this.#drawn) return;
    this.#drawn = drawn;
    setAttribute(this.#section, 'class', `run-notice ${notice.tone}`);
    setText(this.#title, notice.title);
    setText(this.#text, notice.text);
    this.#commands.replaceChildren(...notice.commands.map(commandItem));
  }
}

function noticeOf(picture: RunPicture): Notice | undefined {
  const { started, finished, suspended, pending } = picture;
  const run = started?.run ?? '';
  if (finished !== undefined) return endOf(finished);
  if (suspended !== undefined) {
    const commands = resumeCommands(run, location.origin);
    const text = `at ${suspended.path}, by ${suspended.by}. Its targets are free.`;
    return { tone: 'warn', title: 'Suspended', text, commands, since: suspended.at };
  }
  if (pending === undefined) return undefined;
  const commands = answerCommands(run, pending, location.origin);
  const { path, prompt, answer, deadline, at: since } = pending;
  const until = deadline === undefined ? {} : { deadline };
  const wanted = answer === undefined ? '' : ` Asked for: ${wantedWords(answer)}.`;
  const role = pending.role === undefined ? '' : ` Role ${pending.role} answers.`;
  return pending.kind === 'ask'
    ? {
        tone: 'warn asks',
        title: 'Asks',
        text: `${prompt} (${path})${wanted}${role}`,
        commands,
        since,
        ...until,
      }
    : { tone: 'warn asks', title: 'Needs a decision', text: `${path}: ${prompt}`, commands, since };
}

function endOf({ ok, reason, at }: NonNullable<RunPicture['finished']>): Notice {
  const text = [dateTime(at), ...(reason === undefined ? [] : [reason])].join(': ');
  return { tone: ok ? 'ok' : 'bad', title: ok ? '✓ Passed' : '✗ Failed', text, commands: [] };
}

function commandItem({ text, means }: Command): HTMLLIElement {
  const code = element('code', { class: 'mono', title: text }, text);
  const copy = element('button', { type: 'button', 'aria-label': `Copy: ${means}` }, 'Copy');
  copy.addEventListener('click', () => void copyFrom(code, copy));
  return element('li', {}, copy, code, element('span', { class: 'means' }, means));
}

/** Where no clipboard is given (a page that did not come over TLS) the text is marked, ready to be copied. */
async function copyFrom(code: HTMLElement, button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(code.textContent ?? '');
    setText(button, 'Copied');
  } catch {
    getSelection()?.selectAllChildren(code);
    setText(button, 'Marked');
  }
  later(() => setText(button, 'Copy'), COPIED_MS);
}
