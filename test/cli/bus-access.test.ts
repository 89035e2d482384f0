/** Credentials of a bus outside of its address. */

import { describe, expect, it } from 'vitest';
import { serverOptions } from '../../bus/credentials.ts';
import { busAccess } from '../../cli/bus-access.ts';
import { readServeOptions } from '../../cli/serve-options.ts';

const NONE = { credentials: undefined, ca: undefined };

describe('what a process proves itself with to a bus', () => {
  it('is a credentials file, or a user or token of the environment', () => {
    const user = { MCS_NATS_USER: 'mcs', MCS_NATS_PASSWORD: 'secret' };
    expect(busAccess(NONE, {})).toEqual({});
    expect(busAccess(NONE, user)).toEqual({ credentials: { kind: 'user', user: 'mcs', password: 'secret' } });
    expect(busAccess(NONE, { MCS_NATS_TOKEN: 't' })).toEqual({ credentials: { kind: 'token', token: 't' } });
    expect(busAccess({ credentials: 'a.creds', ca: 'ca.pem' }, user)).toEqual({
      credentials: { kind: 'file', path: 'a.creds' },
      ca: 'ca.pem',
    });
    expect(() => busAccess(NONE, { MCS_NATS_USER: 'mcs' })).toThrow(/go together/);
  });

  it('is over TLS where an authority is given, whatever the address says', () => {
    expect(serverOptions('nats://bus:4222', undefined, 'ca.pem').tls).toEqual({ caFile: 'ca.pem' });
    expect(serverOptions('tls://bus:4222').tls).toEqual({});
    expect(serverOptions('nats://bus:4222').tls).toBeUndefined();
  });
});

describe('--nats-listen', () => {
  const read = (...args: string[]) => readServeOptions(args, { port: 0 }).natsListen;

  it('takes a port, or an address and a port', () => {
    expect(read()).toBeUndefined();
    expect(read('--nats-listen', '4222')).toEqual({ host: '127.0.0.1', port: 4222 });
    expect(read('--nats-listen', '192.168.1.5:4222')).toEqual({ host: '192.168.1.5', port: 4222 });
    expect(read('--nats-listen', '[::1]:4222')).toEqual({ host: '[::1]', port: 4222 });
  });

  it.each(['', 'bus', ':4222', '0', '70000', 'a b:1', '127.0.0.1:', '::1:4222', '1"2:4222'])(
    'refuses %j with a sentence',
    (text) => expect(() => read('--nats-listen', text)).toThrow(/--nats-listen takes/),
  );

  it('is not for a bus that is given', () => {
    expect(() => read('--nats-listen', '4222', '--nats', 'nats://bus')).toThrow(/--nats gives another one/);
  });
});
