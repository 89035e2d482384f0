/**
 * One entity as the inspector shows it: of its living cell, or of its record when it has none. Architecture, "The
 * inspector".
 *
 * I1. A view is made of data that is at hand and never changes the entity; a context that cannot be read is cut, not an
 *     error.
 */

import type { AnyMachineSnapshot } from 'xstate';
import type { EntitySummary, EntityView, InspectedSnapshot } from '../../contract/inspection.ts';
import { INSPECT_CONTEXT_CHARACTERS, INSPECT_LISTED } from '../../contract/limits/inspect.ts';
import type { ArmedTimer, Envelope, PendingEffect } from '../../ports/entity.ts';
import { accepted } from './accepted.ts';
import { compileChart } from './chart.ts';
import type { InspectedBinding } from './inspected.ts';
import { readable, readableText } from './readable.ts';

/** What is known of an entity beside where its chart stands. */
export interface EntityFacts {
  readonly binding: InspectedBinding;
  readonly id: string;
  readonly instance: string;
  /** Path of the supervisor above it. */
  readonly supervisor: string;
  readonly status: EntitySummary['status'];
  readonly reason?: string | undefined;
  readonly revision: number;
  readonly epoch: number;
  readonly at: number;
  readonly timers: readonly ArmedTimer[];
  readonly effects: readonly PendingEffect[];
}

/** Characters of what one effect asks for. */
const EFFECT_CHARACTERS = 2_000;

/** The view of an entity; without a snapshot only what is known beside its chart. */
export function entityView(
  facts: EntityFacts,
  snapshot: AnyMachineSnapshot | undefined,
  now: number,
): EntityView {
  const { binding, instance, supervisor, reason, epoch } = facts;
  const chart = compileChart(binding.kind, binding.version, binding.chart);
  const none = { accepts: [], refuses: chart.events };
  return {
    ...entitySummary(facts, snapshot),
    instance,
    chart: { kind: binding.kind, version: binding.version },
    epoch,
    supervisor,
    ...(reason !== undefined && { reason: readableText(reason) }),
    active: snapshot === undefined ? [] : activeIds(snapshot),
    context: readable(shownContext(binding, snapshot?.context), INSPECT_CONTEXT_CHARACTERS),
    effects: facts.effects.slice(0, INSPECT_LISTED).map(effectView),
    timers: facts.timers.map(({ event, dueAt }) => ({ event: event.type, dueAt })),
    // Only a living actor accepts anything.
    ...(snapshot !== undefined && facts.status === 'live' ? accepted(snapshot, chart.events, now) : none),
  };
}

export function entitySummary(facts: EntityFacts, snapshot: AnyMachineSnapshot | undefined): EntitySummary {
  const { binding, id, status, revision, at } = facts;
  const targets = targetsOf(binding, id);
  const label = binding.labelOf?.(id);
  return {
    kind: binding.kind,
    id,
    ...(label !== undefined && { label }),
    ...(targets.length > 0 && { target: targets.join(', ') }),
    status,
    state: snapshot === undefined ? '' : innermost(snapshot).join(' '),
    revision,
    at,
  };
}

/** The targets an entity belongs to. */
export function targetsOf({ targetOf, targetsOf: all }: InspectedBinding, id: string): readonly string[] {
  const target = targetOf?.(id);
  return all?.(id) ?? (target === undefined ? [] : [target]);
}

/** What a person is shown of the context; one that cannot be read so is shown as it is (I1). */
export function shownContext({ shownContext: show }: InspectedBinding, context: unknown): unknown {
  try {
    return show === undefined || context === undefined ? context : show(context);
  } catch {
    return context;
  }
}

/** The snapshot in the wire form of `@statelyai/inspect`. */
export function inspectedSnapshot(
  snapshot: AnyMachineSnapshot | undefined,
  view: EntityView,
): InspectedSnapshot {
  return {
    status: snapshot?.status ?? 'stopped',
    value: snapshot?.value ?? {},
    context: view.context,
    children: {},
    tags: [...(snapshot?.tags ?? [])],
  };
}

/** Ids of the active states below the root, outermost first. */
export function activeIds(snapshot: AnyMachineSnapshot): string[] {
  const below = snapshot._nodes.filter((node) => node.parent !== undefined);
  return below.sort((a, b) => a.path.length - b.path.length || a.order - b.order).map((node) => node.id);
}

/** Whether the entity is in a state of that name: its key, its path below the root, or its id. */
export function isIn(snapshot: AnyMachineSnapshot | undefined, state: string): boolean {
  const nodes = snapshot?._nodes ?? [];
  return nodes.some((node) => node.key === state || node.path.join('.') === state || node.id === state);
}

/** Where a record says the chart stands; undefined when the chart does not know that state. */
export function recordedSnapshot(
  binding: InspectedBinding,
  envelope: Envelope,
): AnyMachineSnapshot | undefined {
  try {
    const { value, context } = envelope.snapshot as { value: never; context: never };
    return binding.chart.resolveState({ value, context });
  } catch {
    return undefined;
  }
}

function innermost(snapshot: AnyMachineSnapshot): string[] {
  const leaves = snapshot._nodes.filter((node) => Object.keys(node.states).length === 0);
  return leaves.sort((a, b) => a.order - b.order).map((node) => node.path.join('.'));
}

function effectView({ key, effect }: PendingEffect): EntityView['effects'][number] {
  const { type, ...detail } = effect;
  return { key, type, detail: readable(detail, EFFECT_CHARACTERS) };
}
