/**
 * Telecommand identifiers: drawn here when the client gives none. Mission Control Service, section 4.1 rule 3.
 *
 * D1. Identifiers drawn by one process rise, also within a millisecond and when the clock steps back.
 */

import { randomFillSync } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import type { Clock } from '../ports/clock.ts';

/** One system call serves 64 identifiers. */
const POOL = new Uint32Array(1024);

/** A function that draws ULIDs. */
export function identifierSource(clock: Clock): () => string {
  let used = POOL.length;
  const uniform = (): number => {
    if (used === POOL.length) {
      randomFillSync(POOL);
      used = 0;
    }
    return POOL[used++]! / 2 ** 32;
  };
  const draw = monotonicFactory(uniform);
  return () => draw(clock.now());
}
