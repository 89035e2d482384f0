import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { config } from '../../cli/config.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { startNats, type TestNats } from '../support/nats.ts';

const PLATFORM = `platform: cube
version: 1.0.0
components:
  eps:
    measures:
      vbat: {type: f32, unit: V}
`;
const TOPOLOGY = `topology: small
environments:
  bench: {}
targets:
  sat1:
    platform: cube@1.0.0
    environments: [bench]
    links:
      uhf: {default: true}
`;

let folder: string;
let printed: { out: string; err: string };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mission-'));
  printed = { out: '', err: '' };
  vi.spyOn(process.stdout, 'write').mockImplementation(keep('out'));
  vi.spyOn(process.stderr, 'write').mockImplementation(keep('err'));
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

function keep(stream: 'out' | 'err') {
  return (text: string | Uint8Array): boolean => {
    printed[stream] += String(text);
    return true;
  };
}

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

describe('mcs config check', () => {
  it('RB-CAMP-025 reads the documents of the bench too, and reports every fault with its file', async () => {
    write('platform.yaml', PLATFORM);
    write('topology.yaml', TOPOLOGY);
    mkdirSync(join(folder, 'bench', 'profiles'), { recursive: true });
    mkdirSync(join(folder, 'bench', 'campaigns'));
    write('bench/bench.yaml', 'board: iiod\nstub: { seed: 1 }\n');
    write('bench/profiles/one.yaml', 'name: one\nmodulation: qpsk\n');
    const campaign = 'name: c\ndescription: d\nsteps: [{ id: a, kind: scenario, scenario: gone }]\n';
    write('bench/campaigns/c.yaml', campaign);
    expect(await config(['check', folder])).toBe(1);
    expect(printed.err).toMatch(/bench\.yaml: iiod: is missing/);
    expect(printed.err).toMatch(/bench\.yaml: stub: describes a model/);
    expect(printed.err).toMatch(/one\.yaml: .*symbol_rate_baud/);
    expect(printed.err).toMatch(/c\.yaml: steps\[0\]\.scenario: no scenario "gone"/);
    write('bench/bench.yaml', 'stub: { seed: 1, iiod_port: 0 }\n');
    for (const name of ['profiles/one.yaml', 'campaigns/c.yaml']) rmSync(join(folder, 'bench', name));
    expect(await config(['check', folder]), printed.err).toBe(0);
  });

  it('names the targets and the revision of a mission that compiles', async () => {
    write('platform.yaml', PLATFORM);
    write('topology.yaml', TOPOLOGY);
    expect(await config(['check', folder]), printed.err).toBe(0);
    expect(printed.out).toMatch(/^target sat1: cube@1\.0\.0, in bench, links uhf\nrevision [0-9a-f]{64}\n$/);
  });

  it('prints every fault with its file, line, column, path and sentence, and fails', async () => {
    write('platform.yaml', PLATFORM.replace('f32', 'f33').replace('unit: V', 'unit: Volts'));
    write('topology.yaml', TOPOLOGY.replace('[bench]', '[moon]'));
    expect(await config(['check', folder])).toBe(1);
    const lines = printed.err.trim().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(4);
    for (const line of lines.slice(0, -1)) expect(line).toMatch(/(platform|topology)\.yaml:\d+:\d+ \S+: \S+/);
    expect(printed.err).toContain('platform.yaml:6:20 components.eps.measures.vbat.type');
    expect(lines.at(-1)).toMatch(/does not compile: \d+ faults$/);
    expect(printed.out).toBe('');
  });

  it('warns of a target without a platform document and passes', async () => {
    write('topology.yaml', TOPOLOGY);
    expect(await config(['check', folder]), printed.err).toBe(0);
    expect(printed.err).toMatch(/^warning: .*topology\.yaml:\d+:\d+ /);
    expect(printed.out).toContain('target sat1: cube@1.0.0 (no document)');
  });

  it('refuses a folder that is not there, none and several', async () => {
    await expect(config(['check', join(folder, 'gone')])).rejects.toThrow('no mission folder');
    expect(await config(['check'])).toBe(2);
    expect(printed.err).toMatch(/^mcs config check DIR(.|\n)*mcs: DIR is missing\n$/);
    expect(await config(['check', folder, folder])).toBe(2);
    expect(await config(['chek', folder])).toBe(2);
    expect(printed.err).toContain('mcs config publish DIR');
  });
});

describe('mcs config publish', () => {
  let nats: TestNats;
  let credentials: string;

  beforeAll(async () => {
    nats = await startNats();
  });
  afterAll(() => nats.stop());

  beforeEach(() => {
    const { jwt, seed } = nats.credentials;
    credentials = join(folder, 'service.creds');
    const block = (name: string, text: string) =>
      `-----BEGIN ${name}-----\n${text}\n------END ${name}------\n`;
    write('service.creds', block('NATS USER JWT', jwt) + block('USER NKEY SEED', seed));
    write('platform.yaml', PLATFORM);
    write('topology.yaml', TOPOLOGY);
  });

  const publish = (...more: string[]) =>
    config(['publish', folder, '--nats', nats.url, '--credentials', credentials, ...more]);

  it('says that credentials are asked for and none are given', async () => {
    expect(await config(['publish', folder, '--nats', nats.url])).toBe(1);
    expect(printed.err).toMatch(/asks for credentials and none are given.*--credentials.*service\.creds/);
  });

  it('says in one sentence that a folder or a document is a link to itself, and follows other links', async () => {
    symlinkSync('loop.yaml', join(folder, 'loop.yaml'));
    await expect(config(['check', folder])).rejects.toThrow(
      /^".*loop\.yaml" is a link to itself: remove it$/,
    );
    rmSync(join(folder, 'loop.yaml'));
    symlinkSync('.', join(folder, 'self'));
    await expect(config(['check', folder])).rejects.toThrow(/^".*self" is a link to a folder that it is in/);
    rmSync(join(folder, 'self'));
    mkdirSync(join(folder, '..data'));
    renameSync(join(folder, 'platform.yaml'), join(folder, '..data', 'platform.yaml'));
    symlinkSync('..data/platform.yaml', join(folder, 'platform.yaml'));
    expect(await config(['check', folder]), printed.err).toBe(0);
  });

  it('makes the mission the current configuration, once', async () => {
    expect(await publish(), printed.err).toBe(0);
    const [, revision] = /^published revision ([0-9a-f]{64})\n$/.exec(printed.out)!;
    const bus = await nats.connected();
    const current = await bus.bucket(buckets.config).get('current');
    expect(JSON.parse(Buffer.from(current!.value).toString())).toEqual({ revision });
    printed.out = '';
    expect(await publish()).toBe(0);
    expect(printed.out).toBe(`already current: revision ${revision}\n`);
  });

  it('publishes nothing of a mission that does not compile', async () => {
    const bus = await nats.connected();
    const before = await bus.bucket(buckets.config).list('>');
    write('platform.yaml', PLATFORM.replace('f32', 'f33'));
    expect(await publish()).toBe(1);
    expect((await bus.bucket(buckets.config).list('>')).length).toBe(before.length);
  });

  it('says where it looked when there is no bus', async () => {
    expect(await config(['publish', folder, '--nats', 'nats://127.0.0.1:1'])).toBe(1);
    expect(printed.err).toContain('no message bus at nats://127.0.0.1:1');
  });
});
