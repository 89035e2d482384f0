/**
 * Whether what a process says is an answer to what it was asked. One of another version may report something else; it
 * is then named beside the others and spoils nothing that they said.
 *
 * A1. Further fields are no fault: a newer process may report more.
 */

import Type, { type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { InspectVerb } from '../../contract/inspection.ts';
import { EntityHistory, InspectedEntity, InspectFound, InspectTree } from '../../contract/inspector.ts';

const texts = Type.Array(Type.String());

const Refused = Compile(
  Type.Object({
    ok: Type.Literal(false),
    faults: Type.Array(Type.Object({ code: Type.String(), message: Type.String() }), { minItems: 1 }),
  }),
);

const Chart = Type.Object({
  kind: Type.String(),
  version: Type.Integer(),
  digest: Type.String(),
  definition: Type.String(),
  root: Type.Unknown(),
  edges: Type.Array(
    Type.Object({
      id: Type.String(),
      source: Type.String(),
      target: Type.String(),
      event: Type.String(),
      guard: Type.Optional(Type.String()),
      actions: texts,
    }),
  ),
});

const ChartState = Compile(
  Type.Object({
    id: Type.String(),
    key: Type.String(),
    type: Type.String(),
    initial: Type.Boolean(),
    entry: texts,
    exit: texts,
    children: Type.Array(Type.Unknown()),
  }),
);

const { entities } = InspectFound.properties;
const done = acceptedOf(Type.Object({}));

const ACCEPTED: Record<InspectVerb, (answer: unknown) => boolean> = {
  tree: acceptedOf(InspectTree.properties.processes.items),
  find: acceptedOf(Type.Object({ entities, more: Type.Integer({ minimum: 0 }) })),
  entity: acceptedOf(InspectedEntity.properties.entity),
  history: acceptedOf(EntityHistory),
  chart: chartAccepted(acceptedOf(Chart)),
  watch: done,
  unwatch: done,
  resume: done,
  reset: done,
};

/** Whether it is what was asked for, or a refusal that says why. */
export function isAnswer(verb: InspectVerb, answer: unknown): boolean {
  return ACCEPTED[verb](answer) || Refused.Check(answer);
}

function acceptedOf(value: TSchema): (answer: unknown) => boolean {
  const validator = Compile(Type.Object({ ok: Type.Literal(true), value }));
  return (answer) => validator.Check(answer);
}

function chartAccepted(isChart: (answer: unknown) => boolean): (answer: unknown) => boolean {
  return (answer) => isChart(answer) && isState((answer as { value: { root: unknown } }).value.root);
}

function isState(state: unknown): boolean {
  return ChartState.Check(state) && (state as { children: unknown[] }).children.every(isState);
}
