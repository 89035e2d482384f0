/** What is asked about the past, and everything that the answers in each form need of it. */

import type { HistoryQuery, Reservations } from '../../contract/history.ts';
import type { Retrieved } from '../../messaging/history-asker.ts';
import type { AskedMeasure } from './asked-measures.ts';

export interface Question {
  readonly query: HistoryQuery;
  /** By place in the query. */
  readonly measures: readonly AskedMeasure[];
}

/** Which archive answered, as far as answers say it. */
export type Answering = Retrieved<Reservations>['archive'];

/** What is said of the measures that are mentioned: all but those by chance that nothing was found of. */
export function mentioned({ measures }: Question, found: (place: number) => boolean): number[] {
  return measures.flatMap(({ byChance }, place) => (byChance && !found(place) ? [] : [place]));
}
