import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { doorMachine } from './example/door.ts';
import { type EventOf, explore, type Row, walkTable } from './harness.ts';

const INPUT = { name: 'bay' };
const EVENTS: EventOf<typeof doorMachine>[] = [
  { type: 'operator.open' },
  { type: 'operator.close' },
  { type: 'heater.warm' },
  { type: 'motor.opened' },
  { type: 'motor.stuck', reason: 'ice' },
];

const ROWS: Row<typeof doorMachine>[] = [
  { from: 'CLOSED', on: { type: 'operator.open' }, to: 'warming' },
  { from: 'warming', on: { type: 'heater.warm' }, to: 'opening' },
  { from: 'warming', on: { type: 'operator.close' }, to: 'CLOSED' },
  { from: 'warming', on: 'deadline', to: 'STUCK' },
  { from: 'opening', on: { type: 'motor.opened' }, to: 'OPEN' },
];

describe('explore', () => {
  it('finds a shortest path to every state, deadlines included', () => {
    const explored = explore(doorMachine, { input: INPUT, events: EVENTS });
    expect(explored.paths.map(({ state, steps }) => [state, steps.length])).toEqual([
      ['CLOSED', 0],
      ['warming', 1],
      ['opening', 2],
      ['STUCK', 2],
      ['OPEN', 3],
    ]);
    expect(explored.to('STUCK').steps.at(-1)).toEqual({ deadline: 'after warmUp (door.warming)' });
    explored.to('OPEN').drive().expectState('OPEN');
  });

  it('lists the states that no path reaches, and says what can be reached instead', () => {
    const explored = explore(doorMachine, { input: INPUT, events: EVENTS.slice(0, 2) });
    expect(explored.unreached).toEqual(['opening', 'OPEN']);
    expect(() => explored.to('OPEN')).toThrow(
      'no path leads to OPEN; these states can be reached: CLOSED, warming, STUCK',
    );
  });

  it('counts a state that is left in the same step as reached', () => {
    const chart = setup({ types: {} as { events: { type: 'go' } } }).createMachine({
      initial: 'a',
      states: { a: { on: { go: 'b' } }, b: { always: 'c' }, c: {}, d: {} },
    });
    const explored = explore(chart, { events: [{ type: 'go' }] });
    expect(explored.states).toEqual(['a', 'c']);
    expect(explored.unreached).toEqual(['d']);
  });

  it('checks an invariant on each step out of each state and shows the path that breaks it', () => {
    const explored = explore(doorMachine, { input: INPUT, events: EVENTS });
    let calls = 0;
    explored.everyPath(() => {
      calls += 1;
    });
    expect(calls).toBe(5 * EVENTS.length + 1);
    const never = (): unknown =>
      explored.everyPath(({ to }) => {
        if (to === 'OPEN') throw new Error('the door must stay closed');
      });
    expect(never).toThrow(
      /^the door must stay closed\nThe path so far:[\s\S]*heater\.warm[\s\S]*motor\.opened {2}-> OPEN/,
    );
  });

  it('says of an edge what was emitted, and whether anything came of it', () => {
    const { edges } = explore(doorMachine, { input: INPUT, events: EVENTS });
    const edge = (from: string, type: string) =>
      edges.find((each) => each.from === from && 'send' in each.step && each.step.send.type === type);
    expect(edge('warming', 'heater.warm')).toMatchObject({
      to: 'opening',
      moved: true,
      ended: false,
      effects: [
        { type: 'effect.heat', on: false },
        { type: 'effect.drive', direction: 'open' },
      ],
      before: { attempts: 0 },
      after: { attempts: 1 },
    });
    expect(edge('CLOSED', 'heater.warm')).toMatchObject({ to: 'CLOSED', moved: false, effects: [] });
    expect(edge('OPEN', 'operator.close')).toMatchObject({ to: 'OPEN', moved: false, ended: true });
  });

  it('tells contexts apart when asked to, within the limit (explore.G2)', () => {
    const options = {
      input: INPUT,
      events: EVENTS,
      distinguish: ({ context }: { context: { attempts: number } }) => `${context.attempts}`,
    };
    expect(explore(doorMachine, options).paths.length).toBeGreaterThan(5);
    expect(() => explore(doorMachine, { ...options, limit: 4 })).toThrow('more than 4 states');
  });

  it('lets time pass between events where asked to', () => {
    const waits = explore(doorMachine, {
      input: INPUT,
      events: [{ type: 'operator.open' }],
      waits: ['30 s'],
    });
    const waited = waits.edges.filter(({ from, step }) => from === 'warming' && 'wait' in step);
    expect(waited).toMatchObject([{ to: 'warming', moved: false }]);
  });

  it('finds the same in the same order each time (explore.G1)', () => {
    const found = () => explore(doorMachine, { input: INPUT, events: EVENTS }).edges;
    expect(found()).toEqual(found());
  });
});

describe('a transition table', () => {
  const walk = (rows: readonly Row<typeof doorMachine>[], alien: EventOf<typeof doorMachine>[] = []) =>
    walkTable(doorMachine, { input: INPUT, rows, alien });

  it('holds when listed pairs go where it says and unlisted ones stay put', () => {
    expect(walk(ROWS)).toEqual({
      states: ['CLOSED', 'warming', 'opening', 'STUCK', 'OPEN'],
      listed: 5,
      unlisted: 16,
    });
  });

  it('fails with every pair that differs (transition-table.W2)', () => {
    const wrong = ROWS.map((row) => (row.on === 'deadline' ? { ...row, to: 'CLOSED' as const } : row)).slice(
      0,
      -1,
    );
    expect(() => walk(wrong, [{ type: 'motor.opened' }])).toThrow(
      [
        '2 pairs differ from the table:',
        '  warming, after warmUp (door.warming): expected CLOSED, found STUCK',
        '  opening, motor.opened: unlisted, goes to OPEN',
      ].join('\n'),
    );
  });

  it('fails when an unlisted deadline fires, or a row applies nowhere (transition-table.W1)', () => {
    const rows: Row<typeof doorMachine>[] = [
      { from: 'CLOSED', on: { type: 'operator.open' }, to: 'warming' },
      { from: 'opening', on: { type: 'motor.opened' }, to: 'OPEN' },
    ];
    expect(() => walk(rows)).toThrow(/warming, after warmUp \(door\.warming\): unlisted, goes to STUCK/);
    expect(() => walk(rows)).toThrow(/opening, motor\.opened: no path leads to a state where it applies/);
  });
});
