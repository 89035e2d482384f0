/**
 * The journal of the passes of a target: what was last decided to be written of them (decision 35).
 *
 * N1. An entry is what fits a message of the bus; what is more is decided in several.
 * N3. One whose writes are done says what stands then: how many entries the target has, their newest revision and the
 *     sum of all. A revision is of one entry, so who holds entries with these three holds just those.
 * N2. A journal that cannot be read, or names what is no write of its target, is skipped with a line in the log.
 */

import { gunzipSync, gzipSync } from 'node:zlib';
import { buckets } from '../contract/bus/buckets.ts';
import { parseJsonBytes } from '../contract/json-bytes.ts';
import { PASS_JOURNAL_BYTES, SNAPSHOT_PASSES } from '../contract/limits/pass.ts';
import { passKey, type StoredPass } from '../contract/pass.ts';
import { isToken } from '../contract/token.ts';
import type { Entry } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';

/** One write: the text of the pass as it shall stand, over this revision of its entry (0: there is none). */
export interface PassWrite {
  readonly key: string;
  /** Undefined: it leaves those in use. */
  readonly text: string | undefined;
  readonly over: number;
}

/** What stands of a target, by the revisions of its entries (N3). */
export interface Stands {
  readonly count: number;
  readonly newest: number;
  readonly sum: number;
}

export function standsOf(revisions: Iterable<number>): Stands {
  let [count, newest, sum] = [0, 0, 0];
  for (const revision of revisions) {
    count += 1;
    newest = Math.max(newest, revision);
    sum += revision;
  }
  return { count, newest, sum };
}

export function isSameStands(one: Stands, other: Stands): boolean {
  return one.count === other.count && one.newest === other.newest && one.sum === other.sum;
}

/** A journal that is larger was not written here. */
const JOURNAL_READ_BYTES = 64 * 1024 * 1024;

/** As it is stored: a pass, or the identifier of one that leaves. */
interface Journal {
  /** Where the writes are done. */
  readonly stands?: Stands;
  readonly writes: readonly { readonly pass?: StoredPass; readonly gone?: string; readonly over: number }[];
}

/** The first of them that one entry of the journal holds, at least one; half as many as long as it is too large. */
export function fitting(changed: readonly PassWrite[]): {
  writes: readonly PassWrite[];
  journal: Uint8Array;
} {
  for (let count = Math.min(changed.length, SNAPSHOT_PASSES); ; count = Math.ceil(count / 2)) {
    const writes = changed.slice(0, count);
    const journal = journalOf(writes);
    if (journal.length <= PASS_JOURNAL_BYTES || count === 1) return { writes, journal };
  }
}

/** What was decided, and what stands where that is done. */
export interface Decided {
  readonly writes: readonly PassWrite[];
  readonly stands?: Stands | undefined;
}

/** N2 */
export function decidedIn(entry: Entry | undefined, log: Log): Decided {
  if (entry === undefined) return { writes: [] };
  const target = entry.key;
  try {
    const { writes, stands } = parseJsonBytes(
      gunzipSync(entry.value, { maxOutputLength: JOURNAL_READ_BYTES }),
    ) as Journal;
    return { writes: writes.flatMap((write) => writeIn(write, target)), stands: readStands(stands) };
  } catch {
    log.error({ key: target, bucket: buckets.passJournals.name }, 'malformed journal of passes: skipped');
    return { writes: [] };
  }
}

function writeIn({ pass, gone, over }: Journal['writes'][number], target: string): PassWrite[] {
  const id = pass?.id ?? gone;
  // One of another target would never show among the passes of this one, and be waited for without end.
  if (id === undefined || !isToken(id) || (pass?.target ?? target) !== target) return [];
  return Number.isSafeInteger(over)
    ? [{ key: passKey(target, id), text: pass && JSON.stringify(pass), over }]
    : [];
}

function readStands(stands: Stands | undefined): Stands | undefined {
  const { count, newest, sum } = stands ?? {};
  return [count, newest, sum].every(Number.isSafeInteger) ? stands : undefined;
}

/** A journal whose writes are done; `stands` where that is known (N3). */
export function doneJournal(stands: Stands | undefined): Uint8Array {
  return gzipSync(JSON.stringify({ ...(stands !== undefined && { stands }), writes: [] }), { level: 1 });
}

/** The passes are in it as they are written; compressed, as passes of a target are much alike. */
function journalOf(writes: readonly PassWrite[]): Uint8Array {
  const texts = writes.map(({ key, text, over }) => {
    const what = text === undefined ? `"gone":${JSON.stringify(key.split('.')[1])}` : `"pass":${text}`;
    return `{"over":${over},${what}}`;
  });
  return gzipSync(`{"writes":[${texts.join()}]}`, { level: 1 });
}
