import { describe, expect, it } from 'vitest';
import { and, assign, createMachine, emit, not, setup } from 'xstate';
import { telecommandMachine } from '../../../machines/telecommand/telecommand.ts';
import { compileChart } from '../../../supervision/inspection/chart.ts';

const lamp = setup({
  types: {} as { events: { type: 'lamp.switch' } | { type: 'lamp.break' } },
  guards: { isDark: () => true, isBroken: () => false },
  delays: { coolingTime: () => 5 },
}).createMachine({
  id: 'lamp',
  type: 'parallel',
  states: {
    light: {
      initial: 'off',
      states: {
        off: {
          description: 'Nothing glows.',
          entry: [assign({}), emit({ type: 'effect.dim' } as never)],
          on: { 'lamp.switch': { guard: and(['isDark', not('isBroken')]), target: 'on' } },
        },
        on: {
          after: { 30000: 'off', 90500: 'off', coolingTime: 'off' },
          always: { guard: 'isBroken', target: 'off' },
        },
      },
    },
    fuse: {
      initial: 'whole',
      states: { whole: { on: { '*': { actions: () => undefined } } }, burnt: { type: 'final' } },
    },
  },
});

describe('a chart as data', () => {
  const { view, events } = compileChart('lamp', 3, lamp as never);

  it('has every state with its id, type and place', () => {
    expect(view.root).toMatchObject({ id: 'lamp', type: 'parallel', initial: false });
    const [light, fuse] = view.root.children;
    expect(light).toMatchObject({ id: 'lamp.light', type: 'compound' });
    expect(light!.children.map(({ id, initial, type }) => [id, initial, type])).toEqual([
      ['lamp.light.off', true, 'atomic'],
      ['lamp.light.on', false, 'atomic'],
    ]);
    expect(light!.children[0]).toMatchObject({ description: 'Nothing glows.', entry: ['assign', 'emit'] });
    expect(fuse!.children[1]).toMatchObject({ key: 'burnt', type: 'final' });
  });

  it('names events, guards and actions as a person reads them, and nothing that the runtime adds for deadlines', () => {
    const read = view.edges.map(({ event, guard, actions }) => [event, guard, ...actions]);
    expect(read).toEqual([
      ['lamp.switch', 'isDark and not isBroken'],
      ['always', 'isBroken'],
      ['after 30 s', undefined],
      ['after 1 min 30.5 s', undefined],
      ['after cooling time', undefined],
      ['any event', undefined, 'action'],
    ]);
    expect(view.root.children[0]!.children[1]).toMatchObject({ entry: [], exit: [] });
    expect(events).toEqual(['lamp.switch']);
  });

  it('gives each edge an id of its own that says where it comes from', () => {
    const { view: flown } = compileChart('telecommand', 1, telecommandMachine as never);
    const ids = flown.edges.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('telecommand.ENCODED|gateway.unknown|1');
    expect(flown.edges.find(({ id }) => id === 'telecommand.ENCODED|gateway.unknown|1')).toMatchObject({
      source: 'telecommand.ENCODED',
      target: 'telecommand.SEND_FAILED',
    });
  });

  it('is compiled once per machine, and its digest changes with the chart', () => {
    expect(compileChart('lamp', 3, lamp as never).view).toBe(view);
    // Whoever compiled it first under another name or version does not decide what it is called.
    expect(compileChart('lamp', 4, lamp as never).view).toMatchObject({ kind: 'lamp', version: 4 });
    expect(compileChart('torch', 3, lamp as never).view).toMatchObject({ kind: 'torch', version: 3 });
    const of = (target: string) =>
      compileChart(
        'x',
        1,
        createMachine({ id: 'x', initial: 'a', states: { a: { on: { go: target } }, b: {}, c: {} } }),
      ).view.digest;
    expect(of('b')).toBe(of('b'));
    expect(of('b')).not.toBe(of('c'));
  });

  it('carries the definition in the order it was written in', () => {
    const { states } = JSON.parse(view.definition) as { states: object };
    expect(Object.keys(states)).toEqual(['light', 'fuse']);
  });
});
