/**
 * What records and events of alarms must be: Mission Control Service, sections 2.4, 3.3 and 4.4 (shelving, recovery).
 */

import { isDeepStrictEqual } from 'node:util';
import type { AlarmEvent, AlarmRecord } from '../../../contract/alarm.ts';
import { byAlarm, lastRecords, type RecordedAlarmEvent, type WrittenAlarm } from '../alarm-history.ts';
import { type Checker, isWhileAsked } from './checker.ts';

export const numberedAlarms: Checker = {
  name: 'numbered-alarms',
  overRewinds: 'kept-if-even',
  promise: 'the events of an alarm are numbered from 1 without a gap, and none is there twice',
  *check({ alarms }) {
    for (const [key, log] of byAlarm(alarms.events)) {
      const isRising = log.every(({ event }, n) => n === 0 || event.seq > log[n - 1]!.event.seq);
      if (!isRising) yield `${key}: its numbers do not rise`;
      // Lost out of its middle: numbers go on behind what was published.
      if (alarms.holed.has(key)) continue;
      for (const [n, { event, message }] of log.entries()) {
        if (event.seq !== n + 1)
          yield `${key}: event ${event.seq} (${message.seq} by ${message.by}) stands at place ${n + 1}`;
      }
    }
  },
};

export const oneContentPerNumber: Checker = {
  name: 'one-content-per-number',
  promise: 'a number of an alarm has one content: every write of its record, and its event, says the same',
  *check({ alarms }) {
    const records = new Map<string, WrittenAlarm>();
    for (const written of alarms.written) {
      const { key, stored } = written;
      const number = `${key} ${stored.record.seq}`;
      const first = records.get(number);
      if (first === undefined) records.set(number, written);
      else if (!isDeepStrictEqual(first.stored.record, stored.record))
        yield `${number} was written by ${first.message.by} as ${shown(first.stored.record)}, by ${written.message.by} as ${shown(stored.record)}`;
    }
    for (const { key, event } of alarms.events) {
      const record = records.get(`${key} ${event.seq}`)?.stored.record;
      if (record === undefined || !isDeepStrictEqual(factsOf(event), factsOf(record)))
        yield `${key} ${event.seq} is told as ${shown(event)}, recorded as ${shown(record)}`;
    }
  },
};

export const recordedBeforeTold: Checker = {
  name: 'recorded-before-told',
  promise: 'no event of an alarm is on the stream before its record is in the bucket',
  *check({ alarms }) {
    const since = new Map<string, number>();
    for (const { key, stored, message } of alarms.written) {
      const number = `${key} ${stored.record.seq}`;
      if (!since.has(number)) since.set(number, message.order);
    }
    for (const { key, event, message } of alarms.events) {
      if ((since.get(`${key} ${event.seq}`) ?? Number.POSITIVE_INFINITY) > message.order)
        yield `${key} ${event.seq} was told by ${message.by} before it was recorded`;
    }
  },
};

/** Two writes of the bus, and then some. */
const UNDER_WAY_MS = 100;

export const recordedIsTold: Checker = {
  name: 'recorded-is-told',
  overRewinds: 'kept-if-even',
  promise: 'in the end the record of an alarm says what its last event says',
  *check({ alarms }) {
    const logs = byAlarm(alarms.events);
    const writes = byAlarm(alarms.written);
    for (const [key, { record }] of lastRecords(alarms.written)) {
      const last = logs.get(key)?.at(-1)?.event;
      // Nobody asks for it again before something happens to the alarm.
      if (alarms.holed.has(key)) continue;
      // The end of the simulation falls between a record and its event.
      if (alarms.endedAt - writes.get(key)!.at(-1)!.message.at < UNDER_WAY_MS) continue;
      if (last === undefined || !isDeepStrictEqual(factsOf(last), factsOf(record)))
        yield `${key} is recorded as ${shown(record)}, its last event is ${shown(last)}`;
    }
  },
};

export const oneWriterPerAlarm: Checker = {
  name: 'one-writer-per-alarm',
  promise:
    'every write of a record stands behind the one its writer knew, of no earlier epoch, by the leader of its epoch',
  *check({ alarms }) {
    const leaders = new Map(
      alarms.leases
        .filter(({ subject, removal }) => !removal && subject.endsWith('.alarms'))
        .map(({ seq, data }) => [
          seq,
          (JSON.parse(Buffer.from(data).toString()) as { owner: string | null }).owner,
        ]),
    );
    for (const [key, writes] of byAlarm(alarms.written)) {
      let highest = 0;
      for (const { stored, message } of writes) {
        const { by, expect, before, seq } = message;
        const { epoch } = stored;
        if (expect !== before)
          yield `${key}: ${seq} was written by ${by} behind ${before}, it knew ${expect}`;
        if (epoch < highest) yield `${key}: ${seq} by ${by} has epoch ${epoch} after ${highest}`;
        if (leaders.get(epoch) !== by)
          yield `${key}: ${by} wrote under epoch ${epoch} of ${leaders.get(epoch)}`;
        highest = Math.max(highest, epoch);
      }
    }
  },
};

/** Section 3.3 with the readings of severity: from, by what, to. */
const ALLOWED: ReadonlySet<string> = new Set([
  'NORMAL condition ACTIVE_UNACK',
  'ACTIVE_UNACK acknowledged ACTIVE_ACK',
  'ACTIVE_UNACK condition CLEARED_UNACK',
  'CLEARED_UNACK acknowledged NORMAL',
  'CLEARED_UNACK condition ACTIVE_UNACK',
  'ACTIVE_ACK condition NORMAL',
  'ACTIVE_ACK worse ACTIVE_UNACK',
  'ACTIVE_ACK milder ACTIVE_ACK',
  'ACTIVE_UNACK worse ACTIVE_UNACK',
  'ACTIVE_UNACK milder ACTIVE_UNACK',
]);

export const allowedTransitions: Checker = {
  name: 'allowed-transitions',
  overRewinds: 'kept-if-even',
  promise: 'every event of an alarm follows from the one before by a row of section 3.3',
  *check({ alarms }) {
    for (const [key, log] of byAlarm(alarms.events)) {
      if (alarms.holed.has(key)) continue;
      for (const [n, { event }] of log.entries()) {
        const before = log[n - 1]?.event;
        for (const fault of stepFaults(before, event))
          yield `${key} ${event.seq}: ${shown(before)}, then ${shown(event)}: ${fault}`;
      }
    }
  },
};

function* stepFaults(before: AlarmEvent | undefined, event: AlarmEvent): Iterable<string> {
  const { previous, state, cause, by, shelved_until: until } = event;
  if (previous !== (before?.state ?? 'NORMAL')) yield 'it begins where the one before did not end';
  const isShelving = cause === 'shelved' || cause === 'unshelved';
  if (isShelving && state !== previous) yield 'shelving has changed the state';
  if (!isShelving && !ALLOWED.has(`${previous} ${rowOf(before, event)} ${state}`)) yield 'no row says so';
  if (cause === 'condition' && by !== undefined) yield 'nobody caused it, and somebody is named';
  if ((cause === 'acknowledged' || cause === 'shelved') && by === undefined) yield 'nobody is named';
  if ((cause === 'shelved') !== (until !== undefined) && isShelving)
    yield 'its term is not as its cause says';
  if (!isShelving && until !== before?.shelved_until) yield 'its shelving has changed by itself';
  if (cause === 'unshelved' && before?.shelved_until === undefined) yield 'it was not shelved';
}

/** A change of severity while active is a row of its own. */
function rowOf(before: AlarmEvent | undefined, { cause, state, severity }: AlarmEvent): string {
  const wasActive = before?.state.startsWith('ACTIVE') === true;
  if (cause !== 'condition' || !wasActive || !state.startsWith('ACTIVE')) return cause;
  if (before.severity === severity) return 'nothing';
  return severity === 'critical' ? 'worse' : 'milder';
}

/** After the last fault there is this much time until the end, and clocks differ by less. */
const TERM_MS = 3_000;

export const shelvingEnds: Checker = {
  name: 'shelving-ends',
  promise: 'an alarm whose term of shelving has passed is not shelved any more',
  *check({ alarms }) {
    for (const [key, { record }] of lastRecords(alarms.written)) {
      const { shelved_until: until } = record;
      if (until !== undefined && Date.parse(until) < alarms.endedAt - TERM_MS)
        yield `${key} is still shelved until ${until}, it is ${new Date(alarms.endedAt).toISOString()}`;
    }
  },
};

export const shelvedToItsTerm: Checker = {
  name: 'shelved-to-its-term',
  promise: 'a shelving that no person ends lasts until its term, and is said to have ended then',
  *check({ alarms }) {
    for (const [key, log] of byAlarm(alarms.events)) {
      for (const [n, { event, message }] of log.entries()) {
        const until = log[n - 1]?.event.shelved_until;
        if (event.cause !== 'unshelved' || event.by !== undefined || until === undefined) continue;
        if (event.at !== until) yield `${key} ${event.seq}: shelved until ${until}, it ends at ${event.at}`;
        else if (message.at < Date.parse(until) - TERM_MS)
          yield `${key} ${event.seq}: shelved until ${until}, over at ${new Date(message.at).toISOString()}`;
      }
    }
  },
};

/** Cause of the event that each command leads to. */
const CAUSE_OF = { acknowledge: 'acknowledged', shelve: 'shelved', unshelve: 'unshelved' } as const;

export const commandsOfAlarmsCount: Checker = {
  name: 'commands-of-alarms-count',
  promise: 'a command to an alarm that was accepted stands in its log by then, with who gave it',
  *check({ alarms }) {
    for (const command of alarms.accepted) {
      const { target, alarm, by, action } = command;
      const found = alarms.events.filter(({ event }) => event.by === by && event.cause === CAUSE_OF[action]);
      const within = found.some(
        ({ message, event }) => event.target === target && isWhileAsked(message, command),
      );
      if (!within) yield `${by} was told that ${alarm} of ${target} took ${action}, and no event says so`;
    }
  },
};

/** What an event and a record both say. */
function factsOf({
  previous,
  state,
  severity,
  value,
  seq,
  by,
  shelved_until,
  ...rest
}: AlarmEvent | AlarmRecord) {
  const at = 'at' in rest ? rest.at : (rest as AlarmRecord).changed_at;
  return { previous, state, severity, value, seq, by, shelved_until, at, cause: rest.cause };
}

function shown(event: AlarmEvent | AlarmRecord | undefined): string {
  return event === undefined ? 'nothing' : JSON.stringify(factsOf(event));
}

/** Whether an event is a new activation by the condition (section 4.4 reaction rule 1). */
export function isActivation({ event: { previous, state, cause } }: RecordedAlarmEvent): boolean {
  return (
    cause === 'condition' &&
    state === 'ACTIVE_UNACK' &&
    (previous === 'NORMAL' || previous === 'CLEARED_UNACK')
  );
}
