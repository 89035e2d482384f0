/**
 * Commands of people to alarms, by request and reply on `mcs.alarm.control.<target>`. Mission Control Service, section
 * 4.4.
 *
 * D1. What is refused is refused with a sentence; what is accepted is recorded by then.
 * D2. A process that no longer leads answers nobody: the present leader does, or the caller gets a timeout.
 */

import type { AlarmCall, AlarmReply } from '../../contract/alarm.ts';
import { type AlarmName, alarmKey, alarmPath } from '../../contract/alarm-name.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { ALARM_COMMANDS_WAITING, ALARM_SETTLE_MS } from '../../contract/limits/alarm.ts';
import type { AlarmCommand } from '../../machines/alarm/protocol.ts';
import type { Bus, CoreMessage, Stoppable } from '../../ports/bus.ts';
import type { Told } from '../../ports/cells.ts';
import type { Clock } from '../../ports/clock.ts';
import { validName } from './record-store.ts';
import type { Requests } from './requests.ts';

interface ControlOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly requests: Requests;
  readonly holds: () => boolean;
  readonly isRecorded: (key: string) => Promise<boolean>;
  /** Longest shelving, ms. */
  readonly maxShelveMs: () => number;
  readonly tell: (key: string, command: AlarmCommand & { readonly request: string }) => Told;
}

/** Serves the commands to every alarm, until it is stopped. */
export function serveControl(options: ControlOptions): Stoppable {
  const answer = async (message: CoreMessage): Promise<Uint8Array> => {
    const reply = await replyTo(options, message);
    // The reply of one that was overtaken meanwhile may be about another record (D2).
    if (!options.holds()) throw new Error('another leader answers for alarms');
    return Buffer.from(JSON.stringify(reply));
  };
  return options.bus.serve(subject.alarmControls, answer);
}

async function replyTo(options: ControlOptions, message: CoreMessage): Promise<AlarmReply> {
  const target = message.subject.split('.').at(-1) ?? '';
  const call = readCall(message.data);
  if (call === undefined) return refused('the command is unknown');
  const name: AlarmName = { target, ...call.alarm };
  const key = alarmKey(name);
  const shown = `${target} ${alarmPath(name)}`;
  if (validName(key) === undefined || !(await options.isRecorded(key)))
    return refused(`${shown} has never been raised: there is no record of it`);
  const outOfBounds = call.action === 'shelve' ? shelveFault(call.forMs, options.maxShelveMs()) : undefined;
  if (outOfBounds !== undefined) return refused(`${shown} is not shelved: ${outOfBounds}`);
  if (options.requests.waiting >= ALARM_COMMANDS_WAITING)
    return refused(`${ALARM_COMMANDS_WAITING} commands wait for their alarms; ask again`);
  return ask(options, key, shown, call);
}

async function ask(
  { clock, requests, tell }: ControlOptions,
  key: string,
  shown: string,
  call: AlarmCall,
): Promise<AlarmReply> {
  const answer = await requests.ask(
    (request) => tell(key, { ...commandOf(call, clock.now()), request }),
    ALARM_SETTLE_MS,
  );
  switch (answer.outcome) {
    case 'accepted':
      return answer;
    case 'refused':
      return refused(`${shown}: ${answer.reason}`);
    case 'full':
      return refused(`${shown}: too many commands wait for it; ask again`);
    case 'quarantined':
      return refused(`${shown} has failed and is set aside; resume it in the inspector`);
    case 'gone':
    case 'late':
      throw new Error(`${shown} was not recorded in time`);
  }
}

function shelveFault(forMs: number, maxMs: number): string | undefined {
  if (forMs <= 0) return 'the duration must be positive';
  if (forMs <= maxMs) return undefined;
  return `${forMs / 60_000} min is longer than alarms.max_shelve, ${maxMs / 60_000} min`;
}

function commandOf(call: AlarmCall, at: number): AlarmCommand {
  const { by } = call;
  switch (call.action) {
    case 'acknowledge':
      return { type: 'operator.acknowledge', at, by };
    case 'unshelve':
      return { type: 'operator.unshelve', at, by };
    case 'shelve':
      return { type: 'operator.shelve', at, by, until: at + call.forMs };
  }
}

function refused(reason: string): AlarmReply {
  return { outcome: 'refused', reason };
}

function readCall(data: Uint8Array): AlarmCall | undefined {
  try {
    const {
      alarm: of,
      by,
      action,
      forMs,
    } = JSON.parse(Buffer.from(data).toString()) as Record<string, unknown>;
    const { component, instance, alarm } = (of ?? {}) as Record<string, unknown>;
    if (typeof component !== 'string' || typeof alarm !== 'string' || typeof by !== 'string')
      return undefined;
    if (instance !== undefined && typeof instance !== 'string') return undefined;
    const named = { alarm: { component, alarm, ...(instance !== undefined && { instance }) }, by };
    if (action === 'acknowledge' || action === 'unshelve') return { ...named, action };
    const isTerm = typeof forMs === 'number' && Number.isFinite(forMs);
    return action === 'shelve' && isTerm ? { ...named, action, forMs } : undefined;
  } catch {
    return undefined;
  }
}
