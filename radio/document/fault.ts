/**
 * Faults of a document of the bench as its interface reports them: strings `path: reason`. RF Bench Service, section 4,
 * rule 2.
 *
 * F1. A fault is one line; a key that is no plain word stands in quotes, so that the first `: ` ends the path.
 */

import { BENCH_FAULTS_LISTED } from '../../contract/limits/bench.ts';
import { checkShape, type ShapeFaults } from '../../contract/shape.ts';

type DocumentPath = readonly (string | number)[];

/** Of a reason, which may quote what stands in the document. */
const REASON_CHARACTERS = 400;

/** All faults of one document, seen from a path in it. */
export class DocumentFaults implements ShapeFaults {
  readonly #list: string[];
  readonly #path: string;

  constructor(list: string[] = [], path = '') {
    this.#list = list;
    this.#path = path;
  }

  get found(): number {
    return this.#list.length;
  }

  in(...steps: DocumentPath): DocumentFaults {
    return new DocumentFaults(this.#list, steps.reduce(pathBelow, this.#path));
  }

  /** As `in`, for a path that is written out: `packets[2].header.src`. */
  below(path: string): DocumentFaults {
    return new DocumentFaults(this.#list, this.#path === '' ? path : `${this.#path}.${path}`);
  }

  fault(reason: string, help?: string): void {
    const words = help === undefined ? reason : `${reason}; ${help}`;
    this.#list.push(`${this.#path || 'document'}: ${oneLine(words)}`);
  }

  keyFault(reason: string, help?: string): void {
    this.fault(reason, help);
  }

  /** The faults in the order they were found, and how many more there are. */
  told(): string[] {
    return firstFaults(this.#list);
  }
}

/** Every fault of the shape of a value; none when it fits the schema. */
export function shapeFaults(schema: object, value: unknown): string[] {
  const faults = new DocumentFaults();
  checkShape(schema, value, faults);
  return faults.told();
}

/** `timeline[3].with.tx_gain_db`. */
function pathBelow(path: string, step: string | number): string {
  if (typeof step === 'number') return `${path}[${step}]`;
  // JSON keeps it on one line; the blank behind a colon would read as the end of the path (F1).
  if (!/^[A-Za-z0-9_-]+$/.test(step)) return `${path}[${JSON.stringify(step).replaceAll(': ', ':\\u0020')}]`;
  return path === '' ? step : `${path}.${step}`;
}

/** So many faults as are listed, and how many more there are. */
export function firstFaults(faults: readonly string[]): string[] {
  const more = faults.length - BENCH_FAULTS_LISTED;
  if (more <= 0) return [...faults];
  return [...faults.slice(0, BENCH_FAULTS_LISTED), `document: has ${more} more faults`];
}

/** The text on one line, and no longer than a line that people read. */
export function oneLine(text: string): string {
  const line = text.slice(0, REASON_CHARACTERS).replaceAll(/\s+/g, ' ').trim();
  return text.length > REASON_CHARACTERS ? `${line}…` : line;
}
