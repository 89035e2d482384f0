/** Under which names a server may be called: DNS rebinding, and what stands before the service. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBenchFrontEnd } from '../../http/bench/front-end.ts';
import { follows, routes } from '../../http/front-end.ts';
import { AllowedHosts } from '../../http/hosts.ts';
import { consolePages } from '../../http/pages/console.ts';
import { serveProbes } from '../../http/probes.ts';
import { type FrontEnd, serveRoutes } from '../../http/serve.ts';
import { until } from '../support/until.ts';
import { scriptedBench } from './bench/scripted.ts';
import { isAnswered, layerPorts, rawConnection } from './fixture.ts';

describe('hosts', () => {
  it.each([
    ['127.0.0.1', [], '127.0.0.1:8400', true],
    ['127.0.0.1', [], 'localhost:8400', true],
    ['127.0.0.1', [], 'LocalHost', true],
    ['127.0.0.1', [], 'localhost.', true],
    ['127.0.0.1', [], '127.8.9.10', true],
    ['127.0.0.1', [], '[::1]:8400', true],
    ['127.0.0.1', [], undefined, true],
    ['127.0.0.1', [], '', false],
    ['127.0.0.1', [], 'evil.example:8400', false],
    ['127.0.0.1', [], '10.0.0.7:8400', false],
    ['127.0.0.1', [], 'localhost.evil.example', false],
    ['127.0.0.1', [], '127.0.0.1.evil.example', false],
    ['127.0.0.1', [], '127.0.0.1:8400@evil.example', false],
    ['127.0.0.1', [], 'localhost:8400:1', false],
    ['10.0.0.7', [], '10.0.0.7:8400', true],
    ['10.0.0.7', [], '10.0.0.8:8400', false],
    ['fd00::7', [], '[fd00::7]:8400', true],
    ['mcs.lan', [], 'mcs.lan:8400', true],
    ['0.0.0.0', [], '192.0.2.9:8400', true],
    ['::', [], '[fd00::9]:8400', true],
    ['0.0.0.0', [], 'evil.example', false],
    ['a', [], 'a:8400', true],
    ['127.0.0.1', [], '[127.0.0.1', false],
    ['127.0.0.1', [], '127.0.0.1]', false],
    ['127.0.0.1', ['fd00::7'], '[fd00::7]:8400', true],
    ['127.0.0.1', ['mission.example.org'], 'mission.example.org', true],
    ['127.0.0.1', ['Mission.example.org'], 'MISSION.example.org:8443', true],
    ['127.0.0.1', ['mission.example.org:8443'], 'mission.example.org:8443', true],
    ['127.0.0.1', ['mission.example.org:8443'], 'mission.example.org', false],
    ['127.0.0.1', ['mission.example.org'], 'www.mission.example.org', false],
  ] as const)('bound to %s with %j, %s: %s', (bound, named, host, allowed) => {
    expect(new AllowedHosts(bound, named).allows(host)).toBe(allowed);
  });

  it.each([
    [[], 'http://127.0.0.1:8400', '127.0.0.1:8400', true],
    [[], 'http://127.0.0.1:8401', '127.0.0.1:8400', false],
    [[], 'http://localhost:8400', 'LocalHost:8400', true],
    [[], 'null', '127.0.0.1:8400', false],
    [[], 'file:///page.html', '', false],
    [[], 'http://evil.example', undefined, false],
    [['mission.example.org'], 'https://mission.example.org', '127.0.0.1:8400', true],
    [['mission.example.org'], 'https://mission.example.org:9', '127.0.0.1:8400', false],
    [['mission.example.org:8443'], 'https://mission.example.org:8443', 'localhost', true],
  ] as const)('with %j a page of %s calling %s: %s', (named, origin, host, allowed) => {
    expect(new AllowedHosts('127.0.0.1', named).allowsOrigin(origin, host)).toBe(allowed);
  });

  it.each(['https://mission.example.org', '*.example.org', 'a b', 'a/b', '', ':80'])(
    'refuses %j as a name to allow',
    (text) => {
      expect(() => new AllowedHosts('127.0.0.1', [text])).toThrow(/--allow-host takes a name/);
    },
  );

  it('hosts.H2 a request without one passes, whatever was allowed before', () => {
    const hosts = new AllowedHosts('127.0.0.1');
    expect([hosts.allows('localhost'), hosts.allows(undefined), hosts.allows('localhost')]).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('a name that was refused stays refused, whatever was allowed before', () => {
    const characters = fc.string({ unit: fc.constantFrom(...'ab.:[]1270-'), maxLength: 12 });
    fc.assert(
      fc.property(characters, (text) => {
        const hosts = new AllowedHosts('127.0.0.1');
        const first = hosts.allows(text);
        hosts.allows('localhost');
        return hosts.allows(text) === first;
      }),
    );
  });
});

const REQUESTS = {
  'a route': ['GET', '/healthz', ''],
  'a path that no route takes': ['GET', '/nothing', ''],
  'a path in another way': ['DELETE', '/healthz', ''],
} as const;
const UPGRADE =
  'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n';

describe('a foreign host', () => {
  const servers: Record<string, FrontEnd> = {};
  const upgrades: Record<string, string> = { 'mission control': '/v1/tc/watch', bench: '/ws/metrics' };
  const codes: Record<string, string> = { bench: 'foreign_host' };
  const ports = layerPorts();

  beforeAll(async () => {
    const at = { host: '127.0.0.1', port: 0, allowHosts: ['mission.example.org'] };
    servers['mission control'] = await serveRoutes({ ...at, ports, routes, follows, pages: consolePages });
    servers['bench'] = await startBenchFrontEnd({ ...at, ...ports, bench: scriptedBench().bench });
    servers['probes'] = await serveProbes({ ...at, ports, newId: () => 'x' });
  });
  afterAll(() => Promise.all(Object.values(servers).map((server) => server.close())));

  async function said(
    server: string,
    method: string,
    path: string,
    host: string,
    more = '',
  ): Promise<string> {
    const client = await rawConnection(servers[server]!.port);
    client.send(`${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`);
    await until(() => isAnswered(client.received()));
    client.destroy();
    return client.received();
  }

  const cases = ['mission control', 'bench', 'probes'].flatMap((server) => [
    ...Object.entries(REQUESTS).map(([what, [method, path]]) => [server, what, method, path, ''] as const),
    ...(upgrades[server] === undefined
      ? []
      : [[server, 'an upgrade', 'GET', upgrades[server], UPGRADE] as const]),
  ]);

  it.each(cases)(
    '%s: %s (%s %s) is refused, and named hosts are not',
    async (server, _what, method, path, more) => {
      const code = codes[server] ?? 'api::foreign-host';
      const refused = await said(server, method, path, `evil.example:${servers[server]!.port}`, more);
      expect(refused).toMatch(/^HTTP\/1.1 403 /);
      expect(refused).toContain(code);
      for (const host of ['localhost', 'mission.example.org'])
        expect(await said(server, method, path, host, more)).not.toContain(code);
    },
  );

  it('mission control: a page is refused too', async () => {
    expect(await said('mission control', 'GET', '/console/style.css', 'evil.example')).toMatch(
      /^HTTP\/1.1 403 /,
    );
  });

  it('is logged once, and is shown cut', async () => {
    const long = `${'e'.repeat(2_000)}.example`;
    expect((await said('mission control', 'GET', '/healthz', long)).length).toBeLessThan(700);
    const lines = ports.log.lines.filter(({ message }) => message.includes('--allow-host'));
    // Each of the three servers has its own.
    expect(lines.length).toBeLessThanOrEqual(3);
  });
});
