/**
 * process.I4: health and metrics of a process on a port of their own, while its bus is away and when it cannot begin.
 */

import { afterEach, expect, it } from 'vitest';
import { openBus } from '../../bus/nats-bus.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { realClock } from '../../supervision/clock.ts';
import { type ServiceProcess, startProcess } from '../../supervision/process.ts';
import type { RoleName } from '../../supervision/role.ts';
import { quiet } from '../support/nats.ts';

const started: ServiceProcess[] = [];
const buses: ReturnType<typeof openBus>[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((service) => service.stop()));
  await Promise.all(buses.splice(0).map((bus) => bus.close()));
});

/** A process whose bus is not there. */
async function start(roles: readonly RoleName[], ports: { port?: number; metricsPort?: number }) {
  const bus = openBus({ url: 'nats://127.0.0.1:1', name: 'test', log: quiet });
  buses.push(bus);
  const service = await startProcess({
    bus,
    roles,
    clock: realClock,
    random: seededRandom(1),
    log: quiet,
    ...ports,
    escalated: (reason) => {
      throw new Error(reason);
    },
  });
  started.push(service);
  return service;
}

const get = (url: string | undefined, path: string) => fetch(`${url}${path}`);

it('listens before the bus answers, and says so', async () => {
  const { metrics, api } = await start(['executor', 'telemetry'], { metricsPort: 0 });
  expect(api).toBeUndefined();
  const health = await get(metrics, '/healthz');
  expect(health.status).toBe(200);
  expect(await health.json()).toMatchObject({
    state: 'impaired',
    bus: 'disconnected',
    configuration: null,
    roles: { executor: 'starting', telemetry: 'starting' },
  });
  expect(await (await get(metrics, '/metrics')).text()).toMatch(/^mcs_bus_connected 0$/m);
});

it('listens nowhere unless it is reported to', async () => {
  expect((await start(['executor'], {})).metrics).toBeUndefined();
});

it('has a port of its own beside the API too, which answers both as well', async () => {
  const { metrics, api } = await start(['api', 'executor'], { metricsPort: 0 });
  expect(metrics).not.toBe(api);
  for (const url of [metrics, api]) {
    const health = (await (await get(url, '/healthz')).json()) as { roles: object };
    expect(health.roles).toEqual({ api: 'running', executor: 'starting' });
    expect(await (await get(url, '/metrics')).text()).toContain('mcs_bus_connected 0');
  }
  expect((await get(metrics, '/v1/openapi.json')).status).toBe(404);
});

it('is left when the API cannot listen', async () => {
  const { api } = await start(['api'], {});
  const port = Number(new URL(api!).port);
  const free = await start(['executor'], { metricsPort: 0 });
  const metricsPort = Number(new URL(free.metrics!).port);
  await free.stop();
  await expect(start(['api'], { port, metricsPort })).rejects.toThrow('cannot listen');
  await expect(get(`http://127.0.0.1:${metricsPort}`, '/healthz')).rejects.toThrow();
});
