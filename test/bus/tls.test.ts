/** A nats-server that speaks TLS alone, with an authority of its own: what `--nats-ca` is for. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBus } from '../../bus/nats-bus.ts';
import { findServerBinary } from '../../bus/server-binary.ts';
import { config } from '../../cli/config.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { DEMO } from '../support/demo-cell.ts';
import { quiet } from '../support/nats.ts';
import { keepPrinted } from '../support/printed.ts';
import { until } from '../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'mcs-tls-'));
const at = (name: string): string => join(folder, name);
const printed = keepPrinted();
let port: number;
let end: () => Promise<unknown>;

/** An authority, and a certificate of it for this machine. */
function authority(name: string): void {
  const openssl = (...args: string[]): unknown =>
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  openssl('req', '-x509', ...key, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.pem`);
  writeFileSync(at(`${name}.ext`), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
  openssl('req', ...key.slice(0, 5), '-subj', '/CN=bus', '-keyout', `${name}-bus.key`, '-out', `${name}.csr`);
  const signed = ['-CA', `${name}.pem`, '-CAkey', `${name}.key`, '-CAcreateserial', '-days', '2'];
  openssl(
    'x509',
    '-req',
    '-in',
    `${name}.csr`,
    ...signed,
    '-extfile',
    `${name}.ext`,
    '-out',
    `${name}-bus.pem`,
  );
}

beforeAll(async () => {
  authority('ours');
  authority('another');
  const settings = `listen: "127.0.0.1:-1"
max_payload: 8MB
jetstream { store_dir: "${at('store')}" }
tls { cert_file: "${at('ours-bus.pem')}", key_file: "${at('ours-bus.key')}" }
authorization { user: mcs, password: secret }
`;
  writeFileSync(at('server.conf'), settings);
  const server = spawn(await findServerBinary(), ['-c', at('server.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  end = async () => {
    server.kill('SIGKILL');
    await once(server, 'exit');
  };
  await until(() => said.includes('Server is ready'), { timeoutMs: 30_000, what: 'the server' });
  port = Number(/client connections on 127\.0\.0\.1:(\d+)/.exec(said)![1]);
}, 60_000);
afterAll(async () => {
  await end();
  rmSync(folder, { recursive: true, force: true });
});

const opened = (scheme: string, ca?: string) =>
  openBus({
    url: `${scheme}://127.0.0.1:${port}`,
    name: 'tls-test',
    credentials: { kind: 'user', user: 'mcs', password: 'secret' },
    log: quiet,
    ...(ca !== undefined && { ca: at(ca) }),
  });

it.each(['tls', 'nats'])('with the authority the bus is reached at %s:// and works', async (scheme) => {
  const bus = opened(scheme, 'ours.pem');
  await until(() => bus.connected, { timeoutMs: 15_000, what: 'the connection' });
  await bus.bucket(buckets.modes).overwrite(scheme, Buffer.from('safe'));
  expect(Buffer.from((await bus.bucket(buckets.modes).get(scheme))!.value).toString()).toBe('safe');
  await bus.close();
});

it.each([
  ['without it', undefined],
  ['with another one', 'another.pem'],
])('%s nothing is sent, and the reason is the certificate', async (_how, ca) => {
  const bus = opened('tls', ca);
  await until(() => bus.unreached, { timeoutMs: 15_000, what: 'a reason' });
  expect(bus.connected).toBe(false);
  expect(bus.unreached).toMatch(/certificate/i);
  await bus.close();
});

it('mcs config publish takes --nats-ca', async () => {
  const url = `tls://127.0.0.1:${port}`;
  const env = { MCS_NATS_USER: 'mcs', MCS_NATS_PASSWORD: 'secret' };
  Object.assign(process.env, env);
  try {
    const code = await config(['publish', DEMO, '--nats', url, '--nats-ca', at('ours.pem')]);
    expect(code, printed.err).toBe(0);
    expect(printed.out).toMatch(/^published revision [0-9a-f]{64}\n$/);
    expect(await config(['publish', DEMO, '--nats', url])).toBe(1);
    expect(printed.err).toMatch(/nothing published: no message bus at tls:.*certificate/i);
  } finally {
    for (const name of Object.keys(env)) delete process.env[name];
  }
});
