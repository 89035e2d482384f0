/**
 * Entities of the whole cell, put together from what each process reports, from the log of telecommands, the index of
 * runs and the books of schedules and transfers.
 *
 * E1. An entity stands in the answer once: the process that has it alive knows it best, the log least.
 * E3. One that no process answers for and that has not finished is shown as its store has it, and says so (`stored`, no
 *     `instance`): its process is silent, or nobody owns it yet.
 * E2. One that has finished is reported from its log, as long as the log has it.
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
import { Outage } from '../../contract/outage.ts';
import { telecommandLabel } from '../../contract/telecommand-label.ts';
import { isScheduleId } from '../../contract/token.ts';
import { transferNamed } from '../../contract/transfer.ts';
import { refuse } from '../errors.ts';
import type { RoutePorts } from '../ports.ts';
import type { Handled, Refusal } from '../reply.ts';
import { asksForRecorded, findRecorded, type Recorded } from './finished.ts';
import { type Asked, answered, type Processes, refusals, silentOf } from './processes.ts';
import { findRecordedRuns, runInIndex } from './recorded-runs.ts';
import { findRecordedSchedules, scheduleInBook } from './recorded-schedules.ts';
import { findRecordedTransfers, transferInBook } from './recorded-transfers.ts';
import { type ShownRecord, shownSchedule, transferShown } from './records.ts';
import { recordEntity, storedView } from './stored.ts';

type Ports = Pick<
  RoutePorts,
  'bus' | 'clock' | 'runs' | 'schedules' | 'schedulesOver' | 'transfers' | 'transfersOver' | 'inspector'
>;

/** Who knows an entity best comes first (E1). */
const RANK: Record<EntitySummary['status'], number> = {
  quarantined: 0,
  live: 1,
  restarting: 2,
  loading: 3,
  finished: 4,
};

/** Everything that matches: what lives, in trouble first, then what logs and index tell, newest first. */
export async function findEntities(ports: Ports, call: FindCall): Promise<InspectFound> {
  const [asked, recorded, runs] = await Promise.all([
    ports.inspector.processes.askAll<Found>('find', call),
    asksForRecorded(call) ? findRecorded(ports.bus, call) : { entities: [], complete: true },
    findRecordedRuns(ports, call),
  ]);
  const found = answered(asked);
  const known = new Map<string, EntitySummary>();
  const living = found.flatMap(({ instance, value }) =>
    value.entities.map((each) => ({ ...each, instance })),
  );
  const schedules = findRecordedSchedules(ports, call);
  const transfers = findRecordedTransfers(ports, call);
  const indexed = [...runs.entities, ...schedules.entities, ...transfers.entities];
  for (const entity of [...living, ...recorded.entities, ...indexed]) note(known, entity);
  const stored = await findStored(ports, call, known);
  for (const entity of stored.entities) note(known, entity);
  const entities = [...known.values()].sort(
    (one, other) => RANK[one.status] - RANK[other.status] || other.at - one.at,
  );
  const beyond = found.reduce((sum, { value: { more } }) => sum + more, 0);
  return {
    entities: entities.slice(0, call.limit) as InspectFound['entities'],
    more: beyond + Math.max(0, entities.length - call.limit),
    complete: [recorded, runs, schedules, transfers, stored].every((each) => each.complete),
    silent: silentOf(asked),
    at: ports.clock.now(),
  };
}

/** E1 */
function note(known: Map<string, EntitySummary>, entity: EntitySummary): void {
  const name = nameOf(entity);
  const before = known.get(name);
  const isBetter = before === undefined || RANK[entity.status] < RANK[before.status];
  // What is kept says more of it than the list of runs and the log do.
  if (isBetter || (isNowhere(before) && entity.stored !== undefined)) known.set(name, entity);
}

const nameOf = ({ kind, id }: EntityName): string => `${kind}:${id}`;

/** E3. A process reports so many only, so those that it did not name are asked for by their ids. */
async function findStored(
  { inspector }: Pick<Ports, 'inspector'>,
  call: FindCall,
  known: ReadonlyMap<string, EntitySummary>,
): Promise<Recorded> {
  const kept = await inspector.stored.find(call).catch(unlessOutage);
  if (kept === undefined) return { entities: [], complete: false };
  const silent = kept.filter((entity) => isNowhere(known.get(nameOf(entity)))).slice(0, call.limit);
  if (silent.length === 0) return { entities: [], complete: true };
  const ids = silent.map(({ id }) => id);
  const asked = await inspector.processes.askAll<Found>('find', { ids, limit: call.limit });
  const here = new Set(answered(asked).flatMap(({ value }) => value.entities.map(nameOf)));
  return { entities: silent.filter((entity) => !here.has(nameOf(entity))), complete: true };
}

/** What cannot be listed in time is left out, and the answer says that it is not complete. */
function unlessOutage(error: unknown): undefined {
  if (!(error instanceof Outage)) throw error;
}

/** Neither alive nor over. */
function isNowhere(known: EntitySummary | undefined): boolean {
  return known === undefined || (known.status === 'loading' && known.instance === undefined);
}

/** The entity where it lives, else as its log left it; refuses with `inspect::unknown-entity`. */
export async function viewEntity(
  ports: Omit<Ports, 'bus' | 'clock'>,
  name: EntityName,
): Promise<Handled<EntityView>> {
  const { processes } = ports.inspector;
  const asked = await processes.askAll<EntityView>('entity', name);
  const [best] = answered(asked).sort(
    (one, other) => RANK[one.value.status] - RANK[other.value.status] || other.value.epoch - one.value.epoch,
  );
  const stored = await ports.inspector.stored.of(name);
  if (best !== undefined)
    return { ok: true, value: { ...best.value, ...(stored !== undefined && { stored: stored.stored }) } };
  const history = await readHistory(processes, name);
  if (stored !== undefined && !(history.ok && history.value.final))
    return { ok: true, value: storedView(stored) };
  const indexed = runInIndex(ports, name) ?? scheduleInBook(ports, name) ?? transferInBook(ports, name);
  if (!history.ok && indexed?.state === 'submitted') return notBegun(name);
  if (!history.ok) return (await longFinal(ports, name)) ?? unknownEntity(name, asked);
  return { ok: true, value: finishedView(history.value, indexed) };
}

/** A schedule or transfer that is long over: what is left of it is its record. */
async function longFinal(
  ports: Pick<Ports, 'schedulesOver' | 'transfersOver'>,
  name: EntityName,
): Promise<Handled<EntityView> | undefined> {
  const shown = (await scheduleOver(ports, name)) ?? (await transferOver(ports, name));
  return shown && { ok: true, value: storedView(recordEntity(shown)) };
}

async function scheduleOver(
  { schedulesOver }: Pick<Ports, 'schedulesOver'>,
  { kind, id }: EntityName,
): Promise<ShownRecord | undefined> {
  const record = kind === 'schedule' && isScheduleId(id) ? await schedulesOver.find(id) : undefined;
  return record && shownSchedule(record, Date.parse(record.updated_at));
}

async function transferOver(
  { transfersOver }: Pick<Ports, 'transfersOver'>,
  { kind, id }: EntityName,
): Promise<ShownRecord | undefined> {
  const name = kind === 'transfer' ? transferNamed(id) : undefined;
  const record = name && (await transfersOver.find(name));
  return record && transferShown(record, Date.parse(record.updated_at));
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

function finishedView(
  { kind, id, chart, steps, final }: HistoryView,
  indexed: EntitySummary | undefined,
): EntityView {
  const last = steps.at(-1)!;
  const { label = labelIn(last.context, kind), target } = indexed ?? {};
  return {
    kind,
    id,
    ...(label !== undefined && { label }),
    ...(target !== undefined && { target }),
    status: final ? 'finished' : 'loading',
    state: innermost(last.active) || last.event,
    revision: last.n,
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

function labelIn(context: unknown, kind: string): string | undefined {
  return kind === 'telecommand' ? telecommandLabel(context) : undefined;
}

/** Keys of the innermost states, one for each region; each once. */
function innermost(active: readonly string[]): string {
  const leaves = active.filter((id) => !active.some((other) => other.startsWith(`${id}.`)));
  return [...new Set(leaves.map((id) => id.slice(id.lastIndexOf('.') + 1)))].join(' ');
}

function notBegun({ id }: EntityName): Refusal {
  return refuse('inspect::unknown-entity', `run ${id} is submitted and has not begun`, {
    help: 'It begins when an executor has capacity.',
  });
}

/** Says who did not answer: the entity may be theirs. */
export function unknownEntity({ kind, id }: EntityName, asked: readonly Asked<unknown>[]): Refusal {
  const silent = silentOf(asked).map(({ instance }) => instance);
  return refuse('inspect::unknown-entity', `no process has ${kind} ${id}`, {
    help:
      silent.length > 0
        ? `Ask again: ${silent.join(', ')} did not answer.`
        : 'GET /v1/inspect/entities lists the entities; telecommands are named <target>.<id>.',
  });
}
