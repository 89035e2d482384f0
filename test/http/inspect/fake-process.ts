/**
 * A process of the cell as the inspector's routes meet it: a member that answers the verbs with what the test says. The
 * real one is tested beside `supervision/inspection`; this one can be silent, slow and wrong.
 */

import { buckets } from '../../../contract/bus/buckets.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type {
  ActorUpdate,
  ChartView,
  EntitySummary,
  EntityView,
  FindCall,
  HistoryView,
  InspectAnswer,
  InspectVerb,
  ProcessView,
  SnapshotUpdate,
  WatchCall,
} from '../../../contract/inspection.ts';
import { INSPECT_VERBS } from '../../../contract/inspection.ts';
import { accepted, refused } from '../../../contract/result.ts';
import type { Bus, Stoppable } from '../../../ports/bus.ts';

type Answers = {
  [Verb in InspectVerb]?: (call: never) => InspectAnswer<unknown> | Promise<InspectAnswer<unknown>>;
};

export interface FakeProcess {
  readonly instance: string;
  /** Watchers that were asked for and not given back. */
  readonly watchers: Set<string>;
  /** How often a watch was begun or renewed. */
  watched: number;
  answers: Answers;
  /** Says goodbye, or just falls silent. */
  leave(): Promise<void>;
  silence(): Promise<void>;
}

export const unknown = () => refused({ code: 'inspect::unknown-entity' as const, message: 'not here' });

/** A member of the cell. */
export async function startFakeProcess(
  bus: Bus,
  instance: string,
  answers: Answers = {},
): Promise<FakeProcess> {
  const served: Stoppable[] = [];
  const member = async (left: boolean): Promise<void> => {
    const text = JSON.stringify({
      instance,
      roles: ['executor'],
      host: 'test',
      pid: 0,
      ...(left && { left }),
    });
    await bus.bucket(buckets.members).overwrite(`member.${instance}`, Buffer.from(text));
  };
  const silence = async (): Promise<void> => {
    for (const each of served) await each.stop();
  };
  const process: FakeProcess = {
    instance,
    answers,
    watchers: new Set<string>(),
    watched: 0,
    silence,
    leave: async () => {
      await member(true);
      await silence();
    },
  };
  for (const verb of INSPECT_VERBS) {
    served.push(
      bus.serve(subject.inspectVerb(instance, verb), async ({ data }) => {
        const call = JSON.parse(Buffer.from(data).toString()) as never;
        const answer = process.answers[verb];
        const result = answer === undefined ? byDefault(process, verb) : await answer(call);
        if (result.ok) keepWatch(process, verb, call);
        return Buffer.from(JSON.stringify(result));
      }),
    );
  }
  await member(false);
  return process;
}

function byDefault({ instance }: FakeProcess, verb: InspectVerb): InspectAnswer<unknown> {
  if (verb === 'tree') return accepted(processView(instance));
  if (verb === 'find') return accepted({ entities: [], more: 0 });
  if (verb === 'unwatch') return accepted({});
  if (verb === 'chart') return refused({ code: 'inspect::unknown-chart', message: 'no such chart' });
  if (verb === 'resume' || verb === 'reset')
    return refused({ code: 'inspect::not-quarantined', message: 'it runs' });
  return unknown();
}

function keepWatch(process: FakeProcess, verb: InspectVerb, { watcher }: WatchCall): void {
  if (verb === 'watch') {
    process.watchers.add(watcher);
    process.watched += 1;
  }
  if (verb === 'unwatch') process.watchers.delete(watcher);
}

export function processView(instance: string, more: Partial<ProcessView> = {}): ProcessView {
  return {
    instance,
    startedAt: 1_000,
    at: 61_000,
    draining: false,
    supervisor: 'process',
    roles: [
      {
        name: 'executor',
        state: 'running',
        crashes: 0,
        partitions: [
          {
            prefix: 'lane',
            supervisor: 'process/executor/lane',
            owned: [{ name: 'sat1', state: 'running', crashes: 0, epoch: 7 }],
          },
        ],
        kinds: [
          {
            kind: 'door',
            chartVersion: 1,
            live: 1,
            loading: 0,
            supervisor: 'process/executor/door',
            trouble: [],
          },
        ],
      },
    ],
    deadLetters: { count: 0, newest: [] },
    ...more,
  };
}

export function summary(id: string, more: Partial<EntitySummary> = {}): EntitySummary {
  return { kind: 'door', id, status: 'live', state: 'open', revision: 3, at: 1_700_000_000_000, ...more };
}

export function entityView(id: string, instance: string, more: Partial<EntityView> = {}): EntityView {
  return {
    ...summary(id),
    instance,
    epoch: 7,
    supervisor: 'process/executor/door',
    chart: { kind: 'door', version: 1 },
    active: ['door', 'door.open'],
    context: { opened: 3, by: { name: 'ada' } },
    effects: [{ key: `door:${id}:3:0`, type: 'effect.ring', detail: {} }],
    timers: [{ event: 'after 30 s', dueAt: 1_700_000_030_000 }],
    accepts: ['door.closed'],
    refuses: ['door.opened'],
    ...more,
  };
}

export function actorFrame(view: EntityView, more: Partial<ActorUpdate> = {}): ActorUpdate {
  return { ...frameOf(view), type: '@xstate.actor', name: view.id, definition: '{}', ...more } as ActorUpdate;
}

export function snapshotFrame(view: EntityView, more: Partial<SnapshotUpdate> = {}): SnapshotUpdate {
  const event = { type: 'door.opened' };
  return {
    ...frameOf(view),
    type: '@xstate.snapshot',
    event,
    taken: [],
    steps: 1,
    ...more,
  } as SnapshotUpdate;
}

function frameOf(view: EntityView) {
  const sessionId = `${view.kind}:${view.id}`;
  return {
    sessionId,
    rootId: sessionId,
    createdAt: `${view.at}`,
    id: null,
    _version: '0.7.2',
    revision: view.revision,
    at: view.at,
    view,
    snapshot: { status: 'active', value: view.state, context: view.context, children: {}, tags: [] },
  };
}

/** A door: shut, open (with a lamp that is on or off), broken for good. */
export const doorChart: ChartView = {
  kind: 'door',
  version: 1,
  digest: 'd1',
  definition: '{"id":"door"}',
  root: {
    id: 'door',
    key: 'door',
    type: 'compound',
    initial: false,
    entry: [],
    exit: [],
    children: [
      leaf('shut', true, { entry: ['lock'] }),
      {
        id: 'door.open',
        key: 'open',
        type: 'compound',
        initial: false,
        entry: ['ring', 'callTheHouseKeeper'],
        exit: [],
        description: 'Somebody may come in.',
        children: [leaf('open.dark', true), leaf('open.lit', false)],
      },
      leaf('broken', false, { type: 'final' }),
    ],
  },
  edges: [
    edge('door.shut', 'door.opened', 'door.open'),
    edge('door.open', 'door.closed', 'door.shut'),
    edge('door.open', 'door.knocked', 'door.open', { actions: ['count'] }),
    edge('door.open.dark', 'lamp.on', 'door.open.lit', { guard: 'isNight' }),
    edge('door.open', 'after 30 s', 'door.broken'),
  ],
};

function leaf(path: string, initial: boolean, more: Partial<ChartView['root']> = {}): ChartView['root'] {
  const key = path.split('.').at(-1)!;
  return { id: `door.${path}`, key, type: 'atomic', initial, entry: [], exit: [], children: [], ...more };
}

function edge(
  source: string,
  event: string,
  target: string,
  more: Partial<ChartView['edges'][number]> = {},
): ChartView['edges'][number] {
  return { id: `${source}|${event}|0`, source, target, event, actions: [], ...more };
}

export function doorHistory(id: string): HistoryView {
  const step = (n: number, event: string, active: string[], taken: string[]) => ({
    n,
    at: 1_700_000_000_000 + n,
    event,
    record: { event },
    context: { opened: n },
    active,
    taken,
  });
  return {
    kind: 'door',
    id,
    chart: { kind: 'door', version: 1 },
    final: true,
    steps: [
      step(1, 'SHUT', ['door', 'door.shut'], []),
      step(2, 'OPEN', ['door', 'door.open', 'door.open.dark'], ['door.shut|door.opened|0']),
      step(3, 'BROKEN', ['door', 'door.broken'], ['door.open|after 30 s|0']),
    ],
  };
}

/** Answers of a process that has these doors. */
export function doorAnswers(instance: string, ...ids: string[]): Answers {
  const has = ({ kind, id }: { kind: string; id: string }): boolean => kind === 'door' && ids.includes(id);
  return {
    find: (call: FindCall) => {
      const found = ids
        .filter((id) => call.id === undefined || id.includes(call.id))
        .filter(() => call.kind === undefined || call.kind === 'door')
        .filter(() => call.target === undefined && (call.state === undefined || call.state === 'open'))
        .map((id) => summary(id));
      return accepted({ entities: found.slice(0, call.limit), more: Math.max(0, found.length - call.limit) });
    },
    entity: (call: WatchCall) => (has(call) ? accepted(entityView(call.id, instance)) : unknown()),
    watch: (call: WatchCall) => (has(call) ? accepted({}) : unknown()),
    chart: ({ kind }: { kind: string }) =>
      kind === 'door'
        ? accepted(doorChart)
        : refused({ code: 'inspect::unknown-chart', message: 'no such chart' }),
  };
}
