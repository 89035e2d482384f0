/**
 * What the inspector's routes share in one front end: whom to ask, the tree all look at, the charts laid out, what is
 * stored.
 */

import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { Charts } from './charts.ts';
import { Processes } from './processes.ts';
import { StoredEntities } from './stored.ts';
import { TreeFeed } from './tree-feed.ts';

export class Inspector {
  readonly processes: Processes;
  readonly tree: TreeFeed;
  readonly charts: Charts;
  readonly stored: StoredEntities;

  constructor({ bus, clock, log }: { bus: Bus; clock: Clock; log: Log }) {
    this.processes = new Processes(bus, clock);
    this.tree = new TreeFeed(this.processes, clock, log);
    this.charts = new Charts(this.processes, clock);
    this.stored = new StoredEntities(bus, clock);
  }

  async stop(): Promise<void> {
    this.tree.stop();
    await this.processes.stop();
  }
}
