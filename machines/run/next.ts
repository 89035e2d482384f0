/**
 * What a run does next, from its progress: write an event, begin a node, run a statement, or wait. Mission Control
 * Service, section 3.2.
 *
 * N1. The answer follows from the program and the progress alone.
 */

import type { Program, StepNode } from '../../contract/program.ts';
import type { RunFact } from '../../contract/run-event.ts';
import { following, innermost, inputsAt, leafAt, listAt, type Placed, pathAt } from './place.ts';
import type { Progress } from './progress.ts';

export type Next =
  /** Waits for people, or is over. */
  | { readonly kind: 'rest' }
  | { readonly kind: 'fact'; readonly fact: RunFact }
  /** Begins the procedure, a step or a call, not before `dueAt`: from here on targets are needed. */
  | { readonly kind: 'open'; readonly fact: RunFact; readonly path: string; readonly dueAt: number }
  /** In the open step. */
  | { readonly kind: 'statement'; readonly leaf: StepNode };

export function nextOf(program: Program, p: Progress): Next {
  const { standing } = p;
  switch (standing.kind) {
    case 'suspended':
    case 'deciding':
    case 'over':
      return { kind: 'rest' };
    case 'ending':
      return { kind: 'fact', fact: { event: 'finished', ok: false, reason: standing.reason } };
    case 'doubt':
      return {
        kind: 'fact',
        fact: { event: 'decision_required', path: pathAt(program, p.frames), reason: standing.reason },
      };
    case 'verdict':
      if (standing.depth > p.frames.length) return onward(program, p);
      return end(program, p, standing.choice === 'skip', standing.reason);
    case 'going':
      return onward(program, p);
  }
}

function onward(program: Program, p: Progress): Next {
  const { procedure, failure } = p;
  if (procedure === 'before')
    return {
      kind: 'open',
      fact: { event: 'procedure_started', path: program.procedure },
      path: program.procedure,
      dueAt: 0,
    };
  if (procedure === 'behind')
    return {
      kind: 'fact',
      fact: { event: 'finished', ok: failure === null, ...(failure !== null && { reason: failure }) },
    };
  if (p.course.kind !== 'forward') return end(program, p, false, closingReason(p));
  const leaf = leafAt(program, p.frames);
  if (leaf !== undefined) return { kind: 'statement', leaf };
  const placed = nextNode(program, p);
  return placed === undefined ? end(program, p, true, undefined) : open(program, p, placed);
}

function nextNode(program: Program, p: Progress): Placed | undefined {
  const list = listAt(program, p.frames);
  return following(list, p.again === null ? p.after : p.again.index - 1);
}

function closingReason({ course, failure }: Progress): string | undefined {
  return course.kind === 'retry' ? course.reason : (failure ?? undefined);
}

function open(program: Program, p: Progress, { node }: Placed): Next {
  const { path } = node;
  if (node.kind === 'call')
    return { kind: 'open', fact: { event: 'procedure_started', path }, path, dueAt: 0 };
  const attempt = p.again?.attempt ?? 1;
  const inputs = inputsAt(program, p.frames);
  return {
    kind: 'open',
    fact: { event: 'step_started', path, attempt, inputs },
    path,
    dueAt: p.again?.dueAt ?? 0,
  };
}

/** Ends the innermost open node, or the procedure. */
function end(program: Program, p: Progress, ok: boolean, reason: string | undefined): Next {
  const node = innermost(program, p.frames);
  const path = pathAt(program, p.frames);
  if (node?.kind !== 'step') return { kind: 'fact', fact: { event: 'procedure_finished', path, ok } };
  const attempt = p.frames.at(-1)?.attempt ?? 1;
  return {
    kind: 'fact',
    fact: { event: 'step_finished', path, attempt, ok, ...(reason !== undefined && { reason }) },
  };
}

/** Path of the step where the run stands; of the next one when it stands between two. */
export function whereabouts(program: Program, p: Progress): string {
  if (leafAt(program, p.frames) !== undefined) return pathAt(program, p.frames);
  const next = p.procedure === 'inside' && p.course.kind === 'forward' ? nextNode(program, p) : undefined;
  return next?.node.path ?? pathAt(program, p.frames);
}
