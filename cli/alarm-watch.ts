/**
 * `mcs alarm watch`: every transition from now on. A lost connection is reported and tried again, and what happened
 * meanwhile is reported from the records: the watch route replays nothing.
 */

import type { Alarm, AlarmEvent, AlarmList } from '../contract/alarm.ts';
import { alarmKey } from '../contract/alarm-name.ts';
import { eventLine } from './alarm-line.ts';
import { printReactions } from './alarm-reactions.ts';
import { followOnce, pause, whenEnded } from './followed.ts';
import { printJsonLine } from './print-json.ts';
import { printable } from './printable.ts';
import { ask, request } from './request.ts';
import { hasColour } from './run-follow.ts';
import type { Service } from './service.ts';

/** A service that restarts is back within seconds. */
const AGAIN_MS = 1_000;
/** An event follows its record within milliseconds: what has not come by then was before the connection. */
const SETTLED_MS = 500;
/** What a shell reports of a command that Ctrl-C ended. */
const INTERRUPTED = 130;

/** Watches until it is interrupted; 1 when the service refuses or is not there at the beginning. */
export async function watchAlarms(
  service: Service,
  target: string | undefined,
  json = false,
): Promise<number> {
  const ended = whenEnded();
  const query = target === undefined ? '' : `target=${encodeURIComponent(target)}`;
  const records = `/v1/alarms?all=true${query && `&${query}`}`;
  const begun = await request<AlarmList>(service, 'GET', records);
  if (begun === undefined) return 1;
  const shown = new ShownAlarms(service, records, begun.alarms, json);
  const path = `/v1/alarms/watch${query && `?${query}`}`;
  if (!json) void printReactions(service, target, ended.signal);
  let reported = '';
  while (!ended.signal.aborted) {
    const over = new AbortController();
    const outcome = await followOnce<AlarmEvent>(
      service,
      path,
      ended.signal,
      (event) => shown.show(event),
      () => {
        reported = '';
        void shown.catchUp(AbortSignal.any([over.signal, ended.signal]));
      },
    );
    over.abort();
    if (ended.signal.aborted) break;
    const said = outcome.kind === 'over' ? 'the service closed' : outcome.said;
    if (outcome.kind === 'refused') {
      process.stderr.write(`${said}\n`);
      return 1;
    }
    // Once for each reason, not once for each try.
    if (said !== reported) process.stderr.write(`-- ${said}; trying again\n`);
    reported = said;
    await pause(AGAIN_MS, ended.signal);
  }
  return INTERRUPTED;
}

/** What was shown of each alarm: no transition twice, none left out without a word. */
class ShownAlarms {
  readonly #service: Service;
  readonly #path: string;
  /** Number of the last transition shown, or recorded before the watch, by key. */
  readonly #shown: Map<string, number>;
  readonly #json: boolean;

  /** For what changes from these records on, which are read again from `path`. */
  constructor(service: Service, path: string, begun: readonly Alarm[], json: boolean) {
    this.#json = json;
    this.#service = service;
    this.#path = path;
    this.#shown = new Map(begun.map((alarm) => [alarmKey(alarm), alarm.record.seq]));
  }

  show(event: AlarmEvent): void {
    const key = alarmKey(event);
    const missed = event.seq - (this.#shown.get(key) ?? 0) - 1;
    if (missed < 0) return;
    if (missed > 0)
      process.stderr.write(`-- ${missed} earlier transitions of ${printable(key)} were missed\n`);
    this.#shown.set(key, event.seq);
    if (this.#json) printJsonLine(event);
    else process.stdout.write(`${eventLine(event, hasColour())}\n`);
  }

  /** Reads what was missed before this connection from the records, until they are readable or it is over. */
  async catchUp(over: AbortSignal): Promise<void> {
    for (let first = true; !over.aborted; first = false) {
      const answer = await ask<AlarmList>(this.#service, 'GET', this.#path).catch(() => undefined);
      if (answer?.ok === true) {
        await pause(SETTLED_MS, over);
        if (!over.aborted) for (const alarm of answer.reply.alarms) this.show(lastEventOf(alarm));
        return;
      }
      if (first) process.stderr.write('-- the records cannot be read; trying again\n');
      await pause(AGAIN_MS, over);
    }
  }
}

/** The last transition of a record, as its event reported it. */
function lastEventOf({ record, ...name }: Alarm): AlarmEvent {
  const {
    changed_at: at = new Date(0).toISOString(),
    cause = 'condition',
    active_since: _,
    ...standing
  } = record;
  return { ...name, ...standing, at, cause };
}
