/**
 * What stands of the passes of a target, once everything that was decided is written: as this process holds it, or as
 * the bus says. Part of writing passes (`pass-writes.ts`).
 */

import { buckets } from '../contract/bus/buckets.ts';
import { PASS_WRITES_AT_ONCE } from '../contract/limits/pass.ts';
import { readStoredPass } from '../contract/pass.ts';
import { TargetPasses } from '../mission/pass/target-passes.ts';
import type { Bucket, Bus, Entry } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';
import type { PassBook } from './pass-book.ts';
import { decidedIn, type PassWrite } from './pass-journal.ts';

export interface StandingTools {
  readonly bus: Bus;
  readonly log: Log;
  /** What this process holds (pass-writes.J9); without it the bus is asked each time. */
  readonly passes?: Pick<PassBook, 'standing'> | undefined;
}

/** What stands in the bucket of a target. */
export interface Standing {
  readonly passes: TargetPasses;
  /** Revisions of its entries by their keys. */
  readonly revisions: ReadonlyMap<string, number>;
  /** Revision of the journal; 0: there is none. */
  readonly journal: number;
  /** Whether the bus was asked for it (pass-writes.J9). */
  readonly isAsked: boolean;
}

export type Applied =
  | { readonly by: 'here'; readonly revision: number }
  /** Somebody else has written just this, who found it unfinished. */
  | { readonly by: 'finisher'; readonly revision: number }
  | { readonly by: 'others' };

/**
 * pass-writes.J2: of what somebody else has written nobody decides anything newer before that is done (pass-writes.J1),
 * so that what stands is it or newer.
 */
async function apply(passes: Bucket, { key, text, over }: PassWrite): Promise<Applied> {
  const bytes = text === undefined ? undefined : Buffer.from(text);
  const written = await (bytes === undefined ? passes.remove(key, over) : passes.put(key, bytes, over));
  if (written.outcome === 'written') return { by: 'here', revision: written.revision };
  const entry = await passes.get(key);
  const isSame = bytes === undefined ? entry === undefined : entry !== undefined && bytes.equals(entry.value);
  return isSame ? { by: 'finisher', revision: entry?.revision ?? 0 } : { by: 'others' };
}

/**
 * The same of each of many, in their order (pass-writes.J10). Throws `Outage`; some are written then, and whoever comes
 * next writes the rest.
 */
export async function applyAll(passes: Bucket, writes: readonly PassWrite[]): Promise<Applied[]> {
  const applied: Applied[] = [];
  for (let from = 0; from < writes.length; from += PASS_WRITES_AT_ONCE) {
    const some = writes.slice(from, from + PASS_WRITES_AT_ONCE);
    applied.push(...(await Promise.all(some.map((write) => apply(passes, write)))));
  }
  return applied;
}

/** pass-writes.J1, pass-writes.J9: the passes of a target once everything that was decided is written. */
export async function readStanding(
  { bus, log, passes: book }: StandingTools,
  target: string,
  mustAsk: boolean,
): Promise<Standing> {
  const passes = bus.bucket(buckets.passes);
  for (;;) {
    // The journal first: what was decided behind it is not seen, and the decision here then loses.
    const entry = await bus.bucket(buckets.passJournals).get(target);
    const journal = entry?.revision ?? 0;
    const { writes, stands } = decidedIn(entry, log);
    const isDone = writes.length === 0 && stands !== undefined && !mustAsk;
    const known = isDone ? await book?.standing(target, stands) : undefined;
    if (known !== undefined)
      return { passes: new TargetPasses(known.passes), revisions: known.revisions, journal, isAsked: false };
    const listed = await passes.list(`${target}.*`);
    const revisions = new Map(listed.map(({ key, revision }) => [key, revision]));
    const unfinished = writes.filter(({ key, over }) => (revisions.get(key) ?? 0) === over);
    if (unfinished.length === 0) return { passes: readable(listed, log), revisions, journal, isAsked: true };
    await applyAll(passes, unfinished);
  }
}

function readable(entries: readonly Entry[], log: Log): TargetPasses {
  return new TargetPasses(
    entries.flatMap(({ key, value }) => {
      const pass = readStoredPass(key, value);
      if (pass === undefined) log.error({ key, bucket: buckets.passes.name }, 'malformed pass: left out');
      return pass ?? [];
    }),
  );
}
