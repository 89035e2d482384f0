import { afterEach, describe, expect, it, vi } from 'vitest';
import { logLevel, readServeOptions } from '../../cli/serve-options.ts';
import { ROLES } from '../../supervision/role.ts';

const read = (...args: string[]) => readServeOptions(args, { port: 0 });

describe('the options of mcs serve', () => {
  it('have a bench where its port or its role is named, and none else', () => {
    expect(read()).toMatchObject({ roles: ROLES, benchPort: undefined });
    expect(read('--bench-port', '8401')).toMatchObject({ roles: [...ROLES, 'bench'], benchPort: 8401 });
    expect(read('--roles', 'bench')).toMatchObject({ roles: ['bench'], benchPort: 0 });
    expect(readServeOptions([], { port: 0, benchPort: 8401 })).toMatchObject({ benchPort: 8401 });
    expect(readServeOptions(['--roles', 'api'], { port: 0, benchPort: 8401 })).toMatchObject({
      roles: ['api'],
      benchPort: undefined,
    });
  });

  it.each([
    [['--roles', 'api', '--bench-port', '1'], /--bench-port needs the role bench/],
    [['--bench-port', 'x'], /--bench-port takes a port/],
    [['--roles', 'bank'], /unknown role bank; roles are api, .*bench/],
    [['--frobnicate'], /frobnicate/],
  ])('%j are refused with a sentence', (args, reason) => {
    expect(() => read(...args)).toThrow(reason);
  });
});

describe('the environment of mcs serve', () => {
  afterEach(() => void vi.unstubAllEnvs());

  it.each([
    ['MCS_NATS', 'nats://bus:4222', { nats: 'nats://bus:4222' }],
    ['MCS_NATS_CREDENTIALS', 'a.creds', { credentials: 'a.creds' }],
    ['MCS_NATS_SIGNER', 'a.seed', { signer: 'a.seed' }],
    ['MCS_NATS_CA', 'ca.pem', { natsCa: 'ca.pem' }],
    ['MCS_NATS_LISTEN', '4222', { natsListen: { host: '127.0.0.1', port: 4222 } }],
    ['MCS_ALLOW_HOST', 'mcs.example, ops:8400', { allowHosts: ['mcs.example', 'ops:8400'] }],
    ['MCS_INSTANCE', 'pod-7', { instance: 'pod-7' }],
    ['MCS_MEMBER_TTL_MS', '15000', { memberTtlMs: 15_000 }],
  ])('has %s', (name, value, options) => {
    vi.stubEnv(name, value);
    expect(read()).toMatchObject(options);
  });

  it.each([
    ['MCS_INSTANCE', 'a.b c', /MCS_INSTANCE takes a name of letters/],
    ['MCS_INSTANCE', '', /MCS_INSTANCE takes a name/],
    ['MCS_MEMBER_TTL_MS', '3 s', /MCS_MEMBER_TTL_MS takes whole milliseconds from 500/],
    ['MCS_MEMBER_TTL_MS', '10', /from 500 to 3600000, not "10"/],
  ])('refuses %s=%j with a sentence', (name, value, reason) => {
    vi.stubEnv(name, value);
    expect(() => read()).toThrow(reason);
  });

  it('has MCS_LOG_LEVEL, and names the levels where it is none of them', () => {
    expect(logLevel('warn')).toBe('warn');
    vi.stubEnv('MCS_LOG_LEVEL', 'error');
    expect(logLevel()).toBe('error');
    vi.stubEnv('MCS_LOG_LEVEL', 'bogus');
    expect(() => logLevel()).toThrow(/MCS_LOG_LEVEL is one of trace, .*, not "bogus"/);
  });
});
