/**
 * Alarms: listed, watched, acknowledged and shelved. Mission Control Service, sections 2.4 and 4.4. The records are
 * read from the bus, the commands are passed to the alarm service with who gave them: it alone writes alarms.
 *
 * A1. A list holds what is recorded when it is asked for (alarm-book.K2): one that cannot be read is reported in the
 *     log, never silently taken for calm.
 * A2. The watch tells every transition from its opening on, and none twice: it is a log (T3) that is not replayed.
 */

import {
  type Alarm,
  type AlarmCall,
  AlarmEvent,
  AlarmList,
  AlarmTold,
  readAlarmEvent,
  ShelveBody,
} from '../../contract/alarm.ts';
import { alarmAt } from '../../contract/alarm-name.ts';
import { assert } from '../../contract/assert.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { RecordedAlarm } from '../../messaging/alarm-book.ts';
import { busAnswers } from '../../messaging/bus-answers.ts';
import { parseDuration } from '../../mission/quantity.ts';
import { askAlarmService } from '../alarm-command.ts';
import { withReactions } from '../alarm-reactions.ts';
import { busUnavailable, refuse } from '../errors.ts';
import { defineFollow } from '../follow.ts';
import { nameOf } from '../identity.ts';
import { listReply } from '../long-list.ts';
import { currentMission, strangerRefusal } from '../mission-of.ts';
import { alarmActionInPath, alarmInPath, flagInQuery, targetInPath, targetInQuery } from '../parameters.ts';
import type { Handled } from '../reply.ts';
import { defineRoute } from '../route.ts';
import { operatorRefusal } from '../run-policy.ts';

export const listAlarms = defineRoute({
  method: 'GET',
  path: '/v1/alarms',
  operationId: 'listAlarms',
  summary: 'Alarms that are not normal, or shelved',
  description:
    'In the order of their keys, `<target>.<component>.<instance>.<alarm>`; `reactions` beside the record is what those ' +
    'under way do.',
  tag: 'Alarms',
  query: {
    target: targetInQuery,
    all: flagInQuery('Every alarm ever recorded, including those that are normal.'),
  },
  replies: { 200: AlarmList },
  errors: ['api::unknown-target', 'api::unavailable'],
  async handle({ query: { target, all = false } }, ports) {
    const wanted = await (all ? ports.alarms.recorded(target) : ports.alarms.open(target));
    const stranger = wanted.length === 0 ? strangerRefusal(target, ports) : undefined;
    // A target that the mission has no more may still have alarms.
    if (stranger !== undefined && (all || (await ports.alarms.recorded(target)).length === 0))
      return stranger;
    const reacting = await reactionsOf(wanted, ports);
    const shown = (alarm: RecordedAlarm): Alarm => reacting.get(alarm.key) ?? alarmOf(alarm);
    return { ok: true, value: listReply('alarms' satisfies keyof AlarmList, wanted, shown) };
  },
});

export const commandAlarm = defineRoute({
  method: 'POST',
  path: '/v1/alarms/:target/:alarm/:command',
  operationId: 'commandAlarm',
  summary: 'Acknowledge, shelve or unshelve an alarm',
  description:
    'Answered once the alarm service has recorded it. Shelving silences the reactions of an alarm for a time, at most ' +
    '`alarms.max_shelve`, and replaces a shelving in progress; only `shelve` takes a body.',
  tag: 'Alarms',
  params: { target: targetInPath, alarm: alarmInPath, command: alarmActionInPath },
  body: ShelveBody,
  bodyOptional: true,
  bodyFor: { parameter: 'command', value: 'shelve' },
  replies: { 202: AlarmTold },
  errors: [
    'api::no-configuration',
    'api::anonymous',
    'alarm::refused',
    'alarm::no-service',
    'alarm::timeout',
    'api::unavailable',
  ],
  async handle({ params: { target, alarm, command }, body, caller }, ports) {
    const forMs = readTerm(command, body);
    if (!forMs.ok) return forMs;
    const mission = currentMission(ports);
    if (!mission.ok) return mission;
    // An alarm belongs to no environment, so that a name is asked for and no particular kind of identity.
    const anonymous = operatorRefusal(caller, undefined);
    if (anonymous !== undefined) return anonymous;
    const by = nameOf(caller);
    const named = alarmAt(alarm);
    assert(by !== undefined && named !== undefined, 'the checks before this one');
    const call = { alarm: named, by, ...actionOf(command, forMs.value) };
    return askAlarmService({ target, ...named }, call, mission.value.settings.alarmAnswerMs, ports);
  },
});

export const watchAlarms = defineFollow({
  path: '/v1/alarms/watch',
  operationId: 'watchAlarms',
  summary: 'Follow every transition of every alarm, or of those of a target, from now',
  description:
    'What happened before is in `GET /v1/alarms`; the `seq` of an alarm shows whether something was missed.',
  tag: 'Alarms',
  query: { target: targetInQuery },
  policy: 'log',
  message: AlarmEvent,
  errors: ['api::unknown-target', 'api::unavailable'],
  async open({ query: { target } }, ports, writer) {
    const stranger = strangerRefusal(target, ports);
    if (stranger !== undefined) return stranger;
    if (!busAnswers(ports.bus)) return busUnavailable();
    const about = subject.alarmEvents(target);
    const follower = await ports.bus.follow(streams.alarms, about, { from: 'now' }, (message) => {
      if (readAlarmEvent(message.data) !== undefined) writer.push(message.data);
      else
        ports.log.error({ position: message.seq, subject: message.subject }, 'malformed alarm event skipped');
    });
    return { ok: true, value: follower };
  },
});

// Lists --------------------------------------------------------------------------------------------------------------

const alarmOf = ({ name, stored: { record } }: RecordedAlarm): Alarm => ({ ...name, record });

/** Those with reactions under way, with what these do, by their keys. Throws `Outage`. */
async function reactionsOf(
  alarms: readonly RecordedAlarm[],
  ports: Parameters<typeof withReactions>[2],
): Promise<ReadonlyMap<string, Alarm>> {
  const reacting = alarms.filter(({ stored: { reactions = [] } }) => reactions.length > 0);
  return new Map(
    await Promise.all(
      reacting.map(async (alarm) => {
        const shown = await withReactions(alarmOf(alarm), alarm.stored.reactions ?? [], ports);
        return [alarm.key, shown] as const;
      }),
    ),
  );
}

// Commands ------------------------------------------------------------------------------------------------------------

/** How long to shelve, ms; undefined for another command. */
function readTerm(command: string, body: ShelveBody | undefined): Handled<number | undefined> {
  if (command !== 'shelve') return { ok: true, value: undefined };
  if (body === undefined) {
    const help = 'Say for how long: {"for": "30 min"}.';
    return refuse('api::invalid-body', 'the body of shelve is missing', { help });
  }
  const read = parseDuration(body.for, { negative: true });
  if (read.ok) return read;
  const [{ message, help }] = read.faults;
  return refuse('api::invalid-body', `for: ${message}`, {
    path: '/for',
    ...(help !== undefined && { help }),
  });
}

type Action =
  | Pick<Extract<AlarmCall, { action: 'shelve' }>, 'action' | 'forMs'>
  | { action: 'acknowledge' | 'unshelve' };

function actionOf(command: string, forMs: number | undefined): Action {
  if (forMs !== undefined) return { action: 'shelve', forMs };
  return { action: command === 'acknowledge' ? command : 'unshelve' };
}

export const alarmRoutes = [listAlarms, commandAlarm];
export const alarmFollows = [watchAlarms];
