/**
 * Executors that die at a named event of the log of a run, with another one alive: real processes, real SIGKILL
 * (`supervision/cells/failpoint.ts`). Each mortal owns one shard and nothing else of the runs, so that the next ones
 * can be started while one dies; everything that is taken from it goes to the same heir.
 */

import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { shardNames, shardOf } from '../../actors/run/open-runs.ts';
import { compileFolder } from '../../cli/mission-folder.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { Answer, RunRequest, RunSummary } from '../../contract/run.ts';
import type { RunEvent } from '../../contract/run-event.ts';
import type { TargetHolds } from '../../contract/target-holds.ts';
import type { TcEvent } from '../../contract/telecommand.ts';
import { isFinalTcState } from '../../contract/telecommand-state.ts';
import { load } from '../../mission/load.ts';
import { resolveRun } from '../../mission/procedure/resolve-run.ts';
import { highestRanked } from '../../supervision/ownership/ranking.ts';
import { call, type Followed, follow, readLog } from '../support/client.ts';
import { DEMO, type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { owned, visit } from '../support/members.ts';
import { runLogFaults } from '../support/run-log-checker.ts';
import { newRun, submitProgram } from '../support/run-program.ts';
import { until } from '../support/until.ts';

/** Ranks high for every shard, and not so high that a mortal is long looked for. */
const HEIR = 'heir-194010';
const TARGET = 'sat1';
/** Mortals started while one dies: a start costs half a second of a core. */
const AHEAD = 2;
/**
 * Long enough that a busy machine takes nothing from the living, also not the spacecraft, which would forget what it
 * received. The dead are seen without it: they were on this machine.
 */
const MEMBER_TTL_MS = 20_000;

/** Its telecommands are verified by reports or by nothing: none waits for housekeeping. */
const DRILL = `
library: drill
version: 1.0.0
imports: [cubesat-6u@1.0.0]
procedures:
  drill:
    roles: { sat: cubesat-6u }
    steps:
      - step: look
        do:
          - send: sat.camera.ping
          - expect: sat.obc.uptime > 0 s
            within: 20 s
      - step: stubborn
        retry: { attempts: 2, delay: 20 ms }
        do: [{ check: sat.obc.watchdog > 10000 s }]
      - step: change
        do:
          - send: sat.power.switch
            args: { channel: heater }
          - send: sat.camera.ping
      - step: question
        do:
          - ask: Level?
            as: level
            type: { type: f64, unit: dB }
          - log: "level {$level}"
      - call: nested
        roles: { sat: sat }
  nested:
    roles: { sat: cubesat-6u }
    steps:
      - step: deep
        do:
          - send: sat.power.switch
            args: { channel: heater, on: false }
  pause:
    roles: { sat: cubesat-6u }
    steps:
      - step: first
        do: [{ wait: 4 s }, { wait: 4 s }, { wait: 4 s }, { wait: 4 s }, { wait: 4 s }]
      - step: second
        do: [{ log: done }]
`;

export interface KillDrill {
  readonly cell: DemoCell;
  /** An executor that dies at the failpoint, and the identifier of a run that will be its own. */
  mortal(n: number): Promise<{ mcs: Mcs; run: string }>;
  /** Resolves with the signal it died of; the others look for the dead at once. */
  died(mcs: Mcs): Promise<string | null>;
  /** Submits a run of one of the procedures, and follows it as clients do. */
  launch(procedure: string, run?: string): Promise<{ run: string; clients: Followed<RunEvent>[] }>;
  stop(): Promise<void>;
}

/** A cell whose executors are processes of their own: the heir, and one mortal for each failpoint, in their order. */
export async function startKillDrill(failpoints: readonly string[]): Promise<KillDrill> {
  const folder = await mkdtemp(join(tmpdir(), 'mcs-kill-'));
  await cp(DEMO, folder, { recursive: true });
  await writeFile(join(folder, 'drill.yaml'), DRILL);
  const cell = await startDemoCell({
    folder,
    roles: ['api', 'drivers', 'gateways', 'telemetry'],
    memberTtlMs: MEMBER_TTL_MS,
  });
  const programOf = await resolverOf(folder);
  const started = new Map<number, Promise<Mcs>>();
  const start = (n: number): Promise<Mcs> => {
    const known = started.get(n);
    if (known !== undefined) return known;
    const begun = executor(cell, mortalName(n), failpoints[n]);
    begun.catch(() => undefined);
    started.set(n, begun);
    return begun;
  };
  await executor(cell, HEIR);
  await until(async () => {
    const { body } = await call<{ values: unknown[] }>('GET', `${cell.api}/v1/targets/${TARGET}/values`);
    return body.values?.length > 5;
  });
  return {
    cell,
    mortal: async (n) => {
      const mcs = await start(n);
      for (let next = n + 1; next <= n + AHEAD && next < failpoints.length; next += 1) void start(next);
      await owned(cell.bus, `runs.${shardFor(n)}`, mortalName(n));
      return { mcs, run: runOf(shardFor(n)) };
    },
    died: async (mcs) => {
      const { signal } = await mcs.exited;
      await visit(cell.bus);
      return signal;
    },
    launch: async (procedure, run = newRun()) => {
      await submitProgram(cell.bus, programOf(procedure), { run, by: 'ana' });
      const known = async () => (await call('GET', `${cell.api}/v1/runs/${run}`)).status === 200;
      await until(known, { timeoutMs: 60_000, what: 'the run in the list' });
      const clients = [1, 2].map(() => follow<RunEvent>(`${cell.api}/v1/runs/${run}/events`));
      return { run, clients };
    },
    stop: async () => {
      await endAllMcs();
      await cell.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function resolverOf(folder: string) {
  const compiled = await compileFolder(folder);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults, undefined, 1));
  const mission = load(compiled.value.configuration, compiled.value.revision);
  return (procedure: string) => {
    const request: RunRequest = { run: procedure, environment: 'rehearsal', targets: { sat: TARGET } };
    const known = { uploads: new Set<string>(), passes: { find: () => undefined } };
    const resolved = resolveRun(mission, request, known);
    if (!resolved.ok) throw new Error(JSON.stringify(resolved.faults, undefined, 1));
    return resolved.value.program;
  };
}

function executor(cell: DemoCell, instance: string, failpoint?: string): Promise<Mcs> {
  const at = ['--nats', cell.nats.url, '--credentials', cell.nats.credentialsFile];
  return startMcs({
    args: ['serve', '--roles', 'executor', ...at],
    env: {
      MCS_INSTANCE: instance,
      MCS_MEMBER_TTL_MS: String(MEMBER_TTL_MS),
      ...(failpoint !== undefined && { MCS_FAILPOINT: failpoint }),
    },
  });
}

// Who owns what -------------------------------------------------------------------------------------------------------

const shardFor = (n: number): string => shardNames()[n % shardNames().length]!;

const names = new Map<number, string>();

/** A name that outranks the heir for its own shard alone; every second one for the lane of the target as well. */
function mortalName(n: number): string {
  const owns = (partition: string, name: string): boolean => highestRanked(partition, [name, HEIR]) === name;
  const isRight = (name: string): boolean =>
    shardNames().every((shard) => owns(shard, name) === (shard === shardFor(n))) &&
    owns(TARGET, name) === (n % 2 === 1);
  for (let salt = 0; !names.has(n); salt += 1) {
    const name = `mortal-${n}-${salt}`;
    if (isRight(name)) names.set(n, name);
  }
  return names.get(n)!;
}

function runOf(shard: string): string {
  let run = newRun();
  while (shardOf(run) !== shard) run = newRun();
  return run;
}

async function entry<Body>(
  cell: DemoCell,
  bucket: keyof typeof buckets,
  key: string,
): Promise<Body | undefined> {
  const found = await cell.bus.bucket(buckets[bucket]).get(key);
  return found && (JSON.parse(Buffer.from(found.value).toString()) as Body);
}

// People --------------------------------------------------------------------------------------------------------------

/**
 * Answers every question that the log asks, once, until the client is closed by the service; `choice` is what is
 * decided of a step that was interrupted behind a telecommand that changes the state.
 */
export async function answerAll(
  cell: DemoCell,
  { run, clients }: { run: string; clients: readonly Followed<RunEvent>[] },
  choice: 'skip' | 'replay',
): Promise<RunEvent[]> {
  const { messages, closed } = clients[0]!;
  let over = false;
  void closed.then(() => (over = true)).catch(() => (over = true));
  for (let seen = 0; !over || seen < messages.length; ) {
    const event = messages[seen];
    if (event === undefined) {
      const what = `event ${seen + 1} behind ${JSON.stringify(messages, undefined, 1)}`;
      await until(() => over || seen < messages.length, { timeoutMs: 90_000, what });
      continue;
    }
    seen += 1;
    const answer = answerTo(event, choice);
    if (answer !== undefined) await post(cell, `${run}/answers`, answer);
  }
  for (const client of clients) expect(await client.closed).toEqual({ code: 1000, reason: 'passed' });
  return [...messages];
}

function answerTo(event: RunEvent, choice: string): Answer | undefined {
  switch (event.event) {
    case 'asked':
      return { path: event.path, accepted: true, value: '3 dB' };
    case 'decision_required': {
      const value = event.path === 'stubborn' ? 'skip' : choice;
      return { path: event.path, accepted: true, value };
    }
    default:
      return undefined;
  }
}

/** The status of the answer. */
export async function post(cell: DemoCell, path: string, body?: object): Promise<number> {
  const { status } = await call('POST', `${cell.api}/v1/runs/${path}`, body, { 'x-mcs-user': 'ana' });
  return status;
}

// The loop ------------------------------------------------------------------------------------------------------------

/** Events of the log of `drill` when nobody dies. */
export const DRILL_EVENTS = [
  'started',
  'procedure_started',
  'step_started',
  'telecommand_sent',
  'telecommand_finished',
  'checked',
  'step_finished',
  'step_started',
  'checked',
  'step_finished',
  'step_started',
  'checked',
  'decision_required',
  'answered',
  'step_finished',
  'step_started',
  'telecommand_sent',
  'telecommand_finished',
  'telecommand_sent',
  'telecommand_finished',
  'step_finished',
  'step_started',
  'asked',
  'answered',
  'logged',
  'step_finished',
  'procedure_started',
  'step_started',
  'telecommand_sent',
  'telecommand_finished',
  'step_finished',
  'procedure_finished',
  'procedure_finished',
  'finished',
] as const;

/** Failpoints before or behind the append of every event, in order. */
export function killPoints(when: 'committing' | 'committed'): string[] {
  return DRILL_EVENTS.map((_, index) => `run:${when} ${index + 1}`);
}

/** A run whose executor dies at failpoint `n`, to its end; everything that must hold then. */
export async function killedAt(drill: KillDrill, failpoint: string, n: number): Promise<void> {
  const { cell } = drill;
  const before = await cell.receivedByRequest();
  const { mcs, run: wanted } = await drill.mortal(n);
  const launched = await drill.launch('drill', wanted);
  const answered = answerAll(drill.cell, launched, n % 2 === 0 ? 'replay' : 'skip');
  answered.catch(() => undefined);
  // Whichever comes first: a run that ends without a death has been taken from it.
  const outlived = answered.then(() => until(() => mcs.child.signalCode, { timeoutMs: 5_000 }));
  const signal = await Promise.race([drill.died(mcs), outlived.catch(() => 'none')]);
  const log = await answered;
  expect(signal, JSON.stringify(log, undefined, 1) + mcs.errors()).toBe('SIGKILL');
  const stored = storedAt(failpoint);
  expectSound(log, launched.clients);
  expect(log.slice(0, stored).map(({ event }) => event)).toEqual(DRILL_EVENTS.slice(0, stored));
  expect(log.at(-1)).toMatchObject({ event: 'finished', ok: true });
  const isTakenOver = stored > 0 && stored < DRILL_EVENTS.length;
  if (isTakenOver) expectTakenOver(log, stored);
  else expect(log.map(({ event }) => event)).toEqual(DRILL_EVENTS);
  expectNoneRepeatedUnasked(log);
  await expectSentOnce(cell, log, before);
  await expectForgotten(cell, launched.run);
}

/** How many events were stored when it died. */
function storedAt(failpoint: string): number {
  const [when, seq] = failpoint.slice('run:'.length).split(' ');
  return Number(seq) - (when === 'committing' ? 1 : 0);
}

// What must hold ------------------------------------------------------------------------------------------------------

/** The log is sound, the same for everybody who followed it, and every event is there once. */
export function expectSound(log: readonly RunEvent[], clients: readonly Followed<RunEvent>[]): void {
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
  expect(runLogFaults(log, { ended: true })).toEqual([]);
  for (const { messages } of clients) expect(messages).toEqual(log);
}

/**
 * What the heir has to do with what it finds: ask behind a telecommand that changes the state, else begin the step
 * again.
 */
export function expectTakenOver(log: readonly RunEvent[], stored: number): void {
  const at = log.findIndex(({ event }) => event === 'taken_over');
  expect(log.filter(({ event }) => event === 'taken_over')).toHaveLength(1);
  // Nothing was stored that the dead one had not stored, and nothing of it is missing.
  expect(log[at]).toMatchObject({ seq: stored + 1, by: HEIR });
  const before = log.slice(0, at);
  const next = log[at + 1]!;
  const step = openStep(before);
  const last = before.at(-1);
  if (last?.event === 'decision_required') expect(next.event).toBe('answered');
  // What a person decided is carried out.
  else if (last?.event === 'answered' && before.at(-2)?.event === 'decision_required')
    expect(next).toMatchObject({ event: 'step_finished', ok: true });
  else if (step === undefined) expect(next.event).not.toBe('decision_required');
  else if (step.some((event) => event.event === 'telecommand_sent' && event.changes_state))
    expect(next).toMatchObject({ event: 'decision_required', path: (step[0] as { path: string }).path });
  else expect(next).toMatchObject({ event: 'step_finished', ok: false });
}

/** The events of the step in progress; undefined between two. */
function openStep(log: readonly RunEvent[]): readonly RunEvent[] | undefined {
  const begun = log.findLastIndex(({ event }) => event === 'step_started');
  const ended = log.findLastIndex(({ event }) => event === 'step_finished');
  return begun > ended ? log.slice(begun) : undefined;
}

/** Each telecommand of the log reached the spacecraft at most once, and nothing else did since `before`. */
export async function expectSentOnce(
  cell: DemoCell,
  log: readonly RunEvent[],
  before: Readonly<Record<string, number>>,
): Promise<void> {
  const sent = log.flatMap((event) => (event.event === 'telecommand_sent' ? [event] : []));
  const histories = await Promise.all(sent.map(({ tc }) => historyOf(cell, tc)));
  const left = histories.filter((states) => states.includes('SENT')).length;
  for (const states of histories) expect(new Set(states).size, `${states}`).toBe(states.length);
  const arrivals = async (): Promise<number[]> => {
    const after = await cell.receivedByRequest();
    return Object.entries(after).map(([request, count]) => count - (before[request] ?? 0));
  };
  const total = (arrived: readonly number[]): number => arrived.reduce((sum, count) => sum + count, 0);
  // What has left is on its way for a moment.
  await until(async () => total(await arrivals()) >= left, { what: `${left} arrivals on board` });
  const arrived = await arrivals();
  expect(Math.max(0, ...arrived)).toBeLessThanOrEqual(1);
  expect(total(arrived)).toBe(left);
}

/** The states a telecommand went through to its end; none when it was announced and never submitted. */
async function historyOf(cell: DemoCell, tc: string): Promise<string[]> {
  const on = subject.tcEvent(TARGET, tc);
  if ((await cell.bus.last(streams.telecommandEvents, on)) === undefined) return [];
  const events = await readLog<TcEvent>(`${cell.api}/v1/tc/${TARGET}/${tc}/events`);
  const states = events.map(({ state }) => state);
  expect(states.at(-1)).toSatisfy((state) => isFinalTcState(state));
  return states;
}

/** State-changing telecommands sent for each step, and how often a person had it begun again. */
export function expectNoneRepeatedUnasked(log: readonly RunEvent[]): void {
  for (const path of ['change', 'nested/deep']) {
    const sent = log.filter(
      (event) => event.event === 'telecommand_sent' && event.path === path && event.changes_state,
    );
    const replayed = log.filter(
      (event) => event.event === 'answered' && event.path === path && event.value === 'replay',
    );
    expect(sent.length).toBe(1 + replayed.length);
    const first = sent[0] as { tc?: string } | undefined;
    for (const again of sent.slice(1)) expect(again).toMatchObject({ retry_of: first?.tc });
  }
}

/** Everything of its end is done. */
export async function expectForgotten(cell: DemoCell, run: string): Promise<void> {
  const key = `${shardOf(run)}.${run}`;
  await until(async () => (await entry(cell, 'openRuns', key)) === undefined, {
    what: 'the run being forgotten',
  });
  expect((await entry<TargetHolds>(cell, 'leases', TARGET))?.holders ?? []).toEqual([]);
  expect(await entry(cell, 'runReports', run)).toMatchObject({ run, ended: { ok: true } });
  expect(await entry<RunSummary>(cell, 'runs', run)).toMatchObject({ finished: true });
}
