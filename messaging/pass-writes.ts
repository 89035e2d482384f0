/**
 * Writes passes of one target as one step after the other, whoever writes and however many do. Mission Control Service,
 * section 4.5 (writes are conditional, the loser of a race merges again).
 *
 * A contribution is matched against every pass of its target, so that a condition on the pass it becomes would not do:
 * two sources that first speak of a pass at the same moment would make two passes of it. What is to be written is
 * decided by one conditional write of the target's journal, and only then written (decision 35).
 *
 * J1. Nobody decides before what was decided last is written: whoever finds it unfinished finishes it.
 * J2. Every write is conditional on what was read: one that is done already is not done again, nothing newer is
 *     overwritten.
 * J3. The loser of a race reads and merges again; no contribution is lost.
 * J4. What is too much for one entry of the journal is written in several, each as J1: killed between two of them, a
 *     repetition comes to the same end.
 * J5. A journal whose writes are done is emptied, so that a pass that leaves the bucket does not come back by it.
 * J6. A pass that leaves those in use is a write as any other: who decides at that moment decides before or behind it.
 * J7. A contribution to a time long ago is matched against the passes that are long over as well; what it changes of
 *     them is in use again.
 * J8. No write leaves a target with more than `PASSES_OF_TARGET` in use that were not there before.
 */

import { buckets } from '../contract/bus/buckets.ts';
import { PASS_WRITE_ROUNDS, PASSES_OF_TARGET } from '../contract/limits.ts';
import { Outage } from '../contract/outage.ts';
import { passKey, readStoredPass, type StoredPass } from '../contract/pass.ts';
import type { Window } from '../mission/pass/pass.ts';
import { TargetPasses } from '../mission/pass/target-passes.ts';
import type { Bucket, Bus, Entry } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';
import { fitting, journalOf, type PassWrite, writesOf } from './pass-journal.ts';
import { PassesOver, TooManyPasses } from './passes-over.ts';

/** What stands in the bucket of a target, with its entries by their keys. */
interface Standing {
  readonly passes: TargetPasses;
  readonly entries: ReadonlyMap<string, Entry>;
  /** Revision of the journal; 0: there is none. */
  readonly journal: number;
}

export interface PassesWritten<Outcome> {
  readonly outcome: Outcome;
  /** The newest revision that was written; undefined where everything stood so already. */
  readonly revision: number | undefined;
  /** Revision of the journal that names it; undefined where nothing was to be written. */
  readonly journal: number | undefined;
}

/** Writes passes, those of one target one after the other: a race inside of one process would only cost rounds. */
export class PassWriter {
  readonly #tools: WriteTools;
  readonly #last = new Map<string, Promise<void>>();

  constructor({ bus, log }: { readonly bus: Bus; readonly log: Log }) {
    this.#tools = { bus, log, over: new PassesOver({ bus, log }) };
  }

  /**
   * Changes the passes of a target: `change` is given those that stand and changes them, and is called again when
   * others have written meanwhile. With those of `reach` that are long over (J7). Resolves when what it changed is
   * stored. Rejects with `Outage`, and with `TooManyPasses`.
   */
  write<Outcome>(
    target: string,
    change: (passes: TargetPasses) => Outcome,
    reach?: Window,
  ): Promise<PassesWritten<Outcome>> {
    const before = this.#last.get(target) ?? Promise.resolve();
    const written = before.then(() => writePasses(this.#tools, { target, change, reach }));
    const emptied = written.then(({ journal }) => this.#empty(target, journal)).catch(() => undefined);
    this.#last.set(target, emptied);
    void emptied.then(() => {
      if (this.#last.get(target) === emptied) this.#last.delete(target);
    });
    return written;
  }

  /** J5. Nobody waits for it but who writes the same target next. */
  async #empty(target: string, journal: number | undefined): Promise<void> {
    if (journal === undefined) return;
    await this.#tools.bus.bucket(buckets.passJournals).put(target, journalOf([]), journal);
  }
}

/** Takes passes from those in use that stand as they are given; which ones. Rejects with `Outage`. */
export async function leaveUse(
  writer: PassWriter,
  target: string,
  passes: readonly StoredPass[],
): Promise<StoredPass[]> {
  const { outcome } = await writer.write(target, (standing) =>
    passes.filter((pass) => {
      const isSame = JSON.stringify(standing.get(pass.id)) === JSON.stringify(pass);
      if (isSame) standing.delete(pass.id);
      return isSame;
    }),
  );
  return outcome;
}

interface WriteTools {
  readonly bus: Bus;
  readonly log: Log;
  readonly over: PassesOver;
}

interface Wanted<Outcome> {
  readonly target: string;
  readonly change: (passes: TargetPasses) => Outcome;
  readonly reach: Window | undefined;
}

async function writePasses<Outcome>(
  tools: WriteTools,
  { target, change, reach }: Wanted<Outcome>,
): Promise<PassesWritten<Outcome>> {
  const { bus, log } = tools;
  let revision: number | undefined;
  for (let round = 0; round < PASS_WRITE_ROUNDS; round += 1) {
    const standing = await readStanding(bus, target, log);
    if (reach !== undefined) await addReached(tools, target, { standing, reach });
    const { outcome, changed } = changesOf(standing, change);
    checkRoom(target, standing, changed);
    const written = await writeAll(bus, target, standing.journal, changed);
    revision = written.revision ?? revision;
    if (written.isWhole) return { outcome, revision, journal: written.journal };
  }
  throw new Outage('bus.unavailable', `the passes of ${target} are written by too many at once`);
}

function changesOf<Outcome>(
  { passes, entries }: Standing,
  change: (passes: TargetPasses) => Outcome,
): { readonly outcome: Outcome; readonly changed: PassWrite[] } {
  const draft = new TargetPasses(passes);
  const outcome = change(draft);
  const changed: PassWrite[] = [];
  for (const pass of draft) {
    if (passes.get(pass.id) === pass) continue;
    const key = passKey(pass.target, pass.id);
    const text = JSON.stringify(pass);
    const entry = entries.get(key);
    if (entry !== undefined && Buffer.from(text).equals(entry.value)) continue;
    changed.push({ key, text, over: entry?.revision ?? 0 });
  }
  for (const { target, id } of passes) {
    const entry = entries.get(passKey(target, id));
    if (entry !== undefined && draft.get(id) === undefined)
      changed.push({ key: entry.key, text: undefined, over: entry.revision });
  }
  return { outcome, changed };
}

/** J7: the one in use is the newer one (`passes-over.O1`). */
async function addReached(
  { over }: WriteTools,
  target: string,
  { standing: { passes }, reach }: { readonly standing: Standing; readonly reach: Window },
): Promise<void> {
  for (const pass of await over.reached(target, reach))
    if (passes.get(pass.id) === undefined) passes.set(pass);
}

/** J8 */
function checkRoom(target: string, { entries }: Standing, changed: readonly PassWrite[]): void {
  const added = changed.filter(({ key }) => !entries.has(key)).length;
  const gone = changed.filter(({ text }) => text === undefined).length;
  if (added <= gone || entries.size + added - gone <= PASSES_OF_TARGET) return;
  const message = `target ${target} would have ${entries.size + added} passes; it may have ${PASSES_OF_TARGET}`;
  const help =
    'Contribute fewer of the time to come: a pass leaves them a day after its LOS, and stays in the list of all.';
  throw new TooManyPasses(message, help);
}

interface Written {
  /** Whether everything is written; else others wrote, and what stands is to be read again. */
  readonly isWhole: boolean;
  /** The newest revision of what was written here. */
  readonly revision: number | undefined;
  readonly journal?: number;
}

/** J1, J4: as much as fits the journal, then the passes themselves, until none is left. */
async function writeAll(
  bus: Bus,
  target: string,
  standing: number,
  changed: readonly PassWrite[],
): Promise<Written> {
  let over = standing;
  let revision: number | undefined;
  for (let done = 0; done < changed.length; ) {
    const { writes, journal } = fitting(changed.slice(done));
    const decided = await bus.bucket(buckets.passJournals).put(target, journal, over);
    if (decided.outcome === 'conflict') return { isWhole: false, revision };
    const passes = bus.bucket(buckets.passes);
    const outcomes = await Promise.all(writes.map((write) => apply(passes, write)));
    for (const each of outcomes) if (each !== undefined) revision = Math.max(revision ?? 0, each);
    over = decided.revision;
    done += writes.length;
  }
  return { isWhole: true, revision, ...(changed.length > 0 && { journal: over }) };
}

/**
 * J2: the revision it was written under. Undefined where somebody else has written it: nobody decides anything newer
 * before that is done (J1), so that what stands is it or newer.
 */
async function apply(passes: Bucket, { key, text, over }: PassWrite): Promise<number | undefined> {
  const written =
    text === undefined ? await passes.remove(key, over) : await passes.put(key, Buffer.from(text), over);
  return written.outcome === 'written' ? written.revision : undefined;
}

/** J1: the passes of a target once everything that was decided is written. */
async function readStanding(bus: Bus, target: string, log: Log): Promise<Standing> {
  const passes = bus.bucket(buckets.passes);
  for (;;) {
    // The journal first: what was decided behind it is not seen, and the decision here then loses.
    const journal = await bus.bucket(buckets.passJournals).get(target);
    const listed = await passes.list(`${target}.*`);
    const entries = new Map(listed.map((entry) => [entry.key, entry]));
    const unfinished = writesOf(journal, log).filter(
      ({ key, over }) => (entries.get(key)?.revision ?? 0) === over,
    );
    if (unfinished.length === 0)
      return { passes: readable(listed, log), entries, journal: journal?.revision ?? 0 };
    await Promise.all(unfinished.map((write) => apply(passes, write)));
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
