/**
 * One driver or gateway that is informed how its links are bound, until it has confirmed. Mission Control Service,
 * section 4.3.
 *
 * R1. One delivery is under way at a time, and what is sent is the newest there is then: an older one never follows it.
 * R2. While nobody answers it is tried again, after growing waits; a change of what it is to know is reported at once.
 * R4. What there is to send is found without looking at what has been sent: a driver has a binding of each of thousands
 *     of targets.
 * R5. A delivery has many bindings, and stays within what a message of the bus holds: for each of them alone, a driver
 *     that begins in a cell of two thousand targets was two thousand questions.
 * R3. A receiver that knows something newer than it receives ends the delivery: somebody else leads.
 */

import { assertNever } from '../../contract/assert.ts';
import { BIND_ANSWER_MS, BINDINGS_AT_ONCE, BINDINGS_CHARACTERS } from '../../contract/limits/link.ts';
import { type BindCall, type BindingContent, type BindReply, readBindReply } from '../../contract/mode.ts';
import { Backoff } from '../../links/gateway/backoff.ts';
import { askOrAway } from '../../messaging/ask.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

interface ReceiverOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Of its verb `bind`. */
  readonly subject: string;
  /** The fencing token and the next number of a delivery; undefined when this process leads no more. */
  readonly stamp: () => Omit<BindCall, 'bindings'> | undefined;
  readonly failed: (error: unknown) => void;
}

export class Receiver {
  readonly #options: ReceiverOptions;
  readonly #backoff: Backoff;
  /** By target and link, as it is sent. */
  #wanted = new Map<string, string>();
  readonly #delivered = new Map<string, string>();
  /** Of those wanted, all that are not delivered as they are wanted (R4). */
  #pending = new Set<string>();
  /** How many were delivered once more in the present round (`repeat`). */
  #repeated = 0;
  /** How often it began again, or what is under way was to be repeated: what is sent then may have come before. */
  #life = 0;
  /** The bindings that are under way, by target and link. */
  #underWay: ReadonlyMap<string, string> = new Map();
  #isWorking = false;
  #working: Promise<void> = Promise.resolve();
  #timer: TimerHandle | undefined;
  #isSilent = false;
  #stopped = false;

  constructor(options: ReceiverOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.random);
  }

  /** What it is to know now; what has not changed is not reported again. */
  want(bindings: readonly BindingContent[]): void {
    this.#wanted = new Map();
    this.#pending = new Set();
    this.change(bindings);
  }

  /** What it is to know now of these; of others it is to know what it was. */
  change(bindings: readonly BindingContent[]): void {
    for (const binding of bindings) {
      const [key, content] = [`${binding.target}.${binding.link}`, JSON.stringify(binding)];
      this.#wanted.set(key, content);
      if (this.#delivered.get(key) === content) this.#pending.delete(key);
      else this.#pending.add(key);
    }
    this.#begin();
  }

  /** It may know nothing any more, nor what is under way to it now. */
  again(): void {
    this.#delivered.clear();
    this.#pending = new Set(this.#wanted.keys());
    this.#life += 1;
    this.#begin();
  }

  /** Delivers so many of its bindings once more, and goes on behind them at the next call; fewer when all were. */
  repeat(most: number): number {
    const keys = [...this.#wanted.keys()].slice(this.#repeated, this.#repeated + most);
    this.#repeated = keys.length < most ? 0 : this.#repeated + keys.length;
    for (const key of keys) {
      this.#delivered.delete(key);
      this.#pending.add(key);
    }
    if (keys.some((key) => this.#underWay.has(key))) this.#life += 1;
    if (keys.length > 0) this.#begin();
    return keys.length;
  }

  /** Resolves when nothing of it is sent any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#clearTimer();
    await this.#working;
  }

  #begin(): void {
    this.#clearTimer();
    if (this.#stopped || this.#isWorking) return;
    this.#isWorking = true;
    this.#working = this.#deliver().catch(this.#options.failed);
  }

  /** R1. Whoever begins again finds it working or done: nothing is waited for between the last look and the end. */
  async #deliver(): Promise<void> {
    try {
      for (let next = this.#next(); next.size > 0; next = this.#next()) {
        const life = this.#life;
        this.#underWay = next;
        const outcome = await this.#send([...next.values()]);
        if (outcome === 'over' || this.#stopped) return;
        if (outcome === 'taken' && life === this.#life) this.#keep(next);
        if (outcome === 'taken') this.#backoff.reset();
        else if (this.#isWanted(next)) return this.#later();
      }
    } finally {
      this.#underWay = new Map();
      this.#isWorking = false;
    }
  }

  /** The bindings of the next delivery; none when all are delivered (R4, R5). */
  #next(): ReadonlyMap<string, string> {
    const next = new Map<string, string>();
    let characters = 0;
    for (const key of this.#pending) {
      const content = this.#wanted.get(key);
      if (content === undefined) continue;
      characters += content.length;
      if (next.size > 0 && characters > BINDINGS_CHARACTERS) break;
      next.set(key, content);
      if (next.size === BINDINGS_AT_ONCE) break;
    }
    return next;
  }

  #keep(delivered: ReadonlyMap<string, string>): void {
    for (const [key, content] of delivered) {
      this.#delivered.set(key, content);
      if (this.#wanted.get(key) === content) this.#pending.delete(key);
    }
  }

  /** Whether nothing of it has changed meanwhile. */
  #isWanted(sent: ReadonlyMap<string, string>): boolean {
    return [...sent].every(([key, content]) => this.#wanted.get(key) === content);
  }

  async #send(contents: readonly string[]): Promise<'taken' | 'silent' | 'over'> {
    const { bus, log, subject, stamp } = this.#options;
    const stamped = stamp();
    if (stamped === undefined) return 'over';
    const bindings = contents.map((content) => JSON.parse(content) as BindingContent);
    const call: BindCall = { bindings, ...stamped };
    const question = { to: subject, call, read: readBindReply, timeoutMs: BIND_ANSWER_MS };
    const asked = await askOrAway(bus, question);
    switch (asked.outcome) {
      case 'answered':
        return this.#answered(asked.answer);
      case 'unreadable':
        log.error({ subject, said: asked.said }, 'a binding of a link was refused');
        return this.#taken();
      case 'unserved':
      case 'unanswered':
      case 'bus-away':
        if (!this.#isSilent)
          log.info({ subject, reason: asked.outcome }, 'nothing takes the bindings of links; retrying');
        this.#isSilent = true;
        return 'silent';
      default:
        return assertNever(asked);
    }
  }

  #answered(reply: BindReply): 'taken' | 'over' {
    const { log, subject } = this.#options;
    if (reply.outcome === 'older') {
      log.warn({ subject }, 'a link is bound by another reconciler');
      this.#isSilent = false;
      return 'over';
    }
    if (reply.outcome === 'refused') log.error({ subject, reply }, 'a binding of a link was refused');
    return this.#taken();
  }

  /** What it refused or did not understand it will not take at the next try either; what changes is sent again. */
  #taken(): 'taken' {
    this.#isSilent = false;
    return 'taken';
  }

  /** R2 */
  #later(): void {
    this.#timer = this.#options.clock.setTimeout(() => this.#begin(), this.#backoff.next());
  }

  #clearTimer(): void {
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
