/**
 * The rows of a message in the order of ground time, whatever block they stand in: conditions and limits that more than
 * one block feeds see the samples of one moment together. Mission Control Service, section 4.4 (evaluation).
 *
 * O1. Rows of one moment come in the order of the message.
 * O2. A row whose ground time is no moment is left out.
 */

import { isInstant } from '../../contract/instant.ts';
import type { BlockSamples } from '../reading/block-samples.ts';

/** What is taken of a block. */
export interface Strand {
  readonly samples: BlockSamples;
  /** Columns checked against limits. */
  readonly limits: readonly number[];
  /** Columns read by conditions. */
  readonly reads: readonly number[];
}

export interface MomentVisitor {
  row(strand: Strand, row: number, at: number): void;
  /** All rows of the moment have been given. */
  end(at: number): void;
}

interface Cursor {
  readonly strand: Strand;
  readonly ground: Float64Array;
  /** Rows in the order of time; absent when they stand in it. */
  readonly order: readonly number[] | undefined;
  readonly length: number;
  next: number;
}

/** Visits every moment of the strands, the earliest first. */
export function visitMoments(strands: readonly Strand[], visitor: MomentVisitor): void {
  const cursors = strands.map(cursorOf);
  for (let at = earliest(cursors); at !== Number.POSITIVE_INFINITY; at = earliest(cursors)) {
    for (const cursor of cursors) {
      while (timeOf(cursor) === at) {
        visitor.row(cursor.strand, rowOf(cursor), at);
        cursor.next += 1;
      }
    }
    visitor.end(at);
  }
}

/** Whether the rows are moments, each later than the one before. */
export function isRising(ground: Float64Array): boolean {
  const rows = ground.length;
  if (rows === 0 || !isInstant(ground[0]!) || !isInstant(ground[rows - 1]!)) return false;
  for (let row = 1; row < rows; row += 1) if (!(ground[row]! > ground[row - 1]!)) return false;
  return true;
}

function cursorOf(strand: Strand): Cursor {
  const { ground } = strand.samples.block;
  if (isRising(ground)) return { strand, ground, order: undefined, length: ground.length, next: 0 };
  const order = Array.from(ground.keys())
    .filter((row) => isInstant(ground[row]!))
    .sort((one, other) => ground[one]! - ground[other]!);
  return { strand, ground, order, length: order.length, next: 0 };
}

function earliest(cursors: readonly Cursor[]): number {
  let at = Number.POSITIVE_INFINITY;
  for (const cursor of cursors) at = Math.min(at, timeOf(cursor));
  return at;
}

/** Of the next row; infinite behind the last. */
function timeOf(cursor: Cursor): number {
  return cursor.next < cursor.length ? cursor.ground[rowOf(cursor)]! : Number.POSITIVE_INFINITY;
}

function rowOf({ order, next }: Cursor): number {
  return order === undefined ? next : order[next]!;
}
