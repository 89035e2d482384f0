/**
 * What a binding cannot be written as: each `@ts-expect-error` below is a mistake that the compiler finds, and the
 * check of types fails where it does not. Nothing of this runs but the last test.
 */

import { describe, expect, it } from 'vitest';
import { assign, emit, setup } from 'xstate';
import { type BindingOf, defineBinding } from '../../ports/define-binding.ts';
import type { Store } from '../../ports/entity.ts';

type LampEvent = { type: 'operator.press'; at: number } | { type: 'relay.closed'; volts: number };
type LampEffect = { type: 'effect.close'; relay: string } | { type: 'effect.report'; lit: boolean };
interface LampRecord {
  type: 'record';
  state: 'LIT';
}

const lamp = setup({
  types: {} as { context: { volts: number }; events: LampEvent; emitted: LampEffect | LampRecord },
}).createMachine({
  context: { volts: 0 },
  initial: 'dark',
  states: {
    dark: {
      on: { 'operator.press': { target: 'closing', actions: emit({ type: 'effect.close', relay: 'k1' }) } },
    },
    closing: {
      on: { 'relay.closed': { target: 'lit', actions: assign({ volts: ({ event }) => event.volts }) } },
    },
    lit: { entry: emit({ type: 'record', state: 'LIT' }) },
  },
});

type Lamp = BindingOf<typeof lamp>;

const store: Store<LampRecord> = {
  load: async () => undefined,
  commit: async ({ position, records }) => ({ outcome: 'committed', position: position + records.length }),
};
const good: Lamp = {
  kind: 'lamp',
  version: 1,
  chart: lamp,
  store,
  durability: 'log',
  restart: 'transient',
  idleMs: null,
  migrations: {},
  effects: {
    'effect.close': async ({ relay }) => ({ type: 'relay.closed', volts: relay.length }),
    'effect.report': () => undefined,
  },
};

const mistakes: readonly (() => unknown)[] = [
  (): Lamp['effects'] => ({
    ...good.effects,
    // @ts-expect-error the effect has no such field
    'effect.close': async ({ relais }) => ({ type: 'relay.closed', volts: relais }),
  }),
  (): Lamp['effects'] => ({
    ...good.effects,
    // @ts-expect-error the handler of another effect
    'effect.close': ({ lit }: { type: 'effect.report'; lit: boolean }) => void lit,
  }),
  (): Lamp['effects'] => ({
    ...good.effects,
    // @ts-expect-error no event of this chart
    'effect.close': async () => ({ type: 'relay.burnt' }),
  }),
  (): Lamp['effects'] => ({
    ...good.effects,
    // @ts-expect-error an event of this chart without what it carries
    'effect.close': async () => ({ type: 'relay.closed' }),
  }),
  // @ts-expect-error an effect that nobody carries out
  (): Lamp['effects'] => ({ 'effect.close': () => undefined }),
  (): Lamp['effects'] => ({
    ...good.effects,
    // @ts-expect-error an effect that the chart does not emit
    'effect.open': () => undefined,
  }),
  (): Lamp => ({
    ...good,
    // @ts-expect-error a store of other records
    store: store as unknown as Store<{ type: 'record'; reading: number }>,
  }),
  (): Lamp => ({
    ...good,
    // @ts-expect-error no field of the context
    shownContext: ({ amperes }) => amperes,
  }),
  () =>
    defineBinding({
      ...good,
      effects: {
        ...good.effects,
        // @ts-expect-error no event of this chart, where the types are inferred
        'effect.close': async () => ({ type: 'relay.burnt' }),
      },
    }),
];

describe('a binding', () => {
  it('define-binding.B1 fits the types of its chart, or does not compile', () => {
    expect(mistakes).toHaveLength(9);
  });

  it('define-binding.B2 is what was written, whatever is forgotten of its types', async () => {
    const binding = defineBinding(good);
    expect(binding).toBe(good);
    const run = { id: 'l', key: 'lamp:l:1:0', epoch: 1, signal: new AbortController().signal };
    expect(
      await binding.effects['effect.close']?.({ type: 'effect.close', relay: 'k1' } as never, run),
    ).toEqual({
      type: 'relay.closed',
      volts: 2,
    });
  });
});
