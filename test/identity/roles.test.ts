/** roles.R1: which words of a token are roles. */

import { describe, expect, it } from 'vitest';
import { rolesOf } from '../../identity/roles.ts';

describe('the roles of a token', () => {
  it('MC-AUTH-012 are a list, a string of scopes, or both', () => {
    expect(rolesOf({ roles: ['operator', 'supervisor'] }, undefined, '')).toEqual(['operator', 'supervisor']);
    expect(rolesOf({ scope: 'operator  supervisor' }, undefined, '')).toEqual(['operator', 'supervisor']);
    expect(rolesOf({ roles: 'operator supervisor' }, undefined, '')).toEqual(['operator', 'supervisor']);
    expect(rolesOf({ roles: ['operator'], scope: 'operator fds' }, undefined, '')).toEqual([
      'operator',
      'fds',
    ]);
    expect(rolesOf({}, undefined, '')).toEqual([]);
  });

  it('MC-AUTH-013 MC-AUTH-015 carry the prefix, which is removed', () => {
    const payload = {
      roles: ['mcs:supervisor', 'supervisor', 'other:fds', 'mcs:', 'xmcs:a'],
      scope: 'openid mcs:fds',
    };
    expect(rolesOf(payload, undefined, 'mcs:')).toEqual(['supervisor', 'fds']);
  });

  it('MC-AUTH-012 are found where the settings say: a name with dots, or a path', () => {
    const payload = {
      roles: ['ignored'],
      realm_access: { roles: ['supervisor'] },
      'urn:example.org:roles': { operator: { org: 'x' }, fds: {} },
    };
    expect(rolesOf(payload, 'realm_access.roles', '')).toEqual(['supervisor']);
    expect(rolesOf(payload, 'urn:example.org:roles', '')).toEqual(['operator', 'fds']);
    for (const nowhere of ['realm_access.other', 'roles.0.x', '__proto__', 'constructor.name', 'missing'])
      expect(rolesOf(payload, nowhere, '')).toEqual([]);
  });

  it('roles.R1 are words', () => {
    const roles = ['a,supervisor', 'a b', 'a\nb', '', 'ok', 7, null, ['x']];
    expect(rolesOf({ roles }, undefined, '')).toEqual(['ok']);
    expect(rolesOf({ roles: 7 }, undefined, '')).toEqual([]);
  });
});
