/** The transfers that are open. A question about one, a file or a target costs the answer, not what is open. */

import type { Undelivered } from './delivery.ts';
import type { OpenTransfer } from './open-transfer.ts';

export class OpenTransfers {
  readonly #byKey = new Map<string, OpenTransfer>();
  readonly #byFile = new Map<string, Set<OpenTransfer>>();
  /** How many, by target. */
  readonly #ofTarget = new Map<string, number>();

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): OpenTransfer | undefined {
    return this.#byKey.get(key);
  }

  values(): Iterable<OpenTransfer> {
    return this.#byKey.values();
  }

  /** Of every generation, downloads and uploads. */
  ofFile(target: string, file: string): Iterable<OpenTransfer> {
    return this.#byFile.get(fileKey(target, file)) ?? [];
  }

  /** Those that wait for bytes, by target. */
  undelivered(): Map<string, Undelivered[]> {
    const byTarget = new Map<string, Undelivered[]>();
    for (const { key, record, gathering, isUndelivered } of this.#byKey.values()) {
      if (!isUndelivered) continue;
      const ofTarget = byTarget.get(record.target) ?? [];
      ofTarget.push({ key, record, received: gathering.received });
      byTarget.set(record.target, ofTarget);
    }
    return byTarget;
  }

  hasOf(target: string): boolean {
    return this.#ofTarget.has(target);
  }

  /** One that has its key is taken out first. */
  add(open: OpenTransfer): void {
    const { key, record } = open;
    this.#byKey.set(key, open);
    const file = fileKey(record.target, record.file_id);
    this.#byFile.set(file, (this.#byFile.get(file) ?? new Set()).add(open));
    this.#ofTarget.set(record.target, (this.#ofTarget.get(record.target) ?? 0) + 1);
  }

  /** Whether it was one of them. */
  delete(open: OpenTransfer): boolean {
    const { key, record } = open;
    if (this.#byKey.get(key) !== open) return false;
    this.#byKey.delete(key);
    const file = fileKey(record.target, record.file_id);
    const ofFile = this.#byFile.get(file);
    ofFile?.delete(open);
    if (ofFile?.size === 0) this.#byFile.delete(file);
    const left = (this.#ofTarget.get(record.target) ?? 1) - 1;
    if (left === 0) this.#ofTarget.delete(record.target);
    else this.#ofTarget.set(record.target, left);
    return true;
  }
}

function fileKey(target: string, file: string): string {
  return `${target}.${file}`;
}
