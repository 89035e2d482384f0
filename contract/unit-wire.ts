/**
 * What a unit and the service say to each other on the bus: JSON, request and reply. Mission Control Service, sections
 * 2.9 and 4.8; what the specification leaves open is marked (ours). `docs/units.md` has the documents for whoever
 * writes a unit in another language.
 *
 * W1. Everything of a unit is read without trust: of a registration every fault is reported at once, a malformed
 *     heartbeat is none. Fields that are not known are skipped, so that units of later versions register.
 * W2. Whoever speaks is known by the subject, which the bus lets nobody but that unit use: a document that names
 *     another serial is refused.
 */

import { parseJsonBytes } from './json-bytes.ts';
import { NAME_CHARACTERS } from './limits/request.ts';
import {
  UNIT_GATEWAYS,
  UNIT_MESSAGE_BYTES,
  UNIT_PERIOD_MS_LEAST,
  UNIT_PERIOD_MS_MOST,
  UNIT_TEXT_CHARACTERS,
} from './limits/unit.ts';
import { invalidField, isText, isTokenText } from './registration.ts';
import { asObject, type Foreign, oneOf, readReply, readResult, textIn } from './reply.ts';
import { accepted, type Result, refusedAll } from './result.ts';

/** Registration document (MC-UNIT-001). */
export interface UnitRegistration {
  readonly kind: 'unit';
  /** Serial number. */
  readonly instance: string;
  readonly software: { readonly name: string; readonly version: string };
  readonly heartbeat_period_ms: number;
  /** Public user key of the bus. */
  readonly public_key: string;
  readonly unit: { readonly hardware_revision: string; readonly gateways: readonly string[] };
  /** Another one at each start of the unit (ours). */
  readonly boot?: string;
}

export const REGISTRATION_CODES = [
  'unit::invalid-registration',
  'unit::other-key',
  'unit::too-many',
  'auth::invalid-key',
  'api::unavailable',
] as const;
export type RegistrationCode = (typeof REGISTRATION_CODES)[number];

/** A fault of a registration; `path` names the field. */
export interface RegistrationFault {
  readonly code: RegistrationCode;
  readonly message: string;
  readonly path?: string;
}

/** What a registered unit is given (ours): a credential, where the service can sign one. */
export interface UnitRegistered {
  readonly jwt?: string;
  /** Its end, seconds since 1970. */
  readonly expires?: number;
}

export type RegistrationReply = Result<UnitRegistered, RegistrationFault>;

export const HEALTH_STATES = ['ok', 'degraded'] as const;

export interface UnitHealth {
  readonly state: (typeof HEALTH_STATES)[number] | 'unknown';
  readonly reason?: string;
}

/** What a unit is busy with (ours). */
export interface UnitActivity {
  readonly verb: string;
  readonly phase: string;
  readonly percent?: number;
}

/** Heartbeat (ours). */
export interface UnitHeartbeat {
  readonly health: UnitHealth;
  readonly activity?: UnitActivity;
}

/** Answer to a heartbeat (ours): whether the unit shall register again. */
export type HeartbeatReply = { readonly ok: true; readonly value: { readonly register: boolean } };

/** What a unit answers to a verb, whatever it holds, or why it refuses. */
export type UnitReply = Result<Foreign, { readonly code: 'unit::refused'; readonly message: string }>;

/** The registration of the unit that owns the subject; refuses with every fault (W1, W2). */
export function readRegistration(
  bytes: Uint8Array,
  serial: string,
  isUserKey: (text: string) => boolean,
): Result<UnitRegistration, RegistrationFault> {
  const document = bytes.length > UNIT_MESSAGE_BYTES ? undefined : objectOf(bytes);
  if (document === undefined)
    return refusedAll([invalid('', `not a JSON object of at most ${UNIT_MESSAGE_BYTES} bytes`)]);
  const faults = [
    ...headFaults(document, serial, isUserKey),
    ...softwareFaults(document),
    ...unitFaults(document),
  ];
  return faults.length > 0 ? refusedAll(faults) : accepted(registrationOf(document));
}

/** What a service answered to a registration; undefined for a malformed reply. */
export function readRegistrationReply(bytes: Uint8Array): RegistrationReply | undefined {
  return readResult<UnitRegistered, RegistrationCode>(
    bytes,
    ({ jwt, expires }) => (jwt === undefined) === (expires === undefined),
    REGISTRATION_CODES,
  );
}

/** The heartbeat; undefined for anything else. */
export function readHeartbeat(bytes: Uint8Array): UnitHeartbeat | undefined {
  if (bytes.length > UNIT_MESSAGE_BYTES) return undefined;
  const document = objectOf(bytes);
  const health = asObject(document?.health);
  const state = health && oneOf(health, 'state', HEALTH_STATES);
  if (document === undefined || health === undefined || state === undefined) return undefined;
  const reason = textIn(health, 'reason');
  if (state === 'degraded' && (reason === undefined || reason === '')) return undefined;
  const activity = activityOf(document);
  return {
    health: { state, ...(reason !== undefined && { reason: shown(reason) }) },
    ...(activity !== undefined && { activity }),
  };
}

/** What a service answered to a heartbeat; undefined for a malformed reply. */
export function readHeartbeatReply(bytes: Uint8Array): HeartbeatReply['value'] | undefined {
  const read = readResult<HeartbeatReply['value'], never>(
    bytes,
    ({ register }) => typeof register === 'boolean',
    [],
  );
  return read?.ok === true ? read.value : undefined;
}

/** What a unit answered to a verb; undefined for a malformed reply. */
export function readUnitReply(bytes: Uint8Array): UnitReply | undefined {
  return readResult<Foreign, 'unit::refused'>(bytes, () => true, ['unit::refused']);
}

/** What a unit was called with; an empty object where it is none. */
export function readUnitCall(bytes: Uint8Array): Foreign {
  return readReply(bytes) ?? {};
}

function objectOf(bytes: Uint8Array): Foreign | undefined {
  try {
    return asObject(parseJsonBytes(bytes));
  } catch {
    return undefined;
  }
}

function headFaults(
  document: Foreign,
  serial: string,
  isUserKey: (text: string) => boolean,
): RegistrationFault[] {
  const { kind, instance, heartbeat_period_ms: period, public_key: key, boot } = document;
  const isPeriod =
    Number.isInteger(period) &&
    (period as number) >= UNIT_PERIOD_MS_LEAST &&
    (period as number) <= UNIT_PERIOD_MS_MOST;
  return [
    ...unless(kind === 'unit', 'kind', 'must be "unit"'),
    ...unless(instance === serial, 'instance', `must be the serial number of the subject, ${serial}`),
    ...unless(
      isPeriod,
      'heartbeat_period_ms',
      `must be whole milliseconds from ${UNIT_PERIOD_MS_LEAST} to ${UNIT_PERIOD_MS_MOST}`,
    ),
    ...unless(boot === undefined || isTokenText(boot), 'boot', 'must be a token'),
    ...(typeof key === 'string' && isUserKey(key)
      ? []
      : [
          {
            code: 'auth::invalid-key',
            message: 'must be a public user key of the bus',
            path: 'public_key',
          } as const,
        ]),
  ];
}

function softwareFaults({ software }: Foreign): RegistrationFault[] {
  const { name, version } = asObject(software) ?? {};
  return [
    ...unless(isText(name), 'software.name', `must be a text of 1 to ${NAME_CHARACTERS} characters`),
    ...unless(isText(version), 'software.version', `must be a text of 1 to ${NAME_CHARACTERS} characters`),
  ];
}

/** MC-UNIT-002, MC-UNIT-003, MC-UNIT-004 */
function unitFaults(document: Foreign): RegistrationFault[] {
  const unit = asObject(document.unit);
  if (unit === undefined) return [invalid('unit', 'the section unit is missing')];
  const { hardware_revision: revision, gateways } = unit;
  const faults = unless(
    isText(revision),
    'unit.hardware_revision',
    `must be a text of 1 to ${NAME_CHARACTERS} characters: it is missing, empty or too long`,
  );
  if (!Array.isArray(gateways) || gateways.length > UNIT_GATEWAYS)
    return [...faults, invalid('unit.gateways', `must be a list of at most ${UNIT_GATEWAYS} names`)];
  const strangers = gateways.flatMap((gateway, at) =>
    unless(isTokenText(gateway), `unit.gateways.${at}`, 'must be a token: letters, digits, - and _'),
  );
  const isRepeated = new Set(gateways).size < gateways.length;
  return [...faults, ...strangers, ...unless(!isRepeated, 'unit.gateways', 'must name each gateway once')];
}

function registrationOf(document: Foreign): UnitRegistration {
  const { instance, software, heartbeat_period_ms, public_key, unit, boot } =
    document as unknown as UnitRegistration;
  return {
    kind: 'unit',
    instance,
    software: { name: software.name, version: software.version },
    heartbeat_period_ms,
    public_key,
    unit: { hardware_revision: unit.hardware_revision, gateways: [...unit.gateways] },
    ...(boot !== undefined && { boot }),
  };
}

function activityOf(document: Foreign): UnitActivity | undefined {
  const activity = asObject(document.activity);
  const verb = activity && textIn(activity, 'verb');
  const phase = activity && textIn(activity, 'phase');
  if (activity === undefined || verb === undefined || phase === undefined) return undefined;
  const { percent } = activity;
  const isPercent = typeof percent === 'number' && percent >= 0 && percent <= 100;
  return { verb: shown(verb), phase: shown(phase), ...(isPercent && { percent }) };
}

function unless(holds: boolean, path: string, message: string): RegistrationFault[] {
  return holds ? [] : [invalid(path, message)];
}

function invalid(path: string, message: string): RegistrationFault {
  return invalidField('unit::invalid-registration', path, message);
}

function shown(text: string): string {
  return text.slice(0, UNIT_TEXT_CHARACTERS);
}
