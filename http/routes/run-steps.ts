/**
 * The steps a run goes through, from its stored program. The route is ours: whoever follows a run shows with it how far
 * the run is. What a run has done is given by its log alone.
 */

import { RunSteps } from '../../contract/run.ts';
import { busAnswers } from '../../messaging/bus-answers.ts';
import { stepsOf } from '../../mission/procedure/run-steps.ts';
import { busUnavailable } from '../errors.ts';
import { runOrUnknown } from '../parameters.ts';
import { defineRoute } from '../route.ts';
import { findRun, firstEvent, storedProgram, unknownRun } from '../run-record.ts';

export const readRunSteps = defineRoute({
  method: 'GET',
  path: '/v1/runs/:run/steps',
  operationId: 'readRunSteps',
  summary: 'Steps a run goes through, in their order',
  description: 'Empty until an executor has begun the run.',
  tag: 'Runs',
  params: { run: runOrUnknown },
  replies: { 200: RunSteps },
  errors: ['run::unknown', 'api::unavailable'],
  async handle({ params: { run } }, ports) {
    if (!busAnswers(ports.bus)) return busUnavailable();
    const first = await firstEvent(run, ports);
    if (first === undefined && (await findRun(run, ports)) === undefined) return unknownRun(run);
    const program = first?.event === 'started' ? await storedProgram(first.ir, ports) : undefined;
    const steps = program === undefined ? [] : stepsOf(program);
    return { ok: true, value: { status: 200, body: { run, steps } satisfies RunSteps } };
  },
});
