import { describe, expect, it } from 'vitest';
import { createActor, setup } from 'xstate';
import { accepted } from '../../../supervision/inspection/accepted.ts';
import { activeIds, isIn } from '../../../supervision/inspection/entity-view.ts';
import { readable } from '../../../supervision/inspection/readable.ts';

describe('a context made readable', () => {
  it('shows as text what is no JSON', () => {
    const context = {
      big: 12n,
      at: new Date(0),
      bytes: Uint8Array.of(1, 255),
      map: new Map([['a', 1]]),
      set: new Set(['b']),
      failure: new TypeError('no'),
      act: () => undefined,
      nothing: undefined,
      none: Number.NaN,
    };
    expect(readable(context, 10_000)).toEqual({
      big: '12',
      at: '1970-01-01T00:00:00.000Z',
      bytes: '01ff',
      map: { a: 1 },
      set: ['b'],
      failure: 'TypeError: no',
      act: '(function)',
      none: 'NaN',
    });
  });

  it('cuts what is long, deep or holds itself, and never exceeds its bound by much', () => {
    const round: Record<string, unknown> = { name: 'x'.repeat(5_000) };
    round['self'] = round;
    expect(readable(round, 10_000)).toEqual({
      name: expect.stringContaining('… (4000 more)'),
      self: '(itself)',
    });
    let deep: unknown = 'end';
    for (let n = 0; n < 100; n += 1) deep = [deep];
    expect(JSON.stringify(readable(deep, 10_000))).toContain('…');
    const wide = Array.from({ length: 100_000 }, (_, n) => ({ n, text: 'abc' }));
    const shown = JSON.stringify(readable(wide, 5_000));
    expect(shown.length).toBeLessThan(10_000);
    expect(shown).toContain('more)');
  });

  it('is bounded in bytes, whatever they are: a message on the bus is', () => {
    for (const sign of ['\u0000', 'Ж', '😀']) {
      const shown = readable({ [sign.repeat(500)]: Array(200).fill(sign.repeat(400)) }, 20_000);
      expect(Buffer.byteLength(JSON.stringify(shown))).toBeLessThan(30_000);
    }
  });

  it('survives a value that cannot be read', () => {
    const trap = {
      get broken(): never {
        throw new Error('no');
      },
    };
    expect(readable({ trap, ok: 1 }, 1_000)).toMatchObject({
      ok: 1,
      trap: expect.stringContaining('unreadable'),
    });
  });
});

const door = setup({
  types: {} as {
    events:
      | { type: 'door.open' }
      | { type: 'door.close' }
      | { type: 'door.unlock'; code: { digits: string } }
      | { type: 'door.knock'; times: number }
      | { type: 'door.paint' };
  },
  guards: {
    never: () => false,
    knownCode: ({ event }) => event.type === 'door.unlock' && event.code.digits === '1234',
    loud: ({ event }) => event.type === 'door.knock' && event.times > 3,
  },
}).createMachine({
  id: 'door',
  initial: 'shut',
  states: {
    shut: {
      initial: 'locked',
      on: { 'door.open': '.ajar', 'door.paint': { guard: 'never', target: '.ajar' } },
      states: {
        locked: {
          on: {
            'door.unlock': { guard: 'knownCode', target: 'ajar' },
            'door.knock': { guard: 'loud', target: 'ajar' },
          },
        },
        ajar: { on: { 'door.close': 'locked' } },
      },
    },
  },
});

describe('what an entity would accept now', () => {
  const snapshot = createActor(door).start().getSnapshot();
  const types = ['door.close', 'door.knock', 'door.open', 'door.paint', 'door.unlock'];

  it('takes an event whose guard needs its content for one that may be accepted, also when the guard throws without it', () => {
    expect(accepted(snapshot as never, types, 0)).toEqual({
      accepts: ['door.knock', 'door.open', 'door.unlock'],
      refuses: ['door.close', 'door.paint'],
    });
  });

  it('names the active states outermost first, and finds an entity by any of them', () => {
    expect(activeIds(snapshot as never)).toEqual(['door.shut', 'door.shut.locked']);
    for (const name of ['shut', 'locked', 'shut.locked', 'door.shut'])
      expect(isIn(snapshot as never, name)).toBe(true);
    expect(isIn(snapshot as never, 'ajar')).toBe(false);
  });
});
