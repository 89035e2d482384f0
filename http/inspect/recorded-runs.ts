/**
 * Runs as their index reports them, for the inspector: those that have finished, and those that sleep or wait for an
 * executor, whom no process has alive. Mission Control Service, section 2.3.
 *
 * D1. At most the `RUN_LIST_MOST` newest are looked through; a run asked for by its whole id is found however old.
 */

import { decodeTime } from 'ulid';
import type { EntitySummary, FindCall } from '../../contract/inspection.ts';
import { RUN_LIST_MOST } from '../../contract/limits/run.ts';
import type { RunSummary } from '../../contract/run.ts';
import { isUlid } from '../../contract/token.ts';
import type { RoutePorts } from '../ports.ts';
import { findRun } from '../run-record.ts';
import type { Recorded } from './finished.ts';

type Ports = Pick<RoutePorts, 'bus' | 'runs'>;

/** Runs that match; those that have finished only where something is asked for. Newest first. */
export async function findRecordedRuns(ports: Ports, call: FindCall): Promise<Recorded> {
  if (call.kind !== undefined && call.kind !== 'run') return { entities: [], complete: true };
  if (call.id !== undefined && isUlid(call.id)) {
    const run = await findRun(call.id, ports);
    return { entities: run === undefined ? [] : matching([run], call), complete: true };
  }
  const known = ports.runs.newest(RUN_LIST_MOST) ?? [];
  const asked = [call.kind, call.id, call.target, call.state].some((part) => part !== undefined);
  const runs = known.filter(({ finished }) => asked || finished === undefined);
  return { entities: matching(runs, call), complete: !asked || known.length < RUN_LIST_MOST };
}

/** What the index knows of a run beside its chart; undefined for another kind and an unknown run. */
export function runInIndex(
  { runs }: Pick<Ports, 'runs'>,
  { kind, id }: { readonly kind: string; readonly id: string },
): EntitySummary | undefined {
  const run = kind === 'run' ? runs.of(id) : undefined;
  return run && summaryOf(run);
}

function matching(runs: readonly RunSummary[], call: FindCall): EntitySummary[] {
  return runs.filter((run) => matches(run, call)).map(summaryOf);
}

function matches(run: RunSummary, { id, target, state }: FindCall): boolean {
  return (
    (id === undefined || run.run.includes(id) || run.procedure.includes(id)) &&
    (target === undefined || Object.values(run.targets).includes(target)) &&
    (state === undefined || stateOf(run) === state)
  );
}

function summaryOf(run: RunSummary): EntitySummary {
  const targets = [...new Set(Object.values(run.targets))].sort();
  return {
    kind: 'run',
    id: run.run,
    label: run.procedure,
    ...(targets.length > 0 && { target: targets.join(', ') }),
    status: run.finished === undefined ? 'loading' : 'finished',
    state: stateOf(run),
    revision: 0,
    at: timeOf(run),
  };
}

/** As its chart names the state, where it has one for it. */
function stateOf({ started_at, suspended, pending, finished }: RunSummary): string {
  if (finished !== undefined) return finished ? 'passed' : 'failed';
  if (suspended) return 'suspended';
  if (pending !== undefined) return pending.kind === 'ask' ? 'asking' : 'waitingDecision';
  return started_at === undefined ? 'submitted' : 'running';
}

function timeOf({ run, updated_at, started_at }: RunSummary): number {
  const at = updated_at ?? started_at;
  return at === undefined ? decodeTime(run) : Date.parse(at);
}
