/** The inspector of a whole process, over a real bus: what it answers, to whom, and what it refuses. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { subject } from '../../../contract/bus/subjects.ts';
import {
  type ChartView,
  type EntityView,
  type Found,
  type HistoryView,
  INSPECT_VERBS,
  type InspectAnswer,
  type InspectionUpdate,
  type ProcessView,
} from '../../../contract/inspection.ts';
import type { TcEvent, TcReply } from '../../../contract/telecommand.ts';
import { ROLES } from '../../../supervision/role.ts';
import { call, readLog } from '../../support/client.ts';
import { type DemoCell, startDemoCell } from '../../support/demo-cell.ts';
import { until } from '../../support/until.ts';

let cell: DemoCell;
let instance: string;
beforeAll(async () => {
  cell = await startDemoCell({ memberTtlMs: 20_000 });
  const members = await cell.bus.bucket({ name: 'mcs_members', history: 1 }).list('member.*');
  instance = members[0]!.key.slice('member.'.length);
});
afterAll(() => cell.stop());

async function ask<Value>(verb: string, body: unknown = {}): Promise<InspectAnswer<Value>> {
  const data = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const reply = await cell.bus.request(subject.inspectVerb(instance, verb), data, { timeoutMs: 20_000 });
  return JSON.parse(Buffer.from(reply).toString()) as InspectAnswer<Value>;
}

async function answerOf<Value>(verb: string, body: unknown = {}): Promise<Value> {
  const answer = await ask<Value>(verb, body);
  if (!answer.ok) throw new Error(JSON.stringify(answer.faults));
  return answer.value;
}

async function codesOf(verb: string, body: unknown): Promise<readonly string[]> {
  const answer = await ask(verb, body);
  return answer.ok ? [] : answer.faults.map(({ code }) => code);
}

async function submitted(telecommand: string): Promise<string> {
  const { body } = await call<TcReply>('POST', `${cell.api}/v1/tc`, { target: 'sat1', telecommand });
  return body.id;
}

const finished = (id: string): Promise<TcEvent[]> => readLog<TcEvent>(`${cell.api}/v1/tc/sat1/${id}/events`);

describe('the inspector of a process', () => {
  it('shows its tree: every role, what it owns with its epoch, and its kinds', async () => {
    const tree = await answerOf<ProcessView>('tree', '');
    expect(tree).toMatchObject({ instance, draining: false, supervisor: 'process' });
    expect(tree.roles.map(({ name, state }) => [name, state])).toEqual(
      ROLES.map((role) => [role, 'running']),
    );
    const executor = tree.roles.find(({ name }) => name === 'executor')!;
    expect(executor.partitions).toMatchObject([
      {
        prefix: 'lane',
        supervisor: 'executor/partitions/lane',
        owned: [{ name: 'noaa20' }, { name: 'sat1' }, { name: 'sat2' }],
      },
      { prefix: 'runs', supervisor: 'executor/partitions/runs' },
    ]);
    expect(executor.partitions[0]!.owned[0]!.epoch).toBeGreaterThan(0);
    expect(executor.kinds).toMatchObject([
      { kind: 'telecommand', chartVersion: 2, supervisor: 'executor/kinds/telecommand', trouble: [] },
      { kind: 'run', chartVersion: 3, supervisor: 'executor/kinds/run', trouble: [] },
    ]);
  });

  it('finds a telecommand under way by target and state, shows it, and lets it be watched to its end', async () => {
    await cell.fault('tm_silence', true);
    const id = await submitted('obc.ping');
    const name = { kind: 'telecommand', id: `sat1.${id}` };
    await until(async () => {
      const { entities } = await answerOf<Found>('find', { target: 'sat1', state: 'verifying', limit: 10 });
      return entities.some((each) => each.id === name.id && each.state === 'SENT.verifying');
    });
    const view = await answerOf<EntityView>('entity', name);
    expect(view).toMatchObject({
      ...name,
      target: 'sat1',
      status: 'live',
      instance,
      supervisor: 'executor/kinds/telecommand',
      active: ['telecommand.SENT', 'telecommand.SENT.verifying'],
      context: { telecommand: 'ping', verifyWithinMs: 10_000 },
      timers: [{ event: 'xstate.after.verificationTimeout.telecommand.SENT' }],
      revision: 3,
    });
    expect(view.effects.map(({ type }) => type)).toContain('effect.verify');
    expect(view.accepts).toContain('verification.satisfied');
    expect(view.refuses).toContain('driver.encoded');

    const updates: InspectionUpdate[] = [];
    const hearing = cell.bus.subscribe(subject.inspectWatch('page1'), ({ data }) => {
      updates.push(JSON.parse(Buffer.from(data).toString()) as InspectionUpdate);
    });
    await answerOf('watch', { ...name, watcher: 'page1' });
    await until(() => updates.length > 0);
    expect(updates[0]).toMatchObject({ type: '@xstate.actor', sessionId: `telecommand:${name.id}` });
    // Asked for again, as a page does: the window of the verification is as long as a lease.
    await until(
      async () => {
        await ask('watch', { ...name, watcher: 'page1' });
        return updates.some(
          (update) => update.type === '@xstate.snapshot' && update.snapshot.status === 'done',
        );
      },
      { timeoutMs: 30_000 },
    );
    expect(updates.at(-1)).toMatchObject({ view: { status: 'finished' } });
    expect(updates.filter(({ type }) => type === '@xstate.actor')).toHaveLength(1);
    await hearing.stop();
    await cell.fault('tm_silence', false);
  }, 60_000);

  it('replays a finished telecommand from its log, and draws its chart', async () => {
    const id = await submitted('camera.ping');
    await finished(id);
    const name = { kind: 'telecommand', id: `sat1.${id}` };
    expect(await codesOf('entity', name)).toEqual(['inspect::unknown-entity']);
    const history = await answerOf<HistoryView>('history', name);
    expect(history).toMatchObject({ ...name, final: true });
    expect(history.steps.map(({ n, event, active }) => [n, event, active.at(-1)])).toEqual([
      [1, 'PENDING', 'telecommand.PENDING.checking'],
      [2, 'ENCODED', 'telecommand.ENCODED'],
      [3, 'SENT', 'telecommand.SENT.deciding'],
      [4, 'COMPLETE', 'telecommand.COMPLETE'],
    ]);
    const chart = await answerOf<ChartView>('chart', { kind: 'telecommand' });
    const edges = new Set(chart.edges.map((edge) => edge.id));
    for (const edge of history.steps.flatMap(({ taken }) => taken)) expect(edges).toContain(edge);
  });

  it.each([
    ['entity', { kind: 'telecommand', id: 'sat1.01J00000000000000000000001' }, ['inspect::unknown-entity']],
    ['entity', { kind: 'run', id: 'x' }, ['inspect::unknown-entity']],
    ['watch', { kind: 'telecommand', id: 'sat1.x', watcher: 'w' }, ['inspect::unknown-entity']],
    ['watch', { kind: 'telecommand', watcher: 'a.b' }, ['inspect::invalid', 'inspect::invalid']],
    ['unwatch', {}, ['inspect::invalid', 'inspect::invalid', 'inspect::invalid']],
    ['chart', { kind: 'nothing' }, ['inspect::unknown-chart']],
    ['history', { kind: 'nothing', id: 'x' }, ['inspect::unknown-chart']],
    ['history', { kind: 'run', id: 'x' }, ['inspect::no-history']],
    ['history', { kind: 'telecommand', id: 'sat1.*' }, ['inspect::no-history']],
    ['history', { kind: 'telecommand', id: 'sat1.01J00000000000000000000001' }, ['inspect::no-history']],
    ['find', { limit: 0, state: 7 }, ['inspect::invalid', 'inspect::invalid']],
    ['resume', { supervisor: 'process', child: 'api', by: 'ada' }, ['inspect::not-quarantined']],
    ['reset', { supervisor: 'nowhere', child: 'x', by: 'ada' }, ['inspect::not-quarantined']],
    ['reset', { supervisor: 'process', child: 'x' }, ['inspect::invalid']],
    ['tree', 'no JSON', ['inspect::invalid']],
    ['tree', '[]', ['inspect::invalid']],
  ])('refuses %s of %j', async (verb, body, codes) => {
    expect(await codesOf(verb, body)).toEqual(codes);
  });

  it('answers every verb of the contract', async () => {
    for (const verb of INSPECT_VERBS) expect(await ask(verb, {})).toHaveProperty('ok');
  });
});
