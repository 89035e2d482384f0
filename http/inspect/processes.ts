/**
 * Questions of the inspector to the processes of the cell, over the bus (`contract/inspection.ts`). What the answers
 * mean is the routes' matter.
 *
 * I1. All are asked at once, and one that does not answer is named, never waited for beyond `INSPECT_ANSWER_MS` and
 *     never a reason to keep back what the others said.
 * I2. Without a bus nobody is silent: the question fails as an outage.
 */

import { assertNever } from '../../contract/assert.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { InspectAnswer, InspectCode, InspectVerb } from '../../contract/inspection.ts';
import type { SilentProcess } from '../../contract/inspector.ts';
import { INSPECT_ANSWER_MS } from '../../contract/limits/inspect.ts';
import { readReply } from '../../contract/reply.ts';
import { ask } from '../../messaging/ask.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import { isAnswer } from './answer-shape.ts';
import { type KnownProcess, Members } from './members.ts';

export type Asked<Value> =
  | { readonly instance: string; readonly answer: InspectAnswer<Value> }
  | { readonly instance: string; readonly silent: SilentProcess };

export class Processes {
  readonly #bus: Bus;
  readonly #members: Members;

  constructor(bus: Bus, clock: Clock) {
    this.#bus = bus;
    this.#members = new Members(bus, clock);
  }

  stop(): Promise<void> {
    return this.#members.stop();
  }

  /** What each process says to the question, by name; an outage when the bus is away (I2). */
  async askAll<Value>(verb: InspectVerb, call: object): Promise<Asked<Value>[]> {
    const known = await this.#members.known();
    return Promise.all(known.map((process) => this.ask<Value>(process, verb, call)));
  }

  /** The answer of one process, or its silence; an outage when the bus is away (I2). */
  async ask<Value>(process: KnownProcess, verb: InspectVerb, call: object): Promise<Asked<Value>> {
    const { instance } = process;
    const asked = await ask(this.#bus, {
      to: subject.inspectVerb(instance, verb),
      call,
      read: (bytes) => parse<Value>(verb, bytes),
      timeoutMs: INSPECT_ANSWER_MS,
    });
    switch (asked.outcome) {
      case 'answered':
        return { instance, answer: asked.answer };
      case 'unserved':
        return { instance, silent: { ...process, why: 'gone' } };
      case 'unanswered':
        return { instance, silent: { ...process, why: 'slow' } };
      case 'unreadable':
        return { instance, silent: { ...process, why: 'refused' } };
      default:
        return assertNever(asked);
    }
  }
}

function parse<Value>(verb: InspectVerb, bytes: Uint8Array): InspectAnswer<Value> | undefined {
  const answer = readReply(bytes);
  return isAnswer(verb, answer) ? (answer as unknown as InspectAnswer<Value>) : undefined;
}

/** What was accepted, by instance, in the order asked. */
export function answered<Value>(asked: readonly Asked<Value>[]): { instance: string; value: Value }[] {
  return asked.flatMap((each) =>
    'answer' in each && each.answer.ok ? [{ instance: each.instance, value: each.answer.value }] : [],
  );
}

/** Why those who refused did. */
export function refusals(asked: readonly Asked<unknown>[]): InspectCode[] {
  return asked.flatMap((each) =>
    'answer' in each && !each.answer.ok ? each.answer.faults.map(({ code }) => code) : [],
  );
}

/** Who did not answer. */
export function silentOf(asked: readonly Asked<unknown>[]): SilentProcess[] {
  return asked.flatMap((each) => ('silent' in each ? [each.silent] : []));
}
