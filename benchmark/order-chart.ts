/** A small entity whose record is its snapshot, as alarms and schedules are: it takes notes and waits. */

import { assign, setup } from 'xstate';

export const orderChart = setup({
  types: {} as {
    context: { item: string; notes: number };
    events: { type: 'order.note' } | { type: 'order.close' };
    input: { item: string };
  },
}).createMachine({
  id: 'order',
  context: ({ input }) => ({ item: input.item, notes: 0 }),
  initial: 'open',
  states: {
    open: {
      on: {
        'order.note': { target: 'noted', actions: assign({ notes: ({ context }) => context.notes + 1 }) },
        'order.close': 'closed',
      },
    },
    noted: {
      on: {
        'order.note': { target: 'open', actions: assign({ notes: ({ context }) => context.notes + 1 }) },
        'order.close': 'closed',
      },
    },
    closed: { type: 'final' },
  },
});
