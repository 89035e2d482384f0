/**
 * Who may call the RF bench of a process, as it is started: on loopback anybody, elsewhere whoever the configuration
 * lets in. RF Bench Service, section 5.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { signer } from '../identity/signer.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { until } from '../support/until.ts';

const ISSUER = 'https://id.example/realms/mission';
/** The loopback interface in a spelling that is not taken for it: a bench there counts as reachable from elsewhere. */
const ELSEWHERE = '127.1';

const TOPOLOGY =
  'topology: test\nenvironments:\n  lab: { identity: declared, human_orchestration: false }\ntargets: {}\n';

let folder: string;
let token: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-bench-identity-'));
  const es256 = await signer('ES256');
  await writeFile(join(folder, 'keys.json'), JSON.stringify({ keys: [es256.jwk] }));
  const now = Math.floor(Date.now() / 1_000);
  token = await es256.token({ iss: ISSUER, iat: now, exp: now + 600 });
});
afterEach(async () => {
  await endAllMcs();
  await rm(folder, { recursive: true, force: true });
});

async function configure(auth: string): Promise<void> {
  await writeFile(join(folder, 'config.yaml'), `config: test\n${auth}`);
  await writeFile(join(folder, 'topology.yaml'), TOPOLOGY);
}

async function startBench(host: string): Promise<{ mcs: Mcs; url: string }> {
  const mcs = await startMcs({
    args: ['serve', '--roles', 'bench', '--bench-port', '0', '--mission', folder, '--host', host],
  });
  const { bench } = JSON.parse(mcs.output().split('\n')[0]!) as { bench: string };
  return { mcs, url: `${bench}/api/v1/radio/state` };
}

const statusOf = async (url: string, headers: Record<string, string> = {}): Promise<number> =>
  (await fetch(url, { headers })).status;

it('RB-GEN-009 a bench alone takes who may call from its mission folder', async () => {
  await configure(
    `auth:\n  issuer: ${ISSUER}\n  audience: mission-control\n  jwks_file: keys.json\n  required: true\n`,
  );
  const [elsewhere, local] = await Promise.all([startBench(ELSEWHERE), startBench('127.0.0.1')]);
  expect(await statusOf(elsewhere.url)).toBe(401);
  expect(await statusOf(elsewhere.url, { authorization: `Bearer ${token}` })).toBe(200);
  expect(elsewhere.mcs.errors()).not.toContain('may transmit');
  expect(await statusOf(local.url)).toBe(200);
}, 90_000);

it('RB-GEN-009 says in its log that whoever reaches it may transmit where no token is required', async () => {
  await configure('');
  const { mcs, url } = await startBench(ELSEWHERE);
  expect(await statusOf(url)).toBe(200);
  // It has said so before; what is on its way is here a moment later.
  await until(() => mcs.errors().includes('anyone who reaches the bench may transmit'), {
    what: 'the warning',
  });
}, 90_000);
