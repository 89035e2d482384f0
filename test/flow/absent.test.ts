/** Telecommands while a service behind the API is missing: each ends with its reason, none hangs. */

import { afterEach, describe, expect, it } from 'vitest';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import { handOverMs } from '../../messaging/hand-overs.ts';
import { call, codes, readLog } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';

/** How long nobody has to serve a gateway follows from it; a machine that stands still takes no lane by it. */
const MEMBER_TTL_MS = 9_000;

let cell: DemoCell | undefined;
afterEach(async () => {
  await cell?.stop();
  cell = undefined;
});

async function outcome({ api }: DemoCell, telecommand: string): Promise<TcEvent[]> {
  const { body } = await call<TcReply>('POST', `${api}/v1/tc`, { target: 'sat1', telecommand });
  const followed = await readLog<TcEvent>(`${api}/v1/tc/sat1/${body.id}/events`);
  return followed;
}

describe('a missing service', () => {
  it('MC-TC-038 MC-TC-040 without its gateway a telecommand ends SEND_FAILED, nothing having left', async () => {
    const roles = ['api', 'executor', 'drivers', 'telemetry'] as const;
    cell = await startDemoCell({ roles, memberTtlMs: MEMBER_TTL_MS });
    const events = await outcome(cell, 'obc.ping');
    expect(events.map((event) => event.state)).toEqual(['PENDING', 'ENCODED', 'SEND_FAILED']);
    const { detail } = events[2]!;
    const [, seconds] =
      /^gateway sim-1 is not running: nobody has served it for (\d+) s$/.exec(detail!) ?? [];
    const least = handOverMs(MEMBER_TTL_MS) / 1_000;
    expect(Number(seconds), detail).toBeGreaterThanOrEqual(least);
    expect(Number(seconds), detail).toBeLessThan(least + 10);
  }, 120_000);

  it('MC-TC-038 MC-TC-040 without its driver a telecommand ends ENCODE_FAILED, and encode answers 504', async () => {
    cell = await startDemoCell({ roles: ['api', 'executor', 'gateways', 'telemetry'] });
    const events = await outcome(cell, 'obc.ping');
    expect(events.map((event) => event.state)).toEqual(['PENDING', 'ENCODE_FAILED']);
    expect(events[1]!.detail).toBe('driver pus is not running');
    const encoded = await call('POST', `${cell.api}/v1/encode`, { target: 'sat1', telecommand: 'obc.ping' });
    expect(encoded.status).toBe(504);
    expect(codes(encoded)).toEqual(['driver::no-answer']);
  });

  it('MC-TC-038 without telemetry a telecommand that requires a value is REJECTED: unknown does not satisfy', async () => {
    cell = await startDemoCell({ roles: ['api', 'executor', 'drivers', 'gateways'] });
    const events = await outcome(cell, 'obc.reboot');
    expect(events.map((event) => event.state)).toEqual(['PENDING', 'REJECTED']);
    expect(events[1]!.detail).toContain('obc.mode has no value');
  });
});
