import { describe, expect, it } from 'vitest';
import { type SupervisorEvent, supervisorMachine } from '../../../machines/supervisor/supervisor.ts';
import { drive, explore } from '../../harness/harness.ts';

const INPUT = {
  name: 'kind',
  restarts: 3,
  quarantines: 2,
  windowMs: 1_000,
  backoff: { firstMs: 100, largestMs: 1_000 },
};

const supervisor = () => drive(supervisorMachine, { input: INPUT });

const crash = (child: string, at: number, random = 0): SupervisorEvent => ({
  type: 'child.crashed',
  child,
  reason: 'broken',
  at,
  random,
});

describe('supervisor chart', () => {
  it('restarts with doubling delay, jitter from the event, and a largest delay (supervisor.U2, U5)', () => {
    supervisor()
      .send(crash('a', 0), crash('a', 1, 0.5), crash('a', 2, 1))
      .expectEffects(
        { type: 'effect.restart', child: 'a', attempt: 1, delayMs: 50 },
        { type: 'effect.restart', child: 'a', attempt: 2, delayMs: 150 },
        { type: 'effect.restart', child: 'a', attempt: 3, delayMs: 400 },
      );
  });

  it('no delay is larger than the largest (supervisor.U2)', () => {
    const input = { ...INPUT, restarts: 6 };
    const driven = drive(supervisorMachine, { input });
    for (let n = 0; n < 6; n += 1) driven.send(crash('a', n, 1));
    const delays = driven.effects.map((effect) => (effect.type === 'effect.restart' ? effect.delayMs : 0));
    expect(delays).toEqual([100, 200, 400, 800, 1_000, 1_000]);
    expect(driven.send(crash('a', 6)).effects.at(-1)).toMatchObject({ type: 'effect.quarantine' });
  });

  it('what is as old as the window counts no more, what is a millisecond younger does (supervisor.U2, U4)', () => {
    const last = (at: number) =>
      supervisor().send(crash('a', 0), crash('a', 0), crash('a', 0), crash('a', at));
    expect(last(INPUT.windowMs).effects.at(-1)).toMatchObject({ type: 'effect.restart', attempt: 1 });
    expect(last(INPUT.windowMs).context.children['a']?.crashes).toEqual([INPUT.windowMs]);
    expect(last(INPUT.windowMs - 1).effects.at(-1)).toMatchObject({ type: 'effect.quarantine' });
    const third = (at: number) => {
      const broken = (child: string, when: number): SupervisorEvent => ({
        type: 'child.broken',
        child,
        reason: 'x',
        at: when,
      });
      return supervisor().send(broken('a', 0), broken('b', 0), broken('c', at)).state;
    };
    expect([third(INPUT.windowMs), third(INPUT.windowMs - 1)]).toEqual(['running', 'escalated']);
  });

  it('a child that was stable, or has ended, begins again from the first delay (supervisor.U1, U2)', () => {
    for (const type of ['child.stable', 'child.ended'] as const) {
      const driven = supervisor().send(crash('a', 0), crash('b', 0), crash('a', 1), { type, child: 'a' });
      expect(driven.send(crash('a', 2)).effects.at(-1)).toMatchObject({ child: 'a', attempt: 1 });
      expect(Object.keys(driven.context.children).sort()).toEqual(['a', 'b']);
    }
  });

  it('a quarantined child that has ended is as any other (supervisor.U3)', () => {
    const driven = supervisor().send({ type: 'child.broken', child: 'a', reason: 'x', at: 0 });
    driven.send({ type: 'child.ended', child: 'a' }, crash('a', 1));
    expect(driven.effects.at(-1)).toMatchObject({ type: 'effect.restart', attempt: 1 });
    driven.send(
      { type: 'child.broken', child: 'a', reason: 'x', at: 2 },
      { type: 'operator.reset', child: 'a' },
    );
    expect(driven.effects.at(-1)).toEqual({ type: 'effect.release', child: 'a', reset: true });
  });

  it('quarantines a child that crashes more often than the window allows, and not one that crashes slowly (supervisor.U2)', () => {
    const driven = supervisor();
    for (const at of [0, 400, 800, 1_100]) driven.send(crash('slow', at));
    for (const at of [0, 1, 2, 3]) driven.send(crash('fast', at));
    expect(driven.effects.at(-1)).toEqual({ type: 'effect.quarantine', child: 'fast', reason: 'broken' });
    expect(driven.context.children['fast']?.quarantined).toBe(true);
    expect(driven.context.children['slow']?.quarantined).toBe(false);
  });

  it('lets a quarantined child come back only by an operator (supervisor.U3)', () => {
    const driven = supervisor().send({ type: 'child.broken', child: 'a', reason: 'unknown version', at: 0 });
    driven.takeEffects();
    driven
      .send(crash('a', 1), { type: 'child.stable', child: 'a' }, { type: 'operator.resume', child: 'other' })
      .expectEffects()
      .send({ type: 'operator.resume', child: 'a' })
      .expectEffects({ type: 'effect.release', child: 'a', reset: false });
    expect(driven.context.children).toEqual({});
  });

  it('offers resume and reset for a quarantined child and for no other (supervisor.U3)', () => {
    const [resume, reset] = [
      { type: 'operator.resume', child: 'a' },
      { type: 'operator.reset', child: 'a' },
    ] as const;
    const driven = supervisor();
    expect(
      driven.accepts(resume, reset, crash('a', 0), { type: 'child.broken', child: 'a', reason: 'x' }),
    ).not.toEqual(expect.arrayContaining(['operator.resume', 'operator.reset']));
    driven.send({ type: 'child.broken', child: 'a', reason: 'x' });
    driven.expectAccepts(
      ['child.ended', 'operator.drain', 'operator.reset', 'operator.resume'],
      resume,
      reset,
      crash('a', 1),
      { type: 'child.broken', child: 'a', reason: 'x' } as const,
      { type: 'child.stable', child: 'a' },
    );
  });

  it('keeps only children in trouble in its context (supervisor.U1)', () => {
    const driven = supervisor();
    for (let n = 0; n < 100; n += 1) driven.send(crash(`c${n}`, n));
    for (let n = 0; n < 100; n += 1) driven.send({ type: 'child.stable', child: `c${n}` });
    expect(driven.context.children).toEqual({});
  });

  it('escalates once when too many are quarantined, and then repairs nothing (supervisor.U4)', () => {
    const driven = supervisor();
    for (const child of ['a', 'b', 'c', 'd'])
      driven.send({ type: 'child.broken', child, reason: 'x', at: 0 });
    driven.send(crash('e', 1)).expectState('escalated');
    expect(driven.effects.filter((effect) => effect.type === 'effect.escalate')).toEqual([
      { type: 'effect.escalate', reason: 'kind: 3 children, at last c kept failing within 1 s: x' },
    ]);
    expect(driven.effects.filter((effect) => effect.type === 'effect.restart')).toEqual([]);
  });

  it('does not escalate for quarantines far apart (supervisor.U4)', () => {
    const driven = supervisor();
    for (const [n, child] of ['a', 'b', 'c', 'd'].entries()) {
      driven.send({ type: 'child.broken', child, reason: 'x', at: n * 600 });
    }
    expect(driven.effects.some((effect) => effect.type === 'effect.escalate')).toBe(false);
  });

  it('repairs nothing while draining', () => {
    supervisor().send({ type: 'operator.drain' }, crash('a', 0)).expectState('draining').expectEffects();
  });

  it('does as it would have done when it is stored and restored in between', () => {
    const events: SupervisorEvent[] = [
      crash('a', 0),
      crash('a', 1),
      crash('a', 2),
      crash('a', 3),
      crash('b', 4),
    ];
    const through = supervisor().send(...events);
    const interrupted = supervisor();
    for (const event of events) interrupted.send(event).crash();
    expect(interrupted.effects).toEqual(through.effects);
    expect(interrupted.context).toEqual(through.context);
  });

  it('reaches each of its states, and whatever happens asks for nothing once it has given up (supervisor.U4)', () => {
    const explored = explore(supervisorMachine, {
      input: { ...INPUT, restarts: 1, quarantines: 1 },
      events: [
        ...['a', 'b'].flatMap((child): SupervisorEvent[] => [
          crash(child, 0),
          { type: 'child.broken', child, reason: 'x', at: 0 },
          { type: 'child.stable', child },
          { type: 'child.ended', child },
          { type: 'operator.resume', child },
          { type: 'operator.reset', child },
        ]),
        { type: 'operator.drain' },
      ],
      distinguish: ({ context }) => JSON.stringify([context.children, context.quarantinedAt]),
    });
    expect(explored.unreached).toEqual([]);
    explored.everyPath(({ from, to, effects }) => {
      if (from === 'running') return;
      expect(to).toBe(from);
      expect(effects).toEqual([]);
    });
  });
});
