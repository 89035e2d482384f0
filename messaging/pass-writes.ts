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
 * J9. What stands is taken from what this process holds where the journal says that it is just that: to ask the bus
 *     costs what all passes of all targets cost. It is asked where the journal does not say so, and where what was
 *     decided by it turns out to stand otherwise.
 * J10. Few are under way at once: each is given up after a while of its own, and the last of thousands would wait for
 *     all before it. A slow bus takes longer and refuses nothing.
 * J8. No write leaves a target with more than `PASSES_OF_TARGET` in use that were not there before.
 */

import { buckets } from '../contract/bus/buckets.ts';
import { PASS_WRITE_ROUNDS, PASSES_OF_TARGET } from '../contract/limits/pass.ts';
import { Outage } from '../contract/outage.ts';
import { passKey, type StoredPass } from '../contract/pass.ts';
import type { Window } from '../mission/pass/pass.ts';
import { TargetPasses } from '../mission/pass/target-passes.ts';
import type { Bus } from '../ports/bus.ts';
import { doneJournal, fitting, type PassWrite, type Stands, standsOf } from './pass-journal.ts';
import { applyAll, readStanding, type Standing, type StandingTools } from './pass-standing.ts';
import { PassesOver, TooManyPasses } from './passes-over.ts';

export interface PassesWritten<Outcome> {
  readonly outcome: Outcome;
  /** The newest revision that was written; undefined where everything stood so already. */
  readonly revision: number | undefined;
}

/** A journal whose writes are done (J5). */
interface Done {
  readonly revision: number;
  /** What stands then, where that is known. */
  readonly stands: Stands | undefined;
}

/** Writes passes, those of one target one after the other: a race inside of one process would only cost rounds. */
export class PassWriter {
  readonly #tools: WriteTools;
  readonly #last = new Map<string, Promise<void>>();

  constructor({ bus, log, passes }: StandingTools) {
    this.#tools = { bus, log, passes, over: new PassesOver({ bus, log }) };
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
    const emptied = written.then(({ done }) => this.#empty(target, done)).catch(() => undefined);
    this.#last.set(target, emptied);
    void emptied.then(() => {
      if (this.#last.get(target) === emptied) this.#last.delete(target);
    });
    return written;
  }

  /** J5. Nobody waits for it but who writes the same target next. */
  async #empty(target: string, done: Done | undefined): Promise<void> {
    if (done === undefined) return;
    await this.#tools.bus.bucket(buckets.passJournals).put(target, doneJournal(done.stands), done.revision);
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

interface WriteTools extends StandingTools {
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
): Promise<PassesWritten<Outcome> & { readonly done: Done | undefined }> {
  let mustAsk = false;
  let revision: number | undefined;
  for (let round = 0; round < PASS_WRITE_ROUNDS; round += 1) {
    const standing = await readStanding(tools, target, mustAsk);
    if (reach !== undefined) await addReached(tools, target, { standing, reach });
    const { outcome, changed } = changesOf(standing, change);
    checkRoom(target, standing, changed);
    const written = await writeAll(tools.bus, target, standing, changed);
    revision = written.revision ?? revision;
    if (written.isWhole) return { outcome, revision, done: written.done };
    mustAsk = written.mustAsk === true;
  }
  throw new Outage('bus.unavailable', `the passes of ${target} are written by too many at once`);
}

function changesOf<Outcome>(
  { passes, revisions }: Standing,
  change: (passes: TargetPasses) => Outcome,
): { readonly outcome: Outcome; readonly changed: PassWrite[] } {
  const draft = new TargetPasses(passes);
  const outcome = change(draft);
  const changed: PassWrite[] = [];
  for (const pass of draft) {
    if (passes.get(pass.id) === pass) continue;
    const key = passKey(pass.target, pass.id);
    const text = JSON.stringify(pass);
    const over = revisions.get(key) ?? 0;
    if (over !== 0 && JSON.stringify(passes.get(pass.id)) === text) continue;
    changed.push({ key, text, over });
  }
  for (const { target, id } of passes) {
    const key = passKey(target, id);
    const over = revisions.get(key);
    if (over !== undefined && draft.get(id) === undefined) changed.push({ key, text: undefined, over });
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
function checkRoom(target: string, { revisions }: Standing, changed: readonly PassWrite[]): void {
  const added = changed.filter(({ key }) => !revisions.has(key)).length;
  const gone = changed.filter(({ text }) => text === undefined).length;
  if (added <= gone || revisions.size + added - gone <= PASSES_OF_TARGET) return;
  const message = `target ${target} would have ${revisions.size + added} passes; it may have ${PASSES_OF_TARGET}`;
  const help =
    'Contribute fewer of the time to come: a pass leaves them a day after its LOS, and stays in the list of all.';
  throw new TooManyPasses(message, help);
}

interface Written {
  /** Whether everything is written; else others wrote, and what stands is to be read again. */
  readonly isWhole: boolean;
  /** The newest revision of what was written here. */
  readonly revision: number | undefined;
  /** What stands is to be read from the bus (J9). */
  readonly mustAsk?: boolean;
  /** Undefined where nothing was to be written. */
  readonly done?: Done | undefined;
}

/** J1, J4: as much as fits the journal, then the passes themselves, until none is left. */
async function writeAll(
  bus: Bus,
  target: string,
  standing: Standing,
  changed: readonly PassWrite[],
): Promise<Written> {
  const stands = new Map<string, number | undefined>(standing.revisions);
  let over = standing.journal;
  let revision: number | undefined;
  for (let done = 0; done < changed.length; ) {
    const { writes, journal } = fitting(changed.slice(done));
    const decided = await bus.bucket(buckets.passJournals).put(target, journal, over);
    if (decided.outcome === 'conflict') return { isWhole: false, revision };
    const passes = bus.bucket(buckets.passes);
    const outcomes = await applyAll(passes, writes);
    const isOvertaken = outcomes.some(({ by }) => by === 'others');
    if (isOvertaken && !standing.isAsked && (await isLast(bus, target, decided.revision)))
      return { isWhole: false, revision, mustAsk: true };
    for (const [n, { key, text }] of writes.entries()) {
      const outcome = outcomes[n]!;
      if (outcome.by === 'here') revision = Math.max(revision ?? 0, outcome.revision);
      if (text === undefined) stands.delete(key);
      else stands.set(key, outcome.by === 'others' ? undefined : outcome.revision);
    }
    over = decided.revision;
    done += writes.length;
  }
  if (changed.length === 0) return { isWhole: true, revision };
  return { isWhole: true, revision, done: { revision: over, stands: knownStands(stands) } };
}

/**
 * J9: whether this is what was decided last. Then nobody has written anything newer than it says, and who has written
 * something else has not stood where this process thought.
 */
async function isLast(bus: Bus, target: string, decided: number): Promise<boolean> {
  return (await bus.bucket(buckets.passJournals).get(target))?.revision === decided;
}

/** Undefined where somebody else has written one of them, nobody here knows when. */
function knownStands(revisions: ReadonlyMap<string, number | undefined>): Stands | undefined {
  const known = [...revisions.values()].filter((revision) => revision !== undefined);
  return known.length === revisions.size ? standsOf(known) : undefined;
}
