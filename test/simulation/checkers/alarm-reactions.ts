/** What follows from activations: Mission Control Service, section 4.4 (reaction rules 1, 4 and 6). */

import { reactionRun } from '../../../actors/alarm/reactions.ts';
import { alarmNamed } from '../../../contract/alarm-name.ts';
import type { RunSubmission } from '../../../contract/run-wire.ts';
import { byAlarm, lastRecords, type RecordedAlarmEvent } from '../alarm-history.ts';
import type { History } from '../history.ts';
import { REACTION_OF } from '../mission.ts';
import { bodyOf, byRun } from '../run-history.ts';
import { isActivation } from './alarm-log.ts';
import type { Checker } from './checker.ts';

interface Launched extends RunSubmission {
  readonly key: string;
}

export const oneReactionPerActivation: Checker = {
  name: 'one-reaction-per-activation',
  promise:
    'each activation of an alarm with a reaction, not shelved, launches one run, and nothing else launches any',
  *check(history) {
    const submitted = reactionsOf(history);
    const wanted = wantedBy(history);
    for (const [run, { key, event }] of wanted) {
      const count = submitted.filter((each) => each.run === run && each.key === key).length;
      if (count !== 1) yield `${key} ${event.seq} has ${count} reactions`;
    }
    for (const { run, key } of submitted)
      if (!wanted.has(run)) yield `${run} was launched by ${key} for no activation`;
  },
};

export const silencedWhileShelved: Checker = {
  name: 'silenced-while-shelved',
  promise: 'what becomes true of an alarm while it is shelved launches nothing, however late it is evaluated',
  *check(history) {
    const launched = new Set(reactionsOf(history).map(({ run }) => run));
    for (const [key, log] of byAlarm(history.alarms.events)) {
      for (const [n, each] of log.entries()) {
        if (isActivation(each) && isShelved(log, n) && launched.has(runOf(each)))
          yield `${key} ${each.event.seq} became true while it was shelved and has a reaction`;
      }
    }
  },
};

export const failuresToldOnce: Checker = {
  name: 'failures-told-once',
  promise: 'each reaction that does not pass is told by one activation of its own alarm, and no other is',
  *check(history) {
    const ends = byRun(history.runs.events);
    const failed = new Map<string, number>();
    for (const { run, key } of reactionsOf(history)) {
      const end = ends.get(run)?.at(-1)?.event;
      if (end?.event === 'finished' && !end.ok) failed.set(key, (failed.get(key) ?? 0) + 1);
    }
    const logs = byAlarm(history.alarms.events);
    const keys = new Set([...failed.keys(), ...[...logs.keys()].filter(isOfReaction).map(withoutSuffix)]);
    for (const key of keys) {
      const reported = (logs.get(`${key}${SUFFIX}`) ?? []).filter(isActivation).length;
      if (reported !== (failed.get(key) ?? 0))
        yield `${key}: ${failed.get(key) ?? 0} reactions failed, ${reported} are reported`;
    }
  },
};

export const reactionsAreOver: Checker = {
  name: 'reactions-are-over',
  overRewinds: 'kept-if-even',
  promise: 'in the end no record waits for a reaction, and no alarm of a failed one is active',
  *check({ alarms }) {
    for (const [key, { record, reactions = [] }] of lastRecords(alarms.written)) {
      if (reactions.length > 0) yield `${key} waits for ${JSON.stringify(reactions)}`;
      if (isOfReaction(key) && record.state.startsWith('ACTIVE')) yield `${key} is ${record.state}`;
    }
  },
};

const SUFFIX = '-reaction';

function isOfReaction(key: string): boolean {
  return key.endsWith(SUFFIX);
}

function withoutSuffix(key: string): string {
  return key.slice(0, -SUFFIX.length);
}

/** Submissions by alarms, each time one is stored. */
function reactionsOf({ runs }: History): Launched[] {
  return runs.submissions
    .map((message) => bodyOf<RunSubmission>(message))
    .flatMap((body) => (body.by?.startsWith('alarm ') ? [{ ...body, key: body.by.slice(6) }] : []));
}

/** The activations that ask for a reaction, by the run it has to be. */
function wantedBy({ alarms }: History): Map<string, RecordedAlarmEvent> {
  const wanted = new Map<string, RecordedAlarmEvent>();
  for (const [key, log] of byAlarm(alarms.events)) {
    if (REACTION_OF[key.split('.').at(-1) ?? ''] === undefined) continue;
    for (const [n, each] of log.entries())
      if (isActivation(each) && !isShelved(log, n)) wanted.set(runOf(each), each);
  }
  return wanted;
}

function runOf({ key, event: { seq, at } }: RecordedAlarmEvent): string {
  return reactionRun({ name: alarmNamed(key)!, seq, at: Date.parse(at) });
}

/**
 * Whether the last shelving before an event, over or not, ends behind it: what is evaluated late was silenced at its
 * time.
 */
function isShelved(log: readonly RecordedAlarmEvent[], n: number): boolean {
  const begun = log.findLastIndex(({ event: { cause } }, index) => index < n && cause === 'shelved');
  if (begun < 0) return false;
  const ended = log.find(
    ({ event: { cause } }, index) => index > begun && index < n && cause === 'unshelved',
  );
  const ends = [log[begun]!.event.shelved_until, ended?.event.at].flatMap((time) =>
    time === undefined ? [] : [Date.parse(time)],
  );
  return Math.min(...ends) > Date.parse(log[n]!.event.at);
}
