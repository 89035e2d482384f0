/** A run that has not begun, and the first event of its log. Mission Control Service, section 3.2. */

import { type RunContext, STEP_BEGUN } from './context.ts';
import type { Draft } from './draft.ts';
import { faultsBefore } from './fault-log.ts';
import { BEFORE } from './progress.ts';
import type { RunInput } from './protocol.ts';

export function newRun(input: RunInput): RunContext {
  return {
    ...input,
    progress: BEFORE,
    inStep: STEP_BEGUN,
    tickets: 0,
    targetsHeld: false,
    suspendWish: input.suspendBy ?? null,
    abort: null,
    asked: null,
    given: null,
    resume: null,
    faults: faultsBefore(input.program),
    early: [],
    owner: null,
  };
}

export function logStarted(draft: Draft): void {
  const { program, ir, by } = draft.context;
  const { procedure, library, environment, targets, inputs } = program;
  draft.record({
    event: 'started',
    procedure,
    library,
    environment,
    targets: { ...targets },
    ir,
    ...(by !== undefined && { by }),
    inputs: { ...inputs },
  });
}
