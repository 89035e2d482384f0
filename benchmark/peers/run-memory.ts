/**
 * Runs that wait for people, in one process: those of an executor on a real bus, before and after they fall asleep, and
 * bare cells of the same chart. Time is moved by hand.
 *
 * E1. Memory is what is reachable after a collection: heap and buffers. The process itself gives nothing back.
 */

import { createRunBinding } from '../../actors/run/binding.ts';
import { shardNames } from '../../actors/run/open-runs.ts';
import { type NatsBus, openBus } from '../../bus/nats-bus.ts';
import type { Program } from '../../contract/program.ts';
import { refused } from '../../contract/result.ts';
import { type RunSnapshot, underWay } from '../../machines/run/run.ts';
import { NO_PASSES } from '../../mission/pass/serving-gateway.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { Kind } from '../../supervision/cells/kind.ts';
import { HeapClock } from '../../supervision/clock.ts';
import type { RoleContext } from '../../supervision/role.ts';
import { createRuns } from '../../supervision/roles/runs.ts';
import { demoMission, sourceOf } from '../demo-mission.ts';
import type { BusAddress } from '../ground.ts';
import { answerCalls } from '../peer-side.ts';
import { failing, runId, storeProgram, submitRun, waiting } from '../run-program.ts';
import { silentLog } from '../silent-log.ts';
import { StubBus } from '../stub-bus.ts';

const START_MS = Date.UTC(2026, 0, 1);
/** Past the time after which a quiet run leaves the memory, and the sweep behind it. */
const ASLEEP_MS = 120_000;
/** Submissions under way at once. */
const WINDOW = 64;
const PATIENCE_MS = 120_000;
const POLL_MS = 20;

const clock = new HeapClock(START_MS);
const held: unknown[] = [];
let bus: NatsBus;
let runs: Kind;
let emptyBytes = 0;

function usedBytes(): number {
  (globalThis as unknown as { gc(): void }).gc();
  (globalThis as unknown as { gc(): void }).gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** An executor with `count` runs, half of them suspended, half before a decision; what they take. */
async function live({ address, count }: { address: BusAddress; count: number }): Promise<number> {
  bus = openBus({ ...address, name: `run-memory-${process.pid}`, log: silentLog });
  const mission = await demoMission();
  const context = {
    bus,
    clock,
    log: silentLog,
    missions: sourceOf(mission),
    instance: 'benchmark',
    random: seededRandom(1),
    tokens: { verify: async () => refused({ code: 'auth::no-provider', message: 'none', help: '' }) },
    deadLetters: { add: () => undefined },
    values: { ready: Promise.resolve(), current: () => undefined, upToDate: async () => undefined },
    passes: { ...NO_PASSES, ready: Promise.resolve(), onChange: () => () => undefined },
    files: { file: () => undefined, upToDate: async () => undefined },
    failpoint: undefined,
    failed: crash,
  } as unknown as RoleContext;
  const { shared, kind } = createRuns(context);
  runs = kind;
  for (const name of shardNames())
    await shared.role.start(name, { epoch: 1, holds: () => true, failed: crash });
  await fill(mission.revision, 2);
  emptyBytes = usedBytes();
  await fill(mission.revision, count);
  return usedBytes() - emptyBytes;
}

function crash(reason: unknown): never {
  throw new Error(String(reason));
}

async function fill(config: string, count: number): Promise<void> {
  const [wait, fail] = [await storeProgram(bus, waiting(config)), await storeProgram(bus, failing(config))];
  const before = runs.live;
  for (let n = 0; n < count; n += WINDOW) {
    const batch = Array.from({ length: Math.min(WINDOW, count - n) }, (_, index) => index % 2 === 0);
    await Promise.all(batch.map((waits) => submitRun(bus, runId(), waits ? wait : fail, config)));
  }
  await until(() => runs.live === before + count && settled());
}

/** Suspends what only waits for time; whether every run waits for a person. */
function settled(): boolean {
  let all = true;
  for (const id of runs.ids()) {
    const cell = runs.peek(id);
    const snapshot = cell?.lastSnapshot as RunSnapshot | undefined;
    const stands = snapshot && underWay(snapshot);
    if (cell?.quiet && (stands === 'suspended' || stands === 'waitingDecision')) continue;
    all = false;
    if (stands === 'waiting')
      runs.tell(id, { type: 'command.preempt', at: clock.now(), by: 'benchmark', request: id } as never);
  }
  return all;
}

/** The same runs, asleep. */
async function asleep(): Promise<number> {
  await until(() => {
    clock.advance(ASLEEP_MS);
    return runs.live === 0;
  });
  return usedBytes() - emptyBytes;
}

async function until(check: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!check()) {
    if (performance.now() > end) throw new Error(`${runs.live} runs live, not as they should be`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    // What waits for a busy bus is let go on.
    clock.advance(POLL_MS);
  }
}

/** Cells of the chart of a run before a decision, with nothing around them. */
async function bareCells({ count }: { count: number }): Promise<number> {
  const { revision } = await demoMission();
  const kind = bareKind();
  const program = failing(revision);
  await begin(kind, program, 2);
  const before = usedBytes();
  await begin(kind, program, count);
  held.push(kind);
  return usedBytes() - before;
}

async function begin(kind: Kind, program: Program, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const run = runId();
    kind.start(run, { run, ir: 'a'.repeat(64), program, at: START_MS }, 1);
  }
  for (let turns = 0; turns < 10; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}

function bareKind(): Kind {
  const binding = createRunBinding({
    services: { bus: new StubBus(), clock } as never,
    store: {
      load: async () => undefined,
      commit: async ({ position, records }) => ({
        outcome: 'committed',
        position: position + records.length,
      }),
    },
    hostOf: () => undefined,
    isAwaited: () => true,
    isAborted: () => false,
    history: async () => undefined,
  });
  const replies = {
    'effect.prepare': async ({ ticket }: { ticket: number }) => ({ type: 'prepared', at: START_MS, ticket }),
    'effect.send': async ({ ticket, tc }: { ticket: number; tc: string }) => ({
      type: 'telecommand.ended',
      at: START_MS,
      ticket,
      tc,
      state: 'REJECTED',
      detail: 'period: 5 is less than 10 s',
      acks: [],
    }),
  };
  return new Kind({
    binding: { ...binding, effects: { ...binding.effects, ...replies } } as never,
    clock,
    random: seededRandom(1),
    log: silentLog,
    deadLetters: { add: () => undefined } as never,
    onEscalated: crash,
  });
}

answerCalls({ live, asleep, bareCells });
