/** How an external server is reached. */

import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serverOptions } from '../../bus/credentials.ts';
import { openBus } from '../../bus/nats-bus.ts';
import { quiet } from '../support/nats.ts';

it('takes one or several addresses', () => {
  expect(serverOptions('nats://a:4333')).toEqual({ servers: ['a:4333'] });
  expect(serverOptions('nats://a, nats://b:1')).toEqual({ servers: ['a:4222', 'b:1'] });
  expect(serverOptions('tls://a')).toEqual({ servers: ['a:4222'], tls: {} });
});

it('takes user and password or a token from the address', () => {
  expect(serverOptions('nats://ada:p%40ss@a')).toMatchObject({ user: 'ada', pass: 'p@ss' });
  expect(serverOptions('nats://t0ken@a')).toMatchObject({ token: 't0ken' });
  expect(serverOptions('nats://x@a', { kind: 'token', token: 'y' })).toMatchObject({ token: 'y' });
  expect(serverOptions('nats://a', { kind: 'user', user: 'u', password: 'p' })).toMatchObject({
    user: 'u',
    pass: 'p',
  });
});

it.each(['', 'a:4222', 'http://a', 'nats://', 'nats://a,', 'nats://a b'])('refuses the address %j', (url) => {
  expect(() => openBus({ url, name: 'x', log: quiet })).toThrow(/not a bus address/);
});

it.each(['', 'a b', 'a.b', '*'])('refuses the name %j', (name) => {
  expect(() => openBus({ url: 'nats://127.0.0.1:1', name, log: quiet })).toThrow(TypeError);
});

it('reads a credentials file at each connection, not at the start', async () => {
  const path = join(tmpdir(), `mcs-missing-${process.pid}.creds`);
  const { authenticator } = serverOptions('nats://a', { kind: 'file', path });
  if (typeof authenticator !== 'function') throw new Error('no authenticator');
  expect(() => authenticator('nonce')).toThrow(/ENOENT/);
  await writeFile(path, 'not credentials');
  expect(() => authenticator('nonce')).toThrow('BAD_CREDS');
  await rm(path);
});
