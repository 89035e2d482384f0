/** Records in the log: modes, passes, schedules, transfers, units, connectors, the configuration. */

import type { LoggedEvent } from '../../contract/event.ts';
import type { EventKind, EventSeverity } from '../../contract/event-kinds.ts';
import { parseJsonBytes } from '../../contract/json-bytes.ts';
import { readStoredPass } from '../../contract/pass.ts';
import { asObject, textIn } from '../../contract/reply.ts';
import { type LossRisk, type LostMessages, readStoredConnector } from '../../contract/stored-connector.ts';
import { readStoredSchedule } from '../../contract/stored-schedule.ts';
import { readStoredUnit } from '../../contract/stored-unit.ts';
import { readStoredTransfer } from '../../contract/transfer.ts';
import { readTargetMode } from '../../mission/mode.ts';
import type { Entry } from '../../ports/bus.ts';
import { eventOf, momentOf } from './event-of.ts';
import type { RecordChange } from './record-source.ts';

interface Change {
  readonly at: string;
  readonly kind: EventKind;
  readonly subject: string;
  readonly text: string;
  readonly severity?: EventSeverity;
  readonly target?: string | undefined;
  readonly name?: string | undefined;
  readonly state?: string | undefined;
  readonly by?: string | undefined;
  readonly run?: string | undefined;
  readonly link?: string;
}

function change(entry: Entry, id: string, said: Change, document?: unknown): RecordChange {
  const { at, severity = 'info', ...rest } = said;
  const time = momentOf(at, entry.at);
  const fields = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  const event = eventOf({ time, severity, ...fields } as LoggedEvent, document);
  return { id, at: Date.parse(time), event };
}

export function modeChanges(entry: Entry): readonly RecordChange[] | undefined {
  const set = readTargetMode(entry.value);
  if (set === 'unreadable') return undefined;
  // What stands there of a target whose mode was never set says nothing.
  if (set === undefined) return [];
  const { mode, since, by, run } = set;
  const who = by ?? (run === undefined ? 'somebody' : `run ${run}`);
  const said = {
    at: since,
    kind: 'mode',
    subject: entry.key,
    target: entry.key,
    state: mode,
    by,
    run,
    text: `${entry.key} was set to mode ${mode} by ${who}.`,
    link: `/v1/targets/${entry.key}/mode`,
  } as const;
  return [change(entry, `${since}-${mode}`, said, set)];
}

export function configurationChanges(entry: Entry): readonly RecordChange[] | undefined {
  const current = objectIn(entry.value);
  const revision = current && textIn(current, 'revision');
  if (revision === undefined) return undefined;
  const said = {
    at: new Date(entry.at).toISOString(),
    kind: 'configuration',
    subject: revision,
    text: `Configuration ${revision.slice(0, 12)} was published.`,
    link: '/v1/mission',
  } as const;
  return [change(entry, `${entry.revision}`, said)];
}

export function scheduleChanges(entry: Entry): readonly RecordChange[] | undefined {
  const schedule = readStoredSchedule(entry.key, entry.value);
  return schedule?.changes.map(({ at, state, reasons, by }) => {
    const { id, target, run, pass, run_id } = schedule;
    const because = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
    const said = {
      at,
      kind: 'schedule',
      severity: state === 'at_risk' || state === 'missed' ? 'warning' : 'info',
      subject: id,
      target,
      name: run,
      state,
      by,
      run: state === 'fired' ? run_id : undefined,
      text: `Schedule ${id} of ${run} on pass ${pass} of ${target} is ${state.replace('_', ' ')}${because}.`,
      link: `/v1/schedules/${id}`,
    } as const;
    return change(entry, `${at}-${state}-${reasons.join()}`, said);
  });
}

export function transferChanges(entry: Entry): readonly RecordChange[] | undefined {
  const transfer = readStoredTransfer(entry.key, entry.value);
  return transfer?.actor.changes.map(({ at, state, reason }) => {
    const { target, file_id, generation, direction, by, actor } = transfer;
    const because = reason === undefined ? '' : `: ${reason}`;
    const way = direction === 'upload' ? `Upload of file ${file_id} to` : `Download of file ${file_id} from`;
    const said = {
      at,
      kind: 'transfer',
      severity: state === 'CORRUPTED' ? 'warning' : 'info',
      subject: entry.key,
      target,
      name: file_id,
      state,
      by: state === 'REQUESTED' ? by : undefined,
      run: actor.run,
      text: `${way} ${target} is ${state}${because}.`,
      link: `/v1/transfers/${target}/${file_id}/${generation}`,
    } as const;
    return change(entry, `${at}-${state}-${reason ?? ''}`, said);
  });
}

export function passChanges(entry: Entry): readonly RecordChange[] | undefined {
  const pass = readStoredPass(entry.key, entry.value);
  if (pass === undefined) return undefined;
  const { id, target, station, aos, los, status } = pass;
  const said = {
    at: new Date(entry.at).toISOString(),
    kind: 'pass',
    subject: entry.key,
    target,
    name: station,
    state: status,
    text: `Pass ${id} of ${target} over ${station}, ${aos} to ${los}, is ${status}.`,
    link: `/v1/passes/${target}/${id}`,
  } as const;
  return [change(entry, `${status}-${aos}-${los}`, said)];
}

export function unitChanges(entry: Entry): readonly RecordChange[] | undefined {
  const unit = readStoredUnit(entry.value);
  if (unit === undefined) return undefined;
  const { registered, enrolled } = unit;
  if (registered === undefined) {
    if (enrolled === undefined) return [];
    const text = `The key of unit ${entry.key} was enrolled by ${enrolled.by}.`;
    const said = {
      at: enrolled.at,
      kind: 'unit',
      subject: entry.key,
      by: enrolled.by,
      state: 'enrolled',
      text,
    } as const;
    return [change(entry, `${enrolled.at}-enrolled`, said)];
  }
  return [livingChange(entry, 'unit', registered)];
}

export function connectorChanges(entry: Entry): readonly RecordChange[] | undefined {
  const connector = readStoredConnector(entry.value);
  if (connector === undefined) return undefined;
  const { registered, risk = {}, lost = {} } = connector;
  return [
    ...(registered === undefined ? [] : [livingChange(entry, 'connector', registered)]),
    ...Object.entries(risk).map(([consumer, each]) => riskChange(entry, consumer, each)),
    ...Object.entries(lost).map(([consumer, each]) => lostChange(entry, consumer, each)),
  ];
}

function riskChange(entry: Entry, consumer: string, { at, at_risk, reason }: LossRisk): RecordChange {
  const because = reason === undefined ? '' : `: ${reason}`;
  const said = {
    at,
    kind: 'connector',
    severity: at_risk ? 'warning' : 'info',
    subject: entry.key,
    name: consumer,
    state: at_risk ? 'at_risk' : 'not_at_risk',
    text: at_risk
      ? `Connector ${entry.key} is about to lose messages (${consumer})${because}.`
      : `Connector ${entry.key} is not about to lose messages any more (${consumer}).`,
    link: '/v1/connectors',
  } as const;
  return change(entry, `${consumer}-${at}-${at_risk}`, said);
}

function lostChange(entry: Entry, consumer: string, { messages, since }: LostMessages): RecordChange {
  const said = {
    at: new Date(entry.at).toISOString(),
    kind: 'connector',
    severity: 'warning',
    subject: entry.key,
    name: consumer,
    state: 'lost',
    text: `Connector ${entry.key} lost messages that were discarded before it had read them (${consumer}): ${messages} since ${since}.`,
    link: '/v1/connectors',
  } as const;
  return change(entry, `${consumer}-lost-${messages}`, said);
}

interface Living {
  readonly at: string;
  readonly alive: boolean;
  readonly left?: boolean;
  readonly health: { readonly state: string; readonly reason?: string };
}

/** What registers and sends heartbeats: its heartbeats are none, what changes is. */
function livingChange(entry: Entry, kind: 'unit' | 'connector', living: Living): RecordChange {
  const { at, alive, left = false, health } = living;
  const state = left ? 'left' : alive ? (health.state === 'degraded' ? 'degraded' : 'alive') : 'silent';
  const reason = health.state === 'degraded' && health.reason !== undefined ? `: ${health.reason}` : '';
  const text = `${kind === 'unit' ? 'Unit' : 'Connector'} ${entry.key} is ${state}${state === 'degraded' ? reason : ''}.`;
  const said = {
    at: state === 'alive' ? at : new Date(entry.at).toISOString(),
    kind,
    severity: state === 'silent' || state === 'degraded' ? 'warning' : 'info',
    subject: entry.key,
    state,
    text,
    link: kind === 'unit' ? '/v1/units' : '/v1/connectors',
  } as const;
  return change(entry, `${at}-${state}${state === 'degraded' ? reason : ''}`, said);
}

function objectIn(bytes: Uint8Array) {
  try {
    return asObject(parseJsonBytes(bytes));
  } catch {
    return undefined;
  }
}
