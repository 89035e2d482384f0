/**
 * kill -9 of the executor around a suspension and its end, with another executor alive: what was wished is carried out,
 * what is suspended stays so, and goes on from there. Mission Control Service, section 3.2.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunStatus } from '../../contract/run.ts';
import type { RunEvent } from '../../contract/run-event.ts';
import { call, type Followed } from '../support/client.ts';
import { control } from '../support/run-program.ts';
import { until } from '../support/until.ts';
import { expectForgotten, expectSound, type KillDrill, post, startKillDrill } from './run-kill.fixture.ts';

/** Event 4 of `pause` is `suspended`, event 5 `continued`. */
const POINTS = ['run:committing 4', 'run:committed 4', 'run:committing 5', 'run:committed 5'];
let drill: KillDrill;

beforeAll(async () => {
  drill = await startKillDrill(POINTS);
}, 180_000);
afterAll(() => drill.stop());

interface Paused {
  readonly run: string;
  readonly clients: readonly Followed<RunEvent>[];
  readonly died: Promise<unknown>;
}

/** A run of `pause` whose executor dies at the point; the request to suspend it is accepted. */
async function paused(point: string): Promise<Paused> {
  const { mcs, run } = await drill.mortal(POINTS.indexOf(point));
  const { clients } = await drill.launch('pause', run);
  await received(clients, 'step_started');
  expect(await post(drill.cell, `${run}/suspend`)).toBe(202);
  return { run, clients, died: drill.died(mcs) };
}

function received(
  clients: readonly Followed<RunEvent>[],
  kind: RunEvent['event'],
  times = 1,
): Promise<unknown> {
  const { messages } = clients[0]!;
  return until(() => messages.filter(({ event }) => event === kind).length >= times, {
    timeoutMs: 60_000,
    what: `${kind} in the log`,
  });
}

/** Resumes it with `skip` and sees it through. */
async function resumedToEnd({ run, clients }: Paused): Promise<RunEvent['event'][]> {
  expect(await post(drill.cell, `${run}/resume`, { choice: 'skip' })).toBe(202);
  return ended({ run, clients });
}

async function ended({ run, clients }: Omit<Paused, 'died'>): Promise<RunEvent['event'][]> {
  for (const { closed } of clients) expect(await closed).toEqual({ code: 1000, reason: 'passed' });
  const log = clients[0]!.messages;
  expectSound(log, clients);
  await expectForgotten(drill.cell, run);
  return log.map(({ event }) => event);
}

async function isSuspended(run: string): Promise<boolean> {
  const { body } = await call<RunStatus>('GET', `${drill.cell.api}/v1/runs/${run}`);
  return body.suspended;
}

const BEGUN = ['started', 'procedure_started', 'step_started'];
const SKIPPED = ['continued', 'step_finished', 'step_started', 'logged', 'step_finished'];
const END = ['procedure_finished', 'finished'];

describe('kill -9 of the executor around a suspension', () => {
  it('MC-STM-014 before `suspended` is stored: the next owner suspends it', async () => {
    const run = await paused('run:committing 4');
    await run.died;
    await received(run.clients, 'suspended');
    // The interrupted attempt ends; the skipped step stands in the log as one that passed.
    const [continued, ...rest] = SKIPPED;
    expect(await resumedToEnd(run)).toEqual([
      ...BEGUN,
      'taken_over',
      'step_finished',
      'suspended',
      continued,
      'step_started',
      ...rest,
      ...END,
    ]);
  }, 180_000);

  it('MC-STM-022 behind `suspended`: it stays suspended with the next owner', async () => {
    const run = await paused('run:committed 4');
    await run.died;
    await received(run.clients, 'taken_over');
    expect(await isSuspended(run.run)).toBe(true);
    expect(await resumedToEnd(run)).toEqual([...BEGUN, 'suspended', 'taken_over', ...SKIPPED, ...END]);
  }, 180_000);

  it('MC-STM-022 before `continued` is stored: it stays suspended, holds no target and is resumed again', async () => {
    const run = await paused('run:committing 5');
    await received(run.clients, 'suspended');
    // Asked for once: the API would ask the next owner as well, if that one comes late.
    const resume = { action: 'resume', by: 'ana', choice: 'skip' } as const;
    void control(drill.cell.bus, run.run, resume).catch(() => undefined);
    await run.died;
    await received(run.clients, 'taken_over');
    expect(await isSuspended(run.run)).toBe(true);
    expect(await resumedToEnd(run)).toEqual([...BEGUN, 'suspended', 'taken_over', ...SKIPPED, ...END]);
  }, 180_000);

  it('MC-STM-016 MC-STM-028 behind `continued`: the choice is carried out once', async () => {
    const run = await paused('run:committed 5');
    await received(run.clients, 'suspended');
    void post(drill.cell, `${run.run}/resume`, { choice: 'skip' }).catch(() => undefined);
    await run.died;
    const [continued, ...rest] = SKIPPED;
    expect(await ended(run)).toEqual([...BEGUN, 'suspended', continued, 'taken_over', ...rest, ...END]);
  }, 180_000);
});
