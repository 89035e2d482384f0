/** Telecommand requests resolved against a mission: what is accepted, and every refusal of section 7.3. */

import { describe, expect, it } from 'vitest';
import type { Fault } from '../../contract/errors.ts';
import {
  gatewayOf,
  type ResolvedTelecommand,
  resolveDecode,
  resolveTelecommand,
  type TelecommandRequest,
} from '../../mission/resolve.ts';
import { loaded, platform, topology } from './documents.ts';

const box = platform({
  enums: { Channel: { payload: 1, heater: 2 } },
  components: {
    obc: {
      measures: { mode: { type: 'u8' } },
      telecommands: {
        ping: { changes_state: false },
        set: {
          args: {
            period: { type: 'u16', unit: 's', range: ['10 s', '600 s'], default: '60 s' },
            channel: { type: 'Channel' },
            on: { type: 'bool', default: true },
            data: { type: 'bytes', range: [1, 4], default: '0x00' },
            count: { type: 'u64', default: 0 },
            ratio: { type: 'f32', default: 0.5 },
            text: { type: 'string', range: [0, 4], default: '' },
          },
        },
        reboot: { hazardous: true },
        odd: { args: { constructor: { type: 'u8' } } },
      },
    },
    battery: {
      instances: ['1', '2'],
      telecommands: { heat: { args: { on_below: { type: 'f64', unit: 'degC' } } } },
    },
    camera: { telecommands: { ping: {} } },
  },
  files: {
    telecommands: {
      list: { changes_state: false, encode: { fields: [{ type: 'u8', value: 1 }] } },
      read: { instance: 'file', encode: { fields: [{ type: 'u16', from: '$instance' }] } },
      erase: { instance: 'file' },
    },
  },
});

const links = {
  uhf: { default: true, driver: 'pus', gateway: 'direct' },
  sband: { driver: 'pus', tags: ['sband', 'north'], components: ['camera', 'files'] },
  mixed: {
    driver: 'pus',
    tags: ['uhf'],
    rate: '9.6 kbit/s',
    environments: { bench: { gateway: 'direct', rate: '1 Mbit/s' }, flight: { rate: '1.2 kbit/s' } },
  },
  named: {
    gateway: 'direct',
    rate: '5 bit/s',
    environments: { bench: { rate: '7 bit/s' }, flight: { tags: ['uhf'] } },
  },
  unbound: { environments: { bench: { gateway: 'direct' } } },
};

const mission = loaded([
  box,
  topology({
    environments: { bench: {}, flight: { kind: 'in_orbit' }, ground: {} },
    gateways: {
      direct: { simulated: true, tags: ['sband'] },
      both: { tags: ['uhf', 'sband', 'north'] },
      later: { tags: ['uhf'] },
    },
    targets: {
      sat: { platform: 'box@1.0.0', environments: ['flight', 'bench'], links },
      one: {
        platform: 'box@1.0.0',
        environments: ['bench'],
        links: { uhf: { default: true, environments: { bench: { gateway: 'direct' } } } },
      },
      lost: { platform: 'box@2.0.0', environments: ['bench'], links: { uhf: { default: true } } },
    },
  }),
]);

type Request = Partial<TelecommandRequest>;

function resolved(request: Request): ResolvedTelecommand {
  const result = resolveTelecommand(mission, { target: 'sat', telecommand: 'reboot', ...request });
  if (!result.ok) throw new Error(JSON.stringify(result.faults, undefined, 1));
  return result.value;
}

function faults(request: Request): readonly Fault[] {
  const result = resolveTelecommand(mission, { target: 'sat', telecommand: 'reboot', ...request });
  if (result.ok) throw new Error('it resolved');
  for (const { message, help, path } of result.faults) {
    expect(message).toBeTruthy();
    expect(help, message).toBeTruthy();
    expect(path, message).toMatch(/^\//);
  }
  return result.faults;
}

const codes = (request: Request): string[] => faults(request).map(({ code }) => code);
const set = (args: Record<string, unknown>): Request => ({
  telecommand: 'obc.set',
  args: { channel: 'heater', ...args },
});
const argument = (args: Record<string, unknown>): unknown => {
  const [name = ''] = Object.keys(args);
  return resolved(set(args)).args[name];
};

describe('the telecommand', () => {
  it('MC-TC-003 is found by its name alone when only one component has it', () => {
    const { telecommand, component, written } = resolved({ telecommand: 'reboot' });
    expect([telecommand.path, component.name, written]).toEqual(['obc.reboot', 'obc', 'obc.reboot']);
  });

  it('MC-TC-004 is found by component.name', () => {
    expect(resolved({ telecommand: 'camera.ping' }).telecommand.path).toBe('camera.ping');
    expect(resolved({ telecommand: 'obc.ping' }).telecommand.path).toBe('obc.ping');
  });

  it('MC-TC-006 MC-ERR-036 a name that several components bear is refused, and the help writes them out', () => {
    const [fault, ...more] = faults({ telecommand: 'ping' });
    expect(more).toEqual([]);
    expect(fault).toMatchObject({ code: 'tc::ambiguous-telecommand', help: 'write obc.ping or camera.ping' });
  });

  it.each([
    'rebot',
    'obc.rebot',
    'ocb.reboot',
    'obc.reboot.now',
    'obc[1',
    '',
    '.',
    'obc.',
    'constructor',
    '__proto__',
  ])('MC-ERR-035 %j is no telecommand of the platform', (telecommand) => {
    expect(codes({ telecommand })).toEqual(['tc::unknown-telecommand']);
  });

  it('the help of an unknown one names the one that was meant', () => {
    expect(faults({ telecommand: 'rebot' })[0]?.help).toBe('did you mean "reboot"?');
    expect(faults({ telecommand: 'batery.heat' })[0]?.help).toBe('did you mean "battery"?');
  });

  it('MC-TC-058 a hazardous one is not refused on the direct route', () => {
    expect(resolved({ telecommand: 'obc.reboot' }).telecommand.hazardous).toBe(true);
  });
});

describe('the instance', () => {
  const heat = (request: Request): Request => ({
    telecommand: 'battery.heat',
    args: { on_below: 5 },
    ...request,
  });

  it('MC-TC-007 is taken from the field', () => {
    expect(resolved(heat({ instance: '2' }))).toMatchObject({ instance: '2', written: 'battery[2].heat' });
  });

  it('MC-TC-005 is taken from the path form', () => {
    expect(resolved(heat({ telecommand: 'battery[1].heat' }))).toMatchObject({
      instance: '1',
      written: 'battery[1].heat',
    });
  });

  it('MC-TC-061 given twice it must be the same; else both are named', () => {
    expect(resolved(heat({ telecommand: 'battery[1].heat', instance: '1' })).instance).toBe('1');
    const [fault] = faults(heat({ telecommand: 'battery[1].heat', instance: '2' }));
    expect(fault).toMatchObject({ code: 'tc::invalid-argument' });
    expect(fault?.message).toMatch(/"1".*"2"/);
  });

  it('MC-TC-009 MC-ERR-037 MC-ERR-038 MC-ERR-039 is refused where it is missing, too much or unknown', () => {
    expect(codes(heat({}))).toEqual(['tc::missing-instance']);
    expect(codes(heat({ instance: '3' }))).toEqual(['tc::unknown-instance']);
    expect(codes({ telecommand: 'obc.reboot', instance: '1' })).toEqual(['tc::unexpected-instance']);
    expect(codes({ telecommand: 'obc[1].reboot' })).toEqual(['tc::unexpected-instance']);
  });

  it('MC-TC-008 is the file identifier in a files component', () => {
    expect(resolved({ telecommand: 'files.read', instance: '65535' }).written).toBe('files[65535].read');
    expect(resolved({ telecommand: 'files[12].read' }).instance).toBe('12');
    expect(resolved({ telecommand: 'files.erase', instance: 'image-7' }).instance).toBe('image-7');
    expect(resolved({ telecommand: 'files.list' }).instance).toBeUndefined();
  });

  it('a file identifier that cannot be written, and one where none is taken, are refused', () => {
    for (const instance of ['65536', '-1', '007', 'abc', '1e3', '']) {
      expect(codes({ telecommand: 'files.read', instance }), instance).toEqual(['tc::unknown-instance']);
    }
    expect(codes({ telecommand: 'files.erase', instance: 'a.b' })).toEqual(['tc::unknown-instance']);
    expect(codes({ telecommand: 'files.read' })).toEqual(['tc::missing-instance']);
    expect(codes({ telecommand: 'files.list', instance: '1' })).toEqual(['tc::unexpected-instance']);
  });
});

describe('arguments', () => {
  it('MC-TC-010 a quantity is converted to the unit of the argument', () => {
    expect(argument({ period: '2 min' })).toBe(120);
    expect(argument({ period: '12000 ms' })).toBe(12);
  });

  it('MC-TC-011 a plain number is in the unit of the argument', () => {
    expect(argument({ period: 120 })).toBe(120);
  });

  it('MC-TC-012 enum values, booleans and hexadecimal bytes are read by the type of the argument', () => {
    expect(argument({ channel: 'payload' })).toBe('payload');
    expect(argument({ on: false })).toBe(false);
    expect(argument({ data: 'BEEF' })).toBe('beef');
    expect(argument({ text: 'äö' })).toBe('äö');
  });

  it('MC-TC-060 bytes are taken with 0x and without', () => {
    expect(argument({ data: '0xBEEF' })).toBe('beef');
    expect(argument({ data: '0Xbeef' })).toBe('beef');
    expect(argument({ data: 'beef' })).toBe('beef');
  });

  it('integers past 2^53 stay exact', () => {
    expect(argument({ count: '18446744073709551615' })).toBe('18446744073709551615');
    expect(argument({ count: '42' })).toBe(42);
    expect(argument({ count: 9007199254740991 })).toBe(9007199254740991);
    expect(codes(set({ count: 9007199254740992 }))).toEqual(['tc::invalid-argument']);
    expect(codes(set({ count: '18446744073709551616' }))).toEqual(['tc::out-of-range']);
    expect(codes(set({ count: '-1' }))).toEqual(['tc::out-of-range']);
  });

  it('MC-TC-014 MC-ERR-041 an absent one has its default, and without default is refused', () => {
    expect(resolved(set({})).args).toEqual({
      period: 60,
      channel: 'heater',
      on: true,
      data: '00',
      count: 0,
      ratio: 0.5,
      text: '',
    });
    const [fault] = faults({ telecommand: 'obc.set' });
    expect(fault).toMatchObject({ code: 'tc::missing-argument', path: '/args/channel' });
    expect(fault?.help).toContain('payload, heater');
  });

  it('an argument named like a method of objects is missing when it is not given', () => {
    expect(codes({ telecommand: 'obc.odd', args: {} })).toEqual(['tc::missing-argument']);
    expect(resolved({ telecommand: 'obc.odd', args: { constructor: 1 } }).args).toEqual({ constructor: 1 });
  });

  it.each([
    [{ period: 9 }],
    [{ period: '601 s' }],
    [{ period: '11 min' }],
    [{ data: '0x' }],
    [{ data: '0x0011223344' }],
    [{ text: 'äöü' }],
    [{ ratio: 1e39 }],
    [{ count: -1 }],
  ])('MC-TC-013 MC-ERR-043 %j is outside the range', (args) => {
    expect(codes(set(args))).toEqual(['tc::out-of-range']);
  });

  it('MC-TC-013 the ends of a range are inside it', () => {
    expect(argument({ period: 10 })).toBe(10);
    expect(argument({ period: '600 s' })).toBe(600);
  });

  it.each([
    [{ period: '10 V' }],
    [{ period: '10 sec' }],
    [{ period: '60' }],
    [{ period: true }],
    [{ period: 10.5 }],
    [{ period: '10.5 s' }],
    [{ period: Number.NaN }],
    [{ period: null }],
    [{ channel: 'PAYLOAD' }],
    [{ channel: 1 }],
    [{ on: 'true' }],
    [{ on: 1 }],
    [{ data: 'xyz' }],
    [{ data: 'abc' }],
    [{ data: 255 }],
    [{ count: '1.0' }],
    [{ count: '5 s' }],
    [{ ratio: '1' }],
    [{ text: 5 }],
  ])('MC-TC-015 MC-ERR-042 %j is of the wrong type, unit or enum value', (args) => {
    expect(codes(set(args))).toEqual(['tc::invalid-argument']);
  });

  it('MC-TC-015 MC-ERR-040 one the telecommand does not have is refused, whatever its name', () => {
    const [fault] = faults(set({ perod: 5 }));
    expect(fault).toMatchObject({
      code: 'tc::unexpected-argument',
      path: '/args/perod',
      help: 'did you mean "period"?',
    });
    const args = JSON.parse('{"channel":"heater","__proto__":1,"constructor":2}');
    expect(codes({ telecommand: 'obc.set', args })).toEqual([
      'tc::unexpected-argument',
      'tc::unexpected-argument',
    ]);
    expect(codes({ telecommand: 'obc.reboot', args: { toString: 1 } })).toEqual(['tc::unexpected-argument']);
  });
});

describe('link and environment', () => {
  it('MC-TC-016 MC-ERR-031 the default link is used, else the one named; an unknown one is refused', () => {
    expect(resolved({}).link.name).toBe('uhf');
    expect(resolved({ link: 'sband', telecommand: 'camera.ping' }).link.name).toBe('sband');
    expect(faults({ link: 'sbnd' })[0]).toMatchObject({
      code: 'tc::unknown-link',
      help: 'did you mean "sband"?',
    });
    expect(codes({ link: 'constructor' })).toEqual(['tc::unknown-link']);
  });

  it('MC-TC-017 MC-ERR-033 the environment is required where the link differs by it and the target has several', () => {
    expect(codes({ link: 'mixed' })).toEqual(['tc::environment-required']);
    expect(resolved({ link: 'mixed', environment: 'bench' }).environment).toBe('bench');
    expect(resolved({}).environment).toBeUndefined();
    expect(resolved({ target: 'one' }).environment).toBe('bench');
  });

  it('MC-TC-018 MC-ERR-032 the parameters are those of the environment; one the target is not engaged in is refused', () => {
    const { link } = resolved({ link: 'mixed', environment: 'bench' });
    expect(link.parameters('bench')).toEqual({ gateway: 'direct', tags: [], rate: 1_000_000 });
    expect(link.parameters('flight')).toEqual({ gateway: undefined, tags: ['uhf'], rate: 1_200 });
    expect(link.parameters(undefined)).toEqual({ gateway: undefined, tags: ['uhf'], rate: 9_600 });
    const named = mission.targets.get('sat')!.links.get('named')!;
    expect(named.parameters('bench')).toEqual({ gateway: 'direct', tags: [], rate: 7 });
    expect(named.parameters('flight')).toEqual({ gateway: undefined, tags: ['uhf'], rate: 5 });
    expect(codes({ link: 'mixed', environment: 'ground' })).toEqual(['tc::unknown-environment']);
    expect(codes({ environment: 'nowhere' })).toEqual(['tc::unknown-environment']);
    expect(resolved({ environment: 'flight' }).environment).toBe('flight');
  });

  it('MC-TC-019 MC-ERR-034 a component the link does not carry is refused; the default link carries all', () => {
    expect(codes({ link: 'sband', telecommand: 'obc.reboot' })).toEqual(['tc::link-component']);
    expect(resolved({ link: 'sband', telecommand: 'files.list' }).link.name).toBe('sband');
    for (const telecommand of ['obc.reboot', 'camera.ping', 'files.list']) resolved({ telecommand });
  });

  it('a link without driver resolves: only the driver is missing', () => {
    expect(resolved({ link: 'unbound', environment: 'bench' }).link.driver).toBeUndefined();
  });

  it('the gateway is the one named, else the first that carries every tag', () => {
    const { links: found } = mission.targets.get('sat')!;
    const gateway = (link: string, environment?: string): string | undefined =>
      gatewayOf(mission, found.get(link)!, environment)?.name;
    expect(gateway('uhf')).toBe('direct');
    expect(gateway('sband')).toBe('both');
    expect(gateway('mixed', 'bench')).toBe('direct');
    expect(gateway('mixed', 'flight')).toBe('both');
    expect(gateway('unbound')).toBeUndefined();
  });
});

describe('faults together', () => {
  it('MC-TC-033 all are said at once, in the order of the request', () => {
    const args = { nonsense: 1, period: '1 s', channel: 'x', on: 'x' };
    expect(codes({ telecommand: 'obc[3].set', link: 'none', environment: 'ground', args })).toEqual([
      'tc::unknown-link',
      'tc::unknown-environment',
      'tc::unexpected-instance',
      'tc::out-of-range',
      'tc::invalid-argument',
      'tc::invalid-argument',
      'tc::unexpected-argument',
    ]);
    expect(codes({ link: 'none', telecommand: 'nothing' })).toEqual([
      'tc::unknown-link',
      'tc::unknown-telecommand',
    ]);
  });

  it('MC-ERR-029 an unknown target comes alone', () => {
    expect(codes({ target: 'stat', link: 'none' })).toEqual(['tc::unknown-target']);
    expect(faults({ target: 'stat' })[0]?.help).toBe('did you mean "sat"?');
  });

  it('MC-ERR-030 a target whose platform is not in the configuration has no catalogue', () => {
    expect(codes({ target: 'lost' })).toEqual(['tc::missing-catalogue']);
    expect(codes({ target: 'lost', link: 'none' })).toEqual(['tc::unknown-link', 'tc::missing-catalogue']);
    expect(faults({ target: 'lost' })[0]?.message).toContain('box@2.0.0');
  });
});

describe('decode requests', () => {
  const decodeCodes = (request: Request): string[] => {
    const result = resolveDecode(mission, { target: 'sat', ...request });
    return result.ok ? [] : result.faults.map(({ code }) => code);
  };

  it('are refused with the codes of their route, all at once', () => {
    expect(decodeCodes({ target: 'stat', link: 'x' })).toEqual(['api::unknown-target']);
    expect(decodeCodes({ link: 'x', environment: 'y' })).toEqual([
      'api::unknown-link',
      'api::unknown-environment',
    ]);
  });

  it('need neither environment nor catalogue', () => {
    expect(resolveDecode(mission, { target: 'sat', link: 'mixed' })).toMatchObject({ ok: true });
    expect(resolveDecode(mission, { target: 'lost' })).toMatchObject({
      ok: true,
      value: { link: { name: 'uhf' } },
    });
    expect(resolveDecode(mission, { target: 'one' })).toMatchObject({
      ok: true,
      value: { environment: 'bench' },
    });
  });
});
