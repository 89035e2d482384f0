/**
 * Who watches which entity of this process, and for how long. Frames go to the subject of each watcher.
 *
 * N3. A watch ends by itself `INSPECT_WATCH_MS` after it was last asked for; with the last one of an entity the entity
 *     is looked at no more.
 * N4. A watcher that asks again for an entity that is not here any more is refused, and looks elsewhere.
 */

import { subject } from '../../contract/bus/subjects.ts';
import {
  INSPECT_WATCH_MS,
  type InspectAnswer,
  type InspectionUpdate,
  type WatchCall,
  type WatchLease,
} from '../../contract/inspection.ts';
import { INSPECT_WATCHES } from '../../contract/limits/inspect.ts';
import { accepted, refused } from '../../contract/result.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { KindHere } from './known-entity.ts';
import { unknownEntity } from './refusals.ts';
import { Watched } from './watched.ts';

interface WatchesOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
}

interface Lease {
  /** ms since 1970 */
  until: number;
  /** Whether it has its first frame: until then it gets no other (watched.F2). */
  introduced: boolean;
}

interface Entity {
  readonly here: KindHere;
  readonly watched: Watched;
  /** By watcher. */
  readonly leases: Map<string, Lease>;
}

const SWEEP_MS = INSPECT_WATCH_MS / 10;

export class Watches {
  readonly #options: WatchesOptions;
  readonly #entities = new Map<string, Entity>();
  #sweeper: TimerHandle | undefined;

  constructor(options: WatchesOptions) {
    this.#options = options;
  }

  /** How many there are, by watcher and entity. */
  get size(): number {
    return [...this.#entities.values()].reduce((sum, { leases }) => sum + leases.size, 0);
  }

  /** Begins or renews a watch; refused when the entity is not here (any more), or too many are watched. */
  async watch(here: KindHere, { kind, id, watcher }: WatchCall): Promise<InspectAnswer<WatchLease>> {
    const name = `${kind}:${id}`;
    const known = this.#known(name, here);
    const isHere = known?.watched.isHere ?? here.kind.look(id) !== undefined;
    if (!isHere) return refused(unknownEntity(kind, id));
    const until = this.#options.clock.now() + INSPECT_WATCH_MS;
    const lease = known?.leases.get(watcher);
    if (lease !== undefined) {
      lease.until = until;
      return accepted({ until });
    }
    if (this.size >= INSPECT_WATCHES) return refused(tooMany());
    const isShown = await this.#introduce(known ?? this.#begin(here, name, id), watcher, until);
    return isShown ? accepted({ until }) : refused(unknownEntity(kind, id));
  }

  unwatch({ kind, id, watcher }: WatchCall): InspectAnswer<WatchLease> {
    const name = `${kind}:${id}`;
    const entity = this.#entities.get(name);
    entity?.leases.delete(watcher);
    if (entity?.leases.size === 0) this.#end(name);
    return accepted({ until: this.#options.clock.now() });
  }

  stop(): void {
    for (const name of [...this.#entities.keys()]) this.#end(name);
    if (this.#sweeper !== undefined) this.#options.clock.clearTimeout(this.#sweeper);
    this.#sweeper = undefined;
  }

  #begin(here: KindHere, name: string, id: string): Entity {
    const { clock, log } = this.#options;
    const leases = new Map<string, Lease>();
    const watched = new Watched({
      here,
      id,
      clock,
      log,
      show: (updates) => this.#show(introduced(leases), updates),
      over: () => this.#end(name),
    });
    const entity = { here, watched, leases };
    this.#entities.set(name, entity);
    return entity;
  }

  /** The watch of that name; one of a kind that has been started again since is over. */
  #known(name: string, here: KindHere): Entity | undefined {
    const known = this.#entities.get(name);
    if (known === undefined || known.here.kind === here.kind) return known;
    this.#end(name);
    return undefined;
  }

  /** Gives a new watcher its first frame (watched.F2); false when the entity has gone meanwhile. */
  async #introduce({ watched, leases }: Entity, watcher: string, until: number): Promise<boolean> {
    const lease = { until, introduced: false };
    leases.set(watcher, lease);
    this.#sweepLater();
    const first = await watched.first();
    if (first === undefined) leases.delete(watcher);
    else this.#show([watcher], [first]);
    lease.introduced = true;
    return first !== undefined;
  }

  /** Each frame is made into bytes once, whatever the number of watchers. */
  #show(watchers: Iterable<string>, frames: readonly InspectionUpdate[]): void {
    const bytes = frames.map((update) => Buffer.from(JSON.stringify(update)));
    for (const watcher of watchers) {
      for (const frame of bytes) this.#options.bus.publish(subject.inspectWatch(watcher), frame);
    }
  }

  #end(name: string): void {
    this.#entities.get(name)?.watched.stop();
    this.#entities.delete(name);
  }

  #sweepLater(): void {
    if (this.#sweeper !== undefined || this.#entities.size === 0) return;
    this.#sweeper = this.#options.clock.setTimeout(() => {
      this.#sweeper = undefined;
      this.#sweep(this.#options.clock.now());
      this.#sweepLater();
    }, SWEEP_MS);
  }

  #sweep(now: number): void {
    for (const [name, { leases }] of this.#entities) {
      for (const [watcher, { until }] of leases) if (until <= now) leases.delete(watcher);
      if (leases.size === 0) this.#end(name);
    }
  }
}

function introduced(leases: ReadonlyMap<string, Lease>): string[] {
  return [...leases].filter(([, lease]) => lease.introduced).map(([watcher]) => watcher);
}

function tooMany() {
  return {
    code: 'inspect::invalid',
    message: `${INSPECT_WATCHES} entities are already watched here: end a watch, or wait until one ends`,
  } as const;
}
