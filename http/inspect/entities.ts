/**
 * Entities of the whole cell, put together from what each process tells and from the log of telecommands.
 *
 * E1. An entity stands in the answer once: the process that has it alive knows it best, the log least.
 * E2. One that has finished is told from its log, as long as the log has it.
 */

import type {
  EntityName,
  EntitySummary,
  EntityView,
  FindCall,
  Found,
  HistoryView,
} from '../../contract/inspection.ts';
import type { InspectFound } from '../../contract/inspector.ts';
import type { Bus } from '../../ports/bus.ts';
import { refuse } from '../errors.ts';
import type { Handled, Refusal } from '../reply.ts';
import { asksForRecorded, findRecorded } from './finished.ts';
import { type Asked, answered, type Processes, refusals, silentOf } from './processes.ts';

/** Who knows an entity best comes first (E1). */
const RANK: Record<EntitySummary['status'], number> = {
  quarantined: 0,
  live: 1,
  restarting: 2,
  loading: 3,
  finished: 4,
};

/** Everything that matches: what lives, in trouble first, then what the log tells, newest first. */
export async function findEntities(bus: Bus, processes: Processes, call: FindCall): Promise<InspectFound> {
  const [asked, recorded] = await Promise.all([
    processes.askAll<Found>('find', call),
    asksForRecorded(call) ? findRecorded(bus, call) : { entities: [], complete: true },
  ]);
  const found = answered(asked).map(({ value }) => value);
  const known = new Map<string, EntitySummary>();
  for (const entity of [...found.flatMap(({ entities }) => entities), ...recorded.entities]) {
    const name = `${entity.kind}:${entity.id}`;
    const before = known.get(name);
    if (before === undefined || RANK[entity.status] < RANK[before.status]) known.set(name, entity);
  }
  const entities = [...known.values()].sort(
    (one, other) => RANK[one.status] - RANK[other.status] || other.at - one.at,
  );
  const beyond = found.reduce((sum, { more }) => sum + more, 0);
  return {
    entities: entities.slice(0, call.limit) as InspectFound['entities'],
    more: beyond + Math.max(0, entities.length - call.limit),
    complete: recorded.complete,
    silent: silentOf(asked),
  };
}

/** The entity where it lives, else as its log left it; refuses with `inspect::unknown-entity`. */
export async function viewEntity(processes: Processes, name: EntityName): Promise<Handled<EntityView>> {
  const asked = await processes.askAll<EntityView>('entity', name);
  const [best] = answered(asked).sort(
    (one, other) => RANK[one.value.status] - RANK[other.value.status] || other.value.epoch - one.value.epoch,
  );
  if (best !== undefined) return { ok: true, value: best.value };
  const history = await readHistory(processes, name);
  if (!history.ok) return unknownEntity(name, asked);
  return { ok: true, value: finishedView(history.value) };
}

/** The log of the entity through its chart; refuses with `inspect::no-history` or `inspect::unknown-entity`. */
export async function readHistory(processes: Processes, name: EntityName): Promise<Handled<HistoryView>> {
  const asked = await processes.askAll<HistoryView>('history', name);
  const [first] = answered(asked);
  if (first !== undefined && first.value.steps.length > 0) return { ok: true, value: first.value };
  if (!refusals(asked).includes('inspect::no-history') && first === undefined)
    return unknownEntity(name, asked);
  return refuse('inspect::no-history', `there is no log of ${name.kind} ${name.id}`);
}

function finishedView({ kind, id, chart, steps, final }: HistoryView): EntityView {
  const last = steps.at(-1)!;
  return {
    kind,
    id,
    status: final ? 'finished' : 'loading',
    state: last.active.at(-1)?.split('.').at(-1) ?? last.event,
    revision: steps.length,
    at: last.at,
    instance: '',
    chart,
    epoch: 0,
    supervisor: '',
    active: last.active,
    context: last.context,
    effects: [],
    timers: [],
    accepts: [],
    refuses: [],
    ...(kind === 'telecommand' && { target: id.slice(0, id.lastIndexOf('.')) }),
  };
}

/** Says who did not answer: the entity may be theirs. */
export function unknownEntity({ kind, id }: EntityName, asked: readonly Asked<unknown>[]): Refusal {
  const silent = silentOf(asked).map(({ instance }) => instance);
  return refuse('inspect::unknown-entity', `no process knows ${kind} ${id}`, {
    help:
      silent.length > 0
        ? `Ask again: ${silent.join(', ')} did not answer.`
        : 'GET /v1/inspect/entities lists what there is; telecommands are named <target>.<id>.',
  });
}
