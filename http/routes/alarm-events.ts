/** What alarms did over time, from the log of events. Ours (decision 51). */

import { type AlarmEvent, AlarmEventPage, readAlarmEvent } from '../../contract/alarm.ts';
import { alarmAt } from '../../contract/alarm-name.ts';
import type { ArchivedEvent } from '../../contract/event-query.ts';
import { eventsOf, LOG_ERRORS, saidOf } from '../events/page.ts';
import { askedEvents, pageInQuery } from '../events/question.ts';
import { alarmInPath, targetInQuery } from '../parameters.ts';
import { defineRoute, type QueryParameter } from '../route.ts';

const alarmInQuery: QueryParameter<string> = {
  schema: alarmInPath.schema,
  expected: alarmInPath.expected,
  parse: (text) => (alarmAt(text) === undefined ? undefined : text),
};

export const listAlarmEvents = defineRoute({
  method: 'GET',
  path: '/v1/alarms/events',
  operationId: 'listAlarmEvents',
  summary: 'Transitions of alarms over time, the newest first',
  description:
    'Of every alarm, of those of a target, or of one, as the watch gave them. Pages as in `GET /v1/events`.',
  tag: 'Events',
  query: { ...pageInQuery, target: targetInQuery, alarm: alarmInQuery },
  abortable: true,
  replies: { 200: AlarmEventPage },
  errors: LOG_ERRORS,
  async handle({ query: asked, gone }, ports) {
    const where = { kind: 'alarm', target: asked.target, name: asked.alarm };
    const question = askedEvents(asked, where, { data: true });
    if (!question.ok) return question;
    const found = await eventsOf(question.value, ports, gone);
    if (!found.ok) return found;
    const events = found.value.value.events.flatMap(alarmEventIn);
    const body: AlarmEventPage = { events, ...saidOf(found.value) };
    return { ok: true, value: { status: 200, body } };
  },
});

function alarmEventIn({ data }: ArchivedEvent): AlarmEvent[] {
  const event = data === undefined ? undefined : readAlarmEvent(Buffer.from(data));
  return event === undefined ? [] : [event];
}
