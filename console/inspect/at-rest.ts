/**
 * Entities of kinds that are alive only while something becomes of them: most of the time no process has them, and
 * their record is all there is.
 */

import type { EntitySummary } from '../../contract/inspection.ts';

const KINDS: ReadonlySet<string> = new Set(['alarm', 'schedule']);

type Shown = Pick<EntitySummary, 'kind' | 'status' | 'instance'>;

export function comesAndGoes({ kind }: Pick<EntitySummary, 'kind'>): boolean {
  return KINDS.has(kind);
}

export function isAtRest({ kind, status, instance = '' }: Shown): boolean {
  return comesAndGoes({ kind }) && status === 'loading' && instance === '';
}

/** Its status, in one word or two. */
export function statusWord(entity: Shown): string {
  return isAtRest(entity) ? 'at rest' : entity.status;
}

/** Whether it is alive where it was: its frames say what changes. */
export function isFollowed(shown: EntitySummary, now: EntitySummary): boolean {
  return now.status === 'live' && shown.status === 'live' && shown.instance === now.instance;
}

/** Whether nothing has become of it. */
export function isAlike(shown: EntitySummary, now: EntitySummary): boolean {
  return (
    shown.status === now.status &&
    shown.instance === now.instance &&
    shown.state === now.state &&
    shown.at === now.at
  );
}
