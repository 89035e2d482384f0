/**
 * The transfers of one target, kept current by the watch, with how many bytes each had when, for how fast it goes.
 *
 * T1. Of each transfer that is under way points of the last `KEPT_MS` are kept, a second apart or more.
 */

import { Follower } from '../data/follower.ts';
import { bytesOf, type PacePoint } from './transfer-pace.ts';
import { isUnderWay, type LiveTransfer, type Transfer, transferKey } from './transfer-words.ts';

const KEPT_MS = 60_000;
const APART_MS = 1_000;

export class LiveTransfers {
  readonly target: string;
  readonly #now: () => number;
  readonly #byKey = new Map<string, LiveTransfer>();
  readonly #follower: Follower<Transfer>;
  #all: readonly LiveTransfer[] | undefined;

  /** `now`: by the clock of the service, which says when the last bytes came. */
  constructor(target: string, now: () => number, changed: () => void) {
    this.target = target;
    this.#now = now;
    this.#follower = new Follower<Transfer>({
      path: `/v1/transfers/watch?target=${encodeURIComponent(target)}`,
      message: (transfer) => {
        this.#take(transfer);
        changed();
      },
      changed,
    });
  }

  get isLive(): boolean {
    return this.#follower.state === 'open';
  }

  /** Those that changed last first; what is under way before the rest. */
  get all(): readonly LiveTransfer[] {
    this.#all ??= [...this.#byKey.values()].sort(
      (a, b) =>
        Number(isUnderWay(b.transfer)) - Number(isUnderWay(a.transfer)) ||
        Date.parse(b.transfer.updated_at) - Date.parse(a.transfer.updated_at),
    );
    return this.#all;
  }

  reopen(): void {
    this.#byKey.clear();
    this.#all = undefined;
    this.#follower.reopen();
  }

  close(): void {
    this.#follower.close();
  }

  #take(transfer: Transfer): void {
    const key = transferKey(transfer);
    const points = isUnderWay(transfer)
      ? withPoint(this.#byKey.get(key)?.points ?? [], { at: this.#now(), bytes: bytesOf(transfer) })
      : [];
    this.#byKey.set(key, { key, transfer, points });
    this.#all = undefined;
  }
}

/** T1 */
function withPoint(points: readonly PacePoint[], { at, bytes }: PacePoint): readonly PacePoint[] {
  const last = points.at(-1);
  // What was begun again has fewer bytes than before.
  if (last !== undefined && bytes < last.bytes) return [{ at, bytes }];
  const before = points.at(-2);
  const others = before !== undefined && at - before.at < APART_MS ? points.slice(0, -1) : points;
  return [...others.filter((point) => at - point.at < KEPT_MS), { at, bytes }];
}
