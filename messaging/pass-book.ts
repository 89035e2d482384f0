/**
 * Every pass of a cell that is not long over with the check of its gateway, as the buckets report them, and their
 * changes. Mission Control Service, sections 2.6 and 4.5.
 *
 * K1. A pass that cannot be read is reported in the log and left out; it hides no other.
 * K2. Who wrote a pass here sees it here: `seen` waits until the watch has it.
 * K3. A reader that sorts and searches pays for what changed since the last one, not for every pass each time.
 * K5. Who writes the passes of a target may take them from here where they are just those that stand: a copy that is
 *     behind, or holds one that has left, is none.
 * K4. Which passes of a target are in progress is known without looking at each (pass-times.N1).
 */

import { buckets } from '../contract/bus/buckets.ts';
import { parseJsonBytes } from '../contract/json-bytes.ts';
import { PASS_CATCH_UP_MS, PASS_RECEIVE_MARGIN_MS, PASS_SEEN_MS } from '../contract/limits/pass.ts';
import {
  type PassGateway,
  type PassView,
  passKey,
  readStoredPass,
  type StoredPass,
} from '../contract/pass.ts';
import { byAos, passNamed, shownPass } from '../mission/pass/pass.ts';
import { PassTimes } from '../mission/pass/pass-times.ts';
import type { CurrentPasses } from '../mission/pass/serving-gateway.ts';
import type { Bus, Entry, Stoppable } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { type KeptWatch, keepWatching } from './kept-watch.ts';
import { isSameStands, type Stands, standsOf } from './pass-journal.ts';
import { SeenRevisions } from './seen-revisions.ts';
import { SortedEntries } from './sorted-entries.ts';

export interface PassBookOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
}

/** A pass that changed, or the check of its gateway. */
export interface PassChange {
  readonly target: string;
  readonly id: string;
  /** Its view as JSON, made once for all who ask; undefined where it is no longer stored. */
  readonly text: () => string | undefined;
}

/** The passes of a target with the revisions of all its entries, by their keys. */
export interface KnownOfTarget {
  readonly passes: Iterable<StoredPass>;
  readonly revisions: ReadonlyMap<string, number>;
}

type Listener = (change: PassChange) => void;

export class PassBook implements CurrentPasses, Stoppable {
  readonly #options: PassBookOptions;
  readonly #byTarget = new Map<string, Map<string, StoredPass>>();
  /** Of every entry, also one that cannot be read, by its key (K5). */
  readonly #revisions = new Map<string, Map<string, number>>();
  readonly #now = new PassTimes(0);
  readonly #near = new PassTimes(PASS_RECEIVE_MARGIN_MS);
  readonly #gateways = new Map<string, PassGateway>();
  readonly #listeners = new Set<Listener>();
  readonly #seen: SeenRevisions;
  readonly #caughtUp: SeenRevisions;
  readonly #passes: KeptWatch;
  readonly #checks: KeptWatch;
  /** K3 */
  readonly #all = new SortedEntries<StoredPass>(byAos);
  #changes = 0;

  constructor(options: PassBookOptions) {
    this.#options = options;
    this.#seen = new SeenRevisions(options.clock, PASS_SEEN_MS);
    this.#caughtUp = new SeenRevisions(options.clock, PASS_CATCH_UP_MS);
    this.#passes = keepWatching(options, buckets.passes, (key, entry) => this.#passChanged(key, entry));
    this.#checks = keepWatching(options, buckets.passGateways, (key, entry) =>
      this.#checkChanged(key, entry),
    );
  }

  /** Whether it holds every pass there is (kept-watch.W1). */
  get live(): boolean {
    return this.#passes.live && this.#checks.live;
  }

  /** Whether every pass there was at the beginning was seen once; from then on it follows their changes. */
  get known(): boolean {
    return this.#passes.known;
  }

  /** Resolves when it is known, with the checks of gateways, or stopped. */
  get ready(): Promise<unknown> {
    return Promise.all([this.#passes.ready, this.#checks.ready]);
  }

  /** The passes of a target, or all, by AOS. */
  passes(target?: string): readonly StoredPass[] {
    if (target !== undefined) return [...(this.#byTarget.get(target)?.values() ?? [])].sort(byAos);
    return this.#all.sorted();
  }

  /** Those of a target; cheaper, and may be walked while they change. */
  inAnyOrder(target: string): Iterable<StoredPass> {
    return this.#byTarget.get(target)?.values() ?? [];
  }

  get changes(): number {
    return this.#changes;
  }

  /** K4 */
  inProgress(target: string, at: number): readonly StoredPass[] {
    return this.#now.inProgress(target, () => this.#byTarget.get(target)?.values(), at);
  }

  near(target: string, at: number): readonly StoredPass[] {
    return this.#near.inProgress(target, () => this.#byTarget.get(target)?.values(), at);
  }

  get(target: string, id: string): StoredPass | undefined {
    return this.#byTarget.get(target)?.get(id);
  }

  /** The pass of a target by its identifier, or by that of a contribution, for which all of them are looked at. */
  find(target: string, name: string): StoredPass | undefined {
    const ofTarget = this.#byTarget.get(target);
    return ofTarget?.get(name) ?? passNamed(ofTarget?.values() ?? [], name);
  }

  /** K5: undefined where these are not the ones that stand, also a moment later. */
  async standing(target: string, stands: Stands): Promise<KnownOfTarget | undefined> {
    if (!this.live) return undefined;
    await this.#caughtUp.seen(stands.newest);
    const revisions = this.#revisions.get(target) ?? new Map<string, number>();
    if (!this.live || !isSameStands(standsOf(revisions.values()), stands)) return undefined;
    return {
      passes: [...(this.#byTarget.get(target)?.values() ?? [])],
      revisions: new Map(revisions),
    };
  }

  /** The view of a pass as JSON; undefined for one that is not stored. */
  textOf(target: string, id: string): string | undefined {
    const pass = this.#byTarget.get(target)?.get(id);
    return pass === undefined ? undefined : JSON.stringify(this.viewOf(pass));
  }

  viewOf(pass: StoredPass): PassView {
    const gateway = this.#gateways.get(passKey(pass.target, pass.id));
    return { pass: shownPass(pass), ...(gateway !== undefined && { gateway }) };
  }

  /** Calls the listener at each change from now on. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** K2. Resolves when the revision was seen; in the end also where the watch is away. */
  seen(revision: number | undefined): Promise<void> {
    return this.#seen.seen(revision);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#passes.stop(), this.#checks.stop()]);
  }

  #passChanged(key: string, entry: Entry | undefined): void {
    const [target = '', id = ''] = key.split('.');
    const pass = this.#read(key, entry);
    const ofTarget = this.#byTarget.get(target) ?? new Map<string, StoredPass>();
    this.#revisionChanged(target, key, entry?.revision);
    this.#all.set(key, pass);
    if (pass === undefined) ofTarget.delete(id);
    else ofTarget.set(id, pass);
    if (ofTarget.size === 0) this.#byTarget.delete(target);
    else this.#byTarget.set(target, ofTarget);
    this.#changes += 1;
    this.#now.changed(target);
    this.#near.changed(target);
    this.#notify(target, id);
    if (entry === undefined) return;
    this.#seen.note(entry.revision);
    this.#caughtUp.note(entry.revision);
  }

  #revisionChanged(target: string, key: string, revision: number | undefined): void {
    const ofTarget = this.#revisions.get(target) ?? new Map<string, number>();
    if (revision === undefined) ofTarget.delete(key);
    else ofTarget.set(key, revision);
    if (ofTarget.size === 0) this.#revisions.delete(target);
    else this.#revisions.set(target, ofTarget);
  }

  #read(key: string, entry: Entry | undefined): StoredPass | undefined {
    if (entry === undefined) return undefined;
    const pass = readStoredPass(key, entry.value);
    if (pass === undefined)
      this.#options.log.error({ key, bucket: buckets.passes.name }, 'malformed pass: left out');
    return pass;
  }

  #checkChanged(key: string, entry: Entry | undefined): void {
    const [target = '', id = ''] = key.split('.');
    const check = entry && readCheck(entry.value);
    if (check === undefined) this.#gateways.delete(key);
    else this.#gateways.set(key, check);
    this.#notify(target, id);
  }

  #notify(target: string, id: string): void {
    if (this.#listeners.size === 0) return;
    let made: { readonly text: string | undefined } | undefined;
    const text = (): string | undefined => {
      made ??= { text: this.textOf(target, id) };
      return made.text;
    };
    for (const listener of this.#listeners) listener({ target, id, text });
  }
}

function readCheck(bytes: Uint8Array): PassGateway | undefined {
  try {
    const check = parseJsonBytes(bytes) as Partial<PassGateway> | null;
    return typeof check?.checked_at === 'string' ? (check as PassGateway) : undefined;
  } catch {
    return undefined;
  }
}
