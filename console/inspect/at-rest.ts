/** Entities that no process has alive, as the page shows them (`contract/at-rest.ts`). */

import { isAtRest } from '../../contract/at-rest.ts';
import type { EntitySummary } from '../../contract/inspection.ts';

/** Its status, in a few words: where it is known from, when no process has it. */
export function statusWord(entity: EntitySummary): string {
  if (isAtRest(entity)) return 'at rest';
  if (entity.status !== 'loading') return entity.status;
  if ((entity.instance ?? '') !== '') return 'starting';
  if (entity.stored !== undefined) return 'stored';
  return entity.state === 'submitted' ? 'not begun' : 'in its log';
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
