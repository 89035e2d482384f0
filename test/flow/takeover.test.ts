/**
 * What a takeover reads: real processes, one that finds a long log and many open telecommands with nothing kept beside
 * them, and one that takes them over from it when it was killed with -9. Short in CI, where what is read is counted and
 * no time is judged; `npm run takeover` does it with a log of 100,000 events and 10,000 open telecommands, and prints
 * how long each took.
 */

import { connect, type NatsConnection } from 'nats';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compiledFleet, targetNames } from '../../benchmark/fleet.ts';
import { storeProgram } from '../../benchmark/run-program.ts';
import { serverOptions } from '../../bus/credentials.ts';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { InspectedEntity, InspectFound, InspectTree } from '../../contract/inspector.ts';
import type { Headers } from '../../ports/bus.ts';
import { publishConfiguration } from '../../supervision/configuration.ts';
import { call } from '../support/client.ts';
import { endAllMcs, STEADY, startMcs } from '../support/mcs.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { eventsOf, leaf, programOf, runOf } from '../support/run-program.ts';
import { until } from '../support/until.ts';

const EVENTS = Number(process.env['TAKEOVER_EVENTS'] ?? 500);
const LANES = Number(process.env['TAKEOVER_LANES'] ?? 2);
const OPEN = Number(process.env['TAKEOVER_OPEN'] ?? 20);
const PATIENT_MS = 60_000 + EVENTS * 2 + LANES * OPEN * 20;
const WINDOW = 500;
const RUN = runOf('0');

let nats: TestNats;
let bus: NatsBus;
let connection: NatsConnection;

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
  connection = await connect(serverOptions(nats.url, nats.credentials));
  const compiled = await compiledFleet(LANES, { within: '2 h' });
  await publishConfiguration(bus, compiled);
  await Promise.all(targetNames(LANES).map((target, lane) => open(target, lane)));
  await record(compiled.revision);
}, PATIENT_MS);
afterAll(async () => {
  await endAllMcs();
  await connection.close();
  await nats.stop();
});

/** Nothing has been received since: their verification has nothing to read. */
const HEADERS: Readonly<Record<string, Headers>> = {
  ENCODED: { [header.frame]: 'c0ffee' },
  SENT: { [header.handed]: JSON.stringify({ frames: 0, decoded: 0, values: 0 }) },
};

/** Telecommands that have left and wait for their verification. */
async function open(target: string, lane: number): Promise<void> {
  const waiting: Promise<unknown>[] = [];
  for (let n = 0; n < OPEN; n += 1) {
    const id = `01J00000000000000${String(lane).padStart(2, '0')}${String(n).padStart(7, '0')}`;
    const submission = { id, target, component: 'power', telecommand: 'switch', args: {}, link: 'uhf' };
    const data = Buffer.from(JSON.stringify(submission));
    await bus.append(streams.telecommands, subject.tcSubmit(target), data, { id });
    const about = subject.tcEvent(target, id);
    for (const state of ['PENDING', 'ENCODED', 'SENT']) {
      const event = Buffer.from(JSON.stringify({ tc: id, state, at: new Date().toISOString() }));
      waiting.push(
        bus.append(streams.telecommandEvents, about, event, {
          id: `${id}-${state}`,
          headers: HEADERS[state] ?? {},
        }),
      );
      await Promise.resolve();
    }
    if (waiting.length >= WINDOW) await Promise.all(waiting.splice(0));
  }
  await Promise.all(waiting);
}

/** A run with a long log, suspended. */
async function record(config: string): Promise<void> {
  const program = programOf(config, [leaf('a', [{ kind: 'log', message: ['line'] }])]);
  const ir = await storeProgram(bus, program);
  const { procedure, library, environment, targets } = program;
  const at = new Date().toISOString();
  const facts: object[] = [
    { event: 'started', procedure, library, environment, targets, ir, inputs: {} },
    { event: 'procedure_started', path: procedure },
    { event: 'step_started', path: 'a', attempt: 1, inputs: {} },
    ...Array.from({ length: EVENTS }, (_, n) => ({
      event: 'logged',
      path: 'a',
      message: `line ${n}`,
      samples: [],
    })),
    { event: 'suspended', path: 'a', by: 'ana' },
  ];
  const waiting: Promise<unknown>[] = [];
  for (const [n, fact] of facts.entries()) {
    const event = Buffer.from(JSON.stringify({ run: RUN, seq: n + 1, at, ...fact }));
    waiting.push(bus.append(streams.runs, subject.runEvents(RUN), event, { id: `${RUN}-${n + 1}` }));
    if (waiting.length >= WINDOW) await Promise.all(waiting.splice(0));
  }
  await Promise.all(waiting);
  const entry = Buffer.from(JSON.stringify({ run: RUN, ir, submittedAt: Date.now() }));
  await bus.bucket(buckets.openRuns).put(`0.${RUN}`, entry, 0);
}

interface Taken {
  readonly telecommandsMs: number;
  readonly runMs: number;
  /** Consumers made in the streams of the logs. */
  readonly consumers: { readonly telecommands: number; readonly runs: number };
  kill(): Promise<unknown>;
}

/** Starts a process and waits until it has everything. */
async function takenOver(instance: string): Promise<Taken> {
  const made = { telecommands: 0, runs: 0 };
  const advisories = connection.subscribe('$JS.EVENT.ADVISORY.CONSUMER.CREATED.>', {
    callback: (_error, { subject: of }) => {
      if (of.includes(`.${streams.telecommandEvents.name}.`)) made.telecommands += 1;
      if (of.includes(`.${streams.runs.name}.`)) made.runs += 1;
    },
  });
  const before = await takeovers();
  const begun = performance.now();
  const args = [
    'serve',
    '--roles',
    'api,executor',
    '--nats',
    nats.url,
    '--credentials',
    nats.credentialsFile,
  ];
  const env = { MCS_INSTANCE: instance, ...STEADY };
  const mcs = await startMcs({ args, env, readyWithinMs: PATIENT_MS });
  const took = { telecommandsMs: 0, runMs: 0 };
  await Promise.all([
    until(async () => (await live(mcs.api)) === LANES * OPEN, {
      timeoutMs: PATIENT_MS,
      what: 'every telecommand alive',
    }).then(() => (took.telecommandsMs = performance.now() - begun)),
    until(async () => (await takeovers()) > before, {
      timeoutMs: PATIENT_MS,
      what: 'the run taken over',
    }).then(() => (took.runMs = performance.now() - begun)),
  ]);
  await connection.flush();
  advisories.unsubscribe();
  return { ...took, consumers: made, kill: () => mcs.kill('SIGKILL') };
}

async function live(api: string): Promise<number> {
  const { body } = await call<InspectTree>('GET', `${api}/v1/inspect/tree`);
  const kinds = (body.processes ?? []).flatMap(({ roles }) => roles.flatMap((role) => role.kinds));
  return kinds.find(({ kind }) => kind === 'telecommand')?.live ?? 0;
}

/** How often somebody has taken the run over. */
async function takeovers(): Promise<number> {
  const last = await bus.last(streams.runs, subject.runEvents(RUN));
  return (JSON.parse(Buffer.from(last!.data).toString()) as { seq: number }).seq - (EVENTS + 4);
}

async function keptOf(kind: string): Promise<number> {
  return (await bus.bucket(buckets.actors).list(`${kind}.>`)).length;
}

/** While nobody has them, a process without executor shows them as they are stored. */
async function shownAsStored(): Promise<void> {
  const args = ['serve', '--roles', 'api', '--nats', nats.url, '--credentials', nats.credentialsFile];
  const { api, kill } = await startMcs({ args, env: { MCS_INSTANCE: 'looking', ...STEADY } });
  const { body } = await call<InspectFound>('GET', `${api}/v1/inspect/entities?target=sat1&limit=200`);
  const kinds = body.entities.map(({ kind, stored, instance }) => [kind, stored !== undefined, instance]);
  expect(new Set(kinds.map(String))).toEqual(new Set(['telecommand,true,', 'run,true,']));
  expect(body.silent.map(({ instance }) => instance)).toContain('first');
  const run = await call<InspectedEntity>('GET', `${api}/v1/inspect/entities/run/${RUN}`);
  expect(run.body.entity).toMatchObject({
    instance: '',
    state: 'control.suspended faults.noFault',
    stored: { revision: EVENTS + 5 },
  });
  await kill();
}

it('reads of a long log and of many open telecommands only what is behind what is kept', async () => {
  const first = await takenOver('first');
  const isKept = async () => (await keptOf('telecommand')) === LANES * OPEN && (await keptOf('run')) === 1;
  if (process.env['TAKEOVER_WITHOUT'] === undefined)
    await until(isKept, { timeoutMs: PATIENT_MS, what: 'everything kept' });
  await first.kill();
  if (process.env['TAKEOVER_WITHOUT'] === undefined) await shownAsStored();
  const second = await takenOver('second');
  if (process.env['TAKEOVER_EVENTS'] !== undefined)
    console.info(JSON.stringify({ EVENTS, LANES, OPEN, first, second }));
  const log = await eventsOf(bus, RUN);
  expect(log.slice(-2).map(({ event, seq }) => [event, seq - EVENTS])).toEqual([
    ['taken_over', 5],
    ['taken_over', 6],
  ]);
  if (process.env['TAKEOVER_WITHOUT'] !== undefined) return;
  expect(first.consumers.telecommands, 'nothing was kept').toBeGreaterThanOrEqual(LANES * OPEN);
  expect(second.consumers.telecommands, 'each is read from what is kept').toBeLessThan(LANES * OPEN);
}, 600_000);
