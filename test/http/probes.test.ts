/** The port of probes and scrapers: health, metrics, and nothing else. */

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Counter } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { identifierSource } from '../../http/identifier.ts';
import { serveProbes } from '../../http/probes.ts';
import { readHealth, readMetrics, readReadiness } from '../../http/routes/service.ts';
import type { FrontEnd } from '../../http/serve.ts';
import type { ArchiveHealth } from '../../ports/archive-health.ts';
import { Description, describedBy } from '../support/conformance.ts';
import { call, layerPorts, realClock } from './fixture.ts';

/** A stream that takes 1 MB/s and has room for four times as much as it has now. */
const FILL = { bytes: 1e9, maxBytes: 4e9, oldestS: 1_000, bytesPerS: 1e6, keepsS: 4_000, isFull: false };

let probes: FrontEnd;
let ports: ReturnType<typeof layerPorts>;
let state: 'starting' | 'running' | 'quarantined';

beforeEach(async () => {
  state = 'starting';
  ports = { ...layerPorts(), roles: () => ({ executor: state }) };
  const newId = identifierSource(realClock);
  probes = await serveProbes({ host: '127.0.0.1', port: 0, ports, newId });
  describedBy(probes.url, new Description([readHealth, readReadiness, readMetrics], []));
});
afterEach(() => probes.close());

describe('the port of probes', () => {
  it('MC-MET-004 exposes the counters of its process as Prometheus text', async () => {
    new Counter({ name: 'mcs_things_total', help: 'things', registers: [ports.registry] }).inc(7);
    const { status, headers, body } = await call(`${probes.url}/metrics`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/plain');
    expect(body).toContain('mcs_things_total 7');
    // probes.B2
    expect(body).not.toContain('mcs_http_requests_total');
  });

  it('reports which roles the process has, and how each stands now', async () => {
    const health = async () => (await call(`${probes.url}/healthz`)).body;
    expect(await health()).toMatchObject({
      state: 'impaired',
      bus: 'disconnected',
      roles: { executor: 'starting' },
    });
    state = 'quarantined';
    expect(await health()).toMatchObject({ roles: { executor: 'quarantined' } });
  });

  it('says until when something of the bus is lost, and nothing where nothing is known', async () => {
    const health = async () => (await call(`${probes.url}/healthz`)).body;
    expect(await health()).not.toHaveProperty('lost');
    await probes.close();
    const bus = { ...ports.bus, lostUntil: 3_000 };
    const newId = identifierSource(realClock);
    probes = await serveProbes({ host: '127.0.0.1', port: 0, ports: { ...ports, bus } as never, newId });
    expect(await health()).toMatchObject({ lost: { until: '1970-01-01T00:00:03.000Z' } });
  });

  it('says in /healthz which streams are nearly full and why, and what the archive cannot write', async () => {
    await probes.close();
    const full = { ...FILL, stream: 'TM_VALUES', fill: 0.91, filling: true };
    const roomy = { ...FILL, stream: 'TM', fill: 0.2, filling: false };
    let fills = [full, roomy];
    const archive: { -readonly [Key in keyof ArchiveHealth]: ArchiveHealth[Key] } = {
      trouble: 'ENOSPC: no space left',
      setAside: 0,
    };
    const seen = { ...ports, fills: () => fills, archiveHealth: archive };
    probes = await serveProbes({
      host: '127.0.0.1',
      port: 0,
      ports: seen,
      newId: identifierSource(realClock),
    });
    describedBy(probes.url, new Description([readHealth, readReadiness, readMetrics], []));
    const health = async () => (await call(`${probes.url}/healthz`)).body;
    const said = await health();
    expect(said.filling).toEqual([
      { stream: 'TM_VALUES', fill: 0.91, reason: expect.stringContaining('TM_VALUES') },
    ]);
    expect(said.archive).toEqual({ trouble: 'ENOSPC: no space left' });
    fills = [roomy];
    Object.assign(archive, { trouble: undefined, setAside: 2 });
    const later = await health();
    expect(later).not.toHaveProperty('filling');
    expect(later.archive).toEqual({ set_aside: 2 });
    archive.setAside = 0;
    expect(await health()).not.toHaveProperty('archive');
  });

  it('answers 503 on /readyz until its bus, its roles and its share of the work are there, and 200 on /healthz', async () => {
    await probes.close();
    let [connected, settled] = [false, false];
    const bus = {
      ...ports.bus,
      get connected() {
        return connected;
      },
    };
    const newId = identifierSource(realClock);
    const reached = { ...ports, bus, settled: () => settled };
    probes = await serveProbes({ host: '127.0.0.1', port: 0, ports: reached, newId });
    describedBy(probes.url, new Description([readHealth, readReadiness, readMetrics], []));
    const readiness = async () => {
      const { status, body } = await call(`${probes.url}/readyz`);
      expect((await call(`${probes.url}/healthz`)).status).toBe(200);
      return [status, body.ready, body.missing.length];
    };
    expect(await readiness()).toEqual([503, false, 3]);
    connected = true;
    expect(await readiness()).toEqual([503, false, 2]);
    state = 'running';
    expect(await readiness()).toEqual([503, false, 1]);
    settled = true;
    expect(await readiness()).toEqual([200, true, 0]);
    state = 'quarantined';
    expect((await call(`${probes.url}/readyz`)).body.missing).toEqual(['role executor is quarantined']);
    state = 'running';
    probes.drain();
    expect((await call(`${probes.url}/readyz`)).body.missing).toEqual(['the process is on its way out']);
  });

  it('answers 503 on /healthz while the process drains, and goes on to count', async () => {
    probes.drain();
    const health = await call(`${probes.url}/healthz`);
    expect([health.status, health.body.state]).toEqual([503, 'draining']);
    expect((await call(`${probes.url}/metrics`)).status).toBe(200);
  });

  it.each([
    ['GET', '/v1/openapi.json'],
    ['GET', '/v1/targets/sat1/values'],
    ['POST', '/v1/tc'],
    ['POST', '/healthz'],
    ['GET', '/docs'],
    ['GET', '/inspect'],
    ['GET', '/'],
  ])('has nothing else: %s %s is unknown, and says where the interface is', async (method, path) => {
    const response = await fetch(probes.url + path, { method });
    const { errors } = (await response.json()) as { errors: [{ code: string; help: string }] };
    expect([response.status, errors[0].code]).toEqual([404, 'api::unknown-route']);
    expect(errors[0].help).toContain('role api');
  });

  it('opens no WebSocket', async () => {
    const socket = new WebSocket(`${probes.url.replace(/^http/, 'ws')}/v1/tc/watch`);
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    expect(response.statusCode).toBe(404);
    response.destroy();
  });
});
