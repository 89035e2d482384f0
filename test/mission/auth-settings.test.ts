/**
 * The identity provider of the config document: every setting that would keep callers out later is reported at once.
 */

import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { SourceFile } from '../../mission/document/read.ts';
import { compiled, faultsOf, loaded, platform, topology } from './documents.ts';

const mission = (auth: object): SourceFile[] => [
  platform({ components: { obc: {} } }),
  topology(),
  { file: 'config.yaml', text: stringify({ config: 'c', auth }) },
];
const reported = (auth: object): string[] =>
  faultsOf(mission(auth)).map(({ path, message }) => `${path}: ${message}`);

const ISSUER = 'https://id.example/realms/mission';

describe('settings of an identity provider', () => {
  it('reach the mission as they are written, the time in ms', () => {
    const auth = {
      issuer: ISSUER,
      audience: 'mcs',
      jwks_file: 'keys.json',
      roles_prefix: '',
      required: true,
    };
    expect(loaded(mission({ ...auth, nats_ttl: '15 min' })).settings.auth).toEqual({
      ...auth,
      nats_ttl_ms: 900_000,
    });
  });

  it.each(['0 s', '0.5 s', '367 d', '1e300 d'])('refuse credentials of the bus for %s', (nats_ttl) => {
    expect(reported({ issuer: ISSUER, audience: 'mcs', nats_ttl })).toEqual([
      `auth.nats_ttl: ${nats_ttl} is not between 1 s and 366 d`,
    ]);
  });

  it('are complete with an issuer and an audience, or with clients that are one', () => {
    for (const auth of [
      {},
      { required: false },
      { issuer: ISSUER, audience: 'mcs' },
      { issuer: ISSUER, client_id: 'page' },
      { issuer: ISSUER, cli_client_id: 'cli', jwks_url: 'http://127.0.0.1:9/keys' },
    ])
      expect(compiled(mission(auth)).warnings).toEqual([]);
  });

  it('are refused when no audience would be checked', () => {
    expect(reported({ issuer: ISSUER })).toEqual([
      expect.stringContaining('auth.issuer: no audience is given'),
    ]);
  });

  it('are refused when nothing could be checked, all at once', () => {
    const faults = reported({
      required: true,
      audience: 'mcs',
      jwks_url: 'https://id.example/keys',
      roles_claim: 'groups',
    });
    expect(faults).toEqual([
      expect.stringContaining('auth.required: tokens are required and none can be checked'),
      expect.stringContaining('auth.audience: '),
      expect.stringContaining('auth.jwks_url: '),
      expect.stringContaining('auth.roles_claim: '),
    ]);
  });

  it('are refused with two places for keys, with no addresses and with empty words', () => {
    const both = {
      issuer: ISSUER,
      audience: 'mcs',
      jwks_url: 'https://id.example/keys',
      jwks_file: 'keys.json',
    };
    expect(reported(both)).toEqual([
      expect.stringContaining('auth.jwks_file: the keys come from jwks_url already'),
    ]);
    expect(reported({ issuer: 'id.example', audience: 'mcs', jwks_url: 'file:///keys' })).toEqual([
      expect.stringContaining('auth.issuer: "id.example" is no address'),
      expect.stringContaining('auth.jwks_url: "file:///keys" is no address'),
    ]);
    expect(reported({ issuer: 'https://ada:secret@id.example', audience: '' })).toEqual([
      expect.stringContaining('auth.audience: this is empty'),
      expect.stringContaining('auth.issuer: the address contains a name, a password'),
    ]);
  });

  it('are warned of keys that travel in the open', () => {
    const { warnings } = compiled(mission({ issuer: 'http://id.example', audience: 'mcs' }));
    expect(warnings.map(({ path }) => path)).toEqual(['auth.issuer']);
  });
});
