/**
 * A run of thirty steps on the demo mission, followed by many: every client sees every event once and in order,
 * whatever happens to its connection, to the instance it is connected to and to the bus meanwhile.
 */

import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LaunchReply, RunList, RunRequest, RunStatus } from '../../contract/run.ts';
import type { RunEvent } from '../../contract/run-event.ts';
import { call, type Followed, follow, readLog } from '../support/client.ts';
import { DEMO, type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { until } from '../support/until.ts';

const CLIENTS = 10;
const STEPS = 30;
/** Long enough that every client is there while it runs, also on a busy machine. */
const STEP_MS = 150;

let folder: string;
let cell: DemoCell;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-drill-'));
  await cp(DEMO, folder, { recursive: true });
  await writeFile(join(folder, 'drill.yaml'), drill());
  cell = await startDemoCell({ folder, memberTtlMs: 20_000 });
}, 60_000);
afterAll(async () => {
  await cell.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Thirty steps with two events of their own beside their beginning and end. */
function drill(): string {
  const steps = Array.from(
    { length: STEPS },
    (_, index) =>
      `      - step: s${index + 1}\n        do: [{ log: "step ${index + 1}" }, { wait: ${STEP_MS} ms }]`,
  );
  return [
    'library: drill',
    'version: 1.0.0',
    'imports: [cubesat-6u@1.0.0]',
    'procedures:',
    '  drill:',
    '    roles: { sat: cubesat-6u }',
    '    steps:',
    ...steps,
    '',
  ].join('\n');
}

async function launch(run = 'drill'): Promise<string> {
  const body: RunRequest = { run, environment: 'bench', targets: { sat: 'sat1' } };
  const answer = await call<LaunchReply>('POST', `${cell.api}/v1/runs`, body, { 'x-mcs-user': 'ada' });
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  return answer.body.run;
}

const eventsAt = (api: string, run: string): string => `${api}/v1/runs/${run}/events`;
const clientsOf = (api: string, run: string): Followed<RunEvent>[] =>
  Array.from({ length: CLIENTS }, () => follow<RunEvent>(eventsAt(api, run)));

/** Everything in order, nothing twice, nothing missing, to the end. */
function expectWhole(events: readonly RunEvent[]): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events[0]?.event).toBe('started');
  expect(events.at(-1)).toMatchObject({ event: 'finished', ok: true });
  const begun = events.filter(({ event }) => event === 'step_started');
  expect(begun.map((event) => 'path' in event && event.path)).toEqual(
    Array.from({ length: STEPS }, (_, index) => `s${index + 1}`),
  );
}

async function ended(clients: readonly Followed<RunEvent>[]): Promise<void> {
  for (const { closed } of clients) expect(await closed).toEqual({ code: 1000, reason: 'passed' });
}

describe('a run of thirty steps', () => {
  it('MC-RUN-050 is followed by ten clients, each of which sees every event once and in order', async () => {
    const run = await launch();
    const clients = clientsOf(cell.api, run);
    await ended(clients);
    const log = await readLog<RunEvent>(eventsAt(cell.api, run));
    expectWhole(log);
    for (const { messages } of clients) expect(messages).toEqual(log);
  }, 60_000);

  it('MC-RUN-050 is seen whole by ten clients that lose their connections and come back', async () => {
    const run = await launch();
    const before = clientsOf(cell.api, run);
    await until(() => before.every(({ messages }) => messages.length > 10), { timeoutMs: 30_000 });
    for (const client of before) client.close();
    const after = clientsOf(cell.api, run);
    await ended(after);
    after.forEach(({ messages }, index) => {
      expectWhole(messages);
      const seen = before[index]!.messages;
      expect(messages.slice(0, seen.length)).toEqual(seen);
    });
  }, 60_000);

  it('MC-RUN-048 is seen the same through another instance, when theirs goes away in the middle', async () => {
    const front = await startDemoCell({ folder, roles: ['api'], nats: cell.nats });
    const run = await launch();
    const clients = clientsOf(front.api, run);
    await until(() => clients.every(({ messages }) => messages.length > 10), { timeoutMs: 30_000 });
    await front.stop();
    for (const { closed } of clients) expect((await closed).code).toBe(1001);
    const others = clientsOf(cell.api, run);
    await ended(others);
    others.forEach(({ messages }, index) => {
      expectWhole(messages);
      expect(messages.slice(0, clients[index]!.messages.length)).toEqual(clients[index]!.messages);
    });
  }, 60_000);

  it('MC-LOG-002 goes on without gap or repetition on the same sockets when the bus is killed and comes back', async () => {
    const run = await launch();
    const clients = clientsOf(cell.api, run);
    await until(() => clients.every(({ messages }) => messages.length > 10), { timeoutMs: 30_000 });
    await cell.nats.kill();
    await until(() => !cell.bus.connected);
    await cell.nats.start();
    await ended(clients);
    for (const { messages } of clients) expectWhole(messages);
  }, 90_000);

  it('MC-RUN-044 MC-RUN-046 shows in the list and in its state what its log says', async () => {
    const run = await launch();
    const [client] = clientsOf(cell.api, run);
    await ended([client!]);
    const status = await call<RunStatus>('GET', `${cell.api}/v1/runs/${run}`);
    expect(status.body).toEqual({
      run,
      procedure: 'drill',
      step: `s${STEPS}`,
      suspended: false,
      finished: true,
    });
    const log = client!.messages;
    await until(async () => {
      const { body } = await call<RunList>('GET', `${cell.api}/v1/runs`);
      return body.runs[0]?.run === run && body.runs[0].updated_at === log.at(-1)?.at;
    });
    const { body } = await call<RunList>('GET', `${cell.api}/v1/runs`);
    expect(body.runs[0]).toEqual({
      ...status.body,
      environment: 'bench',
      targets: { sat: 'sat1' },
      by: 'ada',
      started_at: log[0]?.at,
      updated_at: log.at(-1)?.at,
    });
    const ids = body.runs.map((each) => each.run);
    expect(ids).toEqual([...ids].sort().reverse());
  }, 60_000);
});
