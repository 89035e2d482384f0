import { describe, expect, it } from 'vitest';
import { readServeOptions } from '../../cli/serve-options.ts';
import { ROLES } from '../../supervision/role.ts';

const read = (...args: string[]) => readServeOptions(args, { port: 0 });

describe('the options of mcs serve', () => {
  it('have a bench where its port or its role is named, and none else', () => {
    expect(read()).toMatchObject({ roles: ROLES, benchPort: undefined });
    expect(read('--bench-port', '8401')).toMatchObject({ roles: [...ROLES, 'bench'], benchPort: 8401 });
    expect(read('--roles', 'bench')).toMatchObject({ roles: ['bench'], benchPort: 0 });
    expect(readServeOptions([], { port: 0, benchPort: 8401 })).toMatchObject({ benchPort: 8401 });
    expect(readServeOptions(['--roles', 'api'], { port: 0, benchPort: 8401 })).toMatchObject({
      ...{ roles: ['api'], benchPort: undefined },
    });
  });

  it.each([
    [['--roles', 'api', '--bench-port', '1'], /--bench-port goes with the role bench/],
    [['--bench-port', 'x'], /--bench-port takes a port/],
    [['--roles', 'bank'], /no role bank; there are api, .*bench/],
    [['--frobnicate'], /frobnicate/],
  ])('%j are refused with a sentence', (args, reason) => {
    expect(() => read(...args)).toThrow(reason);
  });
});
