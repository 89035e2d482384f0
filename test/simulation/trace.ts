/**
 * What happened in a simulated run, line by line, and its fingerprint: two runs are the same when their fingerprints
 * are.
 */

import { createHash, type Hash } from 'node:crypto';

export interface TraceLine {
  /** ms since the start of the run. */
  readonly at: number;
  readonly who: string;
  readonly what: string;
}

export class Trace {
  readonly lines: TraceLine[] = [];
  readonly #hash: Hash = createHash('sha256');
  readonly #kept: boolean;

  /** `kept: false` only counts towards the fingerprint. */
  constructor(kept: boolean) {
    this.#kept = kept;
  }

  add(line: TraceLine): void {
    this.#hash.update(`${line.at} ${line.who} ${line.what}\n`);
    if (this.#kept) this.lines.push(line);
  }

  /** SHA-256 of everything added so far. */
  fingerprint(): string {
    return this.#hash.copy().digest('hex');
  }
}

export function printed({ at, who, what }: TraceLine): string {
  return `${(at / 1000).toFixed(3).padStart(9)}  ${who.padEnd(8)}  ${what}`;
}
