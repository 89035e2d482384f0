/**
 * The fleet of bench units and their verbs. Mission Control Service, sections 2.9 and 4.8. Enrolling a key for a serial
 * number, and taking a unit out of the fleet, are ours.
 *
 * U1. Who may ask for a verb is decided before its body is looked at (MC-UNIT-017).
 * U2. Telemetry and telecommands of a unit go through its gateways: nothing of them is here (MC-UNIT-019).
 */

import { UNIT_ENROLMENT_MS } from '../../contract/limits/unit.ts';
import {
  Enrolled,
  type Enrolled as EnrolledReply,
  EnrolRequest,
  UNIT_VERBS,
  UnitAnswer,
  UnitList,
  type UnitVerb,
  type UnitView,
  UpdateRequest,
} from '../../contract/unit.ts';
import type { FleetUnit } from '../../messaging/fleet.ts';
import { enrolUnit, removeUnit } from '../../messaging/unit-writes.ts';
import type { Caller } from '../caller.ts';
import { busUnavailable, refuse } from '../errors.ts';
import { serialInPath, unitVerbInPath } from '../parameters.ts';
import type { RoutePorts } from '../ports.ts';
import type { Handled, Refusal } from '../reply.ts';
import { defineRoute, NO_CONTENT } from '../route.ts';
import { callUnit } from '../unit-call.ts';

const SUPERVISOR = 'supervisor';

export const listUnits = defineRoute({
  method: 'GET',
  path: '/v1/units',
  operationId: 'listUnits',
  summary: 'The fleet: every unit that registered, whether it lives, and its gateways',
  description:
    'A unit lives while something came from it within three of its heartbeat periods. Its gateways are asked how they are, ' +
    'at most once in two seconds however many read the fleet.',
  tag: 'Units',
  replies: { 200: UnitList },
  errors: ['api::unavailable'],
  async handle(_request, ports) {
    if (!ports.fleet.live) return busUnavailable();
    const units = await Promise.all(ports.fleet.units().map((unit) => viewOf(unit, ports)));
    return { ok: true, value: { status: 200, body: { units } satisfies UnitList } };
  },
});

export const callUnitRoute = defineRoute({
  method: 'POST',
  path: '/v1/units/:serial/:verb',
  operationId: 'callUnit',
  summary: 'Self-test, update or reboot a unit',
  description:
    'The unit is asked on the bus and its reply given as it is, within 30 s. Anyone may ask for `selftest`; `update` and ' +
    '`reboot` are for supervisors. Only `update` takes a body. A reply to `update` or `reboot` comes before it is over: ' +
    '`GET /v1/units` shows when the unit is back, with its version.',
  tag: 'Units',
  params: { serial: serialInPath, verb: unitVerbInPath },
  admits: ({ verb = '' }, caller) => verbRefusal(verb, caller),
  body: UpdateRequest,
  bodyOptional: true,
  bodyFor: { parameter: 'verb', value: 'update' },
  replies: { 200: UnitAnswer },
  errors: ['unit::not-supervisor', 'unit::unknown', 'unit::refused', 'unit::timeout', 'api::unavailable'],
  async handle({ params: { serial, verb }, body, caller }, ports) {
    const unfit = bodyRefusal(verb, body);
    if (unfit !== undefined) return unfit;
    if (verb !== 'selftest')
      ports.log.info({ unit: serial, verb, by: nameOf(caller), ...body }, 'unit is called');
    const said = await callUnit(serial, verb as UnitVerb, body ?? {}, ports);
    return said.ok ? { ok: true, value: { status: 200, body: said.value } } : said;
  },
});

export const enrolUnitRoute = defineRoute({
  method: 'POST',
  path: '/v1/units',
  operationId: 'enrolUnit',
  summary: 'Enrol the key of a unit: the credential it registers with',
  description:
    'For supervisors. From now on the serial number belongs to this key, and one with another key cannot register it. The ' +
    'credential opens the subjects of this unit on the bus and nothing else.',
  tag: 'Units',
  admits: (_params, caller) => supervisorRefusal(caller, 'enrols units'),
  body: EnrolRequest,
  replies: { 201: Enrolled },
  errors: [
    'unit::not-supervisor',
    'auth::invalid-key',
    'auth::no-signing-key',
    'unit::too-many',
    'api::unavailable',
  ],
  async handle({ body: { serial, public_key: publicKey }, caller }, ports) {
    const issue = issuerFor(publicKey, ports);
    if (!issue.ok) return issue;
    const { bus, clock, fleet, log } = ports;
    const by = nameOf(caller);
    const enrolled = await enrolUnit({ bus, clock, count: () => fleet.book.size }, { serial, publicKey, by });
    if (!enrolled.ok) return refuse('unit::too-many', enrolled.faults[0].message);
    await fleet.book.seen(enrolled.value.revision);
    const expires = Math.floor((clock.now() + UNIT_ENROLMENT_MS) / 1_000);
    const jwt = await issue.value({ serial, publicKey, expiresAtMs: expires * 1_000 });
    log.info({ unit: serial, publicKey, by, expires }, 'unit enrolled');
    return { ok: true, value: { status: 201, body: { serial, jwt, expires } satisfies EnrolledReply } };
  },
});

export const removeUnitRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/units/:serial',
  operationId: 'removeUnit',
  summary: 'Take a unit out of the fleet',
  description:
    'For supervisors, and for units that are no more: one that lives registers again with its next heartbeat. A key that was ' +
    'enrolled for the serial number keeps it until the tokens of every earlier key have expired.',
  tag: 'Units',
  params: { serial: serialInPath },
  admits: (_params, caller) => supervisorRefusal(caller, 'removes units'),
  replies: { 204: NO_CONTENT },
  errors: ['unit::not-supervisor', 'unit::unknown', 'api::unavailable'],
  async handle({ params: { serial }, caller }, { bus, fleet, log }) {
    if (!(await removeUnit({ bus }, serial)))
      return refuse('unit::unknown', `there is no unit ${serial}`, {
        help: 'GET /v1/units lists those there are.',
      });
    fleet.book.gone(serial);
    log.info({ unit: serial, by: nameOf(caller) }, 'unit removed');
    return { ok: true, value: { status: 204 } };
  },
});

async function viewOf(unit: FleetUnit, { unitGateways }: RoutePorts): Promise<UnitView> {
  const { serial, document, at, alive, health, lastHeard, activity } = unit;
  const { software, heartbeat_period_ms, boot } = document;
  const { hardware_revision, gateways } = document.unit;
  return {
    serial,
    software,
    hardware_revision,
    alive,
    health,
    last_heard: new Date(lastHeard).toISOString(),
    registered_at: at,
    heartbeat_period_ms,
    ...(boot !== undefined && { boot }),
    ...(activity !== undefined && { activity }),
    gateways: await Promise.all(gateways.map((name) => unitGateways.state(name))),
  };
}

// Who may what --------------------------------------------------------------------------------------------------------

function verbRefusal(verb: string, caller: Caller): Refusal | undefined {
  if (!(UNIT_VERBS as readonly string[]).includes(verb))
    return refuse('api::invalid-body', `${JSON.stringify(verb)} is not a verb of units`, {
      help: `Verbs are ${UNIT_VERBS.join(', ')}.`,
    });
  return verb === 'selftest' ? undefined : supervisorRefusal(caller, `asks for ${verb}`);
}

function supervisorRefusal(caller: Caller, does: string): Refusal | undefined {
  if (caller.kind !== 'anonymous' && caller.roles.includes(SUPERVISOR)) return undefined;
  const who = caller.kind === 'anonymous' ? 'the caller has no name and so' : caller.name;
  return refuse('unit::not-supervisor', `${who} has no role ${SUPERVISOR}`, {
    help: `A supervisor ${does}.`,
  });
}

function bodyRefusal(verb: string, body: UpdateRequest | undefined): Refusal | undefined {
  if (verb !== 'update') return undefined;
  if (body === undefined)
    return refuse('api::invalid-body', 'the body of update is missing', {
      help: 'Say what to install: {"image": "https://…", "version": "1.5.0"}.',
    });
  if (URL.canParse(body.image)) return undefined;
  return refuse('api::invalid-body', '/image is not a URL', { path: '/image' });
}

function issuerFor(
  publicKey: string,
  { units }: RoutePorts,
): Handled<NonNullable<NonNullable<RoutePorts['units']>['issue']>> {
  if (units?.isUserKey(publicKey) === false)
    return refuse('auth::invalid-key', 'public_key is not a public user key of the bus', {
      help: 'Send the public key of a user (56 characters from U); the unit keeps its seed secret.',
      path: 'public_key',
    });
  if (units?.issue !== undefined) return { ok: true, value: units.issue };
  return refuse('auth::no-signing-key', 'this service has no key that signs credentials of units', {
    help: 'Start it with mcs serve --signer FILE; docs/units.md says what the file needs.',
  });
}

function nameOf(caller: Caller): string {
  return caller.kind === 'anonymous' ? '' : caller.name;
}

export const unitRoutes = [listUnits, callUnitRoute, enrolUnitRoute, removeUnitRoute];
