/**
 * The runs of a bench in the cells of the runtime, on a manual clock, over a scripted board and stores that outlive a
 * life.
 */

import type { BoardUser, EventSink } from '../../../actors/sdr/radio/board-user.ts';
import type { RunStore } from '../../../actors/sdr/runs/records.ts';
import { createRuns, type Runs, type RunsOptions } from '../../../actors/sdr/runs/runs.ts';
import type { Campaign } from '../../../contract/bench/campaign.ts';
import type { BenchFault } from '../../../contract/bench/errors.ts';
import type { Profile } from '../../../contract/bench/profile.ts';
import type { Scenario } from '../../../contract/bench/scenario.ts';
import type { Result } from '../../../contract/result.ts';
import type { Bucket, Entry } from '../../../ports/bus.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Stored } from '../../../ports/entity.ts';
import { seededRandom } from '../../../ports/seeded-random.ts';
import { createDeadLetters } from '../../../supervision/cells/dead-letters.ts';
import { cellsOf } from '../../../supervision/cells/host.ts';
import { Kind } from '../../../supervision/cells/kind.ts';
import { demoProfiles } from '../../radio/document/demo-bench.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { type KeptLog, keptLog } from '../../support/silent-log.ts';
import { KeptEvents, ScriptedBoard } from './scripted-board.ts';

export const START = Date.UTC(2026, 0, 1, 1, 30);

/** A store of runs that a life of the daemon leaves behind. */
export class KeptRuns extends MemoryStore implements RunStore {
  async list(): Promise<readonly Stored[]> {
    return [...this.stored.values()];
  }

  async remove(id: string): Promise<void> {
    this.stored.delete(id);
  }
}

/** What survives the daemon. */
export interface Kept {
  readonly scenario: KeptRuns;
  readonly campaign: KeptRuns;
  readonly reports: Map<string, Uint8Array>;
}

export function nothingKept(): Kept {
  return { scenario: new KeptRuns(), campaign: new KeptRuns(), reports: new Map() };
}

interface BenchOptions<Board extends BoardUser> {
  readonly board?: Board;
  readonly scenarios?: readonly Scenario[];
  readonly campaigns?: readonly Campaign[];
  readonly profiles?: ReadonlyMap<string, Profile>;
  readonly kept?: Kept;
  readonly clock?: ManualClock;
  /** A clock that runs by itself, instead of the manual one. */
  readonly running?: Clock;
  readonly clockTrusted?: () => boolean;
  readonly session?: string;
  /** Records on a bus, instead of those in memory. */
  readonly onBus?: Pick<RunsOptions, 'stores' | 'reports'>;
  /** Where events go; by default they are kept for the test. */
  readonly sink?: EventSink;
}

export interface RunsBench<Board extends BoardUser = ScriptedBoard> extends Runs {
  readonly board: Board;
  readonly clock: ManualClock;
  readonly events: KeptEvents;
  readonly kept: Kept;
  readonly log: KeptLog;
  /** Lets what can happen without time happen, then lets time pass. */
  run(ms: number, stepMs?: number): Promise<void>;
  /** The daemon dies, without a word. */
  die(): Promise<void>;
}

/** Starts them; `uptime` counts from the start of the life. */
export async function runsBench<Board extends BoardUser = ScriptedBoard>(
  options: BenchOptions<Board> = {},
): Promise<RunsBench<Board>> {
  const { kept = nothingKept(), clock: manual = new ManualClock(START), session = 'one' } = options;
  const clock = options.running ?? manual;
  const board = (options.board ?? new ScriptedBoard()) as Board;
  const events = new KeptEvents(clock);
  const log = keptLog();
  const born = clock.now();
  let count = 0;
  const runs = createRuns({
    board,
    events: options.sink ?? events,
    clock,
    log,
    ...(options.onBus ?? { stores: kept, reports: reportBucket(kept.reports) }),
    profiles: () => options.profiles ?? demoProfiles(),
    documents: { scenarios: named(options.scenarios), campaigns: named(options.campaigns) },
    uptime: () => clock.now() - born,
    clockTrusted: options.clockTrusted ?? (() => true),
    ids: {
      session,
      scenario: () => `00000000-0000-4000-8000-${String(++count).padStart(6, '0')}${suffix(session)}`,
      campaign: () => `01J${String(clock.now())}${String(++count).padStart(4, '0')}`,
    },
  });
  const kinds = {
    scenario: kindOf(runs, 'scenario', clock, log),
    campaign: kindOf(runs, 'campaign', clock, log),
  };
  await runs.start({ scenario: cellsOf(kinds.scenario), campaign: cellsOf(kinds.campaign) });
  await settled();
  return Object.assign(runs, {
    board,
    clock: manual,
    events,
    kept,
    log,
    run: async (ms: number, stepMs = 50) => {
      await settled();
      await manual.run(ms, stepMs);
      await settled();
    },
    die: async () => {
      runs.stop();
      for (const kind of Object.values(kinds)) for (const id of [...kind.ids()]) kind.drop(id);
      await settled();
    },
  });
}

/** The value, or a failure that shows the refusal. */
export function granted<Value>(result: Result<Value, BenchFault>): Value {
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  return result.value;
}

/** The code of the refusal; undefined when there is none. */
export function codeOf(result: Result<unknown, BenchFault>): string | undefined {
  return result.ok ? undefined : result.faults[0].code;
}

function kindOf(runs: Runs, name: 'scenario' | 'campaign', clock: Clock, log: KeptLog): Kind {
  return new Kind({
    binding: runs.bindings[name],
    clock,
    log,
    random: seededRandom(1),
    deadLetters: createDeadLetters(undefined, log),
    onGone: (id, why) => runs.gone(name, id, why),
    onEscalated: (reason) => {
      throw new Error(reason);
    },
  });
}

function reportBucket(values: Map<string, Uint8Array>): Bucket {
  const entry = (key: string): Entry | undefined => {
    const value = values.get(key);
    return value && { key, value, revision: 1, at: 0 };
  };
  const unused = (): never => {
    throw new Error('reports are written, read and removed');
  };
  return {
    get: async (key) => entry(key),
    overwrite: async (key, value) => {
      values.set(key, value);
      return 1;
    },
    remove: async (key) => {
      values.delete(key);
      return { outcome: 'written', revision: 2 };
    },
    put: unused,
    watch: unused,
    list: unused,
    position: unused,
  };
}

function named<Document extends { readonly name: string }>(documents: readonly Document[] = []) {
  return new Map(documents.map((document) => [document.name, document]));
}

function suffix(session: string): string {
  return [...session]
    .reduce((sum, letter) => sum + letter.charCodeAt(0), 0)
    .toString(16)
    .padStart(6, '0');
}
