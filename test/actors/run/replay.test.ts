/** Logs of runs on the demo chart, made by the chart itself, and played back to it from the log alone. */

import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import { stepsOf } from '../../../actors/run/replay.ts';
import type { ProgramFault, ProgramNode } from '../../../contract/program.ts';
import type { RunEvent } from '../../../contract/run-event.ts';
import { restoredRun } from '../../../machines/run/fold.ts';
import type { RunChartEvent, RunEffect, RunInput, RunRecord } from '../../../machines/run/protocol.ts';
import { awaitedTicket, runMachine } from '../../../machines/run/run.ts';
import type { Binding, EntityLog } from '../../../ports/entity.ts';
import { replay } from '../../../supervision/inspection/replay.ts';
import { leaf, newRun, ping, programOf, setWatchdog } from '../../support/run-program.ts';

const FAULT: ProgramFault = {
  target: 'sat1',
  gateway: 'sim-1',
  fault: 'cell_drain',
  at: { step: 'send', afterMs: 0 },
  off: null,
};
const STEPS = [
  leaf('send', [ping(), setWatchdog(60), { kind: 'wait', ms: 5 }], 2),
  leaf('ask', [
    { kind: 'log', message: ['now'] },
    { kind: 'ask', prompt: ['How long?'], as: 'n', type: { type: 'u8' }, timeoutMs: 1_000 },
    { kind: 'set_mode', target: 'sat1', mode: 'safe' },
  ]),
];

/** Answers the effects of the chart as a friendly world does; `people` answers what waits for people. */
function answered(effect: RunEffect, at: number): RunChartEvent | undefined {
  switch (effect.type) {
    case 'effect.prepare':
      return { type: 'prepared', at, ticket: effect.ticket };
    case 'effect.release':
      return { type: 'released', at, ticket: effect.ticket };
    case 'effect.send': {
      const state = effect.statement.telecommand === 'ping' ? 'VERIFIED' : 'VERIFY_TIMEOUT';
      return { type: 'telecommand.ended', at, ticket: effect.ticket, tc: effect.tc, state, acks: [] };
    }
    case 'effect.write':
      return { type: 'written', at, ticket: effect.ticket, text: 'written', samples: [] };
    case 'effect.read-answer':
      return { type: 'answer.read', at, ticket: effect.ticket, value: 7 };
    case 'effect.set-mode':
      return { type: 'done', at, ticket: effect.ticket };
    case 'effect.fault':
      // Whether it is on is not known.
      return effect.on
        ? { type: 'fault.refused', at, fault: effect.index, on: true, reason: 'no answer', mayBeDone: true }
        : { type: 'fault.switched', at, fault: effect.index, on: false };
    case 'effect.transfer':
      return { type: 'done', at, ticket: effect.ticket };
    case 'effect.uploads':
      return { type: 'uploads.seen', at, ticket: effect.ticket, uploads: [] };
    case 'effect.recover':
      return { type: 'recovered', at, by: 'heir' };
    default:
      return undefined;
  }
}

class World {
  readonly log: RunEvent[] = [];
  readonly input: RunInput;
  now = 1_000;
  /** What a suspension cannot make certain. */
  mayLeave: readonly string[] | undefined;
  /** What became of the files it uploads. */
  uploads: readonly string[] = [];
  #queue: RunChartEvent[] = [];
  #actor: ReturnType<typeof createActor<typeof runMachine>>;

  constructor(steps: readonly ProgramNode[] = STEPS) {
    const program = programOf('f'.repeat(64), steps, { faults: steps === STEPS ? [FAULT] : [] });
    this.input = { run: newRun(), ir: 'e'.repeat(64), program, at: this.now, by: 'ana' };
    this.#actor = this.#begin({ input: this.input });
    this.#actor.start();
    this.settle();
  }

  tell(event: RunChartEvent): void {
    this.#queue.push(event);
    this.settle();
  }

  /** The event with the ticket that is awaited now. */
  wake(): void {
    this.tell({ type: 'woken', at: this.now, ticket: awaitedTicket(this.#actor.getSnapshot()) ?? 0 });
  }

  takeOver(): void {
    const { snapshot, effects } = restoredRun({ input: this.input, events: this.log }, { asleep: false });
    this.#actor.stop();
    this.#actor = this.#begin({ snapshot });
    this.#actor.start();
    for (const effect of effects) this.#hear(effect);
    this.settle();
  }

  get last(): string {
    return this.log.at(-1)!.event;
  }

  settle(): void {
    for (let event = this.#queue.shift(); event !== undefined; event = this.#queue.shift()) {
      this.now += 1;
      this.#actor.send({ ...event, at: this.now });
    }
  }

  #begin(origin: object) {
    const actor = createActor(runMachine, origin as never);
    actor.on('*', (emitted) => this.#hear(emitted as RunEffect | RunRecord));
    return actor;
  }

  #hear(emitted: RunEffect | RunRecord): void {
    if (emitted.type === 'record') return void this.log.push(emitted.event);
    const reply = answered(emitted, this.now);
    if (reply === undefined) return;
    const { mayLeave } = this;
    const isWarned = reply.type === 'released' && mayLeave !== undefined;
    const says = reply.type === 'released' || reply.type === 'recovered' || reply.type === 'uploads.seen';
    this.#queue.push({
      ...reply,
      ...(isWarned && { mayLeave }),
      ...(says && this.uploads.length > 0 && { uploads: this.uploads }),
    });
  }
}

const by = 'ana';
const answer = (path: string, value?: string) =>
  ({
    type: 'answer',
    at: 0,
    path,
    accepted: true,
    by,
    roles: [],
    verified: false,
    source: 1,
    seen: Number.MAX_SAFE_INTEGER,
    ...(value !== undefined && { value }),
  }) as const;

/** Every kind of interruption in one run. */
function eventfulRun(): World {
  const world = new World();
  expect(world.last).toBe('decision_required');
  world.tell(answer('elsewhere'));
  world.tell({ type: 'command.suspend', at: 0, by, request: 'r1' });
  world.tell({ type: 'command.resume', at: 0, by, choice: 'skip', request: 'r2' });
  expect(world.last).toBe('asked');
  world.takeOver();
  world.tell(answer('ask', '7'));
  return world;
}

describe('the history of a run', () => {
  it('sends the chart again what its log implies, and the chart logs the same', () => {
    const { log, input } = eventfulRun();
    expect(log.at(-1)).toMatchObject({ event: 'finished', ok: true });
    const steps = stepsOf(input, log);
    expect(steps.map(({ event }) => event)).toEqual(log.map(({ event }) => event));
    const put = steps.filter(({ put: to }) => to !== undefined).map(({ event }) => event);
    expect(put, 'the chart follows its log but for the takeover').toEqual(['taken_over']);
    expect(steps.flatMap(({ told }) => told.map(({ type }) => type))).toEqual(
      expect.arrayContaining([
        'telecommand.ended',
        'fault.refused',
        'fault.switched',
        'command.resume',
        'recovered',
        'answer.read',
      ]),
    );
  });

  it.each(['aborted', 'timed out'])('follows a run that is %s', (how) => {
    const world = new World();
    if (how === 'aborted') world.tell({ type: 'command.abort', at: 0, by, request: 'r' });
    else {
      world.tell(answer('send', 'skip'));
      world.wake();
      expect(world.last).toBe('decision_required');
      world.tell(answer('ask', 'abort'));
    }
    expect(world.last).toBe('finished');
    expect(stepsOf(world.input, world.log).filter(({ put }) => put !== undefined)).toEqual([]);
  });

  it.each(['command.suspend', 'command.preempt'] as const)(
    'follows %s that could not make certain that nothing leaves',
    (type) => {
      const world = new World();
      world.mayLeave = ['T1 to sat1 (gateway g does not answer)', 'T2 to sat1 (gateway g does not answer)'];
      world.tell({ type, at: 0, by, request: 'r' });
      expect(world.last).toBe('suspended');
      world.mayLeave = undefined;
      world.tell({ type: 'command.resume', at: 0, by, choice: 'abort', request: 'r2' });
      expect(world.last).toBe('finished');
      expect(world.log.filter((each) => each.event === 'logged' && each.message.includes('T1'))).toHaveLength(
        1,
      );
      expect(stepsOf(world.input, world.log).filter(({ put }) => put !== undefined)).toEqual([]);
    },
  );

  it.each([
    ['suspended, resumed and aborted', ['suspend', 'resume', 'abort']],
    ['taken over while suspended', ['suspend', 'takeOver', 'resume', 'abort']],
    ['aborted at once', ['abort']],
  ])('MC-UPL-009 follows a run that uploads and is %s', (_, commands) => {
    const upload = { kind: 'upload', target: 'sat1', component: 'files', file: { value: 7 } } as const;
    const world = new World([
      leaf('put', [
        { ...upload, content: { value: 'ab'.repeat(32) } },
        { kind: 'wait', ms: 5 },
      ]),
    ]);
    world.mayLeave = ['T1 to sat1 (gateway g does not answer)'];
    world.uploads = ['2400 of 5000 bytes of file 7 of sat1 are on board'];
    for (const command of commands) {
      if (command === 'takeOver') world.takeOver();
      else if (command === 'resume')
        world.tell({ type: 'command.resume', at: 0, by, choice: 'replay', request: 'r' });
      else if (command === 'suspend') world.tell({ type: 'command.preempt', at: 0, by, request: 'r' });
      else world.tell({ type: 'command.abort', at: 0, by, request: 'r' });
    }
    expect(world.last).toBe('finished');
    const said = world.log.filter((each) => each.event === 'logged' && each.message.startsWith('uploads: '));
    expect(said).toHaveLength(commands.filter((command) => command !== 'resume').length);
    const steps = stepsOf(world.input, world.log);
    expect(steps.map(({ record }) => record)).toEqual(world.log);
    const put = steps.filter(({ put: to }) => to !== undefined).map(({ event }) => event);
    expect(put).toEqual(commands.includes('takeOver') ? ['taken_over'] : []);
  });

  it('is shown with the states the chart went through, to its final one', () => {
    const { log, input } = eventfulRun();
    const history: EntityLog = { input, byTurn: true, steps: stepsOf(input, log) };
    const binding = { kind: 'run', version: 1, chart: runMachine } as unknown as Binding;
    const view = replay(binding, input.run, history);
    const active = view.steps.map((step) => step.active.join(' '));
    expect(active[0]).toMatch(/preparing/);
    expect(active.join(' ')).toMatch(/waitingDecision.*suspended.*recovering|waitingDecision.*suspended/);
    expect(view.final).toBe(true);
    expect(active.at(-1)).toMatch(/finished/);
  });
});

describe('the history of a long run', () => {
  const long = (lines: number): World =>
    new World([
      leaf(
        'write',
        Array.from({ length: lines }, () => ({ kind: 'log', message: ['x'] }) as const),
      ),
    ]);

  it('gives its newest events, from where the chart stood', () => {
    const { log, input } = long(1_500);
    const steps = stepsOf(input, log);
    expect([steps.length, steps[0]!.record]).toEqual([1_000, log.at(-1_000)]);
    const from = log.length - steps.length + 1;
    const binding = { kind: 'run', version: 1, chart: runMachine } as unknown as Binding;
    const view = replay(binding, input.run, { input, byTurn: true, steps, from });
    expect([view.steps[0]!.n, view.steps.at(-1)!.n, view.final]).toEqual([from, log.length, true]);
    expect(view.steps.at(-1)!.active).toContain('run.control.finished');
  });

  it('of a log that is another chart’s is shown to its end, and the chart is moved a bounded number of times', () => {
    const { log, input } = new World();
    const event = (n: number): RunEvent =>
      ({ ...log[0]!, seq: n, event: 'step_finished', path: 'elsewhere', attempt: 1, ok: true }) as never;
    const foreign = [log[0]!, ...Array.from({ length: 500 }, (_, n) => event(n + 2))];
    const steps = stepsOf(input, [
      ...foreign,
      { ...log[0]!, seq: 502, event: 'finished', ok: true } as never,
    ]);
    expect(steps).toHaveLength(502);
    expect(steps.filter(({ put }) => put !== undefined).length).toBeLessThanOrEqual(21);
    expect(steps.at(-1)!.told.at(-1)).toMatchObject({ type: 'released' });
  });
});
