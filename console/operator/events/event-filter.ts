/** Which events are looked at: what the address says, as a question to the service and as a test of one event. Pure. */

import type { WatchedEvent } from '../../../contract/event.ts';
import {
  EVENT_KINDS,
  EVENT_SEVERITIES,
  type EventKind,
  type EventSeverity,
} from '../../../contract/event-kinds.ts';

export interface EventFilter {
  readonly kinds: readonly EventKind[];
  readonly targets: readonly string[];
  readonly severity: EventSeverity;
  readonly by: string;
  readonly run: string;
  readonly subject: string;
  readonly text: string;
  /** RFC 3339; empty: no end. */
  readonly from: string;
  readonly to: string;
}

type Query = Readonly<Record<string, string>>;

/** What cannot be meant is left out; of one thing, all of it is asked for. */
export function filterOf(query: Query): EventFilter {
  const listed = (name: string): string[] => (query[name] ?? '').split(',').filter(Boolean);
  const { severity, by = '', run = '', subject = '', text = '', from = '', to = '' } = query;
  return {
    kinds: EVENT_KINDS.filter((kind) => listed('kinds').includes(kind)),
    targets: listed('of'),
    severity:
      EVENT_SEVERITIES.find((each) => each === severity) ?? (subject + run === '' ? 'info' : 'detail'),
    by: by.trim(),
    run: run.trim(),
    subject: subject.trim(),
    text: text.trim(),
    from: momentOf(from),
    to: momentOf(to),
  };
}

/** Its part of the query of `GET /v1/events`. */
export function questionOf(filter: EventFilter): URLSearchParams {
  const { kinds, targets, severity, by, run, subject, text, from, to } = filter;
  const asked = { kinds: kinds.join(), targets: targets.join(), severity, by, run, subject, text, from, to };
  return new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== ''));
}

/** What the watch takes of it; the rest is looked at here (`isAsked`). */
export function watchQuestionOf({ kinds, targets, severity }: EventFilter): URLSearchParams {
  const asked = { kinds: kinds.join(), targets: targets.join(), severity };
  return new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== ''));
}

/** Whether an event of the watch is one of those that the service would list. */
export function isAsked({ by, run, subject, text, from }: EventFilter, event: WatchedEvent): boolean {
  return (
    (by === '' || event.by === by) &&
    (run === '' || event.run === run) &&
    (subject === '' || event.subject === subject) &&
    (from === '' || Date.parse(event.time) >= Date.parse(from)) &&
    event.text.toLowerCase().includes(text.toLowerCase())
  );
}

/** Nothing new comes into a time that has ended. */
export function isLive({ to }: EventFilter): boolean {
  return to === '';
}

/** `2026-03-01 12:00` and the like, in UTC, as RFC 3339; empty where it is no time. */
export function momentOf(text: string): string {
  const [, day, time = '00:00', zone = 'Z'] =
    /^\s*(\d{4}-\d\d-\d\d)(?:[T ]+(\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?\s*(Z|[+-]\d\d:\d\d)?\s*$/i.exec(text) ??
    [];
  const at = Date.parse(`${day}T${time}${zone}`);
  return Number.isNaN(at) ? '' : new Date(at).toISOString();
}
