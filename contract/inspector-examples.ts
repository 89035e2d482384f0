/**
 * Examples of what the inspector answers, for its interface description (`inspector.ts`). One telecommand, as it was
 * sent.
 */

const INSTANCE = 'ops-1-4711-7V9XH2C4T6';
const ENTITY_ID = 'sat1.01J5ZK3M8QW7V9XH2C4T6R8YAB';
const AT = 1_767_323_045_678;

const summary = {
  kind: 'telecommand',
  id: ENTITY_ID,
  target: 'sat1',
  status: 'live',
  state: 'verifying',
  revision: 3,
  at: AT,
};

const entity = {
  ...summary,
  instance: INSTANCE,
  chart: { kind: 'telecommand', version: 1 },
  epoch: 17,
  supervisor: 'executor/telecommand',
  active: ['verifying'],
  context: { target: 'sat1' },
  effects: [],
  timers: [{ event: 'xstate.after.verificationTimeout.telecommand.verifying', dueAt: AT + 10_000 }],
  stored: {
    at: AT - 3_000,
    epoch: 17,
    chartVersion: 1,
    state: 'SENT.verifying',
    revision: 3,
    position: 1_204,
    timers: [{ event: 'xstate.after.verificationTimeout.telecommand.verifying', dueAt: AT + 10_000 }],
    effects: [],
  },
  accepts: ['verification.satisfied', 'verification.failed'],
  refuses: ['gateway.sent'],
};

export const EXAMPLE_TREE = {
  at: AT,
  bus: 'connected',
  processes: [
    {
      instance: INSTANCE,
      startedAt: AT - 60_000,
      at: AT,
      draining: false,
      supervisor: 'root',
      roles: [
        {
          name: 'executor',
          state: 'running',
          crashes: 0,
          partitions: [
            {
              prefix: 'lane',
              supervisor: 'executor/lanes',
              owned: [{ name: 'sat1', state: 'running', crashes: 0, epoch: 17 }],
            },
          ],
          kinds: [
            {
              kind: 'telecommand',
              chartVersion: 1,
              live: 1,
              loading: 0,
              supervisor: 'executor/telecommand',
              trouble: [],
            },
          ],
        },
      ],
      deadLetters: { count: 0, newest: [] },
    },
  ],
  silent: [],
};

export const EXAMPLE_FOUND = {
  entities: [{ ...summary, instance: INSTANCE }],
  more: 0,
  complete: true,
  silent: [],
  at: AT,
};

export const EXAMPLE_ENTITY = { entity, at: AT };

export const EXAMPLE_HISTORY = {
  kind: 'telecommand',
  id: ENTITY_ID,
  chart: { kind: 'telecommand', version: 1 },
  final: false,
  steps: [
    {
      n: 1,
      at: AT,
      event: 'PENDING',
      record: { state: 'PENDING', by: 'ada' },
      active: ['PENDING'],
      context: { target: 'sat1' },
      taken: [],
    },
  ],
};

export const EXAMPLE_FRAME = {
  type: '@xstate.event',
  sessionId: `telecommand:${ENTITY_ID}`,
  rootId: `telecommand:${ENTITY_ID}`,
  createdAt: String(AT),
  id: null,
  _version: '5.33.3',
  revision: 3,
  at: AT,
  event: { type: 'verification.satisfied' },
};

export const EXAMPLE_CHART = {
  kind: 'telecommand',
  version: 1,
  digest: '2c26b46b68ffc68f',
  width: 320,
  height: 120,
  nodes: [
    {
      id: 'telecommand.PENDING',
      key: 'PENDING',
      parent: null,
      type: 'atomic',
      x: 20,
      y: 20,
      width: 100,
      height: 40,
      lines: [],
    },
    {
      id: 'telecommand.REJECTED',
      key: 'REJECTED',
      parent: null,
      type: 'final',
      x: 200,
      y: 20,
      width: 100,
      height: 40,
      lines: [],
    },
  ],
  edges: [
    {
      id: 'telecommand.PENDING#0',
      source: 'telecommand.PENDING',
      target: 'telecommand.REJECTED',
      event: 'requirement.failed',
      actions: [],
      points: [
        { x: 120, y: 40 },
        { x: 200, y: 40 },
      ],
    },
  ],
  initials: [],
  definition: '{"id":"telecommand"}',
};

export const EXAMPLE_RELEASE = {
  instance: INSTANCE,
  supervisor: 'executor/telecommand',
  child: ENTITY_ID,
  action: 'resume',
};
