/** Entities of kinds that come and go, as the page shows them (`contract/at-rest.ts`). */

import { isAtRest } from '../../contract/at-rest.ts';
import type { EntitySummary } from '../../contract/inspection.ts';

/** Its status, in one word or two. */
export function statusWord(entity: Pick<EntitySummary, 'kind' | 'status' | 'instance'>): string {
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
