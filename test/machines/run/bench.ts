/**
 * A bench for the chart of a run: programs in a few words, and a world that answers its effects as the test says. Time
 * passes only when an effect is woken.
 */

import type {
  AskStatement,
  ConditionStatement,
  ConfigureStatement,
  Program,
  ProgramNode,
  ProgramPolicy,
  ProgramStatement,
  SendStatement,
} from '../../../contract/program.ts';
import type { RunEvent } from '../../../contract/run-event.ts';
import { restoredRun } from '../../../machines/run/fold.ts';
import type { AnswerGiven, RunChartEvent, RunEffect, RunInput } from '../../../machines/run/protocol.ts';
import { runMachine } from '../../../machines/run/run.ts';
import { type Driven, drive, restore } from '../../harness/harness.ts';

export const RUN = '01J5ZK3M8QW7V9XH2C4T6R8YAC';
export const START = 1_700_000_000_000;

// Programs ------------------------------------------------------------------------------------------------------------

const POLICY: ProgramPolicy = { identity: 'declared', humanOrchestration: true, hazardousConfirmation: [] };

export function program(steps: readonly ProgramNode[], over: Partial<Program> = {}): Program {
  return {
    format: 1,
    config: 'c'.repeat(64),
    procedure: 'proc',
    library: 'lib@1',
    environment: 'bench',
    targets: { sat: 'sat1' },
    inputs: { n: 7 },
    policy: POLICY,
    leases: [{ target: 'sat1', mode: 'exclusive' }],
    faults: [],
    sends: true,
    hazardous: false,
    maxDurationMs: null,
    steps,
    ...over,
  };
}

export function policy(over: Partial<ProgramPolicy>): Partial<Program> {
  return { policy: { ...POLICY, ...over } };
}

export function step(
  path: string,
  statements: readonly ProgramStatement[],
  over: { attempts?: number; delayMs?: number } = {},
): ProgramNode {
  return { kind: 'step', path, attempts: 1, delayMs: 0, statements, ...over };
}

export function group(path: string, steps: readonly ProgramNode[], attempts = 1): ProgramNode {
  return { kind: 'step', path, attempts, delayMs: 0, steps };
}

export function call(path: string, steps: readonly ProgramNode[]): ProgramNode {
  return { kind: 'call', path, procedure: 'sub', library: 'lib@1', targets: {}, inputs: { m: 1 }, steps };
}

export function ifFailed(...steps: readonly ProgramNode[]): ProgramNode {
  return { kind: 'if_failed', steps };
}

export function send(telecommand: string, over: Partial<SendStatement> = {}): SendStatement {
  return {
    kind: 'send',
    target: 'sat1',
    link: 'uhf',
    component: 'obc',
    telecommand,
    args: {},
    changesState: false,
    hazardous: false,
    retry: 0,
    ...over,
  };
}

/** A telecommand that changes the state. */
export function change(telecommand: string, over: Partial<SendStatement> = {}): SendStatement {
  return send(telecommand, { changesState: true, ...over });
}

export const log = (...message: Extract<ProgramStatement, { kind: 'log' }>['message']): ProgramStatement => ({
  kind: 'log',
  message,
});
export const wait = (ms: number): ProgramStatement => ({ kind: 'wait', ms });
export const setMode = (mode: string): ProgramStatement => ({ kind: 'set_mode', target: 'sat1', mode });

export const upload = (): ProgramStatement => ({
  kind: 'upload',
  target: 'sat1',
  component: 'files',
  file: { value: 7 },
  content: { value: 'ab'.repeat(32) },
});

export function ask(over: Partial<AskStatement> = {}): AskStatement {
  return { kind: 'ask', prompt: ['ready?'], timeoutMs: null, ...over };
}

export function askTyped(as: string, over: Partial<AskStatement> = {}): AskStatement {
  return ask({ as, type: { type: 'float', unit: 'dB' }, ...over });
}

export const confirm = (role: string): ProgramStatement => ({ kind: 'confirm', prompt: ['sure?'], role });

export function expecting(kind: ConditionStatement['kind'] = 'expect'): ConditionStatement {
  return { kind, condition: 'sat.obc.mode = SAFE', targets: {}, inputs: {}, answers: {}, inputTypes: {} };
}

export function configure(
  setters: readonly SendStatement[],
  readbacks: ConfigureStatement['readbacks'] = [],
): ConfigureStatement {
  return { kind: 'configure', target: 'sat1', mode: 'SAFE', setters, readbacks, withinMs: 1_000 };
}

// The world -----------------------------------------------------------------------------------------------------------

type Asked = RunEffect & { ticket: number };
export type Reply = (effect: Asked) => Bare | undefined;
/** An event without ticket and time. */
export type Bare = { readonly type: RunChartEvent['type'] } & Readonly<Record<string, unknown>>;

/** Everything goes well. */
export const well: Reply = (effect) => {
  switch (effect.type) {
    case 'effect.prepare':
      return { type: 'prepared' };
    case 'effect.release':
      return { type: 'released' };
    case 'effect.send':
      return ended(effect.tc, 'COMPLETE');
    case 'effect.judge':
      return { type: 'judged', ok: true, samples: [] };
    case 'effect.write':
      return { type: 'written', text: 'text', samples: [] };
    case 'effect.read-answer':
      return { type: 'answer.read', value: 12 };
    case 'effect.set-mode':
    case 'effect.transfer':
      return { type: 'done' };
    case 'effect.uploads':
      return { type: 'uploads.seen', uploads: [] };
    case 'effect.wake':
      return { type: 'woken' };
    default:
      return undefined;
  }
};

export function ended(tc: string, state: string, detail?: string): Bare {
  return { type: 'telecommand.ended', tc, state, acks: [], ...(detail !== undefined && { detail }) };
}

export function given(path: string, over: Partial<AnswerGiven> = {}): AnswerGiven {
  return {
    type: 'answer',
    at: 0,
    path,
    accepted: true,
    by: 'ada',
    roles: [],
    verified: false,
    source: 1,
    seen: 0,
    ...over,
  };
}

export class Bench {
  driven: Driven<typeof runMachine>;
  readonly input: RunInput;
  readonly events: RunEvent[] = [];
  readonly replies: Extract<RunEffect, { type: 'effect.reply' }>[] = [];
  readonly faults: Extract<RunEffect, { type: 'effect.fault' }>[] = [];
  readonly asked: RunEffect[] = [];
  #pending: Asked[] = [];
  #now = START;

  constructor(input: RunInput, driven: Driven<typeof runMachine>, events: readonly RunEvent[] = []) {
    this.input = input;
    this.driven = driven;
    this.events.push(...events);
    const last = events.at(-1);
    if (last !== undefined) this.#now = Date.parse(last.at);
    this.#take();
  }

  static start(of: Program, over: Partial<RunInput> = {}): Bench {
    const input = { run: RUN, ir: 'f'.repeat(64), program: of, by: 'ada', at: START, ...over };
    return new Bench(input, drive(runMachine, { input, at: START }));
  }

  /** A new owner takes up what this log says; `pending` effects are asked, the chart has received nothing yet. */
  static restored(input: RunInput, events: readonly RunEvent[], asleep = false): Bench {
    const logged = JSON.parse(JSON.stringify(events)) as RunEvent[];
    const { snapshot, effects, revision } = restoredRun({ input, events: logged }, { asleep });
    if (revision !== events.length) throw new Error(`revision ${revision}`);
    const driven = restore(runMachine, { at: START, snapshot, timers: [] });
    const bench = new Bench(input, driven, logged);
    bench.#note(effects);
    return bench;
  }

  /** Of the region that controls the run. */
  get state(): string {
    return this.#region('control');
  }

  /** What of its faults is switched on. */
  get faultState(): string {
    return this.#region('faults');
  }

  get kinds(): string[] {
    return this.events.map(({ event }) => event);
  }

  get pending(): readonly Asked[] {
    return this.#pending;
  }

  get now(): number {
    return this.#now;
  }

  of<Kind extends RunEvent['event']>(kind: Kind): Extract<RunEvent, { event: Kind }>[] {
    return this.events.filter((event): event is Extract<RunEvent, { event: Kind }> => event.event === kind);
  }

  /** Sends the chart an event. */
  tell(event: Bare): this {
    this.#now += 1;
    this.driven.send({ ...event, at: this.#now } as never);
    this.#take();
    return this;
  }

  command(type: 'suspend' | 'preempt' | 'resume' | 'abort', over: Record<string, unknown> = {}): this {
    const choice = type === 'resume' ? { choice: 'replay' } : {};
    return this.tell({ type: `command.${type}`, by: 'bob', request: `${type}-1`, ...choice, ...over });
  }

  /** Whoever answers has seen the whole log. */
  answer(path: string, over: Partial<AnswerGiven> = {}): this {
    return this.tell({ ...given(path, { seen: this.events.at(-1)?.seq ?? 0, ...over }) } as never);
  }

  decide(value: string | undefined, over: Partial<AnswerGiven> = {}): this {
    const { path } = this.of('decision_required').at(-1)!;
    return this.answer(path, { ...(value !== undefined && { value }), ...over });
  }

  /** Answers the effect that was asked for last and is awaited. */
  reply(answer: Bare | undefined): this {
    const effect = this.#pending.at(-1);
    if (effect === undefined || answer === undefined) throw new Error(`no reply in ${this.state}`);
    this.#pending = this.#pending.filter((each) => each !== effect);
    return this.#answered(effect, answer);
  }

  /** Answers effects until the run ends, stands still, or `until` holds. */
  play(reply: Reply = well, until: (bench: Bench) => boolean = () => false): this {
    for (let steps = 0; steps < 10_000 && !until(this); steps += 1) {
      const effect = this.#pending[0];
      if (effect === undefined || this.driven.ended) break;
      this.#pending = this.#pending.slice(1);
      const answer = reply(effect);
      if (answer !== undefined) this.#answered(effect, answer);
    }
    return this;
  }

  #region(name: string): string {
    const active = this.driven.state.split(' & ').find((each) => each.startsWith(`${name}.`));
    return active?.slice(name.length + 1) ?? '';
  }

  #answered(effect: Asked, answer: Bare): this {
    if (effect.type === 'effect.wake') this.#now = Math.max(this.#now, effect.at);
    return this.tell({ ...answer, ticket: effect.ticket });
  }

  #take(): void {
    for (const { event } of this.driven.takeRecords()) this.events.push(event);
    this.#note(this.driven.takeEffects());
  }

  #note(effects: readonly RunEffect[]): void {
    for (const effect of effects) {
      this.asked.push(effect);
      if (effect.type === 'effect.reply') this.replies.push(effect);
      else if (effect.type === 'effect.fault') this.faults.push(effect);
      else if ('ticket' in effect) this.#pending.push(effect);
    }
  }
}
