/** The port of probes and scrapers: health, metrics, and nothing else. */

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Counter } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { identifierSource } from '../../http/identifier.ts';
import { serveProbes } from '../../http/probes.ts';
import { readHealth, readMetrics } from '../../http/routes/service.ts';
import type { FrontEnd } from '../../http/serve.ts';
import { Description, describedBy } from '../support/conformance.ts';
import { call, layerPorts, realClock } from './fixture.ts';

let probes: FrontEnd;
let ports: ReturnType<typeof layerPorts>;
let state: 'starting' | 'running' | 'quarantined';

beforeEach(async () => {
  state = 'starting';
  ports = { ...layerPorts(), roles: () => ({ executor: state }) };
  const newId = identifierSource(realClock);
  probes = await serveProbes({ host: '127.0.0.1', port: 0, ports, newId });
  describedBy(probes.url, new Description([readHealth, readMetrics], []));
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
      state: 'up',
      bus: 'disconnected',
      roles: { executor: 'starting' },
    });
    state = 'quarantined';
    expect(await health()).toMatchObject({ roles: { executor: 'quarantined' } });
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
