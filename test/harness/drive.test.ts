import { describe, expect, it } from 'vitest';
import { assign, emit, setup } from 'xstate';
import { orderMachine } from '../support/order-chart.ts';
import { doorMachine } from './example/door.ts';
import { drive, restore } from './harness.ts';

const door = () => drive(doorMachine, { input: { name: 'bay' } });

/** What the expectation says when it does not hold. */
function complaint(expectation: () => unknown): string {
  try {
    expectation();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it held');
}

/** Two regions with deadlines of their own. */
const lampMachine = setup({
  types: {} as {
    events: { type: 'press' } | { type: 'dim'; level: number };
    emitted: { type: 'effect.dim' };
  },
}).createMachine({
  id: 'lamp',
  type: 'parallel',
  states: {
    light: {
      initial: 'off',
      states: {
        off: { on: { press: 'on' } },
        on: {
          on: {
            press: 'off',
            dim: {
              guard: ({ event }) => event.level.toFixed(0) !== '0',
              actions: emit({ type: 'effect.dim' }),
            },
          },
          after: { 2000: 'off' },
        },
      },
    },
    fan: {
      initial: 'idle',
      states: { idle: { after: { 1000: 'running' } }, running: { after: { 5000: 'idle' } } },
    },
  },
});

describe('a driven chart', () => {
  it('gives an event the time of its clock unless it has one (drive.D2)', () => {
    const at = (event: { at?: number }): unknown =>
      drive(doorMachine, { input: { name: 'bay' }, at: 5_000 })
        .send({ type: 'operator.open' }, { type: 'heater.warm' }, { type: 'motor.opened', ...event })
        .takeRecords();
    expect(at({})).toEqual([{ type: 'record', state: 'OPEN', at: 5_000 }]);
    expect(at({ at: 7_000 })).toEqual([{ type: 'record', state: 'OPEN', at: 7_000 }]);
  });

  it('reads effects and records since the last look, and all of them', () => {
    const driven = door().send({ type: 'operator.open' });
    expect(driven.takeEffects()).toEqual([{ type: 'effect.heat', on: true }]);
    expect(driven.takeEffects()).toEqual([]);
    driven.send({ type: 'operator.close' });
    expect(driven.takeEffects()).toEqual([{ type: 'effect.heat', on: false }]);
    expect(driven.effects).toHaveLength(2);
    expect(driven.records).toEqual([]);
  });

  it('names states of nested and parallel charts, and is in every state around them (state-name.N1)', () => {
    const lamp = drive(lampMachine).send({ type: 'press' });
    expect(lamp.state).toBe('light.on & fan.idle');
    expect(lamp.matches('light')).toBe(true);
    lamp.expectState('light.on', 'fan');
    expect(complaint(() => lamp.expectState('light.off', 'fan.idle'))).toMatch(
      /^expected state light\.off, found light\.on & fan\.idle\n/,
    );
    // @ts-expect-error a state the chart does not have
    expect(lamp.matches('light.of')).toBe(false);
  });

  it('fires deadlines in their order and at their time', () => {
    const lamp = drive(lampMachine).send({ type: 'press' });
    expect(lamp.timers.map(({ dueAt }) => dueAt)).toEqual([1_000, 2_000]);
    lamp.toNextDeadline().expectState('light.on', 'fan.running');
    expect(lamp.now).toBe(1_000);
    lamp.advance('10 s').expectState('light.off', 'fan.running');
    expect(lamp.timers.map(({ dueAt }) => dueAt)).toEqual([12_000]);
    expect(lamp.story).toMatch(/\+6 s {2}after 5000 \(lamp\.fan\.running\) {2}-> light\.off & fan\.idle/);
  });

  it('refuses a malformed time', () => {
    expect(() => door().advance('30 m')).toThrow(/"30 m"/);
    expect(() => door().advance(-1)).toThrow('-1 is no time to wait');
    expect(complaint(() => door().toNextDeadline())).toMatch(/^expected an armed deadline/);
  });

  it('accepts what a transition lists and its guard lets pass, and asks for an example where it must', () => {
    const lamp = drive(lampMachine);
    lamp.expectAccepts(['press']).send({ type: 'press' });
    expect(complaint(() => lamp.accepts())).toMatch(/^a guard cannot judge dim: give an example of it\n/);
    lamp.expectAccepts(['press'], { type: 'dim', level: 0 });
    lamp.expectAccepts(['dim', 'press'], { type: 'dim', level: 0 }, { type: 'dim', level: 3 });
    expect(complaint(() => lamp.expectAccepts(['press'], { type: 'dim', level: 3 }))).toMatch(
      /expected to accept:\n {2}press\naccepts:\n {2}dim\n {2}press/,
    );
    expect(door().send({ type: 'operator.open' }).advance('1 min').accepts()).toEqual([]);
  });

  it('goes on after a crash with what is left of its deadlines', () => {
    door()
      .send({ type: 'operator.open' })
      .advance('50 s')
      .crash('9 s')
      .expectState('warming')
      .advance(999)
      .expectState('warming')
      .advance(1)
      .expectState('STUCK');
    door().send({ type: 'operator.open' }).crash('2 min').expectState('STUCK');
  });

  it('crashes twice without losing a deadline, and a state left cancels the one restored', () => {
    const driven = door().send({ type: 'operator.open' }).crash('1 s').crash('1 s');
    expect(driven.timers.map(({ dueAt }) => dueAt)).toEqual([60_000]);
    expect(driven.send({ type: 'operator.close' }).timers).toEqual([]);
    driven.advance('2 min').expectState('CLOSED');
  });

  it('runs no entry action again when it is restored', () => {
    const driven = door().send({ type: 'operator.open' });
    driven.takeEffects();
    driven.crash().expectEffects();
    expect(restore(doorMachine, driven.snapshot()).effects).toEqual([]);
  });

  it('refuses to save a context that a store would not give back (drive.D3)', () => {
    const chart = setup({ types: {} as { context: { call: () => number } } }).createMachine({
      context: { call: () => 1 },
    });
    expect(complaint(() => drive(chart).snapshot())).toMatch(/context\.call|cannot be stored/);
  });

  it('throws with the cause when the chart fails, at the event that did it', () => {
    const driven = drive(orderMachine, { input: { item: 'battery' } }).send({ type: 'order.pay' });
    const message = complaint(() => driven.send({ type: 'order.explode' }));
    expect(message).toMatch(/^the chart failed at order\.explode: the chart is broken\n/);
    expect(message).toMatch(/order\.pay {2}-> charging/);
  });

  it('throws when the chart fails at a deadline or at its start', () => {
    const broken = (at: 'entry' | 'after') =>
      setup({
        actions: {
          fail: () => {
            throw new Error('broken');
          },
        },
      }).createMachine(at === 'entry' ? { entry: 'fail' } : { id: 'm', after: { 10: { actions: 'fail' } } });
    expect(complaint(() => drive(broken('entry')))).toMatch(/^the chart failed at start: broken/);
    expect(complaint(() => drive(broken('after')).advance(10))).toMatch(
      /^the chart failed at after 10 \(m\): broken/,
    );
  });

  it('reports the path so far when something else was expected', () => {
    const driven = door()
      .send({ type: 'operator.open' })
      .advance('1 s')
      .send({ type: 'motor.stuck', reason: 'ice' });
    expect(complaint(() => driven.expectState('opening'))).toBe(
      [
        'expected state opening, found warming',
        'The path so far:',
        '  +0 s  start  -> CLOSED',
        '  +0 s  operator.open  -> warming',
        '      emits effect.heat { on: true }',
        '  +1 s  1 s pass  stays in warming',
        "  +1 s  motor.stuck { reason: 'ice' }  stays in warming",
      ].join('\n'),
    );
    expect(complaint(() => driven.expectEffects({ type: 'effect.heat', on: false }))).toMatch(
      /^expected effects:\n {2}effect\.heat \{ on: false \}\nfound:\n {2}effect\.heat \{ on: true \}\n/,
    );
    expect(complaint(() => driven.expectRecords({ type: 'record', state: 'OPEN', at: 1 }))).toMatch(
      /found:\n {2}nothing/,
    );
    expect(complaint(() => door().expectEffects('effect.heat'))).toMatch(/^expected effects/);
  });

  it('gives nothing to a chart that has ended, and says so', () => {
    const driven = door().send({ type: 'operator.open' }).advance('1 min').send({ type: 'operator.open' });
    expect(driven.ended).toBe(true);
    expect(driven.story).toMatch(/operator\.open {2}ignored: the chart has ended/);
    driven.crash('1 s').expectState('STUCK').expectAccepts([]);
  });

  it('keeps charts apart that were started from the same one', () => {
    const counter = setup({
      types: {} as { context: { n: number }; events: { type: 'more' } },
    }).createMachine({
      context: { n: 0 },
      on: { more: { actions: assign({ n: ({ context }) => context.n + 1 }) } },
    });
    const [one, other] = [drive(counter), drive(counter)];
    one.send({ type: 'more' }, { type: 'more' });
    expect([one.context.n, other.context.n]).toEqual([2, 0]);
  });

  it('knows the events of the chart when it is typed', () => {
    // @ts-expect-error motor.stuck carries a reason
    door().send({ type: 'motor.stuck' });
    // @ts-expect-error no such event
    door().send({ type: 'motor.melted' });
    // @ts-expect-error no such effect
    expect(() => door().expectEffects('effect.cool')).toThrow();
    // @ts-expect-error the door has a name
    drive(doorMachine, { input: {} });
  });
});
