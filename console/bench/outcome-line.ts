/**
 * What came of an action, in a line beside it: what is under way, what was done, or what was refused and how to fix it.
 */

import { element, setAttribute } from '../element.ts';
import { BenchRefusal } from './bench-service.ts';
import { pageWords } from './page-words.ts';

export class OutcomeLine {
  readonly node: HTMLElement;

  constructor(node: HTMLElement) {
    this.node = node;
    node.classList.add('outcome');
    setAttribute(node, 'role', 'status');
  }

  clear(): void {
    this.#show('', []);
  }

  done(text: string): void {
    this.#show('ok', ['✓ ', text]);
  }

  /** A refusal with the help of the service and the step that is missing; anything else is a defect of the page. */
  refused(error: unknown): void {
    if (!(error instanceof BenchRefusal)) throw error;
    const { help, next } = error.refusal;
    const message = pageWords(error.message);
    const parts: (string | Node)[] = ['✗ ', `${message}${/[.!?]$/.test(message) ? '' : '.'}`];
    if (help !== undefined && help !== next?.command)
      parts.push(' ', element('span', { class: 'help' }, pageWords(help)));
    if (next != null)
      parts.push(
        ' First: ',
        element('span', { class: 'help' }, `${next.condition}, by ${pageWords(next.command)}.`),
      );
    this.#show('bad', parts);
  }

  wrong(text: string): void {
    this.#show('bad', ['✗ ', text]);
  }

  /** Does it, with the button disabled meanwhile; `done` words the answer. Undefined where it was refused. */
  async run<Answer>(
    button: HTMLButtonElement,
    work: () => Promise<Answer>,
    done: (answer: Answer) => string,
  ): Promise<Answer | undefined> {
    const hadFocus = document.activeElement === button;
    button.disabled = true;
    this.#show('muted', ['… under way']);
    try {
      const answer = await work();
      this.done(done(answer));
      return answer;
    } catch (error) {
      this.refused(error);
      return undefined;
    } finally {
      button.disabled = false;
      // A disabled button loses the focus, and the keyboard its place.
      if (hadFocus && document.activeElement === document.body) button.focus();
    }
  }

  #show(tone: string, parts: readonly (string | Node)[]): void {
    setAttribute(this.node, 'class', `outcome ${tone}`);
    this.node.replaceChildren(...parts);
  }
}
