/** Procedures of the libraries, for who launches them. Mission Control Service, section 4.2 (ours). */

import { ProcedureList } from '../../contract/procedure.ts';
import { busAnswers } from '../../messaging/bus-answers.ts';
import { proceduresFor } from '../../mission/procedure/view.ts';
import { busUnavailable } from '../errors.ts';
import { targetOf } from '../mission-of.ts';
import { targetInPath } from '../parameters.ts';
import { defineRoute } from '../route.ts';

export const listProcedures = defineRoute({
  method: 'GET',
  path: '/v1/targets/:target/procedures',
  operationId: 'listProcedures',
  summary: 'Procedures that a target can be given to',
  description:
    'Of every library, those with a role of its platform: what they need, and which of their inputs name files that they ' +
    'upload. Whether a run may be launched is said at its launch.',
  tag: 'Runs',
  params: { target: targetInPath },
  replies: { 200: ProcedureList },
  errors: ['api::no-configuration', 'api::unknown-target', 'api::unavailable'],
  handle({ params }, ports) {
    const target = targetOf(params.target, ports);
    if (!target.ok) return target;
    const mission = ports.missions.current;
    // Another instance may serve a newer configuration by now.
    if (!busAnswers(ports.bus) || mission === undefined) return busUnavailable();
    return { ok: true, value: { status: 200, body: proceduresFor(mission, target.value) } };
  },
});

export const procedureRoutes = [listProcedures];
