/** A small entity for the tests of the runtime: an order that is paid, shipped, and given up when nobody answers. */

import { assign, emit, setup } from 'xstate';
import type { Binding, Emitted, EntityEvent, Store } from '../../ports/entity.ts';

export interface OrderEffect extends Emitted {
  readonly type: 'effect.charge' | 'effect.ship';
  readonly item: string;
}

export const orderMachine = setup({
  types: {} as {
    context: { item: string; notes: readonly string[] };
    events:
      | { type: 'order.pay' }
      | { type: 'charge.done' }
      | { type: 'charge.slow' }
      | { type: 'ship.done' }
      | { type: 'order.note'; note: string }
      | { type: 'order.explode' };
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

type Handlers = Partial<
  Record<
    OrderEffect['type'],
    (effect: OrderEffect, run: { key: string }) => Promise<EntityEvent | undefined> | EntityEvent | undefined
  >
>;

/** The binding of orders; effects without a handler never answer. */
export function orderBinding(store: Store, handlers: Handlers = {}, more: Partial<Binding> = {}): Binding {
  const never = (): Promise<undefined> => new Promise(() => undefined);
  return {
    kind: 'order',
    version: 1,
    chart: orderMachine,
    store,
    durability: 'snapshot',
    effects: { 'effect.charge': never, 'effect.ship': never, ...handlers } as unknown as Binding['effects'],
    restart: 'transient',
    idleMs: null,
    migrations: {},
    ...more,
  };
}
