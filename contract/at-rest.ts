/**
 * Entities of kinds that come and go: they are alive only while something becomes of them, and most of the time their
 * record is all there is. For the inspector's page and its commands.
 */

import type { EntitySummary } from './inspection.ts';

const KINDS: ReadonlySet<string> = new Set(['alarm', 'schedule']);

export function comesAndGoes({ kind }: Pick<EntitySummary, 'kind'>): boolean {
  return KINDS.has(kind);
}

/** Whether no process has it because nothing becomes of it. */
export function isAtRest(entity: Pick<EntitySummary, 'kind' | 'status' | 'instance'>): boolean {
  return comesAndGoes(entity) && entity.status === 'loading' && (entity.instance ?? '') === '';
}
