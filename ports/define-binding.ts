/**
 * A binding as its owner writes it, by the types of its chart, and the one place where those are forgotten: the runtime
 * hosts every kind alike.
 *
 * B1. One handler for each effect that the chart emits, and none beside: each takes its effect and gives back an event
 *     of that chart. The store takes the records that the chart emits.
 * B2. What is forgotten here comes back as it was: a cell gives a handler only what its chart emitted under that type,
 *     and a chart only what its handlers and its owner say.
 */

import type { AnyStateMachine, ContextFrom, EmittedFrom, EventFromLogic } from 'xstate';
import type { Binding, EffectHandler, Emitted, EntityEvent, Store } from './entity.ts';

type EmittedBy<Chart extends AnyStateMachine> = Extract<EmittedFrom<Chart>, Emitted>;
type RecordOf<Chart extends AnyStateMachine> = Extract<EmittedBy<Chart>, { type: 'record' }>;
type EffectOf<Chart extends AnyStateMachine> = Exclude<EmittedBy<Chart>, { type: 'record' }>;
type EventOf<Chart extends AnyStateMachine> = Extract<EventFromLogic<Chart>, EntityEvent>;

/** One function for each effect of a chart (B1). */
export type EffectTable<Chart extends AnyStateMachine> = {
  readonly [Type in EffectOf<Chart>['type']]: EffectHandler<
    Extract<EffectOf<Chart>, { readonly type: Type }>,
    EventOf<Chart>
  >;
};

export interface BindingOf<Chart extends AnyStateMachine>
  extends Omit<Binding, 'chart' | 'store' | 'effects' | 'shownContext'> {
  readonly chart: Chart;
  readonly store: Store<RecordOf<Chart>>;
  readonly effects: EffectTable<Chart>;
  readonly shownContext?: (context: ContextFrom<Chart>) => unknown;
}

/** The binding as the runtime takes it (B2). */
export function defineBinding<Chart extends AnyStateMachine>(binding: BindingOf<Chart>): Binding<Chart> {
  return binding as unknown as Binding<Chart>;
}
