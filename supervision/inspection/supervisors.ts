/**
 * The supervisors of this process, as the inspector looks at entities: each has a chart of its own, and what it knows
 * of children in trouble is its context. They have no record and no log, and end with their process.
 *
 * S1. The id names the process too, `<instance>/<path>`: every process has supervisors of the same paths.
 */

import { supervisorMachine } from '../../machines/supervisor/supervisor.ts';
import type { Tree } from '../tree.ts';
import type { Inspected, InspectedBinding, InspectedCell, InspectedKnown } from './inspected.ts';
import { PROCESS_PATH, supervisorsOf } from './paths.ts';

export const SUPERVISOR_KIND = 'supervisor';

const BINDING: InspectedBinding = {
  kind: SUPERVISOR_KIND,
  version: 1,
  chart: supervisorMachine,
  store: { load: async () => undefined },
};

export class Supervisors implements Inspected {
  readonly name = SUPERVISOR_KIND;
  readonly binding = BINDING;
  readonly #tree: Tree;
  readonly #prefix: string;

  constructor(tree: Tree, instance: string) {
    this.#tree = tree;
    this.#prefix = `${instance}/`;
  }

  ids(): Iterable<string> {
    return [...supervisorsOf(this.#tree).keys()].map((path) => this.#prefix + path);
  }

  look(id: string): InspectedKnown | undefined {
    if (!id.startsWith(this.#prefix)) return undefined;
    const supervisor = supervisorsOf(this.#tree).get(id.slice(this.#prefix.length));
    if (supervisor === undefined) return undefined;
    const cell: InspectedCell = {
      actor: supervisor.actor,
      alive: true,
      epoch: 0,
      lastEventAt: supervisor.changedAt,
      lastSnapshot: undefined,
      revision: supervisor.steps,
      timers: () => supervisor.timers(),
      pendingEffects: () => [],
      watch: (sink) => supervisor.watch(sink),
    };
    return { status: 'live', cell, epoch: 0, at: supervisor.changedAt };
  }

  /** What is above it: of the one above the roles there is nothing in this process. */
  above(id: string): string {
    const path = id.slice(this.#prefix.length);
    return path === PROCESS_PATH ? '' : PROCESS_PATH;
  }

  trouble(): Record<string, never> {
    return {};
  }

  /** It is there as long as its process: nobody is to be notified. */
  watch(): () => void {
    return () => undefined;
  }
}
