/** A small entity for the tests of the runtime: an order that is paid, shipped, and given up when nobody answers. */

import { assign, emit, setup } from 'xstate';
import { defineBinding, type EffectTable } from '../../ports/define-binding.ts';
import type { Binding, Store } from '../../ports/entity.ts';

export type OrderEffect =
  | { readonly type: 'effect.charge'; readonly item: string }
  | { readonly type: 'effect.ship'; readonly item: string };

export type OrderEvent =
  | { type: 'order.pay' }
  | { type: 'charge.done' }
  | { type: 'charge.slow' }
  | { type: 'ship.done' }
  | { type: 'order.note'; note: string }
  | { type: 'order.explode' };

export const orderMachine = setup({
  types: {} as {
    context: { item: string; notes: readonly string[] };
    events: OrderEvent;
    emitted: OrderEffect;
    input: { item: string };
  },
  actions: {
    explode: () => {
      throw new Error('the chart is broken');
    },
  },
}).createMachine({
  id: 'order',
  context: ({ input }) => ({ item: input.item, notes: [] }),
  initial: 'open',
  on: {
    'order.note': { actions: assign({ notes: ({ context, event }) => [...context.notes, event.note] }) },
    'order.explode': { actions: 'explode' },
  },
  states: {
    open: { on: { 'order.pay': 'charging' } },
    charging: {
      entry: emit(({ context }) => ({ type: 'effect.charge', item: context.item })),
      on: { 'charge.done': 'shipping' },
      after: { 10000: 'givenUp' },
    },
    shipping: {
      entry: emit(({ context }) => ({ type: 'effect.ship', item: context.item })),
      on: { 'ship.done': 'shipped' },
    },
    shipped: { type: 'final' },
    givenUp: { type: 'final' },
  },
});

type Handlers = Partial<EffectTable<typeof orderMachine>>;

/** The binding of orders; effects without a handler never answer. */
export function orderBinding(store: Store, handlers: Handlers = {}, more: Partial<Binding> = {}): Binding {
  const never = (): Promise<undefined> => new Promise(() => undefined);
  const binding = defineBinding({
    kind: 'order',
    version: 1,
    chart: orderMachine,
    store,
    durability: 'snapshot',
    effects: { 'effect.charge': never, 'effect.ship': never, ...handlers },
    restart: 'transient',
    idleMs: null,
    migrations: {},
  });
  return { ...binding, ...more };
}
