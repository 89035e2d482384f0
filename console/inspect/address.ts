/** The entity a link names: `/inspect#telecommand/sat1.01J…`. Pure. */

import type { EntityName } from '../../contract/inspection.ts';

/** The part behind the path. */
export function addressOf({ kind, id }: EntityName): string {
  return `#${encodeURIComponent(kind)}/${encodeURIComponent(id)}`;
}

/** A supervisor as an entity: its process, and its path there. */
export function supervisorNamed(instance: string, path: string): EntityName {
  return { kind: 'supervisor', id: `${instance}/${path}` };
}

/** The entity of a fragment; undefined when it names none. */
export function entityOf(fragment: string): EntityName | undefined {
  const [kind, id, more] = fragment.replace(/^#/, '').split('/');
  if (kind === undefined || kind === '' || id === undefined || id === '' || more !== undefined)
    return undefined;
  try {
    return { kind: decodeURIComponent(kind), id: decodeURIComponent(id) };
  } catch {
    return undefined;
  }
}

/** The path of the API that is about the entity. */
export function pathOf({ kind, id }: EntityName): string {
  return `/v1/inspect/entities/${encodeURIComponent(kind)}/${encodeURIComponent(id)}`;
}
