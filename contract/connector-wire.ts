/**
 * What a connector and the service say to each other on the bus: JSON, request and reply. Mission Control Service,
 * sections 2.11 and 4.9; the specification leaves the channel open, so all of it is ours. `docs/connectors.md` has the
 * documents for whoever writes a connector in another language.
 *
 * C1. Everything of a connector is read without trust: of a registration every fault is reported at once, a malformed
 *     heartbeat is none. Fields that are not known are skipped, so that connectors of later versions register.
 * C2. A connector reads a stream through a durable consumer, whose state the bus knows, or keeps its position itself,
 *     with what it stored: then its heartbeats say how far it is, since nobody else knows.
 */

import { type StreamDefinition, streams } from './bus/streams.ts';
import { parseJsonBytes } from './json-bytes.ts';
import {
  CONNECTOR_CONSUMER_CHARACTERS,
  CONNECTOR_MESSAGE_BYTES,
  CONNECTOR_PERIOD_MS_LEAST,
  CONNECTOR_PERIOD_MS_MOST,
  CONNECTOR_READS,
  CONNECTOR_TARGETS,
  CONNECTOR_TEXT_CHARACTERS,
} from './limits/connector.ts';
import { NAME_CHARACTERS } from './limits/request.ts';
import { invalidField, isMoment, isText, isTokenText } from './registration.ts';
import { asObject, type Foreign, oneOf, readResult, textIn } from './reply.ts';
import { accepted, type Result, refusedAll } from './result.ts';
import { HEALTH_STATES, type UnitHealth } from './unit-wire.ts';

/** What a connector may take, and where it stands; `alarms` is the specification's (section 6). */
export const CONNECTOR_DATA = {
  frames: streams.frames,
  samples: streams.decoded,
  values: streams.values,
  telecommands: streams.telecommandEvents,
  runs: streams.runs,
  alarms: streams.alarms,
  files: streams.fileChunks,
  events: streams.events,
} as const satisfies Record<string, StreamDefinition>;

export type ConnectorDataKind = keyof typeof CONNECTOR_DATA;
export const CONNECTOR_DATA_KINDS = Object.keys(CONNECTOR_DATA) as readonly ConnectorDataKind[];

export const READ_BY = ['consumer', 'position'] as const;

/** One stream that a connector reads, or one part of it. */
export interface ConnectorRead {
  readonly kind: ConnectorDataKind;
  /** Its durable consumer on the stream of that kind; of one that keeps its position itself, the name of that. */
  readonly consumer: string;
  readonly by: (typeof READ_BY)[number];
}

export interface ConnectorRegistrationDocument {
  readonly kind: 'connector';
  readonly name: string;
  /** Of the process; another one may take its place. */
  readonly instance: string;
  readonly software: { readonly name: string; readonly version: string };
  readonly heartbeat_period_ms: number;
  readonly connector: {
    /** Absent: every target there is. */
    readonly targets?: readonly string[];
    readonly data: readonly ConnectorRead[];
  };
}

export const CONNECTOR_REGISTRATION_CODES = [
  'connector::invalid-registration',
  'connector::consumer-taken',
  'connector::too-many',
  'api::unavailable',
] as const;
export type ConnectorRegistrationCode = (typeof CONNECTOR_REGISTRATION_CODES)[number];

/** A fault of a registration; `path` names the field. */
export interface ConnectorRegistrationFault {
  readonly code: ConnectorRegistrationCode;
  readonly message: string;
  readonly path?: string;
}

export type ConnectorRegistrationReply = Result<{ readonly registered: true }, ConnectorRegistrationFault>;

/** How far a connector is that keeps its position itself (C2). */
export interface ReadPosition {
  /** Of the last message that is stored with it; 0: none. */
  readonly seq: number;
  /** What it found missing when it read on, and when that was: the stream had discarded it. */
  readonly lost?: { readonly messages: number; readonly since: string };
  /** Of one that stores many messages at once: the last that it has taken, and when it stores what it holds. */
  readonly taken?: { readonly seq: number; readonly stores_at?: string };
}

export interface ConnectorHeartbeat {
  readonly instance: string;
  readonly health: UnitHealth;
  /** By the name of the consumer. */
  readonly positions: Readonly<Record<string, ReadPosition>>;
  /** It ends in order: nobody runs it from now on. */
  readonly leaving: boolean;
}

/** Answer to a heartbeat: whether the connector shall register again. */
export type ConnectorHeartbeatReply = {
  readonly ok: true;
  readonly value: { readonly register: boolean };
};

/** The registration of the connector that the subject names; refuses with every fault (C1). */
export function readConnectorRegistration(
  bytes: Uint8Array,
  name: string,
): Result<ConnectorRegistrationDocument, ConnectorRegistrationFault> {
  const document = objectOf(bytes);
  if (document === undefined)
    return refusedAll([invalid('', `not a JSON object of at most ${CONNECTOR_MESSAGE_BYTES} bytes`)]);
  const faults = [...headFaults(document, name), ...softwareFaults(document), ...connectorFaults(document)];
  return faults.length > 0 ? refusedAll(faults) : accepted(documentOf(document));
}

/** What a service answered to a registration; undefined for a malformed reply. */
export function readConnectorRegistrationReply(bytes: Uint8Array): ConnectorRegistrationReply | undefined {
  return readResult<{ registered: true }, ConnectorRegistrationCode>(
    bytes,
    ({ registered }) => registered === true,
    CONNECTOR_REGISTRATION_CODES,
  );
}

/** The heartbeat; undefined for anything else. */
export function readConnectorHeartbeat(bytes: Uint8Array): ConnectorHeartbeat | undefined {
  const document = objectOf(bytes);
  const instance = document && textIn(document, 'instance');
  const health = document && healthOf(document);
  const positions = document && positionsOf(document);
  if (document === undefined || instance === undefined || health === undefined || positions === undefined)
    return undefined;
  return { instance, health, positions, leaving: document.leaving === true };
}

/** What a service answered to a heartbeat; undefined for a malformed reply. */
export function readConnectorHeartbeatReply(bytes: Uint8Array): ConnectorHeartbeatReply['value'] | undefined {
  const read = readResult<ConnectorHeartbeatReply['value'], never>(
    bytes,
    ({ register }) => typeof register === 'boolean',
    [],
  );
  return read?.ok === true ? read.value : undefined;
}

/** Whether it is what a connector may read, by the rules of its registration. */
export function isConnectorSection(value: unknown): boolean {
  const connector = asObject(value);
  return (
    connector !== undefined &&
    targetFaults(connector.targets).length + dataFaults(connector.data).length === 0
  );
}

/** Whether these are positions as heartbeats say them. */
export function arePositions(positions: unknown): boolean {
  return positionsOf({ positions }) !== undefined;
}

function objectOf(bytes: Uint8Array): Foreign | undefined {
  if (bytes.length > CONNECTOR_MESSAGE_BYTES) return undefined;
  try {
    return asObject(parseJsonBytes(bytes));
  } catch {
    return undefined;
  }
}

function headFaults(document: Foreign, name: string): ConnectorRegistrationFault[] {
  const { kind, instance, heartbeat_period_ms: period } = document;
  const isPeriod =
    Number.isInteger(period) &&
    (period as number) >= CONNECTOR_PERIOD_MS_LEAST &&
    (period as number) <= CONNECTOR_PERIOD_MS_MOST;
  return [
    ...unless(kind === 'connector', 'kind', 'must be "connector"'),
    ...unless(document.name === name, 'name', `must be the name in the subject, ${name}`),
    ...unless(isTokenText(instance), 'instance', 'must be a token: letters, digits, - and _'),
    ...unless(
      isPeriod,
      'heartbeat_period_ms',
      `must be whole milliseconds from ${CONNECTOR_PERIOD_MS_LEAST} to ${CONNECTOR_PERIOD_MS_MOST}`,
    ),
  ];
}

function softwareFaults({ software }: Foreign): ConnectorRegistrationFault[] {
  const { name, version } = asObject(software) ?? {};
  return [
    ...unless(isText(name), 'software.name', `must be a text of 1 to ${NAME_CHARACTERS} characters`),
    ...unless(isText(version), 'software.version', `must be a text of 1 to ${NAME_CHARACTERS} characters`),
  ];
}

function connectorFaults(document: Foreign): ConnectorRegistrationFault[] {
  const connector = asObject(document.connector);
  if (connector === undefined) return [invalid('connector', 'the section connector is missing')];
  return [...targetFaults(connector.targets), ...dataFaults(connector.data)];
}

function targetFaults(targets: unknown): ConnectorRegistrationFault[] {
  if (targets === undefined) return [];
  if (!Array.isArray(targets) || targets.length === 0 || targets.length > CONNECTOR_TARGETS)
    return [
      invalid('connector.targets', `must be a list of 1 to ${CONNECTOR_TARGETS} names, or absent for all`),
    ];
  const strangers = targets.flatMap((target, at) =>
    unless(isTokenText(target), `connector.targets.${at}`, 'must be a token: letters, digits, - and _'),
  );
  const isRepeated = new Set(targets).size < targets.length;
  return [...strangers, ...unless(!isRepeated, 'connector.targets', 'must name each target once')];
}

function dataFaults(data: unknown): ConnectorRegistrationFault[] {
  if (!Array.isArray(data) || data.length === 0 || data.length > CONNECTOR_READS)
    return [invalid('connector.data', `must be a list of 1 to ${CONNECTOR_READS} entries`)];
  const faults = data.flatMap((read, at) => readFaults(read, `connector.data.${at}`));
  const names = data.map((read) => asObject(read)?.consumer);
  const isRepeated = new Set(names).size < names.length;
  return [...faults, ...unless(!isRepeated, 'connector.data', 'must name each consumer once')];
}

function readFaults(read: unknown, path: string): ConnectorRegistrationFault[] {
  const { kind, consumer, by } = asObject(read) ?? {};
  return [
    ...unless(
      (CONNECTOR_DATA_KINDS as readonly unknown[]).includes(kind),
      `${path}.kind`,
      `must be one of ${CONNECTOR_DATA_KINDS.join(', ')}`,
    ),
    ...unless(
      isTokenText(consumer) && (consumer as string).length <= CONNECTOR_CONSUMER_CHARACTERS,
      `${path}.consumer`,
      `must be a token of at most ${CONNECTOR_CONSUMER_CHARACTERS} characters`,
    ),
    ...unless((READ_BY as readonly unknown[]).includes(by), `${path}.by`, `must be ${READ_BY.join(' or ')}`),
  ];
}

function documentOf(document: Foreign): ConnectorRegistrationDocument {
  const { name, instance, software, heartbeat_period_ms, connector } =
    document as unknown as ConnectorRegistrationDocument;
  const { targets, data } = connector;
  return {
    kind: 'connector',
    name,
    instance,
    software: { name: software.name, version: software.version },
    heartbeat_period_ms,
    connector: {
      ...(targets !== undefined && { targets: [...targets] }),
      data: data.map(({ kind, consumer, by }) => ({ kind, consumer, by })),
    },
  };
}

function healthOf(document: Foreign): UnitHealth | undefined {
  const health = asObject(document.health);
  const state = health && oneOf(health, 'state', HEALTH_STATES);
  if (health === undefined || state === undefined) return undefined;
  const reason = textIn(health, 'reason');
  if (state === 'degraded' && (reason === undefined || reason === '')) return undefined;
  return { state, ...(reason !== undefined && { reason: reason.slice(0, CONNECTOR_TEXT_CHARACTERS) }) };
}

function positionsOf({ positions }: Foreign): ConnectorHeartbeat['positions'] | undefined {
  if (positions === undefined) return {};
  const all = asObject(positions);
  if (all === undefined || Object.keys(all).length > CONNECTOR_READS) return undefined;
  const read = Object.entries(all).map(([name, position]) => [name, positionOf(position)] as const);
  if (read.some(([, position]) => position === undefined)) return undefined;
  return Object.fromEntries(read) as ConnectorHeartbeat['positions'];
}

function positionOf(value: unknown): ReadPosition | undefined {
  const { seq, lost, taken } = asObject(value) ?? {};
  if (!isCount(seq)) return undefined;
  const missing = lost === undefined ? undefined : lostOf(lost);
  const held = taken === undefined ? undefined : takenOf(taken);
  if ((lost !== undefined && missing === undefined) || (taken !== undefined && held === undefined))
    return undefined;
  return {
    seq,
    ...(missing !== undefined && { lost: missing }),
    ...(held !== undefined && { taken: held }),
  };
}

function lostOf(value: unknown): ReadPosition['lost'] {
  const { messages, since } = asObject(value) ?? {};
  return isCount(messages) && isMoment(since)
    ? { messages, since: new Date(since).toISOString() }
    : undefined;
}

function takenOf(value: unknown): ReadPosition['taken'] {
  const { seq, stores_at } = asObject(value) ?? {};
  if (!isCount(seq)) return undefined;
  if (stores_at === undefined) return { seq };
  return isMoment(stores_at) ? { seq, stores_at: new Date(stores_at).toISOString() } : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function unless(holds: boolean, path: string, message: string): ConnectorRegistrationFault[] {
  return holds ? [] : [invalid(path, message)];
}

function invalid(path: string, message: string): ConnectorRegistrationFault {
  return invalidField('connector::invalid-registration', path, message);
}
