/**
 * What the log of a run with a plan says of its pass: first when it is, then, as a warning, that it is another one or
 * over. Mission Control Service, sections 4.2 rule 3 and 4.5. The words are made by who knows the pass
 * (`actors/run/plan-watch.ts`); the run goes on whatever they say.
 *
 * N1. What was said last is part of the progress, so that nothing is said twice, by whoever holds the run.
 * N2. That a pass is not stored is said only once something was said of it: until then it may just not be known yet.
 */

import type { Program } from '../../contract/program.ts';
import type { RunEvent } from '../../contract/run.ts';
import type { RunContext } from './context.ts';
import type { Draft } from './draft.ts';

const WARNING = 'warning: ';

/** Every text about the pass of a plan begins so. */
export function aboutPass(plan: string): string {
  return `pass ${plan} of `;
}

/** What is said last of the pass, behind an event of the log (N1). */
export function passNoteBehind(
  { plan }: Pick<Program, 'plan'>,
  before: string | null,
  event: RunEvent,
): string | null {
  if (plan === undefined || event.event !== 'logged') return before;
  const { message } = event;
  const text = message.startsWith(WARNING) ? message.slice(WARNING.length) : message;
  return text.startsWith(aboutPass(plan)) ? text : before;
}

/** Whether that is to be said, of a pass that is stored or not. */
export function isPassNews({ progress }: RunContext, text: string, isStored: boolean): boolean {
  if (progress.standing.kind === 'over' || progress.passNote === text) return false;
  return isStored || progress.passNote !== null;
}

export function logPass(draft: Draft, { text }: { readonly text: string }): void {
  const message = draft.progress.passNote === null ? text : WARNING + text;
  draft.record({ event: 'logged', path: draft.path, message, samples: [] });
}
