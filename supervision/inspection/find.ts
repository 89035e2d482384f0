/** Searches the entities of this process that live or are in trouble, by kind, part of the id, target and state. */

import type { EntitySummary, FindCall, Found } from '../../contract/inspection.ts';
import { isIn, targetsOf } from './entity-view.ts';
import type { InspectedKnown } from './inspected.ts';
import { type KindHere, snapshotOf, summaryOf } from './known-entity.ts';

/** What matches, those in trouble first and then the latest, and how many more there are. */
export function find(kinds: readonly KindHere[], call: FindCall): Found {
  const matching: { here: KindHere; id: string; known: InspectedKnown }[] = [];
  for (const here of kinds) {
    for (const id of here.kind.ids()) {
      const known = here.kind.look(id);
      if (known !== undefined && matches(here, id, known, call)) matching.push({ here, id, known });
    }
  }
  matching.sort((a, b) => rank(a.known) - rank(b.known) || b.known.at - a.known.at);
  const entities = matching
    .slice(0, call.limit)
    .map(({ here, id, known }): EntitySummary => summaryOf(here, id, known));
  return { entities, more: matching.length - entities.length };
}

function matches({ kind }: KindHere, id: string, { cell }: InspectedKnown, call: FindCall): boolean {
  if (call.kind !== undefined && call.kind !== kind.name) return false;
  if (call.ids !== undefined && !call.ids.includes(id)) return false;
  if (call.id !== undefined && !isNamed(kind.binding, id, call.id)) return false;
  if (call.target !== undefined && !targetsOf(kind.binding, id).includes(call.target)) return false;
  return call.state === undefined || isIn(snapshotOf(cell), call.state);
}

function isNamed({ labelOf }: KindHere['kind']['binding'], id: string, part: string): boolean {
  return id.includes(part) || labelOf?.(id)?.includes(part) === true;
}

function rank({ status }: InspectedKnown): number {
  if (status === 'quarantined') return 0;
  return status === 'live' ? 2 : 1;
}
