/**
 * Entities that no process has alive because nothing happens to them: their record is all there is, and all that is
 * needed to go on. For the inspector's page and its commands.
 */

import type { EntitySummary } from './inspection.ts';

/** Kinds that are alive only while something becomes of them: what stands in their bucket is the whole truth. */
const COME_AND_GO: ReadonlySet<string> = new Set(['alarm', 'schedule']);
/** Kinds whose cells are put away when idle (kind.C7), and what is kept of them says where they are. */
const SLEEP: ReadonlySet<string> = new Set(['run', 'campaign', 'scenario']);

export function comesAndGoes({ kind }: Pick<EntitySummary, 'kind'>): boolean {
  return COME_AND_GO.has(kind);
}

/** Whether no process has it because nothing becomes of it. */
export function isAtRest(entity: Pick<EntitySummary, 'kind' | 'status' | 'instance' | 'stored'>): boolean {
  const isKept = comesAndGoes(entity) || (SLEEP.has(entity.kind) && entity.stored !== undefined);
  return isKept && entity.status === 'loading' && (entity.instance ?? '') === '';
}
