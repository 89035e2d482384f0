/**
 * Answers what inspectors ask of this process over the bus: its tree, its entities, their charts and histories, live
 * frames, and the release of what is quarantined. Architecture, "The inspector".
 *
 * S1. It only looks, but for `resume` and `reset`, which are logged with who asked.
 * S2. Whoever does not ask pays nothing.
 * S3. A process answers for what is in it: `history` for every entity whose log its kinds can read, all else for what
 *     lives or is in trouble here.
 */

import { subject } from '../../contract/bus/subjects.ts';
import {
  type ChartView,
  type EntityView,
  type Found,
  type HistoryView,
  INSPECT_VERBS,
  type InspectAnswer,
  type InspectVerb,
  type ProcessView,
  type Released,
  type WatchLease,
} from '../../contract/inspection.ts';
import { accepted, refused } from '../../contract/result.ts';
import type { Bus, Stoppable } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { DeadLetters } from '../cells/dead-letters.ts';
import type { Tree } from '../tree.ts';
import { readEntityName, readFields, readFind, readKind, readRelease, readWatch } from './calls.ts';
import { compileChart } from './chart.ts';
import { find } from './find.ts';
import { type KindHere, presentOf } from './known-entity.ts';
import { kindPath, PROCESS_PATH, supervisorAt } from './paths.ts';
import { noHistory, notQuarantined, unknownChart, unknownEntity } from './refusals.ts';
import { replay } from './replay.ts';
import { SUPERVISOR_KIND, Supervisors } from './supervisors.ts';
import { processView } from './tree-view.ts';
import { Watches } from './watches.ts';

interface InspectionOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly instance: string;
  readonly tree: Tree;
  readonly deadLetters: DeadLetters;
}

type Fields = Readonly<Record<string, unknown>>;
type Answer = Promise<InspectAnswer<unknown>> | InspectAnswer<unknown>;

export class InspectionService {
  readonly #options: InspectionOptions;
  readonly #startedAt: number;
  readonly #watches: Watches;
  readonly #supervisors: KindHere;
  #served: readonly Stoppable[] = [];

  constructor(options: InspectionOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
    this.#watches = new Watches(options);
    const { tree, instance } = options;
    this.#supervisors = { kind: new Supervisors(tree, instance), supervisor: PROCESS_PATH, instance };
  }

  start(): void {
    const { bus, instance } = this.#options;
    this.#served = INSPECT_VERBS.map((verb) =>
      bus.serve(subject.inspectVerb(instance, verb), async ({ data }) => {
        const fields = readFields(data);
        const answer = fields.ok ? await this.answer(verb, fields.value) : fields;
        return Buffer.from(JSON.stringify(answer));
      }),
    );
  }

  async stop(): Promise<void> {
    this.#watches.stop();
    await Promise.all(this.#served.map((each) => each.stop()));
  }

  answer(verb: InspectVerb, fields: Fields): Answer {
    switch (verb) {
      case 'tree':
        return this.#tree();
      case 'find':
        return this.#find(fields);
      case 'entity':
        return this.#entity(fields);
      case 'chart':
        return this.#chart(fields);
      case 'history':
        return this.#history(fields);
      case 'watch':
        return this.#watch(fields);
      case 'unwatch':
        return this.#unwatch(fields);
      case 'resume':
      case 'reset':
        return this.#release(verb, fields);
    }
  }

  #tree(): InspectAnswer<ProcessView> {
    const { bus, clock, instance, tree, deadLetters } = this.#options;
    const { lostUntil } = bus;
    return accepted(
      processView({ instance, startedAt: this.#startedAt, now: clock.now(), tree, deadLetters, lostUntil }),
    );
  }

  #find(fields: Fields): InspectAnswer<Found> {
    const call = readFind(fields);
    if (!call.ok) return call;
    // Every process has dozens: they are found by whoever looks for them.
    const isSought = call.value.kind === SUPERVISOR_KIND;
    return accepted(find(isSought ? [this.#supervisors] : this.#kinds(), call.value));
  }

  async #entity(fields: Fields): Promise<InspectAnswer<EntityView>> {
    const call = readEntityName(fields);
    if (!call.ok) return call;
    const { kind, id } = call.value;
    const here = this.#kind(kind);
    const found = here && (await presentOf(here, id, this.#options.clock.now()));
    return found === undefined ? refused(unknownEntity(kind, id)) : accepted(found.view);
  }

  #chart(fields: Fields): InspectAnswer<ChartView> {
    const call = readKind(fields);
    if (!call.ok) return call;
    const binding = this.#kind(call.value.kind)?.kind.binding;
    if (binding === undefined) return refused(unknownChart(call.value.kind));
    return accepted(compileChart(binding.kind, binding.version, binding.chart).view);
  }

  async #history(fields: Fields): Promise<InspectAnswer<HistoryView>> {
    const call = readEntityName(fields);
    if (!call.ok) return call;
    const { kind, id } = call.value;
    const binding = this.#kind(kind)?.kind.binding;
    if (binding === undefined) return refused(unknownChart(kind));
    const log = await binding.history?.(id);
    return log === undefined ? refused(noHistory(kind, id)) : accepted(replay(binding, id, log));
  }

  async #watch(fields: Fields): Promise<InspectAnswer<WatchLease>> {
    const call = readWatch(fields);
    if (!call.ok) return call;
    const { kind, id } = call.value;
    const here = this.#kind(kind);
    return here === undefined ? refused(unknownEntity(kind, id)) : this.#watches.watch(here, call.value);
  }

  #unwatch(fields: Fields): InspectAnswer<WatchLease> {
    const call = readWatch(fields);
    return call.ok ? this.#watches.unwatch(call.value) : call;
  }

  #release(verb: 'resume' | 'reset', fields: Fields): InspectAnswer<Released> {
    const call = readRelease(fields);
    if (!call.ok) return call;
    const { supervisor, child, by } = call.value;
    const { tree, log } = this.#options;
    const above = supervisorAt(tree, supervisor);
    const isReleased = verb === 'resume' ? above?.resume(child) : above?.reset(child, by);
    if (isReleased !== true) return refused(notQuarantined(supervisor, child));
    log.warn({ supervisor, child, by, verb }, 'quarantine ended by an operator');
    return accepted({ supervisor, child });
  }

  #kind(name: string): KindHere | undefined {
    if (name === SUPERVISOR_KIND) return this.#supervisors;
    return this.#kinds().find(({ kind }) => kind.name === name);
  }

  #kinds(): KindHere[] {
    const { tree, instance } = this.#options;
    return tree
      .branches()
      .flatMap(({ role, kinds }) =>
        kinds.map((kind) => ({ kind, supervisor: kindPath(role, kind), instance })),
      );
  }
}
