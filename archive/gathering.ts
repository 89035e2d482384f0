/**
 * Samples of messages in the order of their positions, gathered by family and target until they become a segment.
 *
 * G1. Nothing is copied when a message comes: its blocks are kept, and turned into columns when the segment is made.
 * G2. What a block cannot be a row of (measures that it names twice, or too many) goes with what is rare.
 */

import type { FileSample, ValueBatch, ValueBlock } from '../contract/batch.ts';
import { ARCHIVE_COLUMNS } from '../contract/limits/archive.ts';
import { type EventMessage, type EventRow, rowsOfMessage } from './event-rows.ts';
import { columnOf, type PlatformColumns } from './platform-columns.ts';
import { type Family, familyOf } from './row-shape.ts';

/** A message of the value stream, as it is given to the archive. */
export interface ValueMessage {
  readonly target: string;
  readonly position: number;
  /** When the bus stored it, ms since 1970. */
  readonly storedMs: number;
  readonly batch: ValueBatch;
  /** That it had on the bus (held.H1). */
  readonly bytes?: number;
}

export interface GatheredBlock {
  readonly block: ValueBlock;
  readonly position: number;
  readonly storedMs: number;
  readonly link: string;
}

export interface GatheredFile {
  readonly sample: FileSample;
  readonly target: string;
  readonly position: number;
  readonly storedMs: number;
  readonly link: string;
  readonly deferred: boolean;
  readonly platform: PlatformColumns;
}

export interface GatheredFamily {
  readonly family: Family;
  /** Whether its rows can be rows of a file of their own (G2). */
  readonly wide: boolean;
  readonly targets: Map<string, GatheredBlock[]>;
}

export class Gathering {
  readonly events: EventRow[] = [];
  readonly families = new Map<string, GatheredFamily>();
  readonly files: GatheredFile[] = [];
  messages = 0;
  readonly #known = new Map<string, GatheredFamily>();

  add({ target, position, storedMs, batch }: ValueMessage, platform: PlatformColumns): void {
    this.messages += 1;
    const { link } = batch;
    for (const block of batch.blocks) {
      if (block.ground.length === 0 || block.ordinals.length === 0) continue;
      const family = this.#family(platform, batch.deferred || block.deferred === true, block.ordinals);
      const blocks = family.targets.get(target);
      const gathered = { block, position, storedMs, link };
      if (blocks === undefined) family.targets.set(target, [gathered]);
      else blocks.push(gathered);
    }
    for (const sample of batch.files ?? [])
      this.files.push({ sample, target, position, storedMs, link, deferred: batch.deferred, platform });
  }

  addEvents(message: EventMessage): void {
    this.messages += 1;
    for (const row of rowsOfMessage(message)) this.events.push(row);
  }

  #family(platform: PlatformColumns, deferred: boolean, ordinals: Uint32Array): GatheredFamily {
    const known = `${platform.digest} ${deferred} ${ordinals.join()}`;
    const found = this.#known.get(known);
    if (found !== undefined) return found;
    const measures = Array.from(ordinals, (ordinal) => columnOf(platform, ordinal));
    const family = familyOf(platform.digest, deferred, measures);
    const distinct = new Set(measures.map(({ key }) => key)).size === measures.length;
    const gathered = { family, wide: distinct && measures.length <= ARCHIVE_COLUMNS, targets: new Map() };
    this.families.set(family.id, gathered);
    this.#known.set(known, gathered);
    return gathered;
  }
}
