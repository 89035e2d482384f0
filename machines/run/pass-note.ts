/**
 * What the log of a run with a plan says of its pass: first when it is, then, as a warning, that it is another one or
 * over. Mission Control Service, sections 4.2 rule 3 and 4.5. Part of the progress (`progress.ts`). The words are made
 * by who knows the pass (`actors/run/plan-watch.ts`); the run goes on whatever they say.
 *
 * N1. What was said last is part of the progress, so that nothing is said twice, by whoever holds the run.
 */

import type { Program } from '../../contract/program.ts';
import type { RunEvent } from '../../contract/run-event.ts';

export const WARNING = 'warning: ';

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
