/** Why no archive gives an answer, as a refusal: each code with what to do about it. */

import type { HistoryCode, HistoryFault } from '../../contract/archive-wire.ts';
import { refuse } from '../errors.ts';
import type { Refusal } from '../reply.ts';

const HELP: Readonly<Record<HistoryCode, string>> = {
  'archive::none':
    'Start a process with role archive: mcs serve --roles archive. Current values are there without it.',
  'archive::unanswered': 'Try again in a moment; mcs serve prints and logs how its archive is.',
  'archive::busy': 'Try again in a moment, with fewer questions at once.',
  'archive::failed': 'Look at the log of the process with role archive; ask for another time meanwhile.',
  'archive::invalid': 'Ask for less (measures, points, a shorter page), or begin again with the first page.',
};

export function refusedHistory({ code, message }: HistoryFault): Refusal {
  return refuse(code, message, { help: HELP[code] });
}
