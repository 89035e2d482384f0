/**
 * Commands to a run (suspend, resume, abort), served by whoever holds it. Mission Control Service, section 4.2 rule 7.
 *
 * D1. Served for open runs alone, each on its own subject: a run that nobody holds has no responder.
 * D2. Every call is answered: by the chart, or with the reason why it was not asked. One that waits unread while the
 *     shard is left, as after a sleep, is read and answered before the subject is given up.
 * D3. Refused is only what will not happen. A run that was given the command and has not answered within
 *     `RUN_CONTROL_MS`, or before its executor left it, is answered `unknown`.
 * D4. What the run says later still counts for the pending suspension: a resumption spends the one from before it, a
 *     refused suspension takes its own back.
 * D5. A call that comes again under its identifier gets the answer of the first one: a caller may repeat it.
 * D6. Whoever does not hold the run any more says only that (`again`): what it knows of the run may be old.
 */

import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { RUN_CONTROL_KEPT, RUN_CONTROL_MS } from '../../contract/limits/run.ts';
import type { ControlCall, ControlReply } from '../../contract/run-wire.ts';
import type { RunCommand, RunEffect } from '../../machines/run/protocol.ts';
import type { Bus, CoreMessage, Stoppable } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import { seenIn } from './approval.ts';
import type { Wishes } from './wishes.ts';

interface ControlOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  /**
   * A pending suspension is kept before anybody relies on it, and forgotten before anybody relies on the resumption.
   */
  readonly wishes: Wishes;
  /** Whether the shard is still this process's, now. */
  readonly holds: () => boolean;
  /** Gives the command to the chart; a text says why it could not be. */
  readonly tell: (run: string, command: RunCommand) => string | undefined;
}

type Answered = (reply: ControlReply) => void;

/** A call as it came, and which log its caller had seen. */
interface Call {
  readonly call: ControlCall;
  readonly seen: number | undefined;
}

const LEFT: ControlReply = {
  outcome: 'unknown',
  reason: 'its executor left it before it said; another one takes it over',
  again: true,
};

export class Control {
  readonly #options: ControlOptions;
  readonly #served = new Map<string, Stoppable>();
  readonly #waiting = new Map<string, { run: string; answered: Answered }>();
  /** Answers by the identifier of their call, the oldest first (D5). */
  readonly #known = new Map<string, Promise<ControlReply>>();
  #requests = 0;

  constructor(options: ControlOptions) {
    this.#options = options;
  }

  serve(run: string): void {
    if (this.#served.has(run)) return;
    const answer = (message: CoreMessage): Promise<Uint8Array> => this.#answer(run, message);
    this.#served.set(run, this.#options.bus.serve(subject.runControl(run), answer));
  }

  /** What the chart says to a request. */
  replied(effect: Extract<RunEffect, { type: 'effect.reply' }>): void {
    const waiting = this.#waiting.get(effect.request);
    this.#waiting.delete(effect.request);
    if (effect.outcome === 'refused') waiting?.answered({ outcome: 'refused', reason: effect.reason });
    else waiting?.answered({ outcome: effect.outcome });
  }

  /** The run is over: what still waits is answered. */
  async withdraw(run: string): Promise<void> {
    for (const [request, waiting] of this.#waiting) {
      if (waiting.run !== run) continue;
      this.#waiting.delete(request);
      waiting.answered({ outcome: 'over' });
    }
    const served = this.#served.get(run);
    this.#served.delete(run);
    await served?.stop();
  }

  /** Leaves every run as it stands: its next owner answers. */
  async stop(): Promise<void> {
    const served = [...this.#served];
    this.#served.clear();
    for (const { answered } of this.#waiting.values()) answered(LEFT);
    this.#waiting.clear();
    void this.#giveUp(served);
  }

  /** What the bus delivers before it answers a question has been read by then (D2); nobody waits for it. */
  async #giveUp(served: readonly [string, Stoppable][]): Promise<void> {
    const { bus } = this.#options;
    const [first] = served;
    if (first === undefined) return;
    await bus.last(streams.runs, subject.runEvents(first[0])).catch(() => undefined);
    await Promise.all(served.map(([, each]) => each.stop()));
  }

  async #answer(run: string, { data, headers }: CoreMessage): Promise<Uint8Array> {
    const call = readCall(data);
    const reply =
      call === undefined
        ? ({ outcome: 'refused', reason: 'the command is unknown' } as const)
        : await this.#once(run, { call, seen: seenIn(headers) }, headers[header.request]);
    return Buffer.from(JSON.stringify(reply));
  }

  /** D5 */
  #once(run: string, call: Call, id: string | undefined): Promise<ControlReply> {
    const key = id === undefined ? undefined : `${run}.${id}`;
    const known = key === undefined ? undefined : this.#known.get(key);
    if (known !== undefined) return known;
    const reply = this.#inTime(this.#asHolder(run, call));
    if (key !== undefined) this.#remember(key, reply);
    return reply;
  }

  #remember(key: string, reply: Promise<ControlReply>): void {
    const [oldest] = this.#known.keys();
    if (this.#known.size >= RUN_CONTROL_KEPT && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(key, reply);
    // What met an outage was not answered: it is begun again.
    reply.catch(() => this.#known.delete(key));
  }

  /** D6 */
  async #asHolder(run: string, call: Call): Promise<ControlReply> {
    const { holds } = this.#options;
    if (!holds()) return LEFT;
    const reply = await this.#carryOut(run, call);
    return holds() ? reply : LEFT;
  }

  /** D3 */
  async #inTime(work: Promise<ControlReply>): Promise<ControlReply> {
    const { clock } = this.#options;
    let late: () => void = () => undefined;
    const timer = clock.setTimeout(() => late(), RUN_CONTROL_MS);
    const over = new Promise<ControlReply>((resolve) => {
      late = () => resolve({ outcome: 'unknown', reason: 'the run has not come to it in time' });
    });
    try {
      return await Promise.race([work, over]);
    } finally {
      clock.clearTimeout(timer);
    }
  }

  async #carryOut(run: string, asked: Call): Promise<ControlReply> {
    if (asked.call.action === 'abort') return this.#ask(run, asked);
    return asked.call.action === 'suspend' ? this.#suspend(run, asked) : this.#resume(run, asked);
  }

  /** One that is refused leaves the pending suspension from before, and one that came since (D4). */
  async #suspend(run: string, asked: Call): Promise<ControlReply> {
    const { wishes, holds } = this.#options;
    const before = wishes.of(run);
    await wishes.keep(run, asked.call.by);
    const own = wishes.of(run);
    const reply = await this.#ask(run, asked);
    if (!holds()) return LEFT;
    if (reply.outcome === 'refused' && wishes.of(run) === own) {
      if (before === undefined) await wishes.forget(run, own);
      else await wishes.keep(run, before.by);
    }
    return reply;
  }

  /** A resumption spends the suspension that was pending before it, not one that comes while it is under way. */
  async #resume(run: string, asked: Call): Promise<ControlReply> {
    const { wishes } = this.#options;
    const spent = wishes.of(run);
    const reply = await this.#ask(run, asked);
    if (reply.outcome === 'accepted') await wishes.forget(run, spent);
    return reply;
  }

  #ask(run: string, asked: Call): Promise<ControlReply> {
    this.#requests += 1;
    const request = `${run}-${this.#requests}`;
    const { clock, tell } = this.#options;
    return new Promise((answered) => {
      this.#waiting.set(request, { run, answered });
      const trouble = tell(run, commandOf(asked, clock.now(), request));
      if (trouble === undefined) return;
      this.#waiting.delete(request);
      answered({ outcome: 'refused', reason: trouble });
    });
  }
}

function commandOf({ call, seen }: Call, at: number, request: string): RunCommand {
  const { by } = call;
  switch (call.action) {
    case 'suspend':
      return { type: call.reaction === true ? 'command.preempt' : 'command.suspend', at, by, request };
    case 'resume':
      return {
        type: 'command.resume',
        at,
        by,
        choice: call.choice,
        request,
        ...(seen !== undefined && { seen }),
      };
    case 'abort':
      return { type: 'command.abort', at, by, request };
  }
}

function readCall(data: Uint8Array): ControlCall | undefined {
  try {
    const call = JSON.parse(Buffer.from(data).toString()) as Partial<Record<string, unknown>>;
    const { action, by, choice = 'replay', reaction } = call;
    if (typeof by !== 'string') return undefined;
    if (action === 'suspend') return { action, by, ...(reaction === true && { reaction }) };
    if (action === 'abort') return { action, by };
    return action === 'resume' && typeof choice === 'string' ? { action, by, choice } : undefined;
  } catch {
    return undefined;
  }
}
