/**
 * What the inspector's routes answer: the views of `inspection.ts` as schemas, put together from every process, and a
 * chart with the places of its parts (ours). Objects take further fields: a process of a newer version may report more.
 */

import Type, { type Static } from 'typebox';
import type { EntityView, HistoryStep, InspectionUpdate, ProcessView } from './inspection.ts';
import {
  EXAMPLE_CHART,
  EXAMPLE_ENTITY,
  EXAMPLE_FOUND,
  EXAMPLE_FRAME,
  EXAMPLE_HISTORY,
  EXAMPLE_RELEASE,
  EXAMPLE_TREE,
} from './inspector-examples.ts';
import { TOKEN_PATTERN } from './token.ts';

const text = Type.String();
const texts = Type.Array(Type.String());
const count = Type.Integer({ minimum: 0 });
const when = Type.Number({ description: 'ms since 1970' });
const token = Type.String({ pattern: TOKEN_PATTERN });

// The tree
// -------------------------------------------------------------------------------------------------------------

const Child = Type.Object({
  name: text,
  state: Type.Enum(['starting', 'running', 'restarting', 'quarantined', 'stopping']),
  crashes: Type.Integer({ minimum: 0, description: 'Crashes inside the window of the supervisor.' }),
  reason: Type.Optional(text),
});

const Role = Type.Intersect([
  Child,
  Type.Object({
    partitions: Type.Array(
      Type.Object({
        prefix: text,
        supervisor: text,
        owned: Type.Array(Type.Intersect([Child, Type.Object({ epoch: Type.Number() })])),
      }),
    ),
    kinds: Type.Array(
      Type.Object({
        kind: text,
        chartVersion: Type.Integer(),
        live: count,
        loading: count,
        supervisor: text,
        trouble: Type.Array(Child),
      }),
    ),
  }),
]);

const Process = Type.Object({
  instance: token,
  startedAt: when,
  at: when,
  draining: Type.Boolean(),
  supervisor: text,
  roles: Type.Array(Role),
  lostUntil: Type.Optional(when),
  deadLetters: Type.Object({
    count,
    newest: Type.Array(Type.Object({ kind: text, id: text, at: when, event: text, error: text })),
  }),
});

/** A member of the cell that did not tell: `gone` when nobody answers under its name, else `slow`. */
export const SilentProcess = Type.Object({
  instance: token,
  why: Type.Enum(['gone', 'slow', 'refused']),
  seenAt: Type.Number({ description: 'Its last heartbeat, ms since 1970.' }),
});
export type SilentProcess = Static<typeof SilentProcess>;

export const InspectTree = Type.Object(
  {
    at: when,
    bus: Type.Enum(['connected', 'disconnected'], {
      description: 'disconnected: the rest is what was known before.',
    }),
    processes: Type.Array(Process),
    silent: Type.Array(SilentProcess),
  },
  { title: 'InspectTree', examples: [EXAMPLE_TREE] },
);
export interface InspectTree {
  readonly at: number;
  readonly bus: 'connected' | 'disconnected';
  readonly processes: readonly ProcessView[];
  readonly silent: readonly SilentProcess[];
}

// Entities
// -------------------------------------------------------------------------------------------------------------

const summary = {
  kind: text,
  id: text,
  label: Type.Optional(Type.String({ description: 'Its name for people: of a run, its procedure.' })),
  target: Type.Optional(Type.String({ description: 'One, or several joined by a comma.' })),
  status: Type.Enum(['live', 'loading', 'restarting', 'quarantined', 'finished']),
  state: Type.String({ description: 'Innermost active states, joined by a space.' }),
  revision: Type.Integer(),
  at: when,
  instance: Type.Optional(
    Type.String({ description: 'The process that has it; absent where none says so.' }),
  ),
  stored: Type.Optional(
    Type.Object(
      {
        at: when,
        epoch: Type.Number(),
        chartVersion: Type.Integer(),
        state: text,
        revision: Type.Integer(),
        position: Type.Optional(
          Type.Integer({
            description: 'Position of its log up to which it says everything; absent where it is the record.',
          }),
        ),
        timers: Type.Array(Type.Object({ event: text, dueAt: when })),
        effects: Type.Array(Type.Object({ key: text, type: text })),
      },
      { description: 'What its store has of it. Without `instance` no process that answers has the entity.' },
    ),
  ),
};

export const InspectFound = Type.Object(
  {
    entities: Type.Array(Type.Object(summary)),
    more: Type.Integer({ minimum: 0, description: 'How many more match.' }),
    complete: Type.Boolean({
      description:
        'False when older telecommands or runs that have finished were not looked at: narrow the search.',
    }),
    silent: Type.Array(SilentProcess),
    at: Type.Number({ description: 'Clock of the service, ms since 1970.' }),
  },
  { title: 'InspectFound', examples: [EXAMPLE_FOUND] },
);
export type InspectFound = Static<typeof InspectFound>;

const chartName = Type.Object({ kind: text, version: Type.Integer() });

const Entity = Type.Object({
  ...summary,
  instance: Type.String({ description: 'The process that has it; empty where none does.' }),
  chart: chartName,
  epoch: Type.Number(),
  supervisor: text,
  reason: Type.Optional(text),
  active: texts,
  context: Type.Unknown(),
  effects: Type.Array(Type.Object({ key: text, type: text, detail: Type.Unknown() })),
  timers: Type.Array(Type.Object({ event: text, dueAt: when })),
  accepts: texts,
  refuses: texts,
});

export const InspectedEntity = Type.Object(
  {
    entity: Entity,
    at: Type.Number({ description: 'Clock of the service, ms since 1970: what timers count down from.' }),
  },
  { title: 'InspectedEntity', examples: [EXAMPLE_ENTITY] },
);
export interface InspectedEntity {
  readonly entity: EntityView;
  readonly at: number;
}

export const EntityHistory = Type.Object(
  {
    kind: text,
    id: text,
    chart: chartName,
    final: Type.Boolean(),
    steps: Type.Array(
      Type.Object({
        n: Type.Integer({ minimum: 1 }),
        at: when,
        event: text,
        detail: Type.Optional(text),
        record: Type.Unknown(),
        active: texts,
        context: Type.Unknown(),
        taken: texts,
      }),
    ),
  },
  { title: 'EntityHistory', examples: [EXAMPLE_HISTORY] },
);
export interface EntityHistory {
  readonly kind: string;
  readonly id: string;
  readonly chart: { readonly kind: string; readonly version: number };
  readonly final: boolean;
  readonly steps: readonly HistoryStep[];
}

const snapshot = Type.Object({
  status: text,
  value: Type.Unknown(),
  context: Type.Unknown(),
  children: Type.Object({}),
  tags: texts,
});
const frame = {
  sessionId: text,
  rootId: text,
  createdAt: text,
  id: Type.Null(),
  _version: text,
  revision: Type.Number(),
  at: when,
};
const event = Type.Object({ type: text });

/** The wire form of `@statelyai/inspect`, with fields of ours beside it. */
export const InspectionUpdates = Type.Union(
  [
    Type.Object({
      ...frame,
      type: Type.Literal('@xstate.actor'),
      name: text,
      parentId: Type.Optional(text),
      definition: text,
      snapshot,
      view: Entity,
    }),
    Type.Object({ ...frame, type: Type.Literal('@xstate.event'), event, sourceId: Type.Optional(text) }),
    Type.Object({
      ...frame,
      type: Type.Literal('@xstate.snapshot'),
      event,
      snapshot,
      view: Entity,
      taken: texts,
      steps: Type.Integer(),
    }),
  ],
  { title: 'InspectionFrame', examples: [EXAMPLE_FRAME] },
);

// Charts
// ---------------------------------------------------------------------------------------------------------------

const point = Type.Object({ x: Type.Number(), y: Type.Number() });
const box = { x: Type.Number(), y: Type.Number(), width: Type.Number(), height: Type.Number() };

const PlacedNode = Type.Object({
  id: text,
  key: text,
  parent: Type.Union([text, Type.Null()]),
  type: Type.Enum(['atomic', 'compound', 'parallel', 'final', 'history']),
  description: Type.Optional(text),
  ...box,
  lines: Type.Array(
    Type.Object({
      text,
      edge: Type.Optional(
        Type.String({ description: 'A transition that is drawn as this line and not as an arrow.' }),
      ),
    }),
    { description: 'Written under the name: what is done on the way in and out, and inner events.' },
  ),
});
export type PlacedNode = Static<typeof PlacedNode>;

const PlacedEdge = Type.Object({
  id: text,
  source: text,
  target: text,
  event: text,
  guard: Type.Optional(text),
  actions: texts,
  points: Type.Array(point, { description: 'Empty for a transition that is a line in its state.' }),
  label: Type.Optional(Type.Object({ ...box, lines: texts })),
});
export type PlacedEdge = Static<typeof PlacedEdge>;

export const ChartLayout = Type.Object(
  {
    kind: text,
    version: Type.Integer(),
    digest: text,
    width: Type.Number(),
    height: Type.Number(),
    nodes: Type.Array(PlacedNode, { description: 'The outer before the inner.' }),
    edges: Type.Array(PlacedEdge),
    initials: Type.Array(
      Type.Object({ of: text, x: Type.Number(), y: Type.Number(), points: Type.Array(point) }),
    ),
    definition: Type.String({ description: 'Of the chart, as JSON text, for the tools of Stately.' }),
  },
  { title: 'ChartLayout', examples: [EXAMPLE_CHART] },
);
export type ChartLayout = Static<typeof ChartLayout>;

// Quarantine
// -----------------------------------------------------------------------------------------------------------

export const ReleaseRequest = Type.Object(
  {
    instance: Type.String({ pattern: TOKEN_PATTERN, description: 'The process.' }),
    supervisor: Type.String({ minLength: 1, maxLength: 512 }),
    child: Type.String({ minLength: 1, maxLength: 512 }),
    action: Type.Enum(['resume', 'reset'], {
      description: 'resume: continue from the record. reset: forget it here; its record stays.',
    }),
  },
  { additionalProperties: false, title: 'ReleaseRequest', examples: [EXAMPLE_RELEASE] },
);
export type ReleaseRequest = Static<typeof ReleaseRequest>;

export const Released = Type.Object(
  { instance: text, supervisor: text, child: text, action: Type.Enum(['resume', 'reset']) },
  { additionalProperties: false, title: 'Released', examples: [EXAMPLE_RELEASE] },
);

type Agrees<Schema, View extends Schema> = [Schema, View];
/**
 * Fails to compile when a schema above and the views of `inspection.ts` say different things.
 * @public
 */
export type SchemasAgree = [
  Agrees<Readonly<Static<typeof Process>>, DeepMutable<ProcessView>>,
  Agrees<Static<typeof Entity>, DeepMutable<EntityView>>,
  Agrees<Static<typeof InspectionUpdates>, DeepMutable<InspectionUpdate>>,
];

type DeepMutable<Value> = Value extends readonly (infer Item)[]
  ? DeepMutable<Item>[]
  : Value extends object
    ? { -readonly [Key in keyof Value]: DeepMutable<Value[Key]> }
    : Value;
