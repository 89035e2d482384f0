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
    expect(driven.effects.filter((effect) => effect.type === 'effect.escalate')).toHaveLength(1);
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
