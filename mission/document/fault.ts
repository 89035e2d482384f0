/**
 * A fault of a mission document, and the list they are gathered in: a compilation reports all of them, each saying
 * what, where and how to repair it. Mission Control Service, section 1 item 10 (the compiled configuration).
 *
 * F1. Finding a fault never stops the search: the list is read at the end.
 */

import { DOCUMENT_FAULTS_LISTED } from '../../contract/limits/mission.ts';

/** Keys and indexes from the top of a document. */
export type DocumentPath = readonly (string | number)[];

export interface DocumentFault {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** Keys joined by dots, indexes in brackets; empty for the document itself. */
  readonly path: string;
  readonly message: string;
  readonly help: string;
}

/** Where a fault can be reported: knows the place of a path in its file. */
export interface Place {
  readonly file: string;
  position(path: DocumentPath, part: 'key' | 'value'): { readonly line: number; readonly column: number };
}

/** The path as people write it: `components.obc.telecommands.ping.verify.expect`, `packets.a.fields[3].to`. */
export function pathText(path: DocumentPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

/**
 * Gathers faults and warnings of any number of documents; of each at most `DOCUMENT_FAULTS_LISTED`, the others are
 * counted.
 */
export class FaultList {
  readonly #faults: DocumentFault[] = [];
  readonly #warnings: DocumentFault[] = [];
  #found = 0;

  /** Those listed, and in one more how many are not. */
  get faults(): readonly DocumentFault[] {
    const more = this.#found - this.#faults.length;
    return more === 0 ? this.#faults : [...this.#faults, countOf(more)];
  }

  get warnings(): readonly DocumentFault[] {
    return this.#warnings;
  }

  /** How many faults there are by now, listed or not. */
  get found(): number {
    return this.#found;
  }

  /** What makes the fault is asked only where it is listed: finding its place has a cost. */
  add(make: () => DocumentFault): void {
    this.#found += 1;
    if (this.#faults.length < DOCUMENT_FAULTS_LISTED) this.#faults.push(make());
  }

  warn(make: () => DocumentFault): void {
    if (this.#warnings.length < DOCUMENT_FAULTS_LISTED) this.#warnings.push(make());
  }

  at(place: Place): FaultsAt {
    return new FaultsAt(this, place, []);
  }
}

function countOf(more: number): DocumentFault {
  const place = { file: '', line: 1, column: 1, path: '' };
  return { ...place, message: `and ${more} more`, help: 'correct those that are listed first' };
}

/** The same list seen from a path in one document: paths given to it are relative. */
export class FaultsAt {
  readonly list: FaultList;
  readonly path: DocumentPath;
  readonly #place: Place;

  constructor(list: FaultList, place: Place, path: DocumentPath) {
    this.list = list;
    this.#place = place;
    this.path = path;
  }

  /** Faults of the whole list by now. */
  get found(): number {
    return this.list.found;
  }

  in(...steps: DocumentPath): FaultsAt {
    return new FaultsAt(this.list, this.#place, [...this.path, ...steps]);
  }

  /** Reports at the value of this path. */
  fault(message: string, help: string): void {
    this.list.add(() => this.#report('value', message, help));
  }

  /** Reports at the key of this path: a name that is wrong, not what it holds. */
  keyFault(message: string, help: string): void {
    this.list.add(() => this.#report('key', message, help));
  }

  warning(message: string, help: string): void {
    this.list.warn(() => this.#report('value', message, help));
  }

  #report(part: 'key' | 'value', message: string, help: string): DocumentFault {
    const position = this.#place.position(this.path, part);
    const where = { file: this.#place.file, ...position, path: pathText(this.path) };
    return { ...where, message, help };
  }
}
