/** What goes over the link of sat1, telecommand by telecommand, as its interface document says (missions/demo). */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlockBuilder } from '../../../contract/batch.ts';
import { resolveTelecommand, type TelecommandRequest } from '../../../mission/resolve.ts';
import { demoDocuments, loaded, loadedPlatform } from '../documents.ts';

const demo = loaded(demoDocuments());

/** Service, subtype and application data of a request to sat1. */
function encoded(request: Omit<TelecommandRequest, 'target'>): string {
  const resolved = resolveTelecommand(demo, { target: 'sat1', ...request });
  if (!resolved.ok) throw new Error(JSON.stringify(resolved.faults));
  const { telecommand, args, instance } = resolved.value;
  const { header, data } = telecommand.encoding!;
  return `${header['service']},${header['subtype']} ${data(args, instance).toString('hex')}`.trim();
}

describe('the telecommands of the interface document', () => {
  it.each([
    [{ telecommand: 'obc.ping' }, '17,1'],
    [{ telecommand: 'obc.set_mode', args: { mode: 'NOMINAL' } }, '8,1 0102'],
    [{ telecommand: 'obc.set_watchdog', args: { period: '10 min' } }, '8,1 020258'],
    [{ telecommand: 'obc.set_watchdog' }, '8,1 02003c'],
    [{ telecommand: 'obc.reboot' }, '8,1 03'],
    [{ telecommand: 'battery[2].set_heater', args: { on_below: '-2.5 degC' } }, '8,1 0402c0200000'],
    [{ telecommand: 'power.switch', args: { channel: 'heater', on: false } }, '8,1 050200'],
    [{ telecommand: 'power.switch', args: { channel: 'payload' } }, '8,1 050101'],
    [{ telecommand: 'camera.shoot' }, '8,1 06412000000100'],
    [{ telecommand: 'camera.shoot', args: { exposure: 500, tag: '0xCAFE01' } }, '8,1 0643fa000003cafe01'],
    [{ telecommand: 'camera.ping' }, '8,1 07'],
    [{ telecommand: 'files.list' }, '8,1 09'],
    [
      { telecommand: 'files.read', instance: '258', args: { offset: 65536, length: 100 } },
      '8,1 0a0102000100000064',
    ],
    [{ telecommand: 'files.delete', instance: '7' }, '8,1 0c0007'],
    [{ telecommand: 'files.regenerate', instance: '258' }, '8,1 0d0102'],
    [
      { telecommand: 'files.write', instance: '7', args: { offset: 1, data: 'beef' } },
      '8,1 0b0007000000010002beef0000',
    ],
    [
      { telecommand: 'files.write', instance: '7', args: { offset: 1, data: 'beef', generation: 3 } },
      '8,1 0b0007000000010002beef0003',
    ],
  ])('%j is %s', (request, expected) => {
    expect(encoded(request)).toBe(expected);
  });

  it('are all of them', () => {
    const { platform } = demo.targets.get('sat1')!;
    const all = [...platform!.components.values()].flatMap(({ telecommands }) => [...telecommands.keys()]);
    expect(all).toHaveLength(13);
  });
});

describe('the housekeeping of the interface document', () => {
  /** A PUS-C telemetry packet around the source data, its CRC left at zero. */
  const packet = (source: string): Buffer => {
    const header = '0873c0000000';
    const secondary = '20031900010000' + '40' + '0001' + '000003e8';
    return Buffer.from(`${header}${secondary}${source}0000`.replaceAll(' ', ''), 'hex');
  };
  const platform = demo.platforms.get('cubesat-6u@1.0.0')!;
  const read = (source: string): { layout: unknown; values: object; onboardMs: number } => {
    const into = new BlockBuilder();
    const layout = platform.packets.read(packet(source), 0, into);
    const [block] = into.take();
    const values = [...block!.ordinals].map((ordinal, column) => {
      const { key, definition } = platform.measures[ordinal]!;
      const raw = block!.raw[column]!;
      return [key, definition.calibrate?.(raw) ?? raw];
    });
    return { layout, values: Object.fromEntries(values), onboardMs: block!.onboard[0]! };
  };

  it('is read from structure 1', () => {
    expect(read('0001 02 0102 003c 00010000 ff38')).toEqual({
      layout: { layout: 'computer' },
      values: {
        'obc.mode': 2,
        'obc.counter': 258,
        'obc.watchdog': 60,
        'obc.uptime': 65_536,
        'obc.temperature': -2,
      },
      onboardMs: Date.UTC(1958, 0, 2) + 1000,
    });
  });

  it('is read from structure 2, both batteries', () => {
    const { values } = read('0002 1f40 fe0c 07d0 40a00000 01 1c20 01f4 0064 c0000000 00');
    expect(values).toEqual({
      'battery[1].voltage': 8,
      'battery[1].current': -0.5,
      'battery[1].temperature': 20,
      'battery[1].heater_on': 5,
      'battery[1].heating': 1,
      'battery[2].voltage': 7.2,
      'battery[2].current': 0.5,
      'battery[2].temperature': 1,
      'battery[2].heater_on': -2,
      'battery[2].heating': 0,
    });
  });

  it('is read from structure 3', () => {
    expect(read('0003 04b0 01 00 0007 41200000').values).toEqual({
      'power.panel_current': 1.2,
      'power.payload': 1,
      'power.heater': 0,
      'camera.images': 7,
      'camera.exposure': 10,
    });
  });
});

describe('fields of other kinds', () => {
  const args = {
    small: { type: 'i8', range: [-4, 3] },
    large: { type: 'u64' },
    angle: { type: 'f64', range: [-3, 3] },
    text: { type: 'string' },
    flag: { type: 'bool' },
  };
  const platform = loadedPlatform({
    components: {
      a: {
        instances: ['north', 'x'],
        telecommands: {
          go: {
            args,
            encode: {
              fields: [
                { type: 'i8', bits: 3, from: '$small' },
                { type: 'bool', from: '$flag' },
                { type: 'u8', bits: 4, value: 9 },
                { type: 'u64', endian: 'little', from: '$large' },
                { type: 'i16', scale: 0.001, from: '$angle' },
                { type: 'f64', endian: 'little', from: '$angle' },
                { type: 'string', size: 5, from: '$text' },
                { type: 'string', length: 'u16', from: '$instance' },
                { type: 'bytes', size: 2, value: '0xab' },
              ],
            },
          },
        },
      },
    },
  });
  const { data } = platform.components.get('a')!.telecommands.get('go')!.encoding!;

  it('writes bits, little endian, scaled numbers, padded and prefixed text', () => {
    const values = { small: -3, large: '18446744073709551615', angle: 1.2345, text: 'hi', flag: true };
    const float = Buffer.alloc(8);
    float.writeDoubleLE(1.2345);
    const expected = [
      'b9',
      'ffffffffffffffff',
      '04d3',
      float.toString('hex'),
      '6869000000',
      '00056e6f727468',
      'ab00',
    ];
    expect(data(values, 'north').toString('hex')).toBe(expected.join(''));
  });

  it('writes every integer that its arguments allow', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -4, max: 3 }),
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        fc.boolean(),
        (small, large, flag) => {
          const bytes = data({ small, large: String(large), angle: 0, text: '', flag }, 'x');
          expect(bytes.readBigUInt64LE(1)).toBe(large);
          expect(BigInt.asIntN(3, BigInt(bytes[0]! >> 5))).toBe(BigInt(small));
          expect((bytes[0]! >> 4) & 1).toBe(flag ? 1 : 0);
        },
      ),
    );
  });

  it('encoding.E1 a value that was not resolved is a defect', () => {
    const values = { small: 9, large: 0, angle: 0, text: '', flag: false };
    expect(() => data(values, 'x')).toThrow('E1');
    expect(() => data({ ...values, small: 0, text: 'too long' }, 'x')).toThrow('E1');
    expect(() => data({ small: 0 }, 'x')).toThrow('E1');
  });
});
