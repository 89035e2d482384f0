/**
 * Identity end to end: real processes, a real bus and a real identity provider. F-23: a page signs in, gets a
 * credential and follows on the bus. F-13: who may do what, by how they say who they are. Mission Control Service,
 * section 5.
 */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, jwtAuthenticator, type NatsConnection } from 'nats';
import { createUser } from 'nkeys.js';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBus } from '../../bus/nats-bus.ts';
import type { FollowerReply, SignInSettings } from '../../contract/auth.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { RunStatus } from '../../contract/run.ts';
import type { RunEvent } from '../../contract/run-event.ts';
import type { Schedule, ScheduleValidation } from '../../contract/schedule.ts';
import type { Bus } from '../../ports/bus.ts';
import { type Answer, call, codes, readLog } from '../support/client.ts';
import { CLIENTS, type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import { endAllMcs, type Mcs, STEADY, startMcs } from '../support/mcs.ts';
import { quiet } from '../support/nats.ts';
import { until } from '../support/until.ts';

const AUDIENCE = 'mission-control';
/** Short enough to see a credential end, long enough to use it before on a busy machine. */
const NATS_TTL_S = 15;

const PLATFORM = `
platform: box
version: 1.0.0
components:
  obc:
    telecommands:
      ping: { changes_state: false }
      reboot: { hazardous: true }
`;
const TOPOLOGY = `
topology: test
environments:
  open: { identity: declared, human_orchestration: false }
  bench: { identity: declared, human_orchestration: true }
  flight: { identity: jwt, human_orchestration: true, hazardous_confirmation: [supervisor] }
gateways:
  gw-1: { simulated: true }
drivers:
  enc-1: { protocol: space-packet }
targets:
  sat1:
    platform: box@1.0.0
    environments: [open, bench, flight]
    links:
      uhf: { default: true, driver: enc-1, gateway: gw-1 }
`;
const LIBRARY = `
library: ops
version: 1.0.0
imports: [box@1.0.0]
procedures:
  say:
    roles: { sat: box }
    steps:
      - log: "hello"
  restart:
    roles: { sat: box }
    steps:
      - send: sat.obc.reboot
  confirmed:
    roles: { sat: box }
    steps:
      - step: go
        do:
          - ask: Go on?
            timeout: 5 min
          - confirm: Really?
            role: supervisor
`;

const config = (issuer: string, required: boolean) => `
config: test
auth:
  issuer: ${issuer}
  audience: ${AUDIENCE}
  client_id: console
  roles_prefix: "mcs:"
  nats_ttl: ${NATS_TTL_S} s
  required: ${required}
passes:
  feeders:
    ${CLIENTS.machine}: fds
`;

let provider: IdentityProvider;
let folder: string;
let state: string;
let service: Mcs;
let bus: Bus;
/** Without a provider. */
let bare: Mcs;
const clients: NatsConnection[] = [];

async function mission(name: string, settings?: string): Promise<string> {
  const path = await mkdtemp(join(folder, `${name}-`));
  const documents = { 'platform.yaml': PLATFORM, 'topology.yaml': TOPOLOGY, 'library.yaml': LIBRARY };
  for (const [file, text] of Object.entries(documents)) await writeFile(join(path, file), text);
  if (settings !== undefined) await writeFile(join(path, 'config.yaml'), settings);
  return path;
}

beforeAll(async () => {
  provider = await startIdentityProvider(AUDIENCE);
  folder = await mkdtemp(join(tmpdir(), 'mcs-identity-'));
  state = join(folder, 'state');
  const [secured, open] = [await mission('secured', config(provider.issuer, false)), await mission('bare')];
  [service, bare] = await Promise.all([
    startMcs({ args: ['serve', '--mission', secured, '--state', state], env: STEADY }),
    startMcs({ args: ['serve', '--mission', open, '--state', join(folder, 'bare-state')], env: STEADY }),
  ]);
  const credentials = { kind: 'file', path: join(state, 'service.creds') } as const;
  bus = openBus({ url: service.nats, name: 'test', credentials, log: quiet });
  await until(() => bus.connected);
}, 120_000);
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await bus?.close();
  await endAllMcs();
  await provider?.stop();
  await rm(folder, { recursive: true, force: true });
});

const bearer = async (scope = ''): Promise<Record<string, string>> => ({
  authorization: `Bearer ${await provider.personToken('ada', { scope })}`,
});

const credentialsOf = (api: string, publicKey: string, headers: Record<string, string>) =>
  call<FollowerReply>('POST', `${api}/v1/auth/nats`, { public_key: publicKey }, headers);

/** What a subscription brings: subjects, or the refusal of the server. */
function listen(client: NatsConnection, pattern: string): { heard: string[]; refused: string[] } {
  const reported = { heard: [] as string[], refused: [] as string[] };
  client.subscribe(pattern, {
    callback: (error, message) => {
      if (error !== null) reported.refused.push(error.code);
      else reported.heard.push(message.subject);
    },
  });
  return reported;
}

describe('F-23 a page that follows on the bus', () => {
  it('MC-AUTH-026 MC-NATS-001 MC-NATS-002 MC-NATS-004 MC-NATS-005 signs in, follows, does nothing else, and is cut off at the end', {
    timeout: 120_000,
  }, async () => {
    const settings = await call<SignInSettings>('GET', `${service.api}/v1/auth/config`);
    expect(settings.body.oidc).toMatchObject({ issuer: provider.issuer, client_id: 'console' });
    const key = createUser();
    const { status, body } = await credentialsOf(service.api, key.getPublicKey(), await bearer());
    expect(status).toBe(200);
    const client = await connect({
      servers: service.nats,
      authenticator: jwtAuthenticator(body.jwt, key.getSeed()),
      reconnect: false,
    });
    clients.push(client);
    const ended = client.closed().then(() => Date.now());

    const runs = listen(client, 'mcs.run.evt.>');
    const alarms = listen(client, 'mcs.alarm.evt.>');
    const replies = listen(client, '_INBOX.>');
    const elsewhere = ['>', 'mcs.>', 'mcs.tc.>', 'mcs.run.approval.*', '_MCS.>', '$JS.>', '$KV.>', '$SYS.>'];
    const refused = elsewhere.map((pattern) => listen(client, pattern));
    await client.flush();
    await until(() => refused.every((each) => each.refused.length > 0));

    const leaked: string[] = [];
    bus.subscribe('mcs.run.approval.>', (message) => void leaked.push(message.subject));
    const run = ulid();
    client.publish(`mcs.run.approval.${run}`, Buffer.from('{}'));
    client.publish(`mcs.run.evt.${run}`, Buffer.from('{}'));
    await expect(client.request(`mcs.run.control.${run}`, '', { timeout: 10_000 })).rejects.toMatchObject({
      code: 'PERMISSIONS_VIOLATION',
    });
    const stored = await bus.append(streams.runs, subject.runEvents(run), Buffer.from('{}'));
    expect(stored.outcome).toBe('stored');
    bus.publish('mcs.alarm.evt.sat1.obc._.hot', Buffer.from('{}'));
    // Answers the service gets meanwhile: none of them is received.
    await bus.bucket(buckets.config).get('current');
    await until(() => alarms.heard.length === 1);
    expect(runs.heard.filter((each) => each.endsWith(run))).toEqual([`mcs.run.evt.${run}`]);
    expect([alarms.heard, replies.heard, leaked]).toEqual([['mcs.alarm.evt.sat1.obc._.hot'], [], []]);
    expect(refused.flatMap((each) => each.heard)).toEqual([]);

    const endedAt = (await ended) / 1_000;
    expect(endedAt).toBeGreaterThanOrEqual(body.expires - 1);
    expect(endedAt).toBeLessThan(body.expires + 5);
  });

  it('MC-NATS-003 MC-NATS-008 has a key for another bus from a file, and none without', {
    timeout: 180_000,
  }, async () => {
    const keys = JSON.parse(await readFile(join(state, 'keys.json'), 'utf8')) as Record<string, string>;
    const key = createUser();
    const first = await credentialsOf(service.api, key.getPublicKey(), await bearer());
    const account = claimsOf(first.body.jwt).nats.issuer_account;
    const signer = join(folder, 'signer.json');
    await writeFile(signer, JSON.stringify({ account, seed: keys['followerSigner'], scoped: true }));
    const args = ['serve', '--roles', 'api', '--nats', service.nats];
    args.push('--credentials', join(state, 'service.creds'));
    const signing = await startMcs({ args: [...args, '--signer', signer], env: STEADY });
    const keyless = await startMcs({ args, env: STEADY });
    const { body } = await credentialsOf(signing.api, key.getPublicKey(), await bearer());
    const authenticator = jwtAuthenticator(body.jwt, key.getSeed());
    const client = await connect({ servers: service.nats, authenticator, reconnect: false });
    await client.close();
    const refusal = await credentialsOf(keyless.api, key.getPublicKey(), await bearer());
    expect([refusal.status, codes(refusal)]).toEqual([503, ['auth::no-signing-key']]);
    await Promise.all([signing.kill('SIGTERM'), keyless.kill('SIGTERM')]);
  });
});

function claimsOf(jwt: string): { nats: { issuer_account: string } } {
  return JSON.parse(Buffer.from(jwt.split('.')[1]!, 'base64url').toString());
}

type Who = 'nothing' | 'declared' | 'declared with roles' | 'good token' | 'expired token' | 'no provider';
type What =
  | 'open launch'
  | 'launch'
  | 'jwt launch'
  | 'answer'
  | 'jwt answer'
  | 'suspend'
  | 'jwt suspend'
  | 'nats';

/** Status and code of what is refused for who asks; 0 for what got past identity. */
const MATRIX: Record<What, Record<Who, string>> = (() => {
  const row = (nothing: string, declared: string, noProvider = '401 auth::no-provider') => ({
    nothing,
    declared,
    'declared with roles': declared,
    'good token': '0',
    'expired token': '401 auth::invalid-token',
    'no provider': noProvider,
  });
  return {
    'open launch': row('0', '0'),
    launch: row('401 api::anonymous', '0'),
    'jwt launch': row('401 api::anonymous', '401 auth::jwt-required'),
    answer: row('401 api::anonymous', '0'),
    'jwt answer': row('401 api::anonymous', '401 auth::jwt-required'),
    suspend: row('401 api::anonymous', '0'),
    'jwt suspend': row('401 api::anonymous', '401 auth::jwt-required'),
    nats: row('401 auth::jwt-required', '401 auth::jwt-required'),
  };
})();

describe('F-13 who may do what', () => {
  let expired: string;
  /** A run in each environment, by its environment. */
  const runs: Record<string, string> = {};
  beforeAll(async () => {
    expired = await provider.personToken('ada', { lifeS: 1 });
    const headers = await bearer('mcs:supervisor');
    for (const environment of ['bench', 'flight']) {
      const { body } = await launch(service.api, environment, headers);
      runs[environment] = (body as { run: string }).run;
    }
    await until(
      async () => {
        const answer = await call('GET', `${service.api}/v1/inspect/tree`, undefined, {
          authorization: `Bearer ${expired}`,
        });
        return answer.status === 401;
      },
      { timeoutMs: 60_000, what: 'the token being expired' },
    );
  }, 120_000);

  const launch = (api: string, environment: string, headers: Record<string, string>, procedure = 'say') =>
    call('POST', `${api}/v1/runs`, { run: procedure, environment, targets: { sat: 'sat1' } }, headers);

  async function headersOf(who: Who): Promise<Record<string, string>> {
    switch (who) {
      case 'nothing':
        return {};
      case 'declared':
        return { 'x-mcs-user': 'ada' };
      case 'declared with roles':
        return { 'x-mcs-user': 'ada', 'x-mcs-role': 'supervisor' };
      case 'expired token':
        return { authorization: `Bearer ${expired}` };
      case 'good token':
      case 'no provider':
        return bearer('mcs:supervisor');
    }
  }

  async function ask(
    what: What,
    api: string,
    headers: Record<string, string>,
    known = runs,
  ): Promise<Answer> {
    const run = known[what.startsWith('jwt') ? 'flight' : 'bench'];
    const answer = { path: 'say', accepted: true };
    switch (what) {
      case 'open launch':
        return launch(api, 'open', headers);
      case 'launch':
        return launch(api, 'bench', headers);
      case 'jwt launch':
        return launch(api, 'flight', headers);
      case 'answer':
      case 'jwt answer':
        return call('POST', `${api}/v1/runs/${run}/answers`, answer, headers);
      case 'suspend':
      case 'jwt suspend':
        return call('POST', `${api}/v1/runs/${run}/suspend`, undefined, headers);
      case 'nats':
        return credentialsOf(api, createUser().getPublicKey(), headers);
    }
  }

  const outcomeOf = (answer: Answer): string => {
    if (answer.status < 400) return '0';
    const [code] = codes(answer);
    return /^(auth::|api::anonymous)/.test(code!) ? `${answer.status} ${code}` : '0';
  };
  const rows = Object.keys(MATRIX) as What[];
  async function holds(what: What): Promise<void> {
    const seen: Record<string, string> = {};
    for (const who of Object.keys(MATRIX[what]) as Who[]) {
      const api = who === 'no provider' ? bare.api : service.api;
      seen[who] = outcomeOf(await ask(what, api, await headersOf(who)));
    }
    expect(seen).toEqual(MATRIX[what]);
  }

  it('MC-RUN-028 anybody launches where nobody orchestrates', () => holds('open launch'));
  it('MC-RUN-029 MC-AUTH-022 who launches elsewhere has a name', () => holds('launch'));
  it('MC-RUN-030 MC-AUTH-019 MC-AUTH-020 who launches where tokens count has one', () => holds('jwt launch'));
  it('MC-AUTH-022 who answers has a name', () => holds('answer'));
  it('MC-AUTH-019 who answers where tokens count has one', () => holds('jwt answer'));
  it('MC-AUTH-022 who commands a run has a name', () => holds('suspend'));
  it('MC-AUTH-019 who commands a run where tokens count has one', () => holds('jwt suspend'));
  it('MC-NATS-007 who gets credentials of the bus has a token', () => holds('nats'));

  it('MC-AUTH-017 MC-AUTH-018 with auth.required only a token gets anywhere, and discovery needs none', {
    timeout: 180_000,
  }, async () => {
    const path = await mission('required', config(provider.issuer, true));
    const required = await startMcs({ args: ['serve', '--mission', path], env: STEADY });
    // Of runs that wait: whoever holds one answers a suspension at once, where nobody does that is waited for.
    const waiting: Record<string, string> = {};
    for (const environment of ['bench', 'flight']) {
      const { body } = await launch(required.api, environment, await headersOf('good token'), 'confirmed');
      waiting[environment] = (body as { run: string }).run;
    }
    for (const what of rows) {
      for (const who of ['nothing', 'declared', 'declared with roles'] as const) {
        const answer = await ask(what, required.api, await headersOf(who), waiting);
        expect([what, who, answer.status, codes(answer)]).toEqual([what, who, 401, ['auth::token-required']]);
      }
      const allowed = await ask(what, required.api, await headersOf('good token'), waiting);
      expect([what, outcomeOf(allowed)]).toEqual([what, '0']);
    }
    const settings = await call<SignInSettings>('GET', `${required.api}/v1/auth/config`);
    expect([settings.status, settings.body.oidc?.issuer]).toEqual([200, provider.issuer]);
    await required.kill('SIGTERM');
  });
});

describe('F-14 forged answers on the bus', () => {
  const approve = (run: string, answer: object): Promise<unknown> =>
    bus.append(streams.runAnswers, subject.runApproval(run), Buffer.from(JSON.stringify(answer)));
  const logOf = (run: string, headers: Record<string, string>): Promise<RunEvent[]> =>
    readLog<RunEvent>(`${service.api}/v1/runs/${run}/events?token=${headers['authorization']!.slice(7)}`);

  it('MC-ANS-004 MC-ANS-007 MC-ANS-008 MC-ANS-009 MC-ANS-010 MC-AUTH-023 each is refused in the log, the run waits, a good one ends the wait', {
    timeout: 180_000,
  }, async () => {
    const headers = await bearer('mcs:supervisor');
    const token = headers['authorization']!.slice(7);
    const expired = await provider.personToken('ada', { lifeS: 1 });
    const launched = await call<{ run: string }>(
      'POST',
      `${service.api}/v1/runs`,
      { run: 'confirmed', environment: 'flight', targets: { sat: 'sat1' } },
      headers,
    );
    const { run } = launched.body;
    const asks = async (prompt: string): Promise<void> => {
      const about = { what: `the question ${prompt}`, timeoutMs: 60_000 };
      await until(async () => {
        const { body } = await call<RunStatus>('GET', `${service.api}/v1/runs/${run}`, undefined, headers);
        return body.pending?.prompt === prompt;
      }, about);
    };
    const answer = { path: 'go', accepted: true, roles: ['supervisor'], by: 'ada' };
    await asks('Go on?');
    await until(
      async () => {
        const over = { authorization: `Bearer ${expired}` };
        return (await call('GET', `${service.api}/v1/inspect/tree`, undefined, over)).status === 401;
      },
      { what: 'the token being over', timeoutMs: 60_000 },
    );
    await approve(run, answer);
    await approve(run, { ...answer, token: expired });
    await approve(run, { ...answer, by: 'grace', token });
    await approve(run, { ...answer, token: `${token.slice(0, -4)}AAAA` });
    const mine = await call(
      'POST',
      `${service.api}/v1/runs/${run}/answers`,
      { path: 'go', accepted: true },
      headers,
    );
    expect(mine.status).toBe(202);
    await asks('Really?');
    // Written beside the token a role counts for nothing.
    const plain = (await bearer())['authorization']!.slice(7);
    await approve(run, { ...answer, token: plain });
    await approve(run, { ...answer, token });
    const log = await logOf(run, headers);
    const refused = log.flatMap((event) => (event.event === 'answer_refused' ? [event.reason] : []));
    expect(refused).toEqual([
      expect.stringContaining('verified token'),
      expect.stringContaining('expired'),
      expect.stringContaining('ada'),
      expect.stringContaining('signature'),
      expect.stringContaining('supervisor'),
    ]);
    expect(log.at(-1)).toMatchObject({ event: 'finished', ok: true });
  });
});

describe('schedules and rules where identities are verified', () => {
  const DECLARED = { 'x-mcs-user': 'eve', 'x-mcs-role': 'supervisor' };
  const JWT_REQUIRED = [401, ['auth::jwt-required']];
  const at = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
  const send = <Body>(method: string, path: string, headers: Record<string, string>, body?: unknown) =>
    call<Body>(method, `${service.api}/v1/${path}`, body, headers);
  const refused = (answer: Answer): [number, string[]] => [answer.status, codes(answer)];
  const tokenOf = async (who: string, scope = ''): Promise<Record<string, string>> => ({
    authorization: `Bearer ${await provider.personToken(who, { scope })}`,
  });
  const reboot = {
    id: 'restart-soon',
    pass: 'soon',
    start: 'aos + 30 s',
    run: 'restart',
    targets: { sat: 'sat1' },
    environment: 'flight',
  };
  const rule = { id: 'each', target: 'sat1', start: 'aos', run: 'say', targets: { sat: 'sat1' } };

  beforeAll(async () => {
    const machine = { authorization: `Bearer ${await provider.machineToken()}` };
    const pass = { id: 'soon', target: 'sat1', station: 'kiruna', aos: at(60), los: at(70) };
    const said = { ...pass, max_elevation: '40 deg', source: 'fds', status: 'predicted' };
    const declared = await send('POST', 'passes', { 'x-mcs-user': CLIENTS.machine }, said);
    expect(refused(declared)).toEqual([403, ['pass::not-a-feeder']]);
    expect((await send('POST', 'passes', machine, said)).status).toBe(200);
  });

  it('MC-SCH-024 MC-SCH-055 A-23 a schedule is planned, validated and cancelled by verified identities, and validated by a supervisor alone', async () => {
    expect(refused(await send('POST', 'schedules', DECLARED, reboot))).toEqual(JWT_REQUIRED);
    const ada = await tokenOf('ada');
    const planned = await send<Schedule>('POST', 'schedules', ada, reboot);
    expect(planned).toMatchObject({
      status: 200,
      body: { state: 'at_risk', needs_validation: true, by: 'ada' },
    });
    const validate = 'schedules/restart-soon/validate';
    expect(refused(await send('POST', validate, DECLARED))).toEqual(JWT_REQUIRED);
    expect(refused(await send('POST', validate, ada))).toEqual([403, ['schedule::not-supervisor']]);
    // A role that is declared beside a token counts for nothing.
    const both = { ...ada, 'x-mcs-role': 'supervisor' };
    expect(refused(await send('POST', validate, both))).toEqual([403, ['schedule::not-supervisor']]);
    const eve = await tokenOf('eve', 'mcs:supervisor');
    const validated = await send<ScheduleValidation>('POST', validate, eve);
    expect(validated).toMatchObject({ status: 200, body: { by: 'eve', pass: 'soon' } });
    const standing = await send<Schedule>('GET', 'schedules/restart-soon', ada);
    expect(standing.body).toMatchObject({ state: 'scheduled', reasons: [], validation: validated.body });
    const cancel = 'schedules/restart-soon/cancel';
    expect(refused(await send('POST', cancel, DECLARED))).toEqual(JWT_REQUIRED);
    expect(await send('POST', cancel, ada)).toMatchObject({ status: 200, body: { state: 'cancelled' } });
  });

  it('MC-RULE-009 MC-RULE-015 MC-SCH-060 a rule is written and removed by a verified identity, and makes its schedules', async () => {
    // The environment that counts is the last one of the target: that of flight.
    expect(refused(await send('POST', 'schedule-rules', DECLARED, rule))).toEqual(JWT_REQUIRED);
    const ada = await tokenOf('ada');
    expect(await send('POST', 'schedule-rules', ada, rule)).toMatchObject({
      status: 201,
      body: { by: 'ada' },
    });
    const made = await until(
      async () => {
        const { status, body } = await send<Schedule>('GET', 'schedules/each-soon', ada);
        return status === 200 && body;
      },
      { what: 'the schedule of the rule' },
    );
    expect(made).toMatchObject({ state: 'scheduled', by: 'rule each', environment: 'flight' });
    expect(refused(await send('DELETE', 'schedule-rules/each', DECLARED))).toEqual(JWT_REQUIRED);
    expect((await send('DELETE', 'schedule-rules/each', ada)).status).toBe(204);
  });
});
