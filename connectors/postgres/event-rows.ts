/**
 * Rows of events: alarms, telecommands, runs.
 *
 * V1. Times that are none are those of the storing.
 * V2. What does not fit its column throws a `TypeError`: the message is one that cannot be read.
 */

import type { AlarmEvent } from '../../contract/alarm.ts';
import { readInstant } from '../../contract/instant.ts';
import type { RunEvent } from '../../contract/run-event.ts';
import type { TcEvent } from '../../contract/telecommand.ts';
import type { CopyBytes } from './copy-bytes.ts';

function text(bytes: CopyBytes, value: string | undefined): void {
  if (value === undefined) bytes.none();
  else bytes.text(value);
}

/** V2 */
function whole(number: number): number {
  if (!Number.isSafeInteger(number)) throw new TypeError(`${number} is no number of an event`);
  return number;
}

/** V1 */
function moment(bytes: CopyBytes, at: string, storedMs: number): void {
  bytes.time(readInstant(at) ?? storedMs);
}

export function writeAlarmEvent(bytes: CopyBytes, event: AlarmEvent, storedMs: number): void {
  const { target, component, instance, alarm, seq, at, cause, previous, state, severity } = event;
  bytes.row(13);
  for (const name of [target, component]) bytes.text(name);
  text(bytes, instance);
  bytes.text(alarm);
  bytes.int8(whole(seq));
  moment(bytes, at, storedMs);
  for (const word of [cause, previous, state, severity]) text(bytes, word);
  if (event.value === undefined) bytes.none();
  else bytes.json(event.value);
  text(bytes, event.by);
  const until = event.shelved_until === undefined ? undefined : readInstant(event.shelved_until);
  if (until === undefined) bytes.none();
  else bytes.time(until);
}

export function writeTelecommandEvent(
  bytes: CopyBytes,
  target: string,
  event: TcEvent,
  storedMs: number,
): void {
  const { tc, state, at, telecommand, by, run, step, conforming, detail } = event;
  bytes.row(12);
  for (const word of [tc, target, state]) bytes.text(word);
  moment(bytes, at, storedMs);
  for (const word of [telecommand?.component, telecommand?.instance, telecommand?.telecommand, by, run, step])
    text(bytes, word);
  if (conforming === undefined) bytes.none();
  else bytes.bool(conforming);
  text(bytes, detail);
}

export function writeRunEvent(bytes: CopyBytes, event: RunEvent, storedMs: number): void {
  const { run, seq, at, event: kind, ...body } = event;
  bytes.row(5);
  bytes.text(run);
  bytes.int8(whole(seq));
  moment(bytes, at, storedMs);
  bytes.text(kind);
  bytes.json(body);
}
