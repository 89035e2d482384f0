/**
 * Whether a run says in its log how the pass of its plan stands now, and says it. Mission Control Service, sections 4.2
 * rule 3 and 4.5.
 *
 * N1. Nothing is said that was said last (pass-note.N1), and nothing behind the end (run.R4).
 * N2. That a pass is not stored is said only once something was said of it: until then it may just not be known yet.
 */

import type { RunContext } from './context.ts';
import type { Draft } from './draft.ts';
import { WARNING } from './pass-note.ts';
import type { PassSeen } from './protocol.ts';

export function isPassNews({ progress }: RunContext, { text, isStored }: PassSeen): boolean {
  if (progress.standing.kind === 'over' || progress.passNote === text) return false;
  return isStored || progress.passNote !== null;
}

export function logPass(draft: Draft, { text }: PassSeen): void {
  const message = draft.progress.passNote === null ? text : WARNING + text;
  draft.record({ event: 'logged', path: draft.path, message, samples: [] });
}
