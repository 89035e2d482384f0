/**
 * Whether a frame may leave, asked in the same turn in which it is handed to the transport. Mission Control Service,
 * section 3.2 (suspended and finished: leases released).
 *
 * L1. A frame leaves only before its `notAfter`, and only while this process has the gateway: also one that waited
 *     behind others, or whose process slept meanwhile.
 * L2. A frame of a run leaves only while that run holds its target, by the holds that this gateway has read
 *     itself. What was read counts for `HOLD_READ_MS`, for every frame of the target; behind that it is read again, and
 *     so is what would refuse a frame: the run may have taken the target since.
 * L3. What was fenced leaves no more. A fence is answered once nothing of what it names is on its way to the transport.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { GATEWAY_FENCES } from '../../contract/limits/link.ts';
import { HOLD_READ_MS } from '../../contract/limits/telecommand.ts';
import type { FenceCall, SendCall, SendReply } from '../../contract/link.ts';
import { Outage } from '../../contract/outage.ts';
import { type NeededHold, readHolds, type TargetHolds, unheldReason } from '../../contract/target-holds.ts';
import type { Bucket, Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MayLeave } from './gateway.ts';

/** Pause before the bus is asked again while it is away. */
const AGAIN_MS = 100;

interface DeparturesOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly gateway: string;
  /** Whether this process still has the gateway to itself, now. */
  readonly holds: () => boolean;
}

type HandOver = (mayLeave: MayLeave) => Promise<SendReply>;

interface ReadHolds {
  readonly holds: TargetHolds;
  /** From before the read. */
  readonly at: number;
}

interface OnItsWay {
  readonly call: SendCall;
  readonly over: Promise<unknown>;
}

export class Departures {
  readonly #options: DeparturesOptions;
  readonly #leases: Bucket;
  readonly #onTheirWay = new Set<OnItsWay>();
  /** The highest position that was fenced, by target and run. */
  readonly #fences = new Map<string, number>();
  /** The holds of each target as they were read last (L2). */
  readonly #read = new Map<string, ReadHolds>();

  constructor(options: DeparturesOptions) {
    this.#options = options;
    this.#leases = options.bus.bucket(buckets.leases);
  }

  /**
   * Hands the frame over if it may leave. Rejects when this process has lost the gateway, and nothing was handed over.
   */
  async send(call: SendCall, handOver: HandOver): Promise<SendReply> {
    const { hold } = call;
    if (hold === undefined) return this.#attempt(call, () => undefined, handOver);
    const over = this.#sendHeld(call, hold, handOver);
    const onItsWay = { call, over: over.catch(() => undefined) };
    this.#onTheirWay.add(onItsWay);
    try {
      return await over;
    } finally {
      this.#onTheirWay.delete(onItsWay);
    }
  }

  /** L3. */
  async fence({ target, run, upTo }: FenceCall): Promise<void> {
    const key = keyOf(target, run);
    const highest = Math.max(this.#fences.get(key) ?? 0, upTo);
    this.#fences.delete(key);
    this.#fences.set(key, highest);
    if (this.#fences.size > GATEWAY_FENCES)
      for (const oldest of this.#fences.keys()) {
        this.#fences.delete(oldest);
        break;
      }
    const named = [...this.#onTheirWay].filter(
      ({ call }) => call.target === target && call.hold?.run === run && call.hold.position <= upTo,
    );
    await Promise.all(named.map(({ over }) => over));
  }

  async #sendHeld(call: SendCall, hold: NeededHold, handOver: HandOver): Promise<SendReply> {
    const { clock } = this.#options;
    for (;;) {
      const { unheld, readAt } = await this.#unheld(call, hold);
      if (unheld !== undefined) return { outcome: 'refused', detail: `${unheld}: not sent` };
      let isStale = false;
      const reply = await this.#attempt(
        call,
        () => {
          isStale = isOld(readAt, clock.now());
          return this.#fenced(call.target, hold) ?? (isStale ? 'its hold must be read again' : undefined);
        },
        handOver,
      );
      if (!isStale || this.#late(call) !== undefined) return reply;
    }
  }

  async #attempt(call: SendCall, unheld: MayLeave, handOver: HandOver): Promise<SendReply> {
    let isLost = false;
    const reply = await handOver(() => {
      isLost = !this.#options.holds();
      return isLost ? 'another process may run the gateway' : (this.#late(call) ?? unheld());
    });
    if (isLost) throw new Error(`another process may run gateway ${this.#options.gateway}: not sent`);
    return reply;
  }

  /** Why the run may not send now (L2); the bus is waited for while the frame may leave. */
  async #unheld(
    call: SendCall,
    hold: NeededHold,
  ): Promise<{ readonly unheld: string | undefined; readonly readAt: number }> {
    const { clock } = this.#options;
    const { target } = call;
    const known = this.#read.get(target);
    for (;;) {
      const readAt = clock.now();
      const reason = this.#late(call) ?? this.#fenced(target, hold);
      if (reason !== undefined) return { unheld: reason, readAt };
      const isKnown = known !== undefined && !isOld(known.at, readAt);
      if (isKnown && unheldReason(known.holds, target, hold) === undefined)
        return { unheld: undefined, readAt: known.at };
      try {
        const holds = readHolds((await this.#leases.get(target))?.value);
        this.#read.set(target, { holds, at: readAt });
        return { unheld: unheldReason(holds, target, hold), readAt };
      } catch (error) {
        if (!(error instanceof Outage)) throw error;
        await new Promise<void>((resolve) => void clock.setTimeout(resolve, AGAIN_MS));
      }
    }
  }

  #fenced(target: string, { run, position }: NeededHold): string | undefined {
    const upTo = this.#fences.get(keyOf(target, run)) ?? 0;
    return position <= upTo ? `run ${run} has released ${target}` : undefined;
  }

  #late({ notAfter }: SendCall): string | undefined {
    const now = this.#options.clock.now();
    return now > notAfter ? lateReason(notAfter, now) : undefined;
  }
}

function isOld(readAt: number, now: number): boolean {
  return Math.abs(now - readAt) > HOLD_READ_MS;
}

/** What is said of a frame whose time is over. */
export function lateReason(notAfter: number, now: number): string {
  return `it had to leave before ${timeText(notAfter)} and it is ${timeText(now)} at the gateway`;
}

function keyOf(target: string, run: string): string {
  return `${target} ${run}`;
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
