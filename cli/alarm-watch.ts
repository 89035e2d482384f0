/**
 * `mcs alarm watch`: every transition from now on. A lost connection is told and tried again, and what happened meanwhile is
 * told from the records: the watch route replays nothing.
 */

import { type Alarm, type AlarmEvent, type AlarmList, alarmKey } from '../contract/alarm.ts';
import { eventLine } from './alarm-line.ts';
import { followOnce, pause, whenEnded } from './followed.ts';
import { ask } from './request.ts';
import { hasColour } from './run-follow.ts';
import type { Service } from './service.ts';

/** A service that restarts is back within seconds. */
const AGAIN_MS = 1_000;
/** What a shell reports of a command that Ctrl-C ended. */
const INTERRUPTED = 130;

/** Watches until it is interrupted; 1 when the service refuses or is not there at the beginning. */
export async function watchAlarms(service: Service, target: string | undefined): Promise<number> {
  const ended = whenEnded();
  const query = target === undefined ? '' : `target=${encodeURIComponent(target)}`;
  const shown = new ShownAlarms(service, `/v1/alarms?all=true${query && `&${query}`}`);
  const path = `/v1/alarms/watch${query && `?${query}`}`;
  let told = '';
  for (let first = true; !ended.signal.aborted; first = false) {
    const outcome = await followOnce<AlarmEvent>(
      service,
      path,
      ended.signal,
      (event) => shown.add(event),
      () => shown.opened(),
    );
    await shown.written;
    if (ended.signal.aborted) break;
    const said = outcome.kind === 'over' ? 'the service closed' : outcome.said;
    if (outcome.kind === 'refused' || (first && outcome.kind === 'lost' && !outcome.opened)) {
      process.stderr.write(`${said}\n`);
      return 1;
    }
    // Once for each reason, not once for each try.
    if (said !== told) process.stderr.write(`-- ${said}; trying again\n`);
    told = said;
    await pause(AGAIN_MS, ended.signal);
  }
  return INTERRUPTED;
}

/** What was shown of each alarm: no transition twice, none left out without a word. */
class ShownAlarms {
  readonly #service: Service;
  readonly #path: string;
  /** Number of the last transition shown, by key. */
  readonly #shown = new Map<string, number>();
  /** Where each alarm stood when the watch began; undefined before. */
  #begun: ReadonlyMap<string, number> | undefined;
  written: Promise<void> = Promise.resolve();

  constructor(service: Service, path: string) {
    this.#service = service;
    this.#path = path;
  }

  add(event: AlarmEvent): void {
    this.written = this.written.then(() => this.#show(event));
  }

  /** The connection is there: what was missed before it is read from the records. */
  opened(): void {
    this.written = this.written.then(() => this.#catchUp());
  }

  #show(event: AlarmEvent): void {
    const key = alarmKey(event);
    if (event.seq <= (this.#shown.get(key) ?? 0)) return;
    this.#shown.set(key, event.seq);
    process.stdout.write(`${eventLine(event, hasColour())}\n`);
  }

  async #catchUp(): Promise<void> {
    const answer = await ask<AlarmList>(this.#service, 'GET', this.#path).catch(() => undefined);
    if (answer?.ok !== true) {
      process.stderr.write('-- the records are not readable; what happened before now is not shown\n');
      return;
    }
    const { alarms } = answer.reply;
    if (this.#begun === undefined) {
      this.#begun = new Map(alarms.map((alarm) => [alarmKey(alarm), alarm.record.seq]));
      return;
    }
    for (const alarm of alarms) this.#tellMissed(alarm, this.#begun);
  }

  #tellMissed(alarm: Alarm, begun: ReadonlyMap<string, number>): void {
    const key = alarmKey(alarm);
    const known = Math.max(this.#shown.get(key) ?? 0, begun.get(key) ?? 0);
    const missed = alarm.record.seq - known - 1;
    if (missed < 0) return;
    if (missed > 0) process.stderr.write(`-- ${missed} earlier transitions of ${key} were missed\n`);
    this.#show(lastEventOf(alarm));
  }
}

/** The last transition of a record, as its event told it. */
function lastEventOf({ record, ...name }: Alarm): AlarmEvent {
  const {
    changed_at: at = new Date(0).toISOString(),
    cause = 'condition',
    active_since: _,
    ...standing
  } = record;
  return { ...name, ...standing, at, cause };
}
