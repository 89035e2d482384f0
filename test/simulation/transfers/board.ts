/** What one simulated spacecraft has on board: the real file memory, and every content a generation ever had. */

import { fileChecksum } from '../../../links/file-checksum.ts';
import { OnboardFiles } from '../../../links/simulated/onboard-files.ts';
import { SHIPPED_6U, type Shipped } from '../../../links/simulated/shipped-files.ts';
import { START_MS } from '../start.ts';
import { STORED_FILE, STORED_HOURS } from './decoding-troubles.ts';
import type { FileTarget } from './mission.ts';
import { FILE_TARGETS } from './mission.ts';
import type { Moving } from './moving.ts';

/** Large ones that it is shipped with: nobody asks for them here. */
const NOT_FLOWN = [3, 4] as const;
/** With stored telemetry of some hours, in some runs. */
const SHIPPED: Shipped = {
  ...SHIPPED_6U,
  files: SHIPPED_6U.files.map((file) =>
    file.id === Number(STORED_FILE) ? { ...file, size: file.size * STORED_HOURS } : file,
  ),
};

/** A generation, with its bytes after each write: one that was made whole has one content. */
export interface Generation {
  readonly file: string;
  readonly generation: number;
  readonly versions: readonly Buffer[];
  /** By telecommands. */
  readonly isWritten: boolean;
}

export interface Listed {
  readonly file: string;
  readonly file_type: number;
  readonly size: number;
  readonly checksum: string;
  readonly generation: number;
}

export class Board {
  readonly files: OnboardFiles;
  readonly #target: FileTarget;
  readonly #generations = new Map<string, { versions: Buffer[]; isWritten: boolean }>();

  constructor(target: FileTarget, seed: number, { sizes, stored = [] }: Pick<Moving, 'sizes' | 'stored'>) {
    this.#target = target;
    const more = new Map(Object.entries(sizes).map(([file, size]) => [Number(file), size]));
    this.files = new OnboardFiles(seed, START_MS, more, SHIPPED);
    for (const id of NOT_FLOWN) this.files.delete(id);
    if (!stored.includes(target)) this.files.delete(Number(STORED_FILE));
    for (const { id } of this.files.listing()) this.#note(id, false);
  }

  generationOf(file: string): number | undefined {
    return this.files.generationOf(Number(file));
  }

  /** Every generation there ever was. */
  get generations(): Generation[] {
    return [...this.#generations].map(([key, { versions, isWritten }]) => {
      const [file = '', generation = ''] = key.split('.');
      return { file, generation: Number(generation), versions, isWritten };
    });
  }

  /** As it is said, with the checksum of its platform. */
  listing(): Listed[] {
    const algorithm = FILE_TARGETS[this.#target].checksum;
    return this.files.listing().map(({ id, type, size, generation }) => {
      const sum = fileChecksum(algorithm)!;
      sum.add(this.files.bytesOf(id)!);
      const right = sum.end();
      const wrong = this.files.faults.has('bad_checksum');
      const checksum = wrong ? `${right.startsWith('0') ? '1' : '0'}${right.slice(1)}` : right;
      return { file: String(id), file_type: type, size, checksum, generation };
    });
  }

  write(file: string, generation: number, offset: number, bytes: Buffer): boolean {
    const isDone = this.files.write(Number(file), generation, offset, bytes);
    if (isDone) this.#note(Number(file), true);
    return isDone;
  }

  rewrite(file: string, nowMs: number): void {
    if (this.files.regenerate(Number(file), nowMs)) this.#note(Number(file), false);
  }

  #note(id: number, isWritten: boolean): void {
    const key = `${id}.${this.files.generationOf(id)}`;
    const bytes = this.files.bytesOf(id)!;
    const known = this.#generations.get(key) ?? { versions: [], isWritten };
    known.versions.push(bytes);
    this.#generations.set(key, known);
  }
}
