import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import { type SupervisorEffect, type SupervisorEvent, supervisorMachine } from '../../machines/supervisor.ts';

const INPUT = {
  name: 'kind',
  restarts: 3,
  quarantines: 2,
  windowMs: 1_000,
  backoff: { firstMs: 100, largestMs: 1_000 },
};

function supervisor() {
  const actor = createActor(supervisorMachine, { input: INPUT });
  const effects: SupervisorEffect[] = [];
  actor.on('*', (effect) => effects.push(effect as SupervisorEffect));
  actor.start();
  return {
    effects,
    send: (event: SupervisorEvent) => actor.send(event),
    snapshot: () => actor.getSnapshot(),
  };
}

const crash = (child: string, at: number, random = 0): SupervisorEvent => ({
  type: 'child.crashed',
  child,
  reason: 'broken',
  at,
  random,
});

describe('supervisor chart', () => {
  it('restarts with doubling delay, jitter from the event, and a largest delay (U2, U5)', () => {
    const { effects, send } = supervisor();
    send(crash('a', 0));
    send(crash('a', 1, 0.5));
    send(crash('a', 2, 1));
    expect(effects).toEqual([
      { type: 'effect.restart', child: 'a', attempt: 1, delayMs: 50 },
      { type: 'effect.restart', child: 'a', attempt: 2, delayMs: 150 },
      { type: 'effect.restart', child: 'a', attempt: 3, delayMs: 400 },
    ]);
  });

  it('quarantines a child that crashes more often than the window allows, and not one that crashes slowly (U2)', () => {
    const { effects, send, snapshot } = supervisor();
    for (const at of [0, 400, 800, 1_100]) send(crash('slow', at));
    for (const at of [0, 1, 2, 3]) send(crash('fast', at));
    expect(effects.at(-1)).toEqual({ type: 'effect.quarantine', child: 'fast', reason: 'broken' });
    expect(snapshot().context.children['fast']?.quarantined).toBe(true);
    expect(snapshot().context.children['slow']?.quarantined).toBe(false);
  });

  it('lets a quarantined child come back only by an operator (U3)', () => {
    const { effects, send, snapshot } = supervisor();
    send({ type: 'child.broken', child: 'a', reason: 'unknown version', at: 0 });
    const before = effects.length;
    send(crash('a', 1));
    send({ type: 'child.stable', child: 'a' });
    send({ type: 'operator.resume', child: 'other' });
    expect(effects).toHaveLength(before);
    send({ type: 'operator.resume', child: 'a' });
    expect(effects.at(-1)).toEqual({ type: 'effect.release', child: 'a', reset: false });
    expect(snapshot().context.children).toEqual({});
  });

  it('keeps only children in trouble in its context (U1)', () => {
    const { send, snapshot } = supervisor();
    for (let n = 0; n < 100; n += 1) send(crash(`c${n}`, n));
    for (let n = 0; n < 100; n += 1) send({ type: 'child.stable', child: `c${n}` });
    expect(snapshot().context.children).toEqual({});
  });

  it('escalates once when too many are quarantined, and then mends nothing (U4)', () => {
    const { effects, send, snapshot } = supervisor();
    for (const child of ['a', 'b', 'c', 'd']) send({ type: 'child.broken', child, reason: 'x', at: 0 });
    send(crash('e', 1));
    expect(effects.filter((effect) => effect.type === 'effect.escalate')).toHaveLength(1);
    expect(effects.filter((effect) => effect.type === 'effect.restart')).toEqual([]);
    expect(snapshot().value).toBe('escalated');
  });

  it('does not escalate for quarantines far apart (U4)', () => {
    const { effects, send } = supervisor();
    for (const [n, child] of ['a', 'b', 'c', 'd'].entries()) {
      send({ type: 'child.broken', child, reason: 'x', at: n * 600 });
    }
    expect(effects.some((effect) => effect.type === 'effect.escalate')).toBe(false);
  });

  it('mends nothing while draining', () => {
    const { effects, send } = supervisor();
    send({ type: 'operator.drain' });
    send(crash('a', 0));
    expect(effects).toEqual([]);
  });
});
