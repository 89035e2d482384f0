/** How an external server is reached. */

import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serverOptions, withoutSecrets } from '../../bus/credentials.ts';
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

describe('what is printed of an address', () => {
  it.each([
    ['nats://ada:pw@a:4222', 'nats://a:4222'],
    ['nats://t0ken@a', 'nats://a'],
    ['nats://ada:pw@a:1, tls://bob:pw2@b:2', 'nats://a:1,tls://b:2'],
    ['nats://a:4222', 'nats://a:4222'],
    ['nats://ada:p,w@a:4222', '…@a:4222'],
    ['ada:pw@a:4222', '…@a:4222'],
    ['nats://ada:p@w@a:4222', 'nats://a:4222'],
  ])('%s is printed as %s', (url, printed) => {
    expect(withoutSecrets(url)).toBe(printed);
  });

  it('never holds the password, also where the address cannot be used', () => {
    const part = fc.string({ unit: fc.constantFrom(...'aé%,@/:?#[] \\'), minLength: 1, maxLength: 6 });
    const address = fc.tuple(fc.constantFrom('nats', 'tls', 'http', 'n ts'), part, part, part);
    fc.assert(
      fc.property(address, ([scheme, before, after, host]) => {
        const url = `${scheme}://ada:${before}SECRET${after}@h${host}`;
        expect(withoutSecrets(url)).not.toContain('SECRET');
        try {
          openBus({ url, name: 'a.b', log: quiet });
        } catch (error) {
          expect(String(error)).not.toContain('SECRET');
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('a percent sign in a password is no encoding', () => {
    expect(serverOptions('nats://ada:100%@a')).toMatchObject({ user: 'ada', pass: '100%' });
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
