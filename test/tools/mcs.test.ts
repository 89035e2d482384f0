import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

// The launcher in a repository of its own, among programs that only write down how they were called.
const launcher = fileURLToPath(new URL('../../mcs', import.meta.url));
const SYSTEM = [
  'bash',
  'dirname',
  'readlink',
  'id',
  'uname',
  'env',
  'flock',
  'mkdir',
  'touch',
  'cat',
  'chmod',
  'sleep',
];

let sandbox: string;
let root: string;
let bin: string;

beforeEach(() => {
  sandbox = mkdtempSync(join(tmpdir(), 'launcher '));
  root = join(sandbox, 'a repository');
  bin = join(sandbox, 'bin');
  mkdirSync(root);
  mkdirSync(bin);
  // Without the folders in which this machine may have a nats-server beside the PATH.
  const text = readFileSync(launcher, 'utf8').replace('/usr/sbin /usr/local/sbin', join(root, 'sbin'));
  writeFileSync(join(root, 'mcs'), text.replace('/usr/local/bin /opt/homebrew/bin', ''), { mode: 0o755 });
  writeFileSync(join(root, 'package-lock.json'), '{}');
  for (const name of SYSTEM) {
    const path = ['/usr/bin', '/bin'].map((folder) => join(folder, name)).find(existsSync);
    if (path !== undefined) symlinkSync(path, join(bin, name));
  }
  program('node', 'if [ "$1" = -p ]; then echo "$FAKE_NODE"; else echo "node $*"; fi');
  program(
    'npm',
    'sleep 0.2; echo "$*" >>"$CALLS"; mkdir -p node_modules; touch node_modules/.package-lock.json',
  );
  program('nats-server', '');
});

afterEach(() => rmSync(sandbox, { recursive: true, force: true }));

function program(name: string, body: string): void {
  rmSync(join(bin, name), { force: true });
  writeFileSync(join(bin, name), `#!/bin/bash\n${body}\n`);
  chmodSync(join(bin, name), 0o755);
}

function without(name: string): void {
  rmSync(join(bin, name));
}

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(
  args: string[],
  {
    env = {},
    cwd = sandbox,
    path = join(root, 'mcs'),
    ...as
  }: { env?: object; cwd?: string; path?: string; uid?: number; gid?: number } = {},
): Promise<Outcome> {
  const environment = { PATH: bin, CALLS: join(sandbox, 'calls'), FAKE_NODE: '20.20.2', ...env };
  return new Promise((resolve) => {
    execFile('/bin/bash', [path, ...args], { cwd, env: environment, ...as }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

const calls = (): string[] =>
  existsSync(join(sandbox, 'calls')) ? readFileSync(join(sandbox, 'calls'), 'utf8').trim().split('\n') : [];

describe('mcs', () => {
  it('runs the command line from any folder, by a link too, with its arguments as they are', async () => {
    symlinkSync(join(root, 'mcs'), join(sandbox, 'link'));
    const ways: { cwd: string; path: string }[] = [
      { cwd: '/', path: join(root, 'mcs') },
      { cwd: root, path: './mcs' },
      { cwd: sandbox, path: 'link' },
    ];
    for (const way of ways) {
      const { code, stdout } = await run(['config', 'check', 'a b'], way);
      expect(stdout).toBe(`node ${root}/tools/launch.mjs config check a b\n`);
      expect(code).toBe(0);
    }
  });

  it('gives the command the room for request heads, unless reported otherwise', async () => {
    program('node', 'if [ "$1" = -p ]; then echo 22.1.0; else echo "$UWS_HTTP_MAX_HEADERS_SIZE"; fi');
    expect((await run(['help'])).stdout).toBe('65536\n');
    expect((await run(['help'], { env: { UWS_HTTP_MAX_HEADERS_SIZE: '32768' } })).stdout).toBe('32768\n');
  });

  it('says which Node.js it needs when there is none or an old one', async () => {
    for (const version of ['18.19.0', '20.11.1']) {
      const { code, stderr } = await run(['demo'], { env: { FAKE_NODE: version } });
      expect(stderr).toContain(`Node.js ${version} is too old; this needs version 20.12`);
      expect(code).toBe(1);
    }
    for (const version of ['23.0.0', '24.11.0']) {
      const { code, stderr } = await run(['demo'], { env: { FAKE_NODE: version } });
      expect(stderr).toContain(`Node.js ${version} is too new; this needs version 20.12 to 22`);
      expect(code).toBe(1);
    }
    without('node');
    expect((await run(['demo'])).stderr).toContain('Node.js is not installed');
    expect(calls()).toEqual([]);
  });

  it('installs the packages when there are none, and again when the lock file is newer', async () => {
    await run(['help']);
    await run(['help']);
    expect(calls()).toEqual(['ci --include=dev --no-audit --no-fund --loglevel=error']);
    utimesSync(join(root, 'package-lock.json'), new Date(), new Date(Date.now() + 60_000));
    const { stdout } = await run(['help']);
    expect(calls()).toHaveLength(2);
    expect(stdout).toBe(`node ${root}/tools/launch.mjs help\n`);
  });

  it.each(['no such folder', 'a file'])('stops with a sentence where TMPDIR is %s', async (name) => {
    writeFileSync(join(sandbox, 'a file'), '');
    const { code, stderr, stdout } = await run(['help'], { env: { TMPDIR: join(sandbox, name) } });
    expect(stderr).toMatch(
      /^mcs: the folder for temporary files, .*, does not exist or cannot be written; .*TMPDIR\.\n$/,
    );
    expect([code, stdout]).toEqual([1, '']);
  });

  it('never runs npm where it may not write, also when the lock file is newer', async () => {
    mkdirSync(join(root, 'node_modules'));
    for (const folder of [sandbox, root]) chmodSync(folder, 0o555);
    const asNobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const { stdout, stderr } = await run(['help'], asNobody);
    expect([stderr, stdout]).toEqual(['', `node ${root}/tools/launch.mjs help\n`]);
    chmodSync(root, 0o755);
    rmSync(join(root, 'node_modules'), { recursive: true });
    chmodSync(root, 0o555);
    const without = await run(['help'], asNobody);
    expect(without.stderr).toMatch(/the packages are not installed, and .* cannot be written/);
    expect(without.code).toBe(1);
    for (const folder of [sandbox, root]) chmodSync(folder, 0o755);
    expect(calls()).toEqual([]);
  });

  it('installs once when two commands start together', async () => {
    await Promise.all([run(['help']), run(['help'])]);
    expect(calls()).toHaveLength(1);
  });

  it('stops with a sentence when the packages cannot be installed', async () => {
    program('npm', 'exit 1');
    const { code, stderr } = await run(['help']);
    expect(stderr).toContain('npm could not install the packages');
    expect(code).toBe(1);
  });

  it('refuses a NATS_SERVER that cannot be executed', async () => {
    const { code, stderr } = await run(['demo'], { env: { NATS_SERVER: '/nowhere/nats-server' } });
    expect(stderr).toContain('NATS_SERVER names /nowhere/nats-server');
    expect(code).toBe(1);
  });

  it('gives the command the nats-server it found', async () => {
    program('node', 'if [ "$1" = -p ]; then echo 22.1.0; else echo "$NATS_SERVER"; fi');
    expect((await run(['serve'])).stdout).toBe(`${join(bin, 'nats-server')}\n`);
  });

  it('installs nats-server with apt-get as root, after an update if it must', async () => {
    without('nats-server');
    program('id', 'echo 0');
    program(
      'apt-get',
      `echo "apt-get $*" >>"$CALLS"
      [ "$1" = update ] && touch "${sandbox}/updated"
      [ "$1" = install ] || exit 0
      [ -e "${sandbox}/updated" ] || exit 100
      touch "${bin}/nats-server" && chmod +x "${bin}/nats-server"`,
    );
    expect((await run(['demo'])).code).toBe(0);
    expect(calls().slice(1)).toEqual([
      'apt-get install -y --no-install-recommends nats-server',
      'apt-get update',
      'apt-get install -y --no-install-recommends nats-server',
    ]);
  });

  it('says how to get nats-server where it cannot install it', async () => {
    without('nats-server');
    program('uname', 'echo Darwin');
    const { code, stderr } = await run(['demo']);
    expect(stderr).toContain('brew install nats-server');
    expect(code).toBe(1);
  });

  it('needs no nats-server for a command that uses a running one, or none', async () => {
    const env = { NATS_SERVER: '/nowhere/nats-server' };
    expect((await run(['serve', '--nats', 'nats://a:4222'], { env })).code).toBe(0);
    expect((await run(['config', 'check', 'x'], { env })).code).toBe(0);
    expect((await run(['serve'], { env: { ...env, MCS_NATS: 'nats://a:4222' } })).code).toBe(0);
    expect((await run(['serve'], { env })).code).toBe(1);
  });

  it('runs every check for `test`, with the browser it found', async () => {
    program('node', 'if [ "$1" = -p ]; then echo 22.1.0; else echo "$CHROMIUM $*"; fi');
    program('other', '');
    for (const name of ['google-chrome', 'chromium', 'chromium-headless-shell']) {
      program(name, '');
      const { stdout } = await run(['test', 'telemetry']);
      expect(stdout).toBe(`${join(bin, name)} tools/verify.mjs telemetry\n`);
    }
    const { stdout } = await run(['test'], { env: { CHROMIUM: join(bin, 'other') } });
    expect(stdout).toBe(`${join(bin, 'other')} tools/verify.mjs\n`);
  });

  it('tests without a browser, and says so, but not where everything must be tested', async () => {
    const { code, stdout, stderr } = await run(['test']);
    expect(stdout).toBe('node tools/verify.mjs\n');
    expect(stderr).toContain('the tests of the pages are skipped');
    expect(code).toBe(0);
    const strict = await run(['test'], { env: { CI: 'true' } });
    expect(strict.stderr).toContain('Chromium is not installed, and CI is set');
    expect(strict.code).toBe(1);
  });

  it('installs Chromium with apt-get for `test`, and for nothing else', async () => {
    program('id', 'echo 0');
    program('apt-get', `echo "apt-get $*" >>"$CALLS"; touch "${bin}/$4" && chmod +x "${bin}/$4"`);
    await run(['demo']);
    expect(calls()).toHaveLength(1);
    expect((await run(['test'])).code).toBe(0);
    expect(calls().slice(1)).toEqual(['apt-get install -y --no-install-recommends chromium-headless-shell']);
  });

  it('installs the whole of Chromium where there is none without windows', async () => {
    program('id', 'echo 0');
    const apt = `echo "apt-get $*" >>"$CALLS"; if [ "$4" = chromium ]; then touch "${bin}/$4"; chmod +x "${bin}/$4"; `;
    program('apt-get', `${apt}else exit 100; fi`);
    expect((await run(['test'])).code).toBe(0);
    expect(calls().at(-1)).toBe('apt-get install -y --no-install-recommends chromium');
  });
});

describe('.ci/run', () => {
  const ci = (): string => join(root, '.ci', 'run');
  beforeEach(() => {
    mkdirSync(join(root, '.ci'));
    const text = readFileSync(fileURLToPath(new URL('../../.ci/run', import.meta.url)), 'utf8');
    writeFileSync(ci(), text, { mode: 0o755 });
    for (const name of ['iio_info', 'iiod', 'nginx', 'curl', 'chromium']) program(name, '');
    const apt = 'echo "apt-get $*" >>"$CALLS"';
    program('apt-get', apt);
  });

  it('installs the Chromium without windows beside another, and goes on with that where there is none', async () => {
    program('id', 'echo 0');
    program('node', 'if [ "$1" = -p ]; then echo 22.1.0; else echo "$CHROMIUM"; fi');
    expect((await run([], { path: ci() })).stdout).toBe(`${join(bin, 'chromium')}\n`);
    const install = 'apt-get install -y --no-install-recommends chromium-headless-shell';
    expect(calls().filter((call) => call.endsWith('chromium-headless-shell'))).toEqual([install]);
    program('chromium-headless-shell', '');
    expect((await run([], { path: ci() })).stdout).toBe(`${join(bin, 'chromium-headless-shell')}\n`);
    expect(calls().filter((call) => call.endsWith('chromium-headless-shell'))).toEqual([install]);
    rmSync(join(bin, 'chromium-headless-shell'));
    program('apt-get', 'exit 100');
    const { code, stderr } = await run([], { path: ci() });
    expect(code).toBe(0);
    expect(stderr).toContain('going on with another Chromium');
  });

  it('takes the Node.js that is there where it is the newest that fits', async () => {
    const { stdout } = await run(['a'], { path: ci(), env: { FAKE_NODE: '22.12.0' } });
    expect(stdout).toBe('node tools/verify.mjs a\n');
    expect(calls().filter((call) => call.includes('node@'))).toEqual([]);
  });

  it.each([
    ['20.20.2', 0, 'node tools/verify.mjs\n'],
    ['18.19.0', 1, ''],
  ])('with a registry that has none, %s ends with %i', async (version, ends, said) => {
    program(
      'npm',
      'if [ "$1" = install ]; then exit 1; fi; mkdir -p node_modules; touch node_modules/.package-lock.json',
    );
    const { stdout, code } = await run([], { path: ci(), env: { FAKE_NODE: version } });
    expect([code, stdout]).toEqual([ends, said]);
  });

  it.each(['18.19.0', '20.11.1', '20.20.2', '24.1.0'])(
    'takes one of the npm registry where it is %s',
    async (version) => {
      const brought = 'if [ "$1" = -p ]; then echo 22.9.0; else echo "brought node $*"; fi';
      program(
        'npm',
        `echo "$*" >>"$CALLS"
if [ "$1" = install ]; then
  mkdir -p "$3/node_modules/node/bin"
  printf '#!/bin/bash\n%s\n' '${brought}' >"$3/node_modules/node/bin/node"
  chmod +x "$3/node_modules/node/bin/node"
else mkdir -p node_modules; touch node_modules/.package-lock.json; fi`,
      );
      const { stdout, code } = await run([], { path: ci(), env: { FAKE_NODE: version } });
      expect([code, stdout]).toEqual([0, 'brought node tools/verify.mjs\n']);
      expect(calls().find((call) => call.includes('node@'))).toMatch(/^install --prefix \S.* node@22$/);
    },
  );
});
