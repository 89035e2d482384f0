/** The present of an entity of this process, from its kind: its cell if it has one, its record if not. */

import type { AnyMachineSnapshot } from 'xstate';
import type { EntitySummary } from '../../contract/inspection.ts';
import { type EntityFacts, entitySummary, entityView, recordedSnapshot } from './entity-view.ts';
import type { Inspected, InspectedCell, InspectedKnown } from './inspected.ts';
import type { Present } from './update.ts';

/** A kind of this process and the place of its supervisor. */
export interface KindHere {
  readonly kind: Inspected;
  /** Path of the supervisor above its entities. */
  readonly supervisor: string;
  readonly instance: string;
}

/** The snapshot of a living cell; undefined before its actor has started. */
export function snapshotOf(cell: InspectedCell | undefined): AnyMachineSnapshot | undefined {
  return cell?.actor?.getSnapshot() as AnyMachineSnapshot | undefined;
}

/** What is known of an entity; also of one that is over. */
type Standing = Omit<InspectedKnown, 'status'> & { readonly status: EntitySummary['status'] };

export function factsOf(here: KindHere, id: string, known: Standing): EntityFacts {
  const { kind, supervisor, instance } = here;
  const { status, cell, epoch, at } = known;
  return {
    binding: kind.binding,
    id,
    instance,
    supervisor: kind.above?.(id) ?? supervisor,
    status,
    reason: status === 'live' ? undefined : kind.trouble()[id]?.reason,
    revision: cell?.revision ?? 0,
    epoch,
    at,
    timers: cell?.timers() ?? [],
    effects: cell?.pendingEffects() ?? [],
  };
}

export function summaryOf(here: KindHere, id: string, known: InspectedKnown): EntitySummary {
  return entitySummary(factsOf(here, id, known), snapshotOf(known.cell));
}

/** The entity as it is now; one without a cell is read from its record. Undefined when it is not known here. */
export async function presentOf(here: KindHere, id: string, now: number): Promise<Present | undefined> {
  const known = here.kind.look(id);
  if (known === undefined) return undefined;
  const facts = factsOf(here, id, known);
  if (known.cell !== undefined) return present(facts, snapshotOf(known.cell), now);
  const { envelope } = (await here.kind.binding.store.load(id).catch(() => undefined)) ?? {};
  if (envelope === undefined) return present(facts, undefined, now);
  const { revision, timers, effects } = envelope;
  const recorded = { ...facts, revision, timers, effects };
  return present(recorded, recordedSnapshot(here.kind.binding, envelope), now);
}

export function present(facts: EntityFacts, snapshot: AnyMachineSnapshot | undefined, now: number): Present {
  return { view: entityView(facts, snapshot, now), snapshot, at: now };
}
