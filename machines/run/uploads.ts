/**
 * What the log of a run says of the files it uploads where it stops: at a suspension, at a takeover and at its end.
 * Mission Control Service, section 4.7 rule 8. Whoever carries the effects out looks at the transfers; a run that
 * uploads nothing asks for nothing.
 */

import type { Program, ProgramNode } from '../../contract/program.ts';
import type { RunEvent } from '../../contract/run-event.ts';
import type { RunContext } from './context.ts';
import type { Draft } from './draft.ts';

const UPLOADS = 'uploads: ';

/** Targets to which the program uploads. */
export function uploadTargets({ steps }: Pick<Program, 'steps'>): ReadonlySet<string> {
  return new Set(steps.flatMap(targetsIn));
}

function targetsIn(node: ProgramNode): readonly string[] {
  if (node.kind !== 'step' || node.statements === undefined) return (node.steps ?? []).flatMap(targetsIn);
  return node.statements.flatMap((statement) => (statement.kind === 'upload' ? [statement.target] : []));
}

/** Whether something is to be said before it is over. */
export function isToLookBack({ program, progress }: RunContext): boolean {
  return progress.standing.kind !== 'over' && uploadTargets(program).size > 0;
}

export function lookBack(draft: Draft): void {
  draft.askAwaited({ type: 'effect.uploads' });
}

/** Files as people read it; nothing where there are none. */
export function logUploads(draft: Draft, uploads: readonly string[] = []): void {
  if (uploads.length === 0) return;
  draft.record({ event: 'logged', path: draft.path, message: UPLOADS + uploads.join('; '), samples: [] });
}

/** What an event of the log says of uploads; undefined for any other event. */
export function uploadsIn(event: RunEvent | undefined): string | undefined {
  const says = event?.event === 'logged' && event.message.startsWith(UPLOADS);
  return says ? event.message.slice(UPLOADS.length) : undefined;
}
