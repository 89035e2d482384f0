/**
 * The log of events: everything that happened, a page at a time, and followed. Ours (decision 51).
 *
 * E1. Whoever asks does not choose the cost: a page, what one question looks through, and how many are under way are
 *     bounded (archive/event-reader.R1).
 * E2. The watch sends every event from its opening on, and none twice: it is a log (bus/follow.F1) that is not
 *     replayed.
 */

import Type from 'typebox';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { EventPage, WatchedEvent } from '../../contract/event.ts';
import { HISTORY_MEDIA } from '../../contract/history-view.ts';
import { busUnavailable } from '../errors.ts';
import { csvReply, EVENT_HEADING, eventsOf, LOG_ERRORS, logEvent, saidOf } from '../events/page.ts';
import {
  askedEvents,
  kindsInQuery,
  pageInQuery,
  severitiesFrom,
  severityInQuery,
  targetsInQuery,
  wordInQuery,
} from '../events/question.ts';
import { watchedLines } from '../events/watched-lines.ts';
import { defineFollow } from '../follow.ts';
import { mediaOf } from '../history/media.ts';
import { flagInQuery } from '../parameters.ts';
import { defineRoute } from '../route.ts';

export const readEvents = defineRoute({
  method: 'GET',
  path: '/v1/events',
  operationId: 'readEvents',
  summary: 'The log of everything that happened, the newest first',
  description: `Telecommands, runs, alarms, modes, passes, schedules, transfers, links, units, connectors, published configurations, and who
called what that changes something. In the order in which they were recorded, a page at a time: \`next\` of one is the \`cursor\` of the
next. One question looks through a bounded part of the log: where a filter matches little, pages are short and have \`next\`. \`Accept:
text/csv\` gives the page as rows, with \`next\` in \`X-Mcs-Next\`.`,
  tag: 'Events',
  query: {
    ...pageInQuery,
    kinds: kindsInQuery,
    targets: targetsInQuery,
    severity: severityInQuery,
    text: wordInQuery('Stands in the sentence, in whatever case.'),
    subject: wordInQuery(
      'Only events about this: the identifier of a telecommand or run, the key of an alarm.',
    ),
    by: wordInQuery('Only events that this person caused.'),
    run: wordInQuery('Only events of this run.'),
    data: flagInQuery('With the document that each event was made from.'),
  },
  abortable: true,
  replies: { 200: EventPage },
  alsoAs: [Type.String({ contentMediaType: HISTORY_MEDIA.csv, examples: [EVENT_HEADING] })],
  errors: LOG_ERRORS,
  async handle({ query: asked, accept, gone }, ports) {
    const { kinds, targets, text, subject: about, by, run, data } = asked;
    const least = asked.severity ?? (kinds === undefined ? 'info' : 'detail');
    const severity = least === 'detail' ? undefined : severitiesFrom(least);
    const where = { kind: kinds, target: targets, severity, subject: about, by, run };
    const more = { ...(text !== undefined && { text }), ...(data === true && { data }) };
    const question = askedEvents(asked, where, more);
    if (!question.ok) return question;
    const found = await eventsOf(question.value, ports, gone);
    if (!found.ok) return found;
    if (mediaOf(accept) === 'csv') return { ok: true, value: csvReply(found.value) };
    const events = found.value.value.events.map(logEvent);
    const body: EventPage = { events, ...saidOf(found.value) };
    return { ok: true, value: { status: 200, body } };
  },
});

export const watchEvents = defineFollow({
  path: '/v1/events/watch',
  operationId: 'watchEvents',
  summary: 'Follow the log of events from now',
  description: 'What happened before is in `GET /v1/events`.',
  tag: 'Events',
  query: { kinds: kindsInQuery, targets: targetsInQuery, severity: severityInQuery },
  policy: 'log',
  message: WatchedEvent,
  errors: ['api::unavailable'],
  async open({ query: { kinds, targets, severity } }, ports, writer) {
    if (!ports.bus.connected) return busUnavailable();
    const least = severity ?? (kinds === undefined ? 'info' : 'detail');
    const severities = severitiesFrom(least);
    const follower = await ports.bus.follow(streams.events, subject.events(), { from: 'now' }, (message) => {
      const lines = watchedLines(message);
      if (lines === undefined) {
        ports.log.error({ position: message.seq }, 'malformed message of the log of events skipped');
        return undefined;
      }
      for (const { kind, target, severity: reached, json } of lines) {
        const isAsked =
          (kinds === undefined || kinds.includes(kind)) &&
          (targets === undefined || targets.includes(target ?? '')) &&
          severities.includes(reached);
        if (isAsked) writer.push(json);
      }
      return undefined;
    });
    return { ok: true, value: follower };
  },
});

export const eventRoutes = [readEvents];
export const eventFollows = [watchEvents];
