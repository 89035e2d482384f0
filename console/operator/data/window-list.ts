/**
 * Things of a part of time, asked for page by page, and asked for again when another part is wanted, when somebody says
 * that they have changed, and now and then.
 *
 * W1. More is asked for than is wanted, as long again on both sides: to move a little asks for nothing.
 * W2. At most `PAGES` pages are read. Where more match, the list is cut, and a shorter part is asked for again.
 * W3. What was read before stays until the next answer to the same question, with the refusal beside it. It is never
 *     shown for another question.
 */

import { later, measured } from '../../browser-clock.ts';
import type { ServiceError } from '../../service-error.ts';
import { asked } from './connection.ts';

const PAGES = 4;
/** Between two questions: what is dragged over a year asks once, not at each step. */
const PAUSE_MS = 400;

interface Wanted {
  readonly question: string;
  readonly from: number;
  readonly to: number;
}

export interface WindowListOptions<Page, Item> {
  readonly itemsOf: (page: Page) => readonly Item[];
  readonly changed: () => void;
  /** How long what was read counts. */
  readonly everyMs: number;
}

export class WindowList<Page extends { readonly next?: string }, Item> {
  readonly #options: WindowListOptions<Page, Item>;
  #wanted: Wanted | undefined;
  /** The question of `items`. */
  #question: string | undefined;
  /** What `items` is the answer to. */
  #read: (Wanted & { readonly since: () => number }) | undefined;
  #cancel: (() => void) | undefined;
  #round = 0;
  #isReading = false;
  /** Somebody said that it has changed. */
  #isStale = false;
  items: readonly Item[] = [];
  /** Counts answers. */
  version = 0;
  isCut = false;
  refusal: ServiceError | undefined;

  constructor(options: WindowListOptions<Page, Item>) {
    this.#options = options;
  }

  /** How long ago the answer came, in ms; undefined before. */
  get ageMs(): number | undefined {
    return this.#read?.since();
  }

  /** `question`: the route with its query but for `from` and `to`, which are ms since 1970. */
  want(question: string, from: number, to: number): void {
    if (this.#question !== question) this.#forget();
    this.#question = question;
    this.#wanted = { question, from, to };
    if (this.#isStale || this.#isDue()) this.#later();
  }

  /** It has changed. */
  soon(): void {
    this.#isStale = true;
    this.#later();
  }

  /** Nobody looks at it; what was read stays. */
  leave(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#wanted = undefined;
    this.#read = undefined;
    this.refusal = undefined;
    this.#round += 1;
  }

  #later(): void {
    this.#cancel ??= later(() => {
      this.#cancel = undefined;
      if (this.#isReading) return this.#later();
      if (this.#wanted === undefined || !(this.#isStale || this.#isDue())) return;
      this.#isStale = false;
      void this.#ask(this.#wanted, ++this.#round);
    }, PAUSE_MS);
  }

  #forget(): void {
    this.items = [];
    this.version += 1;
    this.#read = undefined;
    this.refusal = undefined;
    this.#round += 1;
  }

  #isDue(): boolean {
    const [wanted, read] = [this.#wanted!, this.#read];
    if (read === undefined) return this.refusal === undefined;
    if (wanted.from < read.from || wanted.to > read.to) return true;
    if (this.isCut && (wanted.to - wanted.from) * 6 < read.to - read.from) return true;
    return read.since() > this.#options.everyMs;
  }

  /** W1, W2, W3 */
  async #ask({ question, from, to }: Wanted, round: number): Promise<void> {
    this.#isReading = true;
    const span = to - from;
    const part = { question, from: from - span, to: to + span };
    const base = `${question}&from=${momentOf(part.from)}&to=${momentOf(part.to)}`;
    const items: Item[] = [];
    let next: string | undefined;
    let refusal: ServiceError | undefined;
    for (let page = 0; page < PAGES && refusal === undefined; page += 1) {
      const after = next === undefined ? '' : `&after=${encodeURIComponent(next)}`;
      const answer = await asked<Page>(`${base}${after}`, (error) => {
        refusal = error;
      });
      if (round !== this.#round) break;
      if (answer !== undefined) items.push(...this.#options.itemsOf(answer));
      next = answer?.next;
      if (next === undefined) break;
    }
    this.#isReading = false;
    if (round !== this.#round) return;
    this.refusal = refusal;
    if (refusal === undefined) {
      this.items = items;
      this.isCut = next !== undefined;
      this.#read = { ...part, since: measured() };
      this.version += 1;
    } else
      later(() => {
        if (round === this.#round) this.soon();
      }, this.#options.everyMs);
    this.#options.changed();
  }
}

function momentOf(at: number): string {
  return encodeURIComponent(new Date(Math.max(0, at)).toISOString());
}
