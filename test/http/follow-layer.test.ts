/** Follow routes on real sockets, with sources of the test. */

import Type from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { AUTH_CLOCK_TOLERANCE_MS } from '../../contract/limits/auth.ts';
import { accepted } from '../../contract/result.ts';
import { busUnavailable } from '../../http/errors.ts';
import { defineFollow, type FollowPolicy, type FollowWriter } from '../../http/follow.ts';
import { targetInPath } from '../../http/parameters.ts';
import type { FrontEndPorts } from '../../http/ports.ts';
import type { FrontEnd } from '../../http/serve.ts';
import type { Clock } from '../../ports/clock.ts';
import type { AccessTokens } from '../../ports/tokens.ts';
import { until } from '../support/until.ts';
import { call, codesOf, follow, layerPorts, rawConnection, realClock, serveLayer } from './fixture.ts';

let frontEnd: FrontEnd | undefined;
afterEach(async () => {
  await frontEnd?.close();
  frontEnd = undefined;
});

/** A server of one follow route; its writers and how many sources were stopped. */
async function served(
  policy: FollowPolicy,
  gate: Promise<unknown> = Promise.resolve(),
  others: Partial<Pick<FrontEndPorts, 'clock' | 'tokens'>> = {},
) {
  const writers: FollowWriter[] = [];
  const seen = { opened: 0, stopped: 0 };
  const route = defineFollow({
    path: '/v1/things/:target/watch',
    operationId: 'watchThings',
    summary: 'things',
    params: { target: targetInPath },
    policy,
    message: Type.Object({ n: Type.Integer() }),
    errors: ['api::unavailable'],
    async open({ params }, _ports, writer) {
      seen.opened += 1;
      if (params.target === 'away') return busUnavailable();
      if (params.target === 'broken') throw new Error('broken');
      writer.push('{"n":0}', 0);
      writers.push(writer);
      await gate;
      return {
        ok: true,
        value: {
          stop: async () => {
            seen.stopped += 1;
          },
        },
      };
    },
  });
  const ports = { ...layerPorts(), ...others };
  frontEnd = await serveLayer([], [route], ports);
  return { url: `${frontEnd.url}/v1/things`, port: frontEnd.port, writers, seen, ports };
}

describe('a follow route', () => {
  it('MC-GEN-013 upgrades with 101 and sends one JSON document per message, in order', async () => {
    const { url, writers } = await served('log');
    const client = await follow(`${url}/sat1/watch`);
    for (let n = 1; n < 1000; n += 1) writers[0]!.push(`{"n":${n}}`);
    await until(() => client.messages.length === 1000);
    expect(client.messages.map(({ n }) => n)).toEqual(Array.from({ length: 1000 }, (_, n) => n));
    client.close();
  });

  it('refuses before the upgrade with the status and body of any route', async () => {
    const { url } = await served('log');
    const cases = [
      ['a.b', '', 404, 'api::invalid-target'],
      ['away', '', 503, 'api::unavailable'],
      ['broken', '', 500, 'api::internal'],
      ['sat1', '?limit=1', 400, 'api::invalid-body'],
    ] as const;
    for (const [target, query, status, code] of cases) {
      const { refused } = await follow(`${url}/${target}/watch${query}`);
      expect(refused?.status).toBe(status);
      expect(codesOf(refused!)).toEqual([code]);
    }
  });

  it('MC-AUTH-003 takes the token of a WebSocket from its query', async () => {
    const { url } = await served('log');
    const { refused } = await follow(`${url}/sat1/watch?token=eyJ`);
    expect(refused?.status).toBe(401);
    expect(codesOf(refused!)).toEqual(['auth::no-provider']);
  });

  it('answers a plain GET with 404 and says how to open it', async () => {
    const { url } = await served('log');
    const answer = await call(`${url}/sat1/watch`);
    expect(answer.status).toBe(404);
    expect(answer.body.errors[0].help).toContain('WebSocket');
  });

  it('stops the source when the client goes', async () => {
    const { url, seen } = await served('log');
    const client = await follow(`${url}/sat1/watch`);
    client.close();
    await until(() => seen.stopped === 1);
  });

  it('followed.U7 stops a source whose client went before the upgrade', async () => {
    let open: (value?: unknown) => void = () => {};
    const gate = new Promise((resolve) => {
      open = resolve;
    });
    const { port, seen } = await served('log', gate);
    const client = await rawConnection(port);
    client.send(
      'GET /v1/things/sat1/watch HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
    );
    await until(() => seen.opened === 1);
    client.destroy();
    await until(() => client.closed());
    await until(async () => {
      open();
      return seen.stopped === 1;
    });
  });

  it('closes with the code of the source, after everything was sent', async () => {
    const { url, writers } = await served('log');
    const client = await follow(`${url}/sat1/watch`);
    for (let n = 1; n <= 20_000; n += 1) writers[0]!.push(`{"n":${n}}`);
    writers[0]!.finish(1000, 'done');
    await until(() => client.closed);
    expect(client.closed).toEqual({ code: 1000, reason: 'done' });
    expect(client.messages).toHaveLength(20_001);
  });

  it('http/follow.F1 closes a client that does not read a log with 4408, and what it got has no gap', async () => {
    const { url, writers, ports } = await served('log');
    const client = await follow(`${url}/sat1/watch`);
    client.socket.pause();
    const wide = 'y'.repeat(16_384);
    for (let n = 1; n <= 4000 && !(await slow(ports)); n += 1) {
      writers[0]!.push(`{"n":${n},"wide":"${wide}"}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    client.socket.resume();
    await until(() => client.closed);
    expect(client.closed).toEqual({ code: 4408, reason: 'slow consumer' });
    for (const [index, { n }] of client.messages.entries()) expect(n).toBe(index);
  });

  it('http/follow.F2 keeps a client that does not read values, and gives it the newest when it reads again', async () => {
    const { url, writers } = await served('latest');
    const client = await follow(`${url}/sat1/watch`);
    client.socket.pause();
    const wide = 'y'.repeat(16_384);
    for (let n = 1; n <= 2000; n += 1) {
      writers[0]!.push(`{"n":${n},"wide":"${wide}"}`, 1);
      await new Promise((resolve) => setImmediate(resolve));
    }
    client.socket.resume();
    await until(() => client.messages.at(-1)?.n === 2000);
    expect(client.closed).toBeUndefined();
    expect(client.messages.length).toBeLessThan(1500);
    client.close();
  });

  it('reports followers that the service goes away with 1001', async () => {
    const { url } = await served('log');
    const client = await follow(`${url}/sat1/watch`);
    await frontEnd!.close();
    await until(() => client.closed);
    expect(client.closed?.code).toBe(1001);
  });

  it('ends a client that sends more than control chatter', async () => {
    const { url, seen } = await served('log');
    const client = await follow(`${url}/sat1/watch`);
    client.socket.send('z'.repeat(2000));
    await until(() => client.closed);
    await until(() => seen.stopped === 1);
  });
});

describe('http/follow.F5 a follower that came with a token', () => {
  const EXPIRES_MS = 4_000_000_000_000;
  const DUE_MS = EXPIRES_MS + AUTH_CLOCK_TOLERANCE_MS;

  /** A server whose timers for tokens a test fires, and the times they are due. */
  async function servedUntil(expiresAt: number) {
    const pending = new Map<object, { readonly at: number; readonly fire: () => void }>();
    const clock: Clock = {
      now: () => realClock.now(),
      monotonic: () => realClock.monotonic(),
      setTimeout(fire, delayMs) {
        if (delayMs < 3_600_000) return realClock.setTimeout(fire, delayMs);
        const timer = {};
        pending.set(timer, { at: realClock.now() + delayMs, fire });
        return { timer };
      },
      clearTimeout(handle) {
        if (!pending.delete(handle.timer as object)) realClock.clearTimeout(handle);
      },
    };
    const tokens: AccessTokens = {
      verify: async () => accepted({ name: 'ada', roles: [], expiresAt }),
      onChange: () => () => undefined,
    };
    const things = await served('log', Promise.resolve(), { clock, tokens });
    return { ...things, pending };
  }

  it('is closed with 4401 when the token ends, whatever waits for it', async () => {
    const { url, pending, seen, writers } = await servedUntil(EXPIRES_MS);
    const client = await follow(`${url}/sat1/watch?token=t`);
    await until(() => client.messages.length === 1);
    const [timer] = pending.values();
    // As long as the token itself is taken (clocks may differ).
    expect(Math.abs(timer!.at - DUE_MS)).toBeLessThan(60_000);
    client.socket.pause();
    const wide = 'y'.repeat(16_384);
    for (let n = 1; n <= 60; n += 1) writers[0]!.push(`{"n":${n},"wide":"${wide}"}`);
    timer!.fire();
    client.socket.resume();
    await until(() => client.closed);
    expect(client.closed).toEqual({ code: 4401, reason: 'the token has expired' });
    await until(() => seen.stopped === 1);
    expect(pending.size).toBe(0);
  });

  it('is closed at once when it ended while the route was opened', async () => {
    const { url } = await servedUntil(realClock.now() - AUTH_CLOCK_TOLERANCE_MS - 1);
    const client = await follow(`${url}/sat1/watch`, { authorization: 'Bearer t' });
    await until(() => client.closed);
    expect(client.closed?.code).toBe(4401);
  });

  it('leaves no timer behind when it goes', async () => {
    const { url, pending, seen } = await servedUntil(EXPIRES_MS);
    const client = await follow(`${url}/sat1/watch?token=t`);
    expect(pending.size).toBe(1);
    client.close();
    await until(() => seen.stopped === 1);
    expect(pending.size).toBe(0);
  });

  it('stays as long as it likes without a token', async () => {
    const { url, pending } = await servedUntil(EXPIRES_MS);
    const client = await follow(`${url}/sat1/watch`, { 'x-mcs-user': 'ada' });
    await until(() => client.messages.length === 1);
    expect(pending.size).toBe(0);
    client.close();
  });
});

async function slow(ports: ReturnType<typeof layerPorts>): Promise<boolean> {
  return /mcs_http_slow_followers_total 1/.test(await ports.registry.metrics());
}
