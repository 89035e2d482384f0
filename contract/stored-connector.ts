/**
 * The record of a connector in the bucket `mcs_connectors`: its last registration, how it was when that was last
 * recorded, how far it had read, and what streams discarded before it had read it. Ours.
 *
 * S1. Nothing that is shown as it is now is taken from here by a process that receives heartbeats: between two records
 *     up to `UNIT_RECORD_MS` pass.
 * S2. What is lost is kept until the connector is removed: a connector that reads on leaves no other trace of it.
 * S3. A record is read by the rules of what it is made of, registrations and heartbeats: one with data that this
 *     version does not know is no record here, and keeps no other connector from being shown.
 * S4. A consumer may be called as what every object has (`constructor`, `__proto__`): what is kept by their names is
 *     found by own names alone (`ofConsumer`).
 */

import {
  arePositions,
  type ConnectorRegistrationDocument,
  isConnectorSection,
  type ReadPosition,
} from './connector-wire.ts';
import { parseJsonBytes } from './json-bytes.ts';
import { isMoment } from './registration.ts';
import { asObject, isListOf } from './reply.ts';
import type { UnitHealth } from './unit-wire.ts';

export interface StoredConnector {
  readonly registered?: RegisteredConnector;
  /** By the name of the consumer (S2). */
  readonly lost?: Readonly<Record<string, LostMessages>>;
  /** By the name of the consumer: whether its stream is about to discard what it has not read. */
  readonly risk?: Readonly<Record<string, LossRisk>>;
}

export interface LossRisk {
  readonly at_risk: boolean;
  /** Since when. */
  readonly at: string;
  readonly reason?: string;
}

export interface RegisteredConnector {
  readonly document: ConnectorRegistrationDocument;
  readonly at: string;
  readonly alive: boolean;
  readonly health: UnitHealth;
  readonly last_heard: string;
  /** It ended in order. */
  readonly left?: boolean;
  readonly positions?: Readonly<Record<string, ReadPosition>>;
}

/** What a stream discarded before a connector had read it. */
export interface LostMessages {
  readonly messages: number;
  /** When it was first seen. */
  readonly since: string;
  /** Position up to which it is counted; 0: as the connector itself says. */
  readonly through: number;
}

/** What is kept of a consumer (S4). */
export function ofConsumer<Value>(
  all: Readonly<Record<string, Value>> | undefined,
  consumer: string,
): Value | undefined {
  return all !== undefined && Object.hasOwn(all, consumer) ? all[consumer] : undefined;
}

/** The record; undefined for anything else. */
export function readStoredConnector(bytes: Uint8Array): StoredConnector | undefined {
  try {
    const record = asObject(parseJsonBytes(bytes));
    if (record === undefined) return undefined;
    const { registered, lost, risk } = record;
    if (registered !== undefined && !isRegistered(registered)) return undefined;
    if (lost !== undefined && !isLost(lost)) return undefined;
    if (risk !== undefined && !isRisk(risk)) return undefined;
    return record as unknown as StoredConnector;
  } catch {
    return undefined;
  }
}

function isRegistered(value: unknown): value is RegisteredConnector {
  const registered = asObject(value);
  const document = asObject(registered?.document);
  return (
    typeof registered?.alive === 'boolean' &&
    isMoment(registered.at) &&
    isMoment(registered.last_heard) &&
    typeof asObject(registered.health)?.state === 'string' &&
    typeof document?.instance === 'string' &&
    typeof document.heartbeat_period_ms === 'number' &&
    asObject(document.software) !== undefined &&
    isConnectorSection(document.connector) &&
    arePositions(registered.positions)
  );
}

function isRisk(value: unknown): boolean {
  const risk = asObject(value);
  return (
    risk !== undefined &&
    isListOf(
      Object.values(risk),
      ({ at_risk, at, reason }) =>
        typeof at_risk === 'boolean' && isMoment(at) && (reason === undefined || typeof reason === 'string'),
    )
  );
}

function isLost(value: unknown): boolean {
  const lost = asObject(value);
  return (
    lost !== undefined &&
    isListOf(
      Object.values(lost),
      ({ messages, since, through }) =>
        typeof messages === 'number' && isMoment(since) && typeof through === 'number',
    )
  );
}
