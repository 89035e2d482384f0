/**
 * What a watch knows of the keys of its bucket, and what it makes of those that are replayed after a reconnect.
 *
 * H1. Revisions of a key only rise in one store: after a reconnect everything is replayed, and what is known already is
 *     skipped. What is replayed with an earlier revision, or with the known one at another time, shows that the store
 *     went back: it is the newest there is, and is handed over as `rewound`.
 * H2. A key that is known and not among the replayed ones was removed meanwhile. A copy of the bucket that lags behind
 *     after a crash in a cluster may say so of a living key; it comes again when the copy has caught up.
 * H3. In another bucket of the same name revisions mean nothing: all of it is `rewound`, after H2.
 * H4. Such a copy replays earlier revisions, too. So in a cluster the replay waits until the leader has what is known
 *     (past.H2), and what is replayed with an earlier revision is skipped where the leader has a later one.
 * H5. What leaves by its age leaves without a word, from the front of the store: what stands before its first message
 *     is gone. No clock is asked. A key that was written again is on its way meanwhile: so it is taken for removed at
 *     the look after the one that found it gone, if it has not come by then.
 */

import type { Msg } from 'nats';
import type { Entry } from '../ports/bus.ts';
import type { Standing } from './asset.ts';
import type { Position } from './message.ts';
import type { Past } from './past.ts';

/** What a header says of an entry that stands for a removal. */
export const OPERATION_HEADER = 'KV-Operation';

/** Where the newest value of a key stands. */
export interface Known {
  readonly seq: number;
  readonly at: number;
}

interface ViewOptions {
  readonly past: Past;
  /** Where the leader has the newest message of a subject. */
  readonly newest: (subject: string) => Promise<Known | undefined>;
  readonly changed: (key: string, entry: Entry | undefined) => void;
}

export class View {
  readonly #options: ViewOptions;
  readonly #known = new Map<string, Known>();
  /** Keys known before the present replay and not seen in it yet. */
  #missing = new Set<string>();
  #identity: string;
  /** Whether those were known of another bucket (H3). */
  #isAnother = false;
  /** The last position that was handed over of the present bucket. */
  #reached = 0;
  /** The first message of the store at the last look, 0 before there was one (H5). */
  #front = 0;
  /** Whether a copy that lags may be read, while the leader has everything that is known (H4). */
  #mayLag = false;

  constructor(identity: string, options: ViewOptions) {
    this.#identity = identity;
    this.#options = options;
  }

  /** Throws an outage while the leader may be catching up (H4). */
  replay(stands: Standing): void {
    const { identity, lastSeq, replicas } = stands;
    const isAnother = identity !== this.#identity;
    if (isAnother) this.#reached = 0;
    const { past } = this.#options;
    if (past.reaches(stands, this.#reached)) this.#mayLag = replicas > 1 && !isAnother;
    else [this.#mayLag, this.#reached] = [false, lastSeq];
    this.#missing = new Set(this.#known.keys());
    this.#isAnother ||= isAnother && this.#missing.size > 0;
    this.#identity = identity;
    this.#front = 0;
  }

  /** Drops what has left by its age (H5); to be called with the store as it stands, long after the last time. */
  age({ identity, messages, firstSeq, lastSeq }: Standing): void {
    const isKnown = identity === this.#identity && lastSeq >= this.#reached;
    const gone = isKnown ? this.#front : 0;
    this.#front = isKnown ? (messages === 0 ? lastSeq + 1 : firstSeq) : 0;
    for (const [key, { seq }] of this.#known) if (seq < gone) this.#remove(key);
  }

  take(key: string, message: Msg, { seq, at }: Position): void | Promise<void> {
    const replayed = this.#missing.delete(key);
    const known = this.#known.get(key);
    const rewound = replayed && known !== undefined && this.#wentBack(known, { seq, at });
    if (known !== undefined && seq <= known.seq && !rewound) return;
    if (!rewound) this.#hand(key, message, { seq, at });
    else if (this.#mayLag && !this.#isAnother) return this.#confirm(key, message, { seq, at });
    else this.#rewind(key, message, { seq, at });
  }

  /** H4 */
  async #confirm(key: string, message: Msg, replayed: Known): Promise<void> {
    const newest = await this.#options.newest(message.subject);
    const known = this.#known.get(key);
    const isKnown = newest?.seq === known?.seq && newest?.at === known?.at;
    const isLater = newest !== undefined && known !== undefined && newest.seq > known.seq;
    // Where the leader has none it was removed, and that or what is later is still to come from the copy.
    if (newest !== undefined && !isKnown && !isLater) this.#rewind(key, message, replayed);
  }

  #rewind(key: string, message: Msg, replayed: Known): void {
    const known = this.#known.get(key);
    if (known !== undefined) this.#options.past.lost(known.at);
    this.#hand(key, message, replayed, true);
  }

  #hand(key: string, message: Msg, { seq, at }: Known, rewound = false): void {
    const { changed } = this.#options;
    const known = this.#known.get(key);
    this.#reached = Math.max(this.#reached, seq);
    if (isRemoval(message)) {
      this.#known.delete(key);
      if (known !== undefined) changed(key, undefined);
      return;
    }
    this.#known.set(key, { seq, at });
    // A copy: what is watched is kept, and would keep the whole buffer it was received in.
    const value = new Uint8Array(message.data);
    changed(key, { key, value, revision: seq, at, ...(rewound && { rewound }) });
  }

  reconcile(): void {
    for (const key of this.#missing) this.#remove(key);
    this.#isAnother = false;
  }

  #remove(key: string): void {
    this.#missing.delete(key);
    this.#known.delete(key);
    this.#options.changed(key, undefined);
  }

  #wentBack(known: Known, { seq, at }: Known): boolean {
    return this.#isAnother || seq < known.seq || (seq === known.seq && at !== known.at);
  }
}

/** Only an empty value can be a removal; looking at the headers of every message would cost too much. */
export function isRemoval(message: Msg): boolean {
  return message.data.length === 0 && (message.headers?.get(OPERATION_HEADER) ?? '') !== '';
}
