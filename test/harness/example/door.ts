/** A chart of your own: a door with a heater, which asks for what it wants by effects and records what happened. */

import { assign, emit, setup } from 'xstate';

export type DoorEvent =
  | { type: 'operator.open'; at: number }
  | { type: 'operator.close'; at: number }
  | { type: 'heater.warm'; at: number }
  | { type: 'motor.opened'; at: number }
  | { type: 'motor.stuck'; at: number; reason: string };

type DoorEmitted =
  | { type: 'effect.heat'; on: boolean }
  | { type: 'effect.drive'; direction: 'open' | 'close' }
  | { type: 'record'; state: string; at: number };

export const doorMachine = setup({
  types: {} as {
    context: { name: string; attempts: number };
    events: DoorEvent;
    emitted: DoorEmitted;
    input: { name: string };
  },
  guards: { mayTryAgain: ({ context }) => context.attempts < 2 },
  delays: { warmUp: 60_000 },
  actions: {
    heat: emit((_, { on }: { on: boolean }) => ({ type: 'effect.heat', on })),
    drive: emit((_, { direction }: { direction: 'open' | 'close' }) => ({ type: 'effect.drive', direction })),
    record: emit(({ event }, { state }: { state: string }) => ({
      type: 'record',
      state,
      at: 'at' in event ? event.at : 0,
    })),
  },
}).createMachine({
  id: 'door',
  context: ({ input }) => ({ name: input.name, attempts: 0 }),
  initial: 'CLOSED',
  states: {
    CLOSED: { on: { 'operator.open': 'warming' } },
    warming: {
      entry: { type: 'heat', params: { on: true } },
      exit: { type: 'heat', params: { on: false } },
      on: { 'heater.warm': 'opening', 'operator.close': 'CLOSED' },
      after: { warmUp: 'STUCK' },
    },
    opening: {
      entry: [
        assign({ attempts: ({ context }) => context.attempts + 1 }),
        { type: 'drive', params: { direction: 'open' } },
      ],
      on: {
        'motor.opened': 'OPEN',
        'motor.stuck': [{ guard: 'mayTryAgain', target: 'warming' }, { target: 'STUCK' }],
      },
    },
    OPEN: { entry: { type: 'record', params: { state: 'OPEN' } }, type: 'final' },
    STUCK: { entry: { type: 'record', params: { state: 'STUCK' } }, type: 'final' },
  },
});
