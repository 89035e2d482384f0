/**
 * In which form an answer about the past goes out, by `Accept` (RFC 9110, section 12.5.1).
 *
 * N1. The form that is wanted most; of those wanted alike the one named first, and JSON where any will do. A client
 *     that wants none of them is given JSON: its `Accept` was not written for this route.
 */

import { HISTORY_MEDIA, type HistoryMedia } from '../../contract/history-view.ts';

const NAMES = Object.keys(HISTORY_MEDIA) as HistoryMedia[];
const WILDCARDS: Readonly<Record<string, HistoryMedia>> = {
  '*/*': 'json',
  'application/*': 'json',
  'text/*': 'csv',
};

export function mediaOf(accept: string | undefined): HistoryMedia {
  let [best, weight]: [HistoryMedia, number] = ['json', 0];
  for (const range of accept?.split(',') ?? []) {
    const [type = '', ...parameters] = range
      .toLowerCase()
      .split(';')
      .map((part) => part.trim());
    const media = NAMES.find((name) => HISTORY_MEDIA[name] === type) ?? WILDCARDS[type];
    const wanted = qualityOf(parameters);
    if (media !== undefined && wanted > weight) [best, weight] = [media, wanted];
  }
  return best;
}

/** Text that is no quality counts as 1, as if it were not there. */
function qualityOf(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  const quality = Number(text);
  return text === undefined || Number.isNaN(quality) ? 1 : Math.min(1, quality);
}
