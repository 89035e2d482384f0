/**
 * Runs launched over HTTP on the demo mission: what a launch needs, what decisions do, what the log says. Flows F-04,
 * F-05 and F-12.
 */

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { LaunchReply, RunRequest, RunStatus } from '../../contract/run.ts';
import { RunEvent } from '../../contract/run-event.ts';
import { call, type ErrorBody, readLog } from '../support/client.ts';
import { DEMO, type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { runLogFaults } from '../support/run-log-checker.ts';
import { until } from '../support/until.ts';

const LIBRARY = `
library: drill
version: 1.0.0
imports: [cubesat-6u@1.0.0]
procedures:
  fragile:
    roles: { sat: cubesat-6u }
    steps:
      - step: try
        do:
          - send: sat.obc.ping
          - check: sat.obc.uptime < 0 s
      - step: after
        do: [{ log: after }]
      - if failed:
          - log: cleaning up
  plain:
    roles: { sat: cubesat-6u }
    steps:
      - step: try
        do: [{ check: sat.obc.uptime < 0 s }]
      - log: after
  guarded:
    roles: { sat: cubesat-6u }
    inputs: { patch: { type: file } }
    steps:
      - log: nothing is uploaded
  hazard:
    roles: { sat: cubesat-6u }
    steps:
      - send: sat.obc.reboot
`;

let folder: string;
let cell: DemoCell;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-launch-'));
  await cp(DEMO, folder, { recursive: true });
  await writeFile(join(folder, 'drill.yaml'), LIBRARY);
  const topology = join(folder, 'topology.yaml');
  const text = await readFile(topology, 'utf8');
  await writeFile(
    topology,
    text.replace('environments: [bench, rehearsal]', 'environments: [bench, rehearsal, in_orbit]'),
  );
  cell = await startDemoCell({ folder, memberTtlMs: 20_000 });
}, 60_000);
afterAll(async () => {
  await cell.stop();
  await rm(folder, { recursive: true, force: true });
});

const ada = { 'x-mcs-user': 'ada' };

function launch(over: Partial<RunRequest> & { run: string }) {
  const body: RunRequest = { environment: 'bench', targets: { sat: 'sat1' }, ...over };
  return call<LaunchReply & ErrorBody>('POST', `${cell.api}/v1/runs`, body, ada);
}

async function launched(over: Partial<RunRequest> & { run: string }): Promise<string> {
  const answer = await launch(over);
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  return answer.body.run;
}

const status = async (run: string): Promise<RunStatus> =>
  (await call<RunStatus>('GET', `${cell.api}/v1/runs/${run}`)).body;

async function logOf(run: string): Promise<RunEvent[]> {
  const events = await readLog<RunEvent>(`${cell.api}/v1/runs/${run}/events`);
  expect(runLogFaults(events, { ended: true })).toEqual([]);
  return events;
}

/** Launches what fails, decides once it asks, and returns the log of the whole. */
async function decided(run: string, answer: object): Promise<RunEvent[]> {
  const id = await launched({ run });
  const required = async (behind = 0): Promise<number> =>
    until(
      async () => {
        const { pending } = await status(id);
        return pending?.kind === 'decision' && pending.question! > behind && pending.question;
      },
      { timeoutMs: 60_000, what: `a decision asked behind event ${behind}` },
    ) as Promise<number>;
  const question = await required();
  const url = `${cell.api}/v1/runs/${id}/answers`;
  expect((await call('POST', url, { path: 'try', ...answer }, ada)).status).toBe(202);
  if ((answer as { value?: string }).value === 'replay') {
    // The same one stands until the executor has taken the answer.
    await required(question);
    await call('POST', url, { path: 'try', accepted: true, value: 'abort' }, ada);
  }
  return logOf(id);
}

const messages = (log: readonly RunEvent[]): string[] =>
  log.flatMap((event) => (event.event === 'logged' ? [event.message] : []));
const of = <Kind extends RunEvent['event']>(log: readonly RunEvent[], kind: Kind) =>
  log.filter((event): event is Extract<RunEvent, { event: Kind }> => event.event === kind);
const codes = (body: ErrorBody): string[] => body.errors.map(({ code }) => code);

describe('decisions (F-12)', () => {
  it('MC-STM-004 MC-STM-026 MC-LOG-019 asks one where nobody orchestrates, with path and reason', async () => {
    const log = await decided('fragile', { accepted: true, value: 'skip' });
    const [required] = of(log, 'decision_required');
    expect(required).toMatchObject({ path: 'try', reason: expect.stringContaining('uptime') });
  });

  it('MC-STM-007 MC-LOG-015 MC-LOG-023 skip: the step counts as passed and the run goes on', async () => {
    const log = await decided('fragile', { accepted: true, value: 'skip' });
    expect(of(log, 'answered')).toMatchObject([{ path: 'try', accepted: true, by: 'ada', value: 'skip' }]);
    expect(of(log, 'step_finished')[0]).toMatchObject({ path: 'try', attempt: 1, ok: true });
    expect(messages(log)).toEqual(['after']);
    expect(log.at(-1)).toMatchObject({ event: 'finished', ok: true });
  });

  it('MC-STM-006 MC-LOG-010 replay: a new attempt, with a new telecommand that names the one it repeats', async () => {
    const log = await decided('fragile', { accepted: true, value: 'replay' });
    expect(of(log, 'step_started').map(({ attempt }) => attempt)).toEqual([1, 2]);
    const [first, second] = of(log, 'telecommand_sent');
    expect(second!.tc).not.toBe(first!.tc);
    expect(second!.retry_of).toBe(first!.tc);
    expect(first!.retry_of).toBeUndefined();
  });

  it('MC-STM-008 fail: the rest is skipped, the if failed block runs, the run ends failed', async () => {
    const log = await decided('fragile', { accepted: true, value: 'fail' });
    expect(of(log, 'step_finished')[0]).toMatchObject({ path: 'try', attempt: 1, ok: false });
    expect(messages(log)).toEqual(['cleaning up']);
    expect(log.at(-1)).toMatchObject({ event: 'finished', ok: false });
  });

  it('MC-STM-008 fail without such a block ends the run failed', async () => {
    const log = await decided('plain', { accepted: true, value: 'fail' });
    expect(messages(log)).toEqual([]);
    expect(log.at(-1)).toMatchObject({ event: 'finished', ok: false });
  });

  const ends: [string, object, string][] = [
    ['MC-STM-009 abort', { accepted: true, value: 'abort' }, 'aborted by ada'],
    ['MC-STM-010 no', { accepted: false }, 'no'],
  ];
  it('MC-STM-009 MC-STM-010 abort and no end the run failed, without the if failed block', async () => {
    for (const [name, answer, reason] of ends) {
      const log = await decided('fragile', answer);
      expect(messages(log), name).toEqual([]);
      expect(log.at(-1), name).toMatchObject({ event: 'finished', ok: false });
      expect(of(log, 'finished')[0]!.reason, name).toContain(reason);
    }
  });

  it('MC-STM-011 MC-ANS-031 another value and none are refused in the log, and the run waits on', async () => {
    const id = await launched({ run: 'fragile' });
    const { question } = await until(async () => (await status(id)).pending, { what: 'the decision asked' });
    const url = `${cell.api}/v1/runs/${id}/answers`;
    const bodies = [
      { value: 'perhaps' },
      {},
      { question: question! - 1, value: 'skip' },
      { question, value: 'skip' },
    ];
    for (const body of bodies) await call('POST', url, { path: 'try', accepted: true, ...body }, ada);
    const log = await logOf(id);
    expect(of(log, 'answer_refused').map(({ reason }) => reason)).toEqual([
      expect.stringContaining('"perhaps" is no decision'),
      expect.stringContaining('no value is no decision'),
      `it answers question ${question! - 1}, and question ${question} is asked now`,
    ]);
    expect(log.at(-1)).toMatchObject({ event: 'finished', ok: true });
  });

  it('MC-ANS-002 MC-ANS-005 MC-ANS-006 an answer is taken in by the API and refused by the executor, in the log', async () => {
    const id = await launched({ run: 'fragile' });
    await until(async () => (await status(id)).pending?.kind === 'decision');
    const url = `${cell.api}/v1/runs/${id}/answers`;
    expect((await call('POST', url, { path: 'elsewhere', accepted: true }, ada)).status).toBe(202);
    expect((await call('POST', url, { path: 'try', accepted: true, value: 'skip' }, ada)).status).toBe(202);
    const log = await logOf(id);
    expect(of(log, 'answer_refused')).toMatchObject([{ path: 'elsewhere', by: 'ada' }]);
    expect(log.at(-1)).toMatchObject({ event: 'finished', ok: true });
  });
});

describe('the log', () => {
  it('MC-LOG-001 MC-LOG-005 MC-LOG-024 MC-LOG-026 is what the interface says, event by event, and stands on the bus under its ids', async () => {
    const id = await launched({ run: 'fragile' });
    await until(async () => (await status(id)).pending?.kind === 'decision');
    const url = `${cell.api}/v1/runs/${id}`;
    expect((await call('POST', `${url}/suspend`, undefined, ada)).status).toBe(202);
    await until(async () => (await status(id)).suspended, { what: 'suspended' });
    expect((await call('POST', `${url}/resume`, { choice: 'skip' }, ada)).status).toBe(202);
    const log = await logOf(id);
    for (const event of log) {
      expect(Value.Check(RunEvent, event), JSON.stringify(event)).toBe(true);
      expect(event.run).toBe(id);
    }
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
    expect(of(log, 'suspended')).toMatchObject([{ path: 'try', by: 'ada' }]);
    expect(of(log, 'continued')).toMatchObject([{ path: 'try', by: 'ada', choice: 'skip' }]);
    // The same event again is a duplicate.
    const last = log.at(-1)!;
    const again = await cell.bus.append(
      streams.runs,
      subject.runEvents(id),
      Buffer.from(JSON.stringify(last)),
      { id: `${id}-${last.seq}` },
    );
    expect(again.outcome).toBe('duplicate');
  });

  it('MC-LOG-020 MC-STM-014 says who suspended it and where, when the leases are free', async () => {
    const id = await launched({ run: 'fragile' });
    await until(async () => (await status(id)).pending?.kind === 'decision');
    await call('POST', `${cell.api}/v1/runs/${id}/suspend`, undefined, { 'x-mcs-user': 'grace' });
    await until(async () => (await status(id)).suspended, { what: 'suspended' });
    expect(
      (await cell.bus.bucket(buckets.leases).list('>')).flatMap(
        ({ value }) => JSON.parse(Buffer.from(value).toString()).holders,
      ),
    ).toEqual([]);
    await call('POST', `${cell.api}/v1/runs/${id}/abort`, undefined, ada);
    const log = await logOf(id);
    expect(of(log, 'suspended')).toMatchObject([{ path: 'try', by: 'grace' }]);
    expect(log.at(-1)).toMatchObject({ ok: false, reason: 'aborted by ada' });
  });
});

describe('what a launch needs', () => {
  it('MC-RUN-001 refuses a request without the name of a procedure: 400 api::invalid-body', async () => {
    const { status: code, body } = await call<ErrorBody>(
      'POST',
      `${cell.api}/v1/runs`,
      { environment: 'bench', targets: { sat: 'sat1' } },
      ada,
    );
    expect([code, codes(body)]).toEqual([400, ['api::invalid-body']]);
  });

  it('MC-RUN-027 MC-RUN-041 F-05 reports every error at once, keeps nothing and submits nothing', async () => {
    const programs = cell.bus.bucket(buckets.programs);
    const before = [
      (await programs.list('>')).length,
      await cell.bus.last(streams.runSubmissions, subject.runSubmit),
    ];
    const { status: code, body } = await launch({
      run: 'guarded',
      targets: { sat: 'sat1', other: 'sat1' },
      faults: [{ target: 'nobody', fault: 'cell_drain' }],
      plan: 'pass-1',
    });
    expect(code).toBe(422);
    expect(codes(body).toSorted()).toEqual(
      ['run::unexpected-target', 'run::missing-input', 'run::fault-target', 'run::unknown-pass'].toSorted(),
    );
    const after = [
      (await programs.list('>')).length,
      await cell.bus.last(streams.runSubmissions, subject.runSubmit),
    ];
    expect(after).toEqual(before);
  });

  it('MC-RUN-013 MC-RUN-015 takes a file whose content is stored, and no other', async () => {
    const absent = 'a'.repeat(64);
    const refused = await launch({ run: 'guarded', inputs: { patch: absent } });
    expect([refused.status, codes(refused.body)]).toEqual([422, ['run::invalid-input']]);
    const stored = await fetch(`${cell.api}/v1/uploads`, { method: 'POST', body: 'patch' });
    const { hash } = (await stored.json()) as { hash: string };
    const log = await logOf(await launched({ run: 'guarded', inputs: { patch: hash } }));
    expect(of(log, 'started')[0]!.inputs).toEqual({ patch: hash });
  });

  it('MC-RUN-039 MC-RUN-040 F-04 a hazardous telecommand needs a plan where the environment says so, and then a schedule', async () => {
    const without = await launch({ run: 'hazard', environment: 'in_orbit' });
    expect([without.status, codes(without.body)]).toEqual([422, ['run::plan-required']]);
    const withPlan = await launch({ run: 'hazard', environment: 'in_orbit', plan: 'pass-1' });
    expect(withPlan.status).toBe(422);
    expect(codes(withPlan.body)).toContain('run::must-be-scheduled');
  });
});
