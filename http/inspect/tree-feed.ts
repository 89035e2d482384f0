/**
 * The supervision tree of the cell, asked of every process once for all who look at it, and only while somebody does.
 *
 * T1. What changed is reported at most every `INSPECT_TREE_MS`; what did not change is reported every
 *     `INSPECT_STILL_MS`.
 * T2. While the bus is away the tree of before is reported, marked as such: it is never shown as the present.
 */

import type { ProcessView } from '../../contract/inspection.ts';
import type { InspectTree } from '../../contract/inspector.ts';
import { INSPECT_STILL_MS, INSPECT_TREE_MS } from '../../contract/limits/inspect.ts';
import { Outage } from '../../contract/outage.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { answered, type Processes, silentOf } from './processes.ts';

type Listener = (json: string) => void;

/** The tree now; an outage when the bus is away. */
export async function readTree(processes: Processes, clock: Clock): Promise<InspectTree> {
  const asked = await processes.askAll<ProcessView>('tree', {});
  return {
    at: clock.now(),
    bus: 'connected',
    processes: answered(asked).map(({ value }) => value),
    silent: silentOf(asked),
  };
}

export class TreeFeed {
  readonly #processes: Processes;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #listeners = new Set<Listener>();
  #last: { readonly tree: InspectTree; readonly essence: string; readonly sentAt: number } | undefined;
  #timer: TimerHandle | undefined;
  #asking = false;

  constructor(processes: Processes, clock: Clock, log: Log) {
    this.#processes = processes;
    this.#clock = clock;
    this.#log = log;
  }

  /** Reports the tree from the next reading on, and the present one at once when it is known; the result ends it. */
  watch(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size > 1 && this.#last !== undefined) listener(JSON.stringify(this.#last.tree));
    else void this.#turn();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.stop();
    };
  }

  stop(): void {
    this.#listeners.clear();
    this.#last = undefined;
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #turn(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    try {
      this.#tell(await readTree(this.#processes, this.#clock));
    } catch (error) {
      if (error instanceof Outage) this.#tell(this.#ofBefore());
      else this.#log.error({ err: error }, 'the supervision tree could not be read');
    } finally {
      this.#asking = false;
    }
    if (this.#listeners.size === 0) return;
    this.#timer = this.#clock.setTimeout(() => void this.#turn(), INSPECT_TREE_MS);
  }

  #ofBefore(): InspectTree {
    const { processes = [], silent = [] } = this.#last?.tree ?? {};
    return { at: this.#clock.now(), bus: 'disconnected', processes, silent };
  }

  #tell(tree: InspectTree): void {
    const essence = essenceOf(tree);
    const { at } = tree;
    const isNews = this.#last === undefined || this.#last.essence !== essence;
    if (!isNews && at - this.#last!.sentAt < INSPECT_STILL_MS) return;
    this.#last = { tree, essence, sentAt: at };
    const json = JSON.stringify(tree);
    for (const listener of this.#listeners) listener(json);
  }
}

/** The tree without what moves by itself. */
function essenceOf({ bus, processes, silent }: InspectTree): string {
  return JSON.stringify([
    bus,
    processes.map((process) => ({ ...process, at: 0 })),
    silent.map(({ instance, why }) => [instance, why]),
  ]);
}
