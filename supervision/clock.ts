/**
 * The two clocks: the machine's, and a heap that a test or a simulation moves by hand. With `random.ts` the only place
 * that touches time.
 *
 * H1. The heap fires timers in the order of their due time, equal ones in the order they were set.
 * H2. While a timer fires, `now()` is exactly its due time.
 * H3. Both take any delay: a shelving of a month ends after a month.
 * H4. Monotonic time of the machine goes on while the machine is suspended, which the timers of Node do not count: a
 *     process that was suspended for a minute is a minute older when it wakes.
 */

import { uptime } from 'node:os';
import type { Clock, TimerHandle } from '../ports/clock.ts';

/** Longest delay of a Node timer, 24.8 days; a longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

interface MachineTimer {
  timer: NodeJS.Timeout;
}

/** Time of day and monotonic time part by less than this without a step of the one or a sleep of the machine. */
const SUSPECT_MS = 100;

/** H4: `performance.now()` stands still while the machine sleeps; its uptime does not, and costs a system call. */
class MachineTime {
  readonly #began = uptime() * 1_000 - performance.now();
  #apart = Date.now() - performance.now();
  #sleptMs = 0;

  monotonic(): number {
    const running = performance.now();
    const apart = Date.now() - running;
    if (Math.abs(apart - this.#apart) > SUSPECT_MS) {
      this.#apart = apart;
      const slept = uptime() * 1_000 - running - this.#began;
      // The uptime is known to a hundredth of a second.
      if (slept > this.#sleptMs + SUSPECT_MS / 2) this.#sleptMs = slept;
    }
    return running + this.#sleptMs;
  }
}

const machineTime = new MachineTime();

/** The time of the machine. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => machineTime.monotonic(),
  setTimeout: (fire, delayMs) => {
    // H3: a longer delay is a chain of timers, of which the handle always has the one that runs.
    const armed = (leftMs: number): NodeJS.Timeout =>
      leftMs <= LONGEST_MS
        ? setTimeout(fire, leftMs)
        : setTimeout(() => {
            handle.timer = armed(leftMs - LONGEST_MS);
          }, LONGEST_MS);
    const handle: MachineTimer = { timer: armed(Math.max(0, delayMs)) };
    return handle;
  },
  clearTimeout: ({ timer }) => clearTimeout(timer as NodeJS.Timeout),
};

interface HeapTimer extends TimerHandle {
  readonly dueAt: number;
  readonly order: number;
  readonly fire: () => void;
  cancelled: boolean;
}

/** A clock that stands still until it is advanced. */
export class HeapClock implements Clock {
  #now: number;
  #order = 0;
  readonly #heap: HeapTimer[] = [];

  constructor(nowMs = 0) {
    this.#now = nowMs;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  setTimeout(fire: () => void, delayMs: number): TimerHandle {
    this.#order += 1;
    const dueAt = this.#now + Math.max(0, delayMs);
    const timer: HeapTimer = { timer: undefined, dueAt, order: this.#order, fire, cancelled: false };
    this.#push(timer);
    return timer;
  }

  clearTimeout(handle: TimerHandle): void {
    (handle as HeapTimer).cancelled = true;
  }

  /** When the next timer is due. */
  next(): number | undefined {
    this.#dropCancelled();
    return this.#heap[0]?.dueAt;
  }

  /** Fires the next timer alone and moves the present to its due time; false when there is none. */
  step(): boolean {
    this.#dropCancelled();
    if (this.#heap.length === 0) return false;
    this.#fireFirst();
    return true;
  }

  /** Moves the present by `ms`, firing what comes due on the way, also what that sets. */
  advance(ms: number): void {
    this.advanceTo(this.#now + ms);
  }

  advanceTo(at: number): void {
    for (let due = this.next(); due !== undefined && due <= at; due = this.next()) this.#fireFirst();
    this.#now = Math.max(this.#now, at);
  }

  #fireFirst(): void {
    const timer = this.#pop();
    if (timer === undefined) return;
    this.#now = Math.max(this.#now, timer.dueAt);
    timer.fire();
  }

  #dropCancelled(): void {
    while (this.#heap[0]?.cancelled) this.#pop();
  }

  #push(timer: HeapTimer): void {
    const heap = this.#heap;
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (isBefore(heap[parent]!, timer)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = timer;
  }

  #pop(): HeapTimer | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: HeapTimer, b: HeapTimer): boolean {
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order);
}
