/** Health and metrics of a process that has no API, as a real process beside a real bus. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { endAllMcs, STEADY, startMcs } from '../support/mcs.ts';
import { startNats, type TestNats } from '../support/nats.ts';

let nats: TestNats;
beforeAll(async () => {
  nats = await startNats();
});
afterAll(async () => {
  await endAllMcs();
  await nats.stop();
});

/** Two processes of their own on a busy machine. */
const timeout = 150_000;

const joined = () => ['--nats', nats.url, '--credentials', nats.credentialsFile];

interface Health {
  readonly state: string;
  readonly bus: string;
  readonly roles: Readonly<Record<string, string>>;
}

async function health(url: string): Promise<Health> {
  return (await (await fetch(`${url}/healthz`)).json()) as Health;
}

it('MC-MET-004 exposes metrics and the state of its roles of a process without API, until it ends', {
  timeout,
}, async () => {
  const options = ['--roles', 'alarms,executor', '--metrics-port', '0'];
  const { output, kill } = await startMcs({ args: ['serve', ...options, ...joined()], env: STEADY });
  const ready = JSON.parse(output().split('\n')[0]!) as { api?: string; metrics: string };
  expect(ready.api).toBeUndefined();
  expect(await health(ready.metrics)).toMatchObject({
    state: 'up',
    bus: 'connected',
    roles: { alarms: 'running', executor: 'running' },
  });
  const scraped = await (await fetch(`${ready.metrics}/metrics`)).text();
  expect(scraped).toMatch(/^mcs_bus_connected 1$/m);
  expect(scraped).toMatch(/^# TYPE mcs_alarms_transitions_total counter$/m);
  expect((await fetch(`${ready.metrics}/v1/openapi.json`)).status).toBe(404);
  expect(await kill('SIGTERM')).toMatchObject({ code: 0 });
  await expect(fetch(`${ready.metrics}/healthz`)).rejects.toThrow();
});

it('ends with a sentence where the port is taken', { timeout }, async () => {
  const taken = await startMcs({
    args: ['serve', '--roles', 'executor', '--metrics-port', '0', ...joined()],
  });
  const { metrics } = JSON.parse(taken.output().split('\n')[0]!) as { metrics: string };
  const { port } = new URL(metrics);
  const second = await startMcs({
    args: ['serve', '--roles', 'executor', '--metrics-port', port, ...joined()],
    unready: true,
  });
  expect(await second.exited).toMatchObject({ code: 1 });
  expect(second.errors()).toContain(`cannot listen on 127.0.0.1:${port}: is another process there?`);
  await taken.kill('SIGTERM');
});
