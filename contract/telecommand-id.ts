/**
 * The identifier of a telecommand that a run sends, made from its place in the log of the run: asked for again it is
 * the same. Mission Control Service, section 3.2. Apart from `run.ts`, whose types pages in a browser use: they have no
 * such digest.
 */

import { createHash } from 'node:crypto';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * The ULID of the telecommand that log event `seq` of a run announces: the same whenever it is asked for again, so that
 * a submission repeated after a crash is a duplicate (O2). `at` is the time of the event, ms since 1970.
 */
export function telecommandIdOf(run: string, seq: number, at: number): string {
  return ulidOf(at, createHash('sha256').update(`${run}\n${seq}`).digest());
}

/** A ULID whose chance is taken from a digest of at least 16 bytes: the same for the same time and digest. */
export function ulidOf(at: number, digest: Uint8Array): string {
  // Times of samples have fractions of a millisecond.
  let rest = Math.floor(at);
  let time = '';
  for (let place = 0; place < 10; place += 1) {
    time = CROCKFORD[rest % 32]! + time;
    rest = Math.floor(rest / 32);
  }
  let chance = '';
  for (let place = 0; place < 16; place += 1) chance += CROCKFORD[digest[place]! % 32]!;
  return time + chance;
}

/** When a ULID was drawn, ms since 1970. */
export function drawnAt(id: string): number {
  let at = 0;
  for (const digit of id.slice(0, 10)) at = at * 32 + CROCKFORD.indexOf(digit);
  return at;
}
