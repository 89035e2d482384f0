/**
 * Every stored pass of a cell with the check of its gateway, as the buckets report them, and their changes. Mission
 * Control Service, sections 2.6 and 4.5.
 *
 * K1. A pass that cannot be read is reported in the log and left out; it hides no other.
 * K2. Who wrote a pass here sees it here: `seen` waits until the watch has it.
 * K3. A reader that sorts and searches pays for what changed since the last one, not for every pass each time.
 * K4. Which passes of a target are in progress is known without looking at each (pass-times.N1).
 */

import { buckets } from '../contract/bus/buckets.ts';
import { parseJsonBytes } from '../contract/json-bytes.ts';
import { PASS_RECEIVE_MARGIN_MS, PASS_SEEN_MS } from '../contract/limits.ts';
import { type PassGateway, type PassView, readStoredPass, type StoredPass } from '../contract/pass.ts';
import { byAos, passNamed, shownPass } from '../mission/pass/pass.ts';
import { PassTimes } from '../mission/pass/pass-times.ts';
import type { CurrentPasses } from '../mission/pass/serving-gateway.ts';
import type { Bus, Entry, Stoppable } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { type KeptWatch, keepWatching } from './kept-watch.ts';

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

type Listener = (change: PassChange) => void;

export class PassBook implements CurrentPasses, Stoppable {
  readonly #options: PassBookOptions;
  readonly #byTarget = new Map<string, Map<string, StoredPass>>();
  readonly #now = new PassTimes(0);
  readonly #near = new PassTimes(PASS_RECEIVE_MARGIN_MS);
  readonly #gateways = new Map<string, PassGateway>();
  readonly #listeners = new Set<Listener>();
  readonly #waiting = new Set<{ readonly revision: number; seen: () => void }>();
  readonly #passes: KeptWatch;
  readonly #checks: KeptWatch;
  /** By AOS, as of the last reader (K3). */
  #sorted: readonly StoredPass[] = [];
  /** What has changed since. */
  readonly #changed = new Map<string, { readonly before: StoredPass | undefined }>();
  #newest = 0;
  #changes = 0;

  constructor(options: PassBookOptions) {
    this.#options = options;
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

  /** Resolves when it is known, or stopped. */
  get ready(): Promise<void> {
    return this.#passes.ready;
  }

  /** The passes of a target, or all, by AOS. */
  passes(target?: string): readonly StoredPass[] {
    if (target !== undefined) return [...(this.#byTarget.get(target)?.values() ?? [])].sort(byAos);
    if (this.#changed.size > 0) this.#sortAgain();
    return this.#sorted;
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

  /** The pass of a target by its identifier, or by that of a contribution. */
  find(target: string, name: string): StoredPass | undefined {
    const ofTarget = this.#byTarget.get(target);
    return ofTarget?.get(name) ?? passNamed(ofTarget?.values() ?? [], name);
  }

  /** The view of a pass as JSON; undefined for one that is not stored. */
  textOf(target: string, id: string): string | undefined {
    const pass = this.#byTarget.get(target)?.get(id);
    return pass === undefined ? undefined : JSON.stringify(this.viewOf(pass));
  }

  viewOf(pass: StoredPass): PassView {
    const gateway = this.#gateways.get(`${pass.target}.${pass.id}`);
    return { pass: shownPass(pass), ...(gateway !== undefined && { gateway }) };
  }

  /** Calls the listener at each change from now on. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** K2. Resolves when the revision was seen; in the end also where the watch is away. */
  async seen(revision: number | undefined): Promise<void> {
    if (revision === undefined || revision <= this.#newest) return;
    const { clock } = this.#options;
    await new Promise<void>((resolve) => {
      const waiting = { revision, seen: resolve };
      const timer = clock.setTimeout(() => {
        this.#waiting.delete(waiting);
        resolve();
      }, PASS_SEEN_MS);
      waiting.seen = () => {
        clock.clearTimeout(timer);
        resolve();
      };
      this.#waiting.add(waiting);
    });
  }

  async stop(): Promise<void> {
    await Promise.all([this.#passes.stop(), this.#checks.stop()]);
  }

  #passChanged(key: string, entry: Entry | undefined): void {
    const [target = '', id = ''] = key.split('.');
    const pass = this.#read(key, entry);
    const ofTarget = this.#byTarget.get(target) ?? new Map<string, StoredPass>();
    if (!this.#changed.has(key)) this.#changed.set(key, { before: ofTarget.get(id) });
    if (pass === undefined) ofTarget.delete(id);
    else ofTarget.set(id, pass);
    if (ofTarget.size === 0) this.#byTarget.delete(target);
    else this.#byTarget.set(target, ofTarget);
    this.#changes += 1;
    this.#now.changed(target);
    this.#near.changed(target);
    this.#notify(target, id);
    if (entry !== undefined) this.#note(entry.revision);
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

  /** K3: those that did not change are in order already, so that sorting is little more than looking at each. */
  #sortAgain(): void {
    const gone = new Set([...this.#changed.values()].map(({ before }) => before));
    const changed = [...this.#changed.keys()].flatMap((key) => {
      const [target = '', id = ''] = key.split('.');
      return this.#byTarget.get(target)?.get(id) ?? [];
    });
    this.#sorted = [...this.#sorted.filter((pass) => !gone.has(pass)), ...changed].sort(byAos);
    this.#changed.clear();
  }

  #note(revision: number): void {
    this.#newest = Math.max(this.#newest, revision);
    for (const waiting of this.#waiting) {
      if (waiting.revision > this.#newest) continue;
      this.#waiting.delete(waiting);
      waiting.seen();
    }
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
