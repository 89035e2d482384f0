/** Quarantine ended by an operator: the question to the process, and its refusals as answers of the API. */

import type { InspectFault, ReleaseCall } from '../../contract/inspection.ts';
import type { ReleaseRequest } from '../../contract/inspector.ts';
import { refusedAll } from '../../contract/result.ts';
import { refuse } from '../errors.ts';
import type { Handled } from '../reply.ts';
import type { Processes } from './processes.ts';

/**
 * The request when it was carried out; refuses what is not quarantined there, a malformed process
 * (`api::unknown-instance`) and one that does not answer (`inspect::timeout`: it may have done it all the same).
 */
export async function release(
  processes: Processes,
  { instance, supervisor, child, action }: ReleaseRequest,
  by: string,
): Promise<Handled<ReleaseRequest>> {
  const call: ReleaseCall = { supervisor, child, by };
  const asked = await processes.ask<unknown>({ instance, seenAt: 0 }, action, call);
  if ('answer' in asked) {
    if (asked.answer.ok) return { ok: true, value: { instance, supervisor, child, action } };
    return refusedAll(asked.answer.faults.map(asFault));
  }
  if (asked.silent.why === 'gone') {
    return refuse('api::unknown-instance', `no process ${instance} answers`, {
      help: 'GET /v1/inspect/tree lists the processes.',
    });
  }
  return refuse('inspect::timeout', `process ${instance} did not answer`, {
    help: 'Look at the tree before asking again: it may have been done.',
  });
}

function asFault({ code, message }: InspectFault): InspectFault {
  return { code, message };
}
