/**
 * A list of the past that comes in pages, the newest first: a page at a time, older ones where somebody looks for them.
 *
 * P1. An answer to an earlier question is dropped: what is shown is always of the question that stands.
 * P2. So many rows are kept at most; whoever looks further back narrows the time.
 * P3. What the archive has not read yet is in no page: the first page is read again until nothing is missing, and until
 *     the service answers.
 */

import { later } from '../../browser-clock.ts';
import { ask } from '../../service.ts';
import { ServiceError } from '../../service-error.ts';

/** What every page of the log says of itself. */
export interface LogPage {
  readonly next?: string;
  readonly gaps: readonly { readonly from: string; readonly to: string; readonly messages: number }[];
  readonly damaged: number;
  readonly pending: number;
}

const KEPT = 10_000;
const AGAIN_MS = 2_000;
/** One question looks through a bounded part of the log: so many pages without a row are turned at once. */
const EMPTY_PAGES = 5;

export class Paged<Page extends LogPage, Row> {
  readonly #rowsOf: (page: Page) => readonly Row[];
  readonly #idOf: (row: Row) => string;
  readonly #changed: () => void;
  #path = '';
  #abort = new AbortController();
  #cancel: () => void = () => undefined;
  #next: string | undefined;
  rows: readonly Row[] = [];
  /** What the pages said beside their rows; the newest page counts. */
  said: LogPage | undefined;
  refusal: ServiceError | undefined;
  isAsking = false;

  constructor(rowsOf: (page: Page) => readonly Row[], idOf: (row: Row) => string, changed: () => void) {
    this.#rowsOf = rowsOf;
    this.#idOf = idOf;
    this.#changed = changed;
  }

  /** Not while the last question was refused: whoever draws would ask again at each drawing. */
  get hasOlder(): boolean {
    return this.#next !== undefined && this.refusal === undefined && this.rows.length < KEPT;
  }

  /** Whether there is more than is kept (P2). */
  get isFull(): boolean {
    return this.#next !== undefined && this.rows.length >= KEPT;
  }

  /** The first page of this path, with its query; false where it stands already. */
  choose(path: string): boolean {
    if (path === this.#path) return false;
    this.#path = path;
    this.rows = [];
    this.said = undefined;
    this.#next = undefined;
    this.again();
    return true;
  }

  /** The first page once more; what is shown stays until it is there, and what is older than it stays. */
  again(): void {
    if (this.#path !== '') void this.#read(undefined, 0);
  }

  older(): void {
    if (this.hasOlder && !this.isAsking) void this.#read(this.#next, 0);
  }

  forget(): void {
    this.#path = '';
    this.#cancel();
    this.#abort.abort();
    this.rows = [];
  }

  /** P3 */
  get #isMissing(): boolean {
    return this.refusal === undefined ? (this.said?.pending ?? 0) > 0 : this.refusal.isUnknown;
  }

  #put(rows: readonly Row[], cursor: string | undefined, next: string | undefined): void {
    const last = rows.at(-1);
    const known =
      cursor === undefined && last !== undefined
        ? this.rows.findIndex((row) => this.#idOf(row) === this.#idOf(last))
        : -1;
    if (known >= 0) {
      this.rows = [...rows, ...this.rows.slice(known + 1)];
      return;
    }
    this.rows = cursor === undefined ? rows : [...this.rows, ...rows];
    this.#next = next;
  }

  async #read(cursor: string | undefined, empty: number): Promise<void> {
    this.#cancel();
    this.#abort.abort();
    const abort = new AbortController();
    this.#abort = abort;
    this.isAsking = true;
    this.#changed();
    const path = cursor === undefined ? this.#path : `${this.#path}&cursor=${encodeURIComponent(cursor)}`;
    let rows: readonly Row[] = [];
    try {
      const page = await ask<Page>(path, abort.signal);
      rows = this.#rowsOf(page);
      this.#put(rows, cursor, page.next);
      if (cursor === undefined) this.said = page;
      this.refusal = undefined;
    } catch (error) {
      if (abort.signal.aborted) return;
      if (!(error instanceof ServiceError)) throw error;
      this.refusal = error;
    }
    this.isAsking = false;
    this.#changed();
    const isEmpty = this.refusal === undefined && rows.length === 0;
    if (isEmpty && this.#next !== undefined && empty < EMPTY_PAGES) void this.#read(this.#next, empty + 1);
    else if (this.#isMissing) this.#cancel = later(() => this.again(), AGAIN_MS);
  }
}
