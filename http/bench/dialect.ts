/**
 * How the bench speaks, and what it says of itself. RF Bench Service, sections 5, 7 and 9. Where it listens on loopback
 * no caller is asked who they are; elsewhere identity is that of mission control. What a browser page must be is what
 * the layer asks: one of another origin is refused.
 *
 * D1. An error has one code, that of its first fault; the reasons of all of them stand in one message, each with its
 *     place.
 * D2. Whatever mission control refuses a caller for is `unauthorized` here, but a configuration that is not read yet
 *     (`unavailable`) and a declared name that cannot be one (`validation_failed`).
 * D3. A body where none is taken is not read: what stops an emission is not refused for how it is asked for.
 */

import { ApiError, BENCH_ERRORS, type BenchErrorCode, type BenchFault } from '../../contract/bench/errors.ts';
import { refusedAll } from '../../contract/result.ts';
import { boundedFaults } from '../bounded-faults.ts';
import type { Caller } from '../caller.ts';
import type { Dialect } from '../dialect.ts';
import type { Credentials } from '../identity.ts';
import type { ServiceInterface } from '../interface.ts';
import { missionControl, missionControlDialect } from '../mission-control.ts';
import type { AnyFault, Handled, Refusal, Reply } from '../reply.ts';
import type { BenchIdentity, BenchPorts } from './ports.ts';

/** RF Bench Service, section 9. */
export const BENCH_VERSION = '0.1.0';

const ANYBODY = { ok: true, value: { kind: 'anonymous' } } as const;

export const benchDialect: Dialect<BenchPorts> = {
  codes: {
    unknownRoute: 'not_found',
    invalid: 'validation_failed',
    tooLarge: 'too_large',
    headTooLarge: 'head_too_large',
    foreignOrigin: 'foreign_origin',
    foreignHost: 'foreign_host',
    tooMany: 'too_many_requests',
    internal: 'internal',
  },
  checked: ['validation_failed', 'unauthorized', 'unavailable'],
  unaskedBody: 'ignored',
  routesHelp: 'GET /api/v1/openapi.json lists the routes.',
  identify: (credentials, { identity }) =>
    identity === undefined ? ANYBODY : identified(credentials, identity),
  onAccessChange: ({ identity }, listener) =>
    identity === undefined ? () => undefined : missionControlDialect.onAccessChange(identity, listener),
  // The bench refuses with values: whatever throws is a defect.
  outage: () => undefined,
  reply: errorReply,
  describe(code) {
    const { status, cause } = BENCH_ERRORS[code as BenchErrorCode];
    return { statuses: [status], cause };
  },
  errorSchema: (codes, reference) => ({
    allOf: [reference(ApiError), { type: 'object', properties: { code: { enum: codes } } }],
  }),
};

/** Who calls, with the codes of the bench (D2). */
function identified(
  credentials: Credentials,
  ports: BenchIdentity,
): Promise<Handled<Caller, BenchFault>> | Handled<Caller, BenchFault> {
  const outcome = missionControlDialect.identify(credentials, ports);
  return outcome instanceof Promise ? outcome.then(inBenchCodes) : inBenchCodes(outcome);
}

function inBenchCodes(outcome: Handled<Caller, AnyFault>): Handled<Caller, BenchFault> {
  if (outcome.ok) return outcome;
  return refusedAll(outcome.faults.map((fault) => ({ ...fault, code: benchCode(fault.code) })));
}

function benchCode(code: string): BenchErrorCode {
  if (code.startsWith('auth::')) return 'unauthorized';
  return code === 'api::unavailable' ? 'unavailable' : 'validation_failed';
}

/** The answer of a refusal (D1). */
function errorReply(refusal: Refusal<AnyFault>): Reply {
  const faults = boundedFaults(refusal);
  // Its codes are those of the table: a route declares no others.
  const { code, next, state } = faults[0] as BenchFault;
  const help = [...new Set(faults.flatMap((fault) => fault.help ?? []))].join(' ');
  const error: ApiError = {
    code,
    message: faults.map(placed).join('; '),
    ...(help !== '' && { help }),
    ...(next !== undefined && { next }),
    ...(state !== undefined && { state }),
  };
  return { status: refusal.status ?? BENCH_ERRORS[code].status, body: error };
}

/** What is wrong, with where it is unless it says so itself. */
function placed({ message, path }: AnyFault): string {
  return path === undefined || message.includes(path) ? message : `${path}: ${message}`;
}

/** What routes are about: the groups of the interface description, in its order. */
export const BENCH_TAGS = {
  Radio: 'Frequency, gain, loopback and reset of the radio, and capabilities of the board.',
  Chain: 'What an emission needs to reach its target: the conditions of the chain, and conditioning.',
  Datapath: 'Blocks captured, fed and measured, and packets transmitted.',
  Profiles: 'Settings of the radio under a name: registered, judged and applied.',
  Scenarios: 'Scripted timelines with assertions, and their runs.',
  Campaigns: 'Ordered steps of scenarios, profiles, actions and sweeps, and their runs.',
  Reports: 'Reports of finished scenario runs.',
  Frames: 'Captured blocks.',
  Events: 'Events, and the log of the daemon.',
  Feeds: 'WebSockets with pictures and readings of the link.',
  Service: 'The service about itself: interface descriptions, health, metrics.',
} as const;

export type BenchTag = keyof typeof BENCH_TAGS;

export const benchInterface: ServiceInterface<BenchPorts> = {
  title: 'RF Bench Service',
  version: BENCH_VERSION,
  description: `One daemon with one board: profiles, the chain, the datapath, scenarios, campaigns and their reports.

**Errors.** Every error answers \`{"code", "message", "help"?, "next"?, "state"?}\`. Match on the code: its meaning and its
status never change. A request with several faults has one code and all reasons in its message.

**Times** are RFC 3339 UTC. Fields named \`uptime\` and the times of frames count from the start of the daemon: those of
frames are written as if it had started with the epoch.

**Feeds** under \`/ws\` are GETs that upgrade to a WebSocket (status 101); \`/api/v1/asyncapi.json\` describes them for
generators. Binary feeds have messages of a head of 16 bytes, a description in JSON and 32-bit floats, all little-endian.

**Identity.** Where the bench listens on loopback no caller is asked who they are. Elsewhere it is as for mission control: a
bearer token of the configured provider, required with \`auth.required\`; a WebSocket takes the token as \`?token=\`.`,
  following: `What the bench sends over WebSockets, and what it takes there. A refused upgrade is an HTTP answer with the error,
described in \`/api/v1/openapi.json\`. Where the bench listens elsewhere than on loopback it may ask for a token.`,
  address: '127.0.0.1:8401',
  security: [{}, { token: [] }],
  securitySchemes: { token: missionControl.securitySchemes['token']! },
  followSchemes: {
    token: missionControl.followSchemes['token']!,
    tokenInQuery: missionControl.followSchemes['tokenInQuery']!,
  },
  tags: BENCH_TAGS,
  dialect: benchDialect,
};
