/** The report of a run, also when its log has left the bus. The route is ours. */

import { RunReportView } from '../../contract/run-report.ts';
import { busAnswers } from '../../messaging/bus-answers.ts';
import { busUnavailable } from '../errors.ts';
import { LOG_ERRORS } from '../events/page.ts';
import { runOrUnknown } from '../parameters.ts';
import { reportOfRun } from '../past-report.ts';
import { defineRoute } from '../route.ts';

export const readRunReport = defineRoute({
  method: 'GET',
  path: '/v1/runs/:run/report',
  operationId: 'readRunReport',
  summary: 'How a run went, as one document',
  description:
    'Made from its log, and kept as long as that; of a run whose log has left the bus, from what the archive keeps of it. ' +
    '`ended` is absent while the run is not over.',
  tag: 'Runs',
  params: { run: runOrUnknown },
  abortable: true,
  replies: { 200: RunReportView },
  errors: ['run::unknown', ...LOG_ERRORS.filter((code) => code !== 'archive::none')],
  async handle({ params: { run }, gone }, ports) {
    if (!busAnswers(ports.bus)) return busUnavailable();
    const report = await reportOfRun(run, ports, gone);
    return report.ok ? { ok: true, value: { status: 200, body: report.value } } : report;
  },
});
