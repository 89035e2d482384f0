/** What scenarios and campaigns refuse alike. RF Bench Service, section 4. */

import type { BenchFault } from '../../../contract/bench/errors.ts';
import { nearHelp } from '../../../contract/near.ts';
import { accepted, type Result, refused } from '../../../contract/result.ts';

type RunKind = 'scenario' | 'campaign';

/** What a start is refused with while there is no place to keep records. */
export const cannotRecord: BenchFault = {
  code: 'unavailable',
  message: 'the run could not be recorded: the bus does not answer',
  help: 'try again when the bus is back',
};

/** The run of that identifier. */
export function runFound<View>(kind: RunKind, id: string, view: View | undefined): Result<View, BenchFault> {
  if (view !== undefined) return accepted(view);
  return refused({ code: 'not_found', message: `no ${kind} run ${id}` });
}

/** The document of that name. */
export function documentFound<Document>(
  kind: RunKind,
  name: string,
  documents: ReadonlyMap<string, Document>,
): Result<Document, BenchFault> {
  const document = documents.get(name);
  if (document !== undefined) return accepted(document);
  const help = nearHelp(name, documents.keys(), `${kind}s`);
  return refused({ code: 'not_found', message: `no ${kind} "${name}"`, help });
}
