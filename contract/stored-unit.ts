/**
 * The record of a unit in the bucket `mcs_units`: which key its serial number belongs to, its last registration, and
 * how it was when that was last recorded. Ours.
 *
 * S1. Nothing that is shown as it is now is taken from here by a process that receives heartbeats: between two records
 *     up to `UNIT_RECORD_MS` pass.
 * S2. Whatever of a record is computed with, times and names of gateways, is looked at when it is read: one that cannot
 *     be shown keeps no other unit from being shown.
 */

import { parseJsonBytes } from './json-bytes.ts';
import { isMoment, isTokenText } from './registration.ts';
import { asObject } from './reply.ts';
import type { UnitHealth, UnitRegistration } from './unit-wire.ts';

export interface StoredUnit {
  /** The key that a supervisor enrolled, or that registered first. */
  readonly public_key: string;
  readonly enrolled?: { readonly at: string; readonly by: string };
  readonly registered?: RegisteredUnit;
}

export interface RegisteredUnit {
  readonly document: UnitRegistration;
  readonly at: string;
  readonly alive: boolean;
  readonly health: UnitHealth;
  readonly last_heard: string;
}

/** The record; undefined for anything else. */
export function readStoredUnit(bytes: Uint8Array): StoredUnit | undefined {
  try {
    const record = asObject(parseJsonBytes(bytes));
    if (typeof record?.public_key !== 'string') return undefined;
    const { registered } = record;
    if (registered !== undefined && !isRegistered(registered)) return undefined;
    return record as unknown as StoredUnit;
  } catch {
    return undefined;
  }
}

function isRegistered(value: unknown): value is RegisteredUnit {
  const registered = asObject(value);
  const document = asObject(registered?.document);
  const unit = asObject(document?.unit);
  return (
    typeof registered?.alive === 'boolean' &&
    isMoment(registered.at) &&
    isMoment(registered.last_heard) &&
    typeof asObject(registered.health)?.state === 'string' &&
    typeof document?.heartbeat_period_ms === 'number' &&
    asObject(document.software) !== undefined &&
    Array.isArray(unit?.gateways) &&
    unit.gateways.every(isTokenText)
  );
}
