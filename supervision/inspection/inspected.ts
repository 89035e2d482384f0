/** What the inspector looks at: cells of a kind, and what is shown like one. */

import type { Binding, Store } from '../../ports/entity.ts';
import type { Cell } from '../cells/cell.ts';
import type { Kind, Known } from '../cells/kind.ts';
import type { EntityWatcher } from '../cells/watchers.ts';

/** What is looked at of a cell. */
export type InspectedCell = Pick<
  Cell,
  | 'actor'
  | 'alive'
  | 'epoch'
  | 'lastEventAt'
  | 'lastSnapshot'
  | 'pendingEffects'
  | 'revision'
  | 'timers'
  | 'watch'
>;

export interface InspectedKnown extends Omit<Known, 'cell'> {
  readonly cell: InspectedCell | undefined;
}

/** What is looked at of a binding. */
export type InspectedBinding = Pick<
  Binding,
  'kind' | 'version' | 'chart' | 'history' | 'labelOf' | 'targetOf' | 'targetsOf' | 'shownContext'
> & { readonly store: Pick<Store, 'load'> };

/** A kind of cells, or what is looked at like one. */
export interface Inspected extends Pick<Kind, 'name' | 'ids'> {
  readonly binding: InspectedBinding;
  look(id: string): InspectedKnown | undefined;
  trouble(): Readonly<Record<string, { readonly reason: string }>>;
  watch(id: string, watcher: EntityWatcher): () => void;
  /** Path of the supervisor above it, where it is not that of the whole kind. */
  above?(id: string): string;
}
