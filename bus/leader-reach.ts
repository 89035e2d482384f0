/**
 * Whether leaders of JetStream are reached over the server of this connection. One that is cut off from the others of
 * its cluster answers its clients and stores nothing: whoever stays with it is without a bus as long as that lasts.
 *
 * E1. An answer is what a leader says, a refusal too. No answer are silence, nobody who takes the question, a server
 *     that says that it has no leader, and a leader that says that it is still storing: it may be cut off.
 * E2. A server over which nothing was answered for `BUS_CUT_OFF_MS`, one question asked behind the failure of another,
 *     is to be left. A stream that elects its leader is no reason, others answer meanwhile; nor is a pause of this
 *     process, in which everything that was asked before it runs out of time.
 * E3. A leader that is cut off answers for a while what needs no other server. So a server over which no write was
 *     answered for `BUS_UNWRITTEN_MS` is to be left as well, whatever else it answered.
 * E4. Behind a server that was left the next one has `BUS_LEFT_AGAIN_MS`, doubled each time up to
 *     `BUS_LEFT_AGAIN_MS_MOST` until one answers: where no server reaches a leader, it is the cluster that is away.
 */

import {
  BUS_CUT_OFF_MS,
  BUS_LEFT_AGAIN_MS,
  BUS_LEFT_AGAIN_MS_MOST,
  BUS_UNWRITTEN_MS,
} from '../contract/limits/bus.ts';
import { Outage } from '../contract/outage.ts';
import { ApiError, apiError } from './fault.ts';

/** Questions in a row that nobody answered. */
interface Unanswered {
  readonly longestMs: number;
  first?: { readonly askedAt: number; readonly failedAt: number };
  lastAt: number;
}

export class LeaderReach {
  readonly #leave: () => void;
  readonly #now: () => number;
  readonly #anything: Unanswered = { longestMs: BUS_CUT_OFF_MS, lastAt: 0 };
  readonly #writes: Unanswered = { longestMs: BUS_UNWRITTEN_MS, lastAt: 0 };
  #leftAt = -Infinity;
  /** How long behind `#leftAt` the next server is given. */
  #againMs = BUS_LEFT_AGAIN_MS;
  /** Whether a server was left since the last answer. */
  #hasLeft = false;

  /** `leave` takes another server where there is one; `now` is monotonic, in ms. */
  constructor(leave: () => void, now = () => performance.now()) {
    this.#leave = leave;
    this.#now = now;
  }

  /** What `asked` resolves to or rejects with; what it says of the leaders is kept. */
  async around<Value>(isWrite: boolean, asked: () => Promise<Value>): Promise<Value> {
    const askedAt = this.#now();
    const about = isWrite ? [this.#anything, this.#writes] : [this.#anything];
    try {
      const value = await asked();
      this.#answered(about);
      return value;
    } catch (error) {
      if (isUnanswered(error)) this.#unanswered(about, askedAt);
      else if (error instanceof ApiError) this.#answered(about);
      throw error;
    }
  }

  #answered(about: readonly Unanswered[]): void {
    for (const each of about) delete each.first;
    if (!about.includes(this.#writes)) return;
    this.#againMs = BUS_LEFT_AGAIN_MS;
    this.#hasLeft = false;
  }

  #unanswered(about: readonly Unanswered[], askedAt: number): void {
    // What was asked before another server was taken says nothing of that one.
    if (askedAt < this.#leftAt) return;
    const now = this.#now();
    const isToLeave = about.filter((each) => isTooLong(each, askedAt, now)).length > 0;
    if (!isToLeave || now - this.#leftAt < this.#againMs) return;
    if (this.#hasLeft) this.#againMs = Math.min(2 * this.#againMs, BUS_LEFT_AGAIN_MS_MOST);
    this.#hasLeft = true;
    this.#leftAt = now;
    for (const each of [this.#anything, this.#writes]) delete each.first;
    this.#leave();
  }
}

/** E2, E3; one question now and then is not in a row. */
function isTooLong(unanswered: Unanswered, askedAt: number, now: number): boolean {
  const { first, lastAt, longestMs } = unanswered;
  unanswered.lastAt = now;
  if (first !== undefined && askedAt - lastAt <= BUS_CUT_OFF_MS)
    return askedAt >= first.failedAt && now - first.askedAt >= longestMs;
  unanswered.first = { askedAt, failedAt: now };
  return false;
}

const UNANSWERED: ReadonlySet<string> = new Set(['bus.timeout', 'bus.no-responder']);

/** E1 */
function isUnanswered(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 503 || error.is(apiError.inProcess);
  return error instanceof Outage && UNANSWERED.has(error.code);
}
