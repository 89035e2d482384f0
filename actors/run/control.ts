/**
 * Commands to a run (suspend, resume, abort), served by whoever holds it. Mission Control Service, section 4.2 rule 7.
 *
 * D1. Served for open runs alone, each on its own subject: a run that nobody holds has no responder.
 * D2. Every call is answered: by the chart, or with the reason why it was not asked.
 * D3. Refused is only what will not happen. A run that was told and has not said within `RUN_CONTROL_MS`, or before its executor
 *     left it, is answered `unknown`.
 * D4. What the run says later still counts for the wish: a resumption spends the one of before it, a refused suspension takes
 *     its own back.
 */

import { RUN_CONTROL_MS } from '../../contract/limits.ts';
import type { ControlCall, ControlReply } from '../../contract/run.ts';
import { subject } from '../../contract/subject.ts';
import type { RunCommand, RunEffect } from '../../machines/run-protocol.ts';
import type { Bus, CoreMessage, Stoppable } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Wishes } from './wishes.ts';

interface ControlOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  /** A wish is kept before anybody relies on it, and forgotten before anybody relies on the resumption. */
  readonly wishes: Wishes;
  /** Gives the command to the chart; a text says why it could not be. */
  readonly tell: (run: string, command: RunCommand) => string | undefined;
}

type Answered = (reply: ControlReply) => void;

export class Control {
  readonly #options: ControlOptions;
  readonly #served = new Map<string, Stoppable>();
  readonly #waiting = new Map<string, { run: string; answered: Answered }>();
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
    const served = [...this.#served.values()];
    this.#served.clear();
    for (const { answered } of this.#waiting.values())
      answered({
        outcome: 'unknown',
        reason: 'its executor left it before it said; another one takes it over',
      });
    this.#waiting.clear();
    await Promise.all(served.map((each) => each.stop()));
  }

  async #answer(run: string, message: CoreMessage): Promise<Uint8Array> {
    const call = readCall(message.data);
    const reply =
      call === undefined
        ? ({ outcome: 'refused', reason: 'the command is none that is known here' } as const)
        : await this.#inTime(this.#carryOut(run, call));
    return Buffer.from(JSON.stringify(reply));
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

  async #carryOut(run: string, call: ControlCall): Promise<ControlReply> {
    if (call.action === 'abort') return this.#ask(run, call);
    return call.action === 'suspend' ? this.#suspend(run, call) : this.#resume(run, call);
  }

  /** One that is refused leaves the wish that stood before, and one that came since (D4). */
  async #suspend(run: string, call: ControlCall): Promise<ControlReply> {
    const { wishes } = this.#options;
    const before = wishes.of(run);
    await wishes.keep(run, call.by);
    const own = wishes.of(run);
    const reply = await this.#ask(run, call);
    if (reply.outcome === 'refused' && wishes.of(run) === own) {
      if (before === undefined) await wishes.forget(run, own);
      else await wishes.keep(run, before.by);
    }
    return reply;
  }

  /** A wish of before a resumption is spent by it, one that comes while it is under way is not. */
  async #resume(run: string, call: ControlCall): Promise<ControlReply> {
    const { wishes } = this.#options;
    const spent = wishes.of(run);
    const reply = await this.#ask(run, call);
    if (reply.outcome === 'accepted') await wishes.forget(run, spent);
    return reply;
  }

  #ask(run: string, call: ControlCall): Promise<ControlReply> {
    this.#requests += 1;
    const request = `${run}-${this.#requests}`;
    const { clock, tell } = this.#options;
    return new Promise((answered) => {
      this.#waiting.set(request, { run, answered });
      const trouble = tell(run, commandOf(call, clock.now(), request));
      if (trouble === undefined) return;
      this.#waiting.delete(request);
      answered({ outcome: 'refused', reason: trouble });
    });
  }
}

function commandOf(call: ControlCall, at: number, request: string): RunCommand {
  const { by } = call;
  switch (call.action) {
    case 'suspend':
      return { type: call.reaction === true ? 'command.preempt' : 'command.suspend', at, by, request };
    case 'resume':
      return { type: 'command.resume', at, by, choice: call.choice, request };
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
