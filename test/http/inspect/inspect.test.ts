/**
 * The routes of the inspector on a real bus, with processes that answer, are silent, are slow and move their entities.
 */

import { ulid } from 'ulid';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buckets } from '../../../contract/bus/buckets.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type { ReleaseCall } from '../../../contract/inspection.ts';
import { INSPECT_ANSWER_MS } from '../../../contract/limits/inspect.ts';
import { accepted, refused } from '../../../contract/result.ts';
import type { RunSummary } from '../../../contract/run.ts';
import type { TcState } from '../../../contract/telecommand-state.ts';
import { inspectFollows, inspectRoutes } from '../../../http/routes/inspect.ts';
import { ownTime } from '../../support/own-time.ts';
import { until } from '../../support/until.ts';
import { Coverage } from '../coverage.ts';
import { type Answer, codesOf } from '../fixture.ts';
import { PROVIDER, startWorld, type World } from '../world.ts';
import {
  actorFrame,
  doorAnswers,
  doorChart,
  doorHistory,
  entityView,
  type FakeProcess,
  processView,
  snapshotFrame,
  startFakeProcess,
  summary,
  unknown,
} from './fake-process.ts';

const coverage = new Coverage(inspectRoutes, inspectFollows);
let world: World;
let url: string;
const processes: FakeProcess[] = [];

beforeAll(async () => {
  world = await startWorld();
  url = `${world.url}/v1/inspect`;
});
afterAll(() => world.stop());
afterEach(async () => {
  for (const process of processes.splice(0)) await process.leave();
  await until(async () => (await listed()).length === 0);
});

/** A process that the front end knows of. */
async function process(instance: string, answers: FakeProcess['answers'] = {}): Promise<FakeProcess> {
  const started = await startFakeProcess(world.bus, instance);
  processes.push(started);
  await until(async () => (await listed()).includes(instance));
  started.answers = answers;
  return started;
}

async function listed(): Promise<string[]> {
  const { body } = await coverage.call(`${url}/tree`);
  return [...names(body.processes), ...names(body.silent)];
}

const names = (list: { instance: string }[]): string[] => list.map(({ instance }) => instance);

describe('GET /v1/inspect/tree', () => {
  it('asks every process, and names the one that is gone and the one that is slow beside the others', async () => {
    await process('p1');
    await process('p2');
    await (await process('p3')).silence();
    await process('p4', { tree: () => new Promise(() => undefined) });
    await process('p5', { tree: () => 'nonsense' as never });
    const spent = ownTime();
    const { status, body } = await coverage.call(`${url}/tree`);
    expect(status).toBe(200);
    expect(names(body.processes)).toEqual(['p1', 'p2']);
    expect(
      body.silent.map(({ instance, why }: { instance: string; why: string }) => [instance, why]),
    ).toEqual([
      ['p3', 'gone'],
      ['p4', 'slow'],
      ['p5', 'refused'],
    ]);
    expect(spent()).toBeLessThan(INSPECT_ANSWER_MS + 1_500);
  });

  it('names one that answers with something else, to whatever question, and loses nothing of the others', async () => {
    const has = { ...doorAnswers('p1', 'x'), history: () => accepted(doorHistory('x')) };
    await process('p1', has);
    for (const [n, answer] of [{ ok: true, value: {} }, { ok: true }, { ok: false }, []].entries()) {
      const nonsense = () => answer as never;
      const verbs = { tree: nonsense, find: nonsense, entity: nonsense, history: nonsense, chart: nonsense };
      await process(`q${n}`, verbs);
    }
    const tree = await coverage.call(`${url}/tree`);
    expect(names(tree.body.processes)).toEqual(['p1']);
    expect(tree.body.silent.map(({ why }: { why: string }) => why)).toEqual(Array(4).fill('refused'));
    const found = await coverage.call(`${url}/entities`);
    expect([found.status, found.body.entities.length, found.body.silent.length]).toEqual([200, 1, 4]);
    for (const path of ['entities/door/x', 'entities/door/x/history', 'charts/door'])
      expect([path, (await coverage.call(`${url}/${path}`)).status]).toEqual([path, 200]);
  });

  it('does not list a process that has said goodbye', async () => {
    await (await process('left')).leave();
    await until(async () => (await listed()).length === 0);
  });
});

describe('the tree, followed', () => {
  it('reports the tree at once, then what changes, at most twice a second, and not what does not', async () => {
    const first = await process('p1');
    let draining = false;
    first.answers = { tree: () => accepted(processView('p1', { at: Date.now(), draining })) };
    const client = await coverage.open(`${url}/tree/events`);
    await until(() => client.messages.length === 1);
    expect(names(client.messages[0].processes)).toEqual(['p1']);
    for (let n = 0; n < 5; n += 1) {
      draining = !draining;
      await until(() => client.messages.at(-1).processes[0]?.draining === draining);
    }
    // By when they were made: this process may stand still and then see two of them at once.
    const gaps = client.messages.slice(1).map(({ at }, n) => at - client.messages[n].at);
    expect(Math.min(...gaps)).toBeGreaterThan(450);
    client.close();
  });

  it('reports a calm tree again after a while, so that calm is not taken for a dead connection', async () => {
    await process('p1');
    const client = await coverage.open(`${url}/tree/events`);
    // One that does not answer in time, on a machine that stands still, is news.
    const essence = (tree: { processes: []; silent: [] }) =>
      String([names(tree.processes), names(tree.silent)]);
    const again = await until(() => {
      const of = client.messages.map(essence);
      return of.findIndex((each, n) => n > 0 && each === of[n - 1]) + 1;
    });
    const [before, after] = client.messages.slice(again - 2, again);
    expect(after.at - before.at).toBeGreaterThanOrEqual(4_900);
    client.close();
  });
});

describe('GET /v1/inspect/entities', () => {
  it('merges what the processes find, what is in trouble first, and counts what is beyond the limit', async () => {
    await process('p1', {
      find: () =>
        accepted({ entities: [summary('c', { status: 'loading' }), summary('a'), summary('b')], more: 5 }),
    });
    await process('p2', {
      find: () => accepted({ entities: [summary('c', { status: 'quarantined' }), summary('a')], more: 0 }),
    });
    const { body, status } = await coverage.call(`${url}/entities?limit=2`);
    expect(status).toBe(200);
    expect(body.entities.map(({ id }: { id: string }) => id)).toEqual(['c', 'a']);
    expect([body.more, body.complete, body.silent]).toEqual([6, true, []]);
  });

  it('hands the whole search to each process', async () => {
    const calls: unknown[] = [];
    await process('p1', {
      find: (call: never) => {
        calls.push(call);
        return accepted({ entities: [], more: 0 });
      },
    });
    await coverage.call(`${url}/entities?kind=door&id=x%2Fy&target=sat2&state=open&limit=7`);
    expect(calls).toEqual([{ kind: 'door', id: 'x/y', target: 'sat2', state: 'open', limit: 7 }]);
  });

  it.each(['kind=a.b', 'id=', 'target=a.b', 'state=a%20b', 'limit=0', 'limit=201', 'limit=x', 'nonsense=1'])(
    'refuses the search ?%s',
    async (query) => {
      const answer = await coverage.call(`${url}/entities?${query}`);
      expect([answer.status, codesOf(answer)]).toEqual([400, ['api::invalid-body']]);
    },
  );
});

describe('telecommands that have finished', () => {
  const at = (n: number): string => new Date(1_750_000_000_000 + n * 1000).toISOString();
  const write = async (target: string, id: string, first: number, ...states: TcState[]): Promise<void> => {
    for (const [n, state] of states.entries())
      await world.event(target, { tc: id, state, at: at(first + n) });
  };
  const older = ulid();
  const newer = ulid();
  const other = ulid();

  beforeAll(async () => {
    await write('sat1', older, 0, 'PENDING', 'ENCODED', 'SENT', 'VERIFIED');
    await write('sat1', newer, 10, 'PENDING', 'REJECTED');
    await world.event('sat1', { tc: older, state: 'ECHO', at: at(5), conforming: true });
    await write('sat2', other, 20, 'PENDING', 'ENCODED');
  });

  it('are found by target, newest first, with their last state', async () => {
    const { body } = await coverage.call(`${url}/entities?target=sat1`);
    const found = body.entities.map(({ id, state, status, revision }: Record<string, unknown>) => [
      id,
      state,
      status,
      revision,
    ]);
    expect(found).toEqual([
      [`sat1.${newer}`, 'REJECTED', 'finished', 2],
      [`sat1.${older}`, 'VERIFIED', 'finished', 5],
    ]);
    expect(body.complete).toBe(true);
  });

  it.each<[string, () => string, string[]]>([
    ['the whole id', () => `id=sat1.${older}`, [older]],
    ['the ULID alone', () => `id=${older}`, [older]],
    ['a part of the id', () => `id=${newer.slice(-8)}`, [newer]],
    ['target and state', () => 'target=sat1&state=REJECTED', [newer]],
    ['target and another part', () => 'target=sat1&id=nothing', []],
    ['another kind', () => `kind=door&id=${older}`, []],
    ['kind and target', () => 'kind=telecommand&target=sat1&limit=1', [newer]],
  ])('are found by %s', async (_what, query, expected) => {
    const { body }: Answer = await coverage.call(`${url}/entities?${query()}`);
    expect(body.entities.map(({ id }: { id: string }) => id.split('.')[1])).toEqual(expected);
  });

  it('one that has not ended and lives nowhere is shown as waiting for an owner; a living one as its process reports', async () => {
    const find = async (): Promise<string> =>
      (await coverage.call(`${url}/entities?target=sat2`)).body.entities[0].status;
    expect(await find()).toBe('loading');
    const live = summary(`sat2.${other}`, { kind: 'telecommand', target: 'sat2', state: 'ENCODED' });
    await process('p1', { find: () => accepted({ entities: [live], more: 0 }) });
    expect(await find()).toBe('live');
  });

  it('are not looked for without a target or an id', async () => {
    expect((await coverage.call(`${url}/entities`)).body.entities).toEqual([]);
  });
});

describe('runs', () => {
  const [passed, asleep, waiting] = [ulid(1), ulid(2), ulid(3)];
  const enter = (run: string, more: Partial<RunSummary>): Promise<unknown> => {
    const about = { procedure: 'take_image', environment: 'bench', targets: { sat: 'sat1', relay: 'sat3' } };
    const entry = { run, suspended: false, started_at: '2026-03-01T12:00:00.000Z', ...about, ...more };
    return world.bus.bucket(buckets.runs).overwrite(run, Buffer.from(JSON.stringify(entry)));
  };
  const found = async (query: string): Promise<[string, string, string][]> =>
    (await coverage.call(`${url}/entities?${query}`)).body.entities
      .filter(({ kind }: { kind: string }) => kind === 'run')
      .map(({ id, state, status }: Record<string, string>) => [id, state, status]);
  const PASSED = [passed, 'passed', 'finished'];
  const ASLEEP = [asleep, 'suspended', 'loading'];
  const WAITING = [waiting, 'submitted', 'loading'];

  beforeAll(async () => {
    await enter(passed, { finished: true, updated_at: '2026-03-01T12:00:09.000Z' });
    await enter(asleep, { suspended: true, procedure: 'calibrate' });
    // JSON leaves out what is undefined.
    await enter(waiting, { procedure: 'later', targets: { sat: 'sat3' }, started_at: undefined as never });
    await until(async () => (await found('kind=run')).length === 3);
  });

  it.each<[string, () => string, unknown[]]>([
    ['the whole id', () => `id=${passed}`, [PASSED]],
    ['a part of the procedure', () => 'id=take_im', [PASSED]],
    ['any of its targets', () => 'target=sat3', [ASLEEP, WAITING, PASSED]],
    ['how it ended', () => 'state=passed', [PASSED]],
    ['that it is suspended', () => 'kind=run&state=suspended', [ASLEEP]],
    ['that it has not begun', () => 'state=submitted', [WAITING]],
    ['another kind', () => `kind=door&id=${passed}`, []],
  ])('are found by %s, those that go on before those that are over', async (_what, query, expected) => {
    const runs = await found(query());
    expect(runs.sort()).toEqual([...expected].sort());
  });

  it('that are not over stand in the list of what is under way, those that are over do not', async () => {
    expect((await found('')).sort()).toEqual([ASLEEP, WAITING].sort());
  });

  it('are named by their procedure and all their targets', async () => {
    const { body } = await coverage.call(`${url}/entities?id=${passed}`);
    expect(body.entities[0]).toMatchObject({
      label: 'take_image',
      target: 'sat1, sat3',
      at: Date.parse('2026-03-01T12:00:09.000Z'),
    });
  });

  it('that live are given by their process', async () => {
    const live = summary(asleep, { kind: 'run', label: 'calibrate', state: 'suspended' });
    await process('p1', { find: () => accepted({ entities: [live], more: 0 }) });
    expect(await found(`id=${asleep}`)).toEqual([[asleep, 'suspended', 'live']]);
  });

  it('that have finished are given by their log, with the name of their procedure', async () => {
    const history = { ...doorHistory(passed), kind: 'run', chart: { kind: 'run', version: 1 } };
    await process('p1', { history: () => accepted(history) });
    const { body } = await coverage.call(`${url}/entities/run/${passed}`);
    expect(body.entity).toMatchObject({ label: 'take_image', target: 'sat1, sat3', status: 'finished' });
  });

  it('that have not begun are said to wait for an executor', async () => {
    await process('p1');
    const answer = await coverage.call(`${url}/entities/run/${waiting}`);
    expect([answer.status, codesOf(answer)]).toEqual([404, ['inspect::unknown-entity']]);
    expect(answer.body.errors[0].message).toContain('is submitted and has not begun');
  });
});

describe('one entity', () => {
  it('is given by the process that has it, under an id with any characters', async () => {
    const id = 'a/b %?#é';
    await process('p1');
    await process('p2', doorAnswers('p2', id));
    const before = Date.now();
    const { status, body } = await coverage.call(`${url}/entities/door/${encodeURIComponent(id)}`);
    expect(status).toBe(200);
    expect(body.entity).toEqual(entityView(id, 'p2'));
    expect(body.at).toBeGreaterThanOrEqual(before);
    expect(body.at).toBeLessThanOrEqual(Date.now());
  });

  it('is given by its living owner rather than by one that has it on the way, and by the later owner of two', async () => {
    await process('p1', { entity: () => accepted(entityView('x', 'p1', { status: 'loading', epoch: 9 })) });
    await process('p2', { entity: () => accepted(entityView('x', 'p2', { epoch: 7 })) });
    await process('p3', { entity: () => accepted(entityView('x', 'p3', { epoch: 8 })) });
    expect((await coverage.call(`${url}/entities/door/x`)).body.entity.instance).toBe('p3');
  });

  it('that has finished is from its log', async () => {
    await process('p1', { history: () => accepted(doorHistory('x')) });
    const { body } = await coverage.call(`${url}/entities/door/x`);
    expect(body.entity).toMatchObject({
      status: 'finished',
      state: 'broken',
      active: ['door', 'door.broken'],
      revision: 3,
      context: { opened: 3 },
      accepts: [],
      instance: '',
    });
  });

  it.each(['a%2Fb', '.x', 'x..y', 'x%20y', '='])(
    'that no key of a bucket can name, %s, is not known',
    async (id) => {
      const answer = await coverage.call(`${url}/entities/door/${id}`);
      expect([answer.status, codesOf(answer)]).toEqual([404, ['inspect::unknown-entity']]);
    },
  );

  it('that is not known answers 404, and says who did not answer', async () => {
    await process('p1');
    await (await process('p2')).silence();
    const answer = await coverage.call(`${url}/entities/door/x`);
    expect([answer.status, codesOf(answer)]).toEqual([404, ['inspect::unknown-entity']]);
    expect(answer.body.errors[0].help).toContain('p2');
  });

  it.each([
    '/entities/do.or/x',
    `/entities/door/${'x'.repeat(257)}`,
    '/entities/door/%00',
    '/entities/door/%zz',
  ])('is refused under the path %s', async (path) => {
    const answer = await coverage.call(url + path);
    expect([answer.status, codesOf(answer)]).toEqual([404, ['inspect::unknown-entity']]);
  });
});

describe('the history of an entity', () => {
  it('is given by whichever process can replay it', async () => {
    await process('p1');
    await process('p2', { history: () => accepted(doorHistory('x')) });
    const { status, body } = await coverage.call(`${url}/entities/door/x/history`);
    expect(status).toBe(200);
    expect(body).toEqual(doorHistory('x'));
  });

  it('tells an entity without a log from one that is not known', async () => {
    const first = await process('p1');
    const unheard = await coverage.call(`${url}/entities/door/x/history`);
    expect([unheard.status, codesOf(unheard)]).toEqual([404, ['inspect::unknown-entity']]);
    first.answers = { history: () => refused({ code: 'inspect::no-history', message: 'doors keep no log' }) };
    const without = await coverage.call(`${url}/entities/door/x/history`);
    expect([without.status, codesOf(without)]).toEqual([404, ['inspect::no-history']]);
  });
});

describe('an entity, followed', () => {
  const updates = (process: FakeProcess, update: object): void => {
    for (const watcher of process.watchers)
      world.bus.publish(subject.inspectWatch(watcher), Buffer.from(JSON.stringify(update)));
  };
  const states = (messages: { view: { state: string } }[]): string[] =>
    messages.map(({ view }) => view.state);

  it('gets its frames as they are, renews the watch, gives it back', async () => {
    const owner = await process('p1', doorAnswers('p1', 'x'));
    const client = await coverage.open(`${url}/entities/door/x/events`);
    const frame = actorFrame(entityView('x', 'p1'));
    await until(() => owner.watchers.size === 1);
    updates(owner, frame);
    updates(owner, snapshotFrame(entityView('x', 'p1', { state: 'lit' }), { taken: ['e1'] }));
    await until(() => client.messages.length === 2);
    expect(client.messages[0]).toEqual(frame);
    expect(client.messages[1].taken).toEqual(['e1']);
    await until(() => owner.watched >= 2, { what: 'the renewal' });
    client.close();
    await until(() => owner.watchers.size === 0, { what: 'the watch given back' });
  });

  it('follows it to another process when its own is gone', async () => {
    const first = await process('p1', doorAnswers('p1', 'x'));
    const second = await process('p2');
    const client = await coverage.open(`${url}/entities/door/x/events`);
    updates(first, actorFrame(entityView('x', 'p1')));
    await until(() => client.messages.length === 1);
    await first.silence();
    second.answers = doorAnswers('p2', 'x');
    await until(() => second.watchers.size === 1, { what: 'the new owner being asked' });
    updates(second, actorFrame(entityView('x', 'p2', { state: 'after' })));
    await until(() => client.messages.length === 2);
    expect(states(client.messages)).toEqual(['open', 'after']);
    expect(client.closed).toBeUndefined();
    client.close();
  });

  it('ends with 1000 after the last state', async () => {
    const owner = await process('p1', doorAnswers('p1', 'x'));
    const client = await coverage.open(`${url}/entities/door/x/events`);
    const last = snapshotFrame(entityView('x', 'p1', { state: 'broken', status: 'finished' }));
    updates(owner, { ...last, snapshot: { ...last.snapshot, status: 'done' } });
    await until(() => client.closed);
    expect(states(client.messages)).toEqual(['broken']);
    expect(client.closed).toEqual({ code: 1000, reason: 'finished' });
  });

  it('that has finished before is from its log, and ends', async () => {
    await process('p1', { history: () => accepted(doorHistory('x')) });
    const client = await coverage.open(`${url}/entities/door/x/events`);
    await until(() => client.closed);
    expect(client.messages.map(({ type, snapshot }) => [type, snapshot.status])).toEqual([
      ['@xstate.actor', 'done'],
    ]);
    expect(client.closed?.code).toBe(1000);
  });

  it('entity-follower.W2 between two owners is looked for until one has it', async () => {
    const first = await process('p1', { history: () => accepted({ ...doorHistory('x'), final: false }) });
    const client = await coverage.open(`${url}/entities/door/x/events`);
    await until(() => client.messages.length === 1);
    first.answers = doorAnswers('p1', 'x');
    await until(() => first.watchers.size === 1);
    updates(first, actorFrame(entityView('x', 'p1')));
    await until(() => client.messages.length === 2);
    expect(client.closed).toBeUndefined();
    client.close();
  });

  it('entity-follower.W1 gives back a watch that begins after the socket has closed', async () => {
    const first = await process('p1', { history: () => accepted({ ...doorHistory('x'), final: false }) });
    const client = await coverage.open(`${url}/entities/door/x/events`);
    let begin = (): void => undefined;
    const asked = new Promise<void>((isAsked) => {
      const watch = (): Promise<ReturnType<typeof accepted>> => {
        isAsked();
        return new Promise((resolve) => {
          begin = () => resolve(accepted({}));
        });
      };
      first.answers = { ...first.answers, watch };
    });
    await asked;
    client.close();
    await until(() => client.closed);
    begin();
    await until(() => first.watched === 1);
    await until(() => first.watchers.size === 0, { what: 'the watch given back' });
  });

  it('that is watched by as many as its process bears is refused, rather than open and silent', async () => {
    const full = () => refused({ code: 'inspect::invalid' as const, message: 'too many' });
    await process('p1', { ...doorAnswers('p1', 'x'), watch: full });
    const { refused: answer } = await coverage.follow(`${url}/entities/door/x/events`);
    expect([answer?.status, codesOf(answer!)]).toEqual([503, ['api::unavailable']]);
  });

  it('that is not known is refused before the upgrade', async () => {
    await process('p1', { watch: unknown });
    const { refused: answer } = await coverage.follow(`${url}/entities/door/x/events`);
    expect([answer?.status, codesOf(answer!)]).toEqual([404, ['inspect::unknown-entity']]);
  });
});

describe('GET /v1/inspect/charts/:kind', () => {
  it('answers the chart laid out: no two states of one level overlap, inner ones lie in theirs', async () => {
    await process('p1', doorAnswers('p1'));
    const { status, body } = await coverage.call(`${url}/charts/door`);
    expect(status).toBe(200);
    expect([body.kind, body.version, body.digest]).toEqual(['door', 1, 'd1']);
    const node = (id: string) => body.nodes.find((each: { id: string }) => each.id === id);
    expect(inside(node('door.open.lit'), node('door.open'))).toBe(true);
    for (const [one, two] of [
      ['door.shut', 'door.open'],
      ['door.open', 'door.broken'],
      ['door.open.dark', 'door.open.lit'],
    ] as const)
      expect(overlap(node(one), node(two))).toBe(false);
    for (const each of body.nodes.filter(({ width }: { width: number }) => width > 0))
      expect(inside(each, { x: 0, y: 0, width: body.width, height: body.height })).toBe(true);
  });

  it('draws a transition from the border of its state to that of its target; one that stays is a line in the box', async () => {
    await process('p1', doorAnswers('p1'));
    const { body } = await coverage.call(`${url}/charts/door`);
    for (const { source, target, points, label } of body.edges.filter(
      (each: { source: string; target: string }) => each.source !== each.target,
    )) {
      const box = (id: string) => body.nodes.find((each: { id: string }) => each.id === id);
      expect(touches(points[0], box(source))).toBe(true);
      expect(touches(points.at(-1), box(target))).toBe(true);
      expect(label.width).toBeGreaterThan(20);
    }
    const open = body.nodes.find(({ id }: { id: string }) => id === 'door.open');
    expect(open.lines).toContainEqual({ text: 'door.knocked', edge: 'door.open|door.knocked|0' });
    expect(body.initials.map(({ of }: { of: string }) => of).sort()).toEqual(['door.open.dark', 'door.shut']);
  });

  it('charts.H1 shows another build of a chart again', async () => {
    const owner = await process('p1', doorAnswers('p1'));
    expect((await coverage.call(`${url}/charts/door`)).body.digest).toBe(doorChart.digest);
    owner.answers = { chart: () => accepted({ ...doorChart, digest: 'd2' }) };
    expect((await coverage.call(`${url}/charts/door`)).body.digest).toBe('d2');
  });

  it('takes the newest version, or the one that is asked for', async () => {
    await process('p1', doorAnswers('p1'));
    await process('p2', { chart: () => accepted({ ...doorChart, version: 2, digest: 'v2' }) });
    expect((await coverage.call(`${url}/charts/door`)).body.version).toBe(2);
    expect((await coverage.call(`${url}/charts/door?version=1`)).body.version).toBe(1);
    const answer = await coverage.call(`${url}/charts/door?version=3`);
    expect([answer.status, codesOf(answer)]).toEqual([404, ['inspect::unknown-chart']]);
  });

  it('refuses a kind that nobody runs, and what is no kind', async () => {
    await process('p1');
    for (const kind of ['window', 'a.b']) {
      const answer = await coverage.call(`${url}/charts/${kind}`);
      expect([answer.status, codesOf(answer)]).toEqual([404, ['inspect::unknown-chart']]);
    }
  });
});

describe('POST /v1/inspect/release', () => {
  const wanted = { instance: 'p1', supervisor: 'process/executor/door', child: 'x', action: 'resume' };
  const ada = { 'x-mcs-user': 'ada' };

  it.each(['resume', 'reset'] as const)(
    '%s is asked of that process in the name of the caller',
    async (action) => {
      const calls: ReleaseCall[] = [];
      const keep = (call: never) => {
        calls.push(call);
        return accepted({});
      };
      await process('p1', { [action]: keep });
      const { status, body } = await coverage.post(`${url}/release`, { ...wanted, action }, ada);
      expect([status, body]).toEqual([200, { ...wanted, action }]);
      expect(calls).toEqual([{ supervisor: 'process/executor/door', child: 'x', by: 'ada' }]);
    },
  );

  it('needs a name, and asks nobody without one', async () => {
    let asked = 0;
    await process('p1', {
      resume: () => {
        asked += 1;
        return accepted({});
      },
    });
    const answer = await coverage.post(`${url}/release`, wanted);
    expect([answer.status, codesOf(answer), asked]).toEqual([400, ['api::anonymous'], 0]);
  });

  it.each([
    ['inspect::not-quarantined', 409],
    ['inspect::unknown-entity', 404],
    ['inspect::invalid', 400],
  ] as const)('passes on that the process refuses with %s', async (code, expected) => {
    await process('p1', { resume: () => refused({ code, message: 'it says no' }) });
    const answer = await coverage.post(`${url}/release`, wanted, ada);
    expect([answer.status, codesOf(answer)]).toEqual([expected, [code]]);
    expect(answer.body.errors[0].message).toBe('it says no');
  });

  it('tells a malformed process from one that does not answer', async () => {
    const none = await coverage.post(`${url}/release`, wanted, ada);
    expect([none.status, codesOf(none)]).toEqual([404, ['api::unknown-instance']]);
    await process('p1', { resume: () => new Promise(() => undefined) });
    const slow = await coverage.post(`${url}/release`, wanted, ada);
    expect([slow.status, codesOf(slow)]).toEqual([504, ['inspect::timeout']]);
  });

  it.each([
    {},
    { ...wanted, action: 'kill' },
    { ...wanted, child: '' },
    { ...wanted, instance: 'a.b' },
    { ...wanted, more: 1 },
  ])('refuses the body %j', async (body) => {
    const answer = await coverage.post(`${url}/release`, body, ada);
    expect([answer.status, codesOf(answer)[0]]).toEqual([400, 'api::invalid-body']);
  });

  it('refuses a body beyond what a route takes', async () => {
    const answer = await coverage.post(`${url}/release`, { ...wanted, child: 'x'.repeat(1_100_000) }, ada);
    expect([answer.status, codesOf(answer)]).toEqual([413, ['api::too-large']]);
  });
});

/** One request per route that reaches its handler. */
const requests: readonly (readonly [string, string, object | undefined])[] = [
  ['GET', '/tree', undefined],
  ['GET', '/entities', undefined],
  ['GET', '/entities/door/x', undefined],
  ['GET', '/entities/door/x/history', undefined],
  ['GET', '/charts/door', undefined],
  ['POST', '/release', { instance: 'p1', supervisor: 's', child: 'x', action: 'resume' }],
  ['WS', '/tree/events', undefined],
  ['WS', '/entities/door/x/events', undefined],
];

async function answerOf(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  if (method === 'POST') return coverage.post(url + path, body, headers);
  if (method === 'GET') return coverage.call(url + path, { headers });
  const followed = await coverage.follow(url + path, headers);
  followed.close();
  return followed.refused;
}

describe('on every route of the inspector', () => {
  it.each(requests)('%s %s refuses a token nobody can check', async (method, path, body) => {
    const answer = await answerOf(method, path, body, { authorization: 'Bearer x' });
    expect([answer?.status, codesOf(answer!)]).toEqual([401, ['auth::no-provider']]);
  });

  it.each(requests)('MC-ERR-023 %s %s refuses a token that is not good', async (method, path, body) => {
    const before = world.missions.current!;
    world.missions.publish({ ...before, settings: { ...before.settings, auth: PROVIDER } });
    try {
      const answer = await answerOf(method, path, body, { authorization: 'Bearer x' });
      expect([answer?.status, codesOf(answer!)]).toEqual([401, ['auth::invalid-token']]);
    } finally {
      world.missions.publish(before);
    }
  });

  it.each(requests)('%s %s needs a token with auth.required', async (method, path, body) => {
    const before = world.missions.current!;
    world.missions.publish({ ...before, settings: { ...before.settings, auth: { required: true } } });
    try {
      const answer = await answerOf(method, path, body, { 'x-mcs-user': 'ada' });
      expect([answer?.status, codesOf(answer!)]).toEqual([401, ['auth::token-required']]);
    } finally {
      world.missions.publish(before);
    }
  });

  it.each(requests)('%s %s refuses an unknown query parameter', async (method, path, body) => {
    const answer = await answerOf(method, `${path}?nonsense=1`, body);
    expect([answer?.status, codesOf(answer!)]).toEqual([400, ['api::invalid-body']]);
  });
});

describe('without a bus', () => {
  it('marks the tree that is followed as old, answers 503, and goes on when the bus is back', async () => {
    await process('p1', doorAnswers('p1', 'x'));
    const tree = await coverage.open(`${url}/tree/events`);
    await until(() => tree.messages.length === 1);
    const entity = await coverage.open(`${url}/entities/door/x/events`);
    await world.nats.kill();
    await until(() => !world.bus.connected);
    const last = await until(() => {
      const message = tree.messages.at(-1);
      return message.bus === 'disconnected' && message;
    });
    expect(names(last.processes)).toEqual(['p1']);
    for (const [method, path, body] of requests) {
      const answer = await answerOf(method, path, body, { 'x-mcs-user': 'ada' });
      expect([path, answer?.status, codesOf(answer!)]).toEqual([path, 503, ['api::unavailable']]);
    }
    await world.nats.start();
    await until(() => world.bus.connected);
    await until(() => tree.messages.at(-1).bus === 'connected');
    await until(() => processes[0]!.watched > 1, { what: 'the watch after the outage' });
    expect(entity.closed).toBeUndefined();
    tree.close();
    entity.close();
  });
});

describe('the table', () => {
  it('has no route, status or code of the inspector that no test above has seen', () => {
    expect(coverage.missing()).toEqual([]);
  });
});

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

function inside(inner: Box, outer: Box): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}

function overlap(one: Box, two: Box): boolean {
  return (
    one.x < two.x + two.width &&
    two.x < one.x + one.width &&
    one.y < two.y + two.height &&
    two.y < one.y + one.height
  );
}

function touches({ x, y }: { x: number; y: number }, box: Box): boolean {
  const isNear = (one: number, two: number): boolean => Math.abs(one - two) < 1;
  const across =
    x >= box.x - 1 && x <= box.x + box.width + 1 && (isNear(y, box.y) || isNear(y, box.y + box.height));
  const along =
    y >= box.y - 1 && y <= box.y + box.height + 1 && (isNear(x, box.x) || isNear(x, box.x + box.width));
  return across || along;
}
