/**
 * Hosts the cells of one kind for whoever owns their entities: the kind, and the port by which an owner uses it.
 *
 * H1. An owner is looked for when its cells need it: while a partition changes hands there is none, and what concerns
 *     it is dropped.
 */

import type { AnyStateMachine, ContextFrom } from 'xstate';
import type { CellOwner, CellsOf } from '../../ports/cells.ts';
import type { Binding } from '../../ports/entity.ts';
import { begun, type Worker } from '../ownership/owned-worker.ts';
import type { RoleContext } from '../role.ts';
import { withFailpoint } from './failpoint.ts';
import { Kind, type KindOptions } from './kind.ts';

type Surroundings = Pick<RoleContext, 'clock' | 'random' | 'log' | 'deadLetters' | 'failed'> &
  Partial<Pick<RoleContext, 'failpoint'>>;

export interface Hosted<Chart extends AnyStateMachine> {
  readonly kind: Kind;
  readonly cells: CellsOf<Chart>;
}

/** The cells of the binding; what is beyond repair fails the role. */
export function hostCells<Chart extends AnyStateMachine>(
  binding: Binding<Chart>,
  ownerOf: (id: string) => CellOwner | undefined,
  { clock, random, log, deadLetters, failed, failpoint }: Surroundings,
  more: Partial<KindOptions> = {},
): Hosted<Chart> {
  const kind = new Kind({
    binding: withFailpoint(binding, failpoint),
    clock,
    random,
    log,
    deadLetters,
    epochOf: (id) => ownerOf(id)?.epochOf?.(id) ?? 0,
    onGone: (id, why, detail) => void ownerOf(id)?.gone(id, why, detail),
    onResume: async (id) => ownerOf(id)?.resumed?.(id),
    onEscalated: failed,
    ...more,
  });
  return { kind, cells: cellsOf<Chart>(kind) };
}

/** The cells of a kind as the port has them. */
export function cellsOf<Chart extends AnyStateMachine>(kind: Kind): CellsOf<Chart> {
  return {
    start: (id, input, epoch) => void kind.start(id, input, epoch),
    restore: (id, stored, epoch) => void kind.restore(id, stored, epoch),
    tell: (id, event) => kind.tell(id, event),
    wake: (id) => kind.wake(id),
    drop: (id) => kind.drop(id),
    status: (id) => kind.look(id)?.status,
    context: (id) => kind.peek(id)?.actor?.getSnapshot().context as ContextFrom<Chart> | undefined,
    trouble: (id) => kind.trouble()[id]?.reason,
    ids: () => kind.ids(),
  };
}

/** What a partition is worked on by, which owns the entities in it. */
type Owning = CellOwner & { start(): Promise<void>; stop(): Promise<void> };

/** The owners of the entities of a kind in this process, by partition (H1). */
export class Owners<Owner extends Owning> {
  readonly #owners = new Map<string, Owner>();
  readonly #partitionOf: (id: string) => string;

  constructor(partitionOf: (id: string) => string) {
    this.#partitionOf = partitionOf;
  }

  /** Who owns an entity now. */
  of(id: string): Owner | undefined {
    return this.#owners.get(this.#partitionOf(id));
  }

  /** Starts the owner of a partition, which its cells find from now on until it has stopped. */
  async begin(partition: string, owner: Owner): Promise<Worker> {
    this.#owners.set(partition, owner);
    const stop = async (): Promise<void> => {
      await owner.stop();
      if (this.#owners.get(partition) === owner) this.#owners.delete(partition);
    };
    return begun({ start: () => owner.start(), stop });
  }
}
