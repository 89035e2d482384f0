/**
 * What an answer about the past says beside its rows: what was lost, cannot be read, or is deleted. In JSON it stands
 * in the document, with rows in the headers and in what a Parquet file says of itself.
 *
 * B1. Nothing that is missing is silent, in no form of the answer.
 */

import type { Reservations } from '../../contract/history.ts';
import { HISTORY_HEADERS, type HistoryMeasure, type HistorySamples } from '../../contract/history-view.ts';
import type { AskedMeasure } from './asked-measures.ts';
import { InstantText } from './instant-text.ts';
import type { Answering, Question } from './question.ts';

type Said = Pick<HistorySamples, 'gaps' | 'damaged' | 'thinned'>;

export function saidOf({ gaps, damaged, thinned }: Reservations): Said {
  const time = new InstantText();
  return {
    gaps: gaps.map(({ from, to, first, last }) => ({
      from: time.of(from),
      to: time.of(to),
      positions: [first, last],
    })),
    damaged: damaged.map(({ segment: { first, last }, reason }) => ({ positions: [first, last], reason })),
    thinned,
  };
}

/** Who answered, and how far it has read. */
export function archiveOf({ archive, pending, trouble }: Answering): HistorySamples['archive'] {
  return { id: archive, pending, ...(trouble !== undefined && { trouble }) };
}

export function askedOf({ query: { target, from, to, delivery } }: Question) {
  const time = new InstantText();
  return { target, from: time.of(from), to: time.of(to), delivery };
}

export function measureOf({ name, place, inCatalogue, view }: AskedMeasure): HistoryMeasure {
  const { component = '', instance, measure } = place;
  const { type, unit, soft, hard } = view ?? {};
  return {
    name,
    component,
    ...(instance !== undefined && { instance }),
    measure,
    in_catalogue: inCatalogue,
    ...(type !== undefined && { type }),
    ...(unit !== undefined && { unit }),
    ...(soft !== undefined && { soft }),
    ...(hard !== undefined && { hard }),
  };
}

/** The same for answers of rows; only counts, for headers are no place for lists. */
export function saidInHeaders({ gaps, damaged, thinned }: Reservations): Record<string, string> {
  return {
    [HISTORY_HEADERS.gaps]: String(gaps.length),
    [HISTORY_HEADERS.damaged]: String(damaged.length),
    [HISTORY_HEADERS.thinned]: String(thinned),
  };
}

/** What a Parquet file says of itself, as segments do (`mcs.measures`), and what is missing in it. */
export function saidInTable(question: Question, reservations: Reservations): Record<string, string> {
  const { gaps, damaged, thinned } = saidOf(reservations);
  const { from, to, delivery } = askedOf(question);
  return {
    'mcs.delivery': delivery,
    'mcs.from': from,
    'mcs.to': to,
    'mcs.measures': JSON.stringify(question.measures.filter(({ inCatalogue }) => inCatalogue).map(measureOf)),
    'mcs.gaps': JSON.stringify(gaps),
    'mcs.damaged': JSON.stringify(damaged),
    'mcs.thinned': String(thinned),
  };
}
