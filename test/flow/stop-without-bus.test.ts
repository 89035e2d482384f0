/** A process that is asked to end while its bus is away ends within a bound, whatever its roles have under way. */

import { afterEach, expect, it } from 'vitest';
import { MEMBER_TTL_MS } from '../../contract/limits/membership.ts';
import type { TcReply } from '../../contract/telecommand.ts';
import { ROLES } from '../../supervision/role.ts';
import { call } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { ownTime } from '../support/own-time.ts';
import { currentRevision, leaf, logWith, ping, programOf, submitProgram } from '../support/run-program.ts';
import { until } from '../support/until.ts';

/** Whoever runs processes kills them behind 30 s (Kubernetes) or 90 s (systemd). */
const BOUND_MS = 15_000;

let nats: TestNats | undefined;
afterEach(() => nats?.stop());

async function underWay(cell: DemoCell): Promise<void> {
  await cell.fault('no_reports', true);
  const body = { target: 'sat1', telecommand: 'obc.set_watchdog', args: { period: '30 s' } };
  await until(async () => (await call<TcReply>('POST', `${cell.api}/v1/tc`, body)).status === 202);
  const config = await currentRevision(cell.bus);
  const run = await submitProgram(cell.bus, programOf(config, [leaf('ping', [ping()])]));
  await logWith(cell.bus, run, 'telecommand_sent', { timeoutMs: 60_000 });
}

async function msToEnd(away: (bus: TestNats) => unknown): Promise<number> {
  nats = await startNats();
  const cell = await startDemoCell({ nats, roles: ROLES, memberTtlMs: MEMBER_TTL_MS });
  await underWay(cell);
  await away(nats);
  const spent = ownTime();
  await cell.service.stop();
  await nats.kill();
  return spent();
}

it.each<[string, (bus: TestNats) => unknown]>([
  ['is gone', (bus) => bus.kill()],
  ['answers nothing', (bus) => bus.freeze()],
])(
  'every role, with a telecommand and a run under way, while the bus %s',
  async (_, away) => {
    expect(await msToEnd(away)).toBeLessThan(BOUND_MS);
  },
  240_000,
);
