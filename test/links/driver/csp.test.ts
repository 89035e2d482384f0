/** The driver of CSP: packets both ways, with and without KISS, and everything that is refused. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCspDriver } from '../../../links/driver/csp.ts';
import type { Mission, Target } from '../../../mission/mission.ts';
import { appendCrc, type CspHeader, cspFlag, readCsp, writeCsp } from '../../../protocol/csp.ts';
import { KissReader, writeKiss } from '../../../protocol/kiss.ts';
import { withoutEncoding } from '../../support/missions.ts';
import { benchMission, readAll, sourceOf } from '../bench-lab.ts';

const made = createCspDriver({ description: 'of the board' });
if (!made.ok) throw new Error('no driver');
const driver = made.value;

const CRC = 'port: 7, crc: true';
const mission = benchMission();
const without = benchMission((text) => text.replace(CRC, 'port: 7'));
const kiss = benchMission((text) => text.replace(CRC, 'port: 7, kiss: true'));
const kissAndCrc = benchMission((text) => text.replace(CRC, `${CRC}, kiss: true`));

const DATA = Buffer.from('6b6c000107d0020003', 'hex');
const FROM_BOARD: CspHeader = {
  priority: 2,
  source: 2,
  destination: 10,
  destinationPort: 30,
  sourcePort: 7,
  flags: cspFlag.crc,
};
const ROW = {
  voltage: 27_500,
  current: 1,
  limit: 2_000,
  radio: 0,
  camera: 1,
  wheels: 0,
  heater: 0,
  accepted: 3,
};
const housekeeping = (header: Partial<CspHeader> = {}, data = DATA): Buffer =>
  writeCsp(1, { ...FROM_BOARD, ...header }, data);

const limit = {
  target: 'board',
  link: 'umbilical',
  component: 'bus',
  telecommand: 'set_limit',
  args: { current: 2 },
};
async function encoded(of: Mission, call: object = {}): Promise<Buffer> {
  const answer = await driver.encode!({ ...limit, ...call }, of);
  if (!answer.ok) throw new Error(answer.faults[0].message);
  return Buffer.from(answer.value.frame, 'hex');
}
async function refusal(of: Mission, call: object = {}): Promise<string> {
  const answer = await driver.encode!({ ...limit, ...call }, of);
  return answer.ok ? 'accepted' : answer.faults[0].message;
}
const read = (of: Mission, ...frames: Buffer[]) => readAll(driver, sourceOf(of, 'board'), frames);
const decode = (of: Mission, frame: Buffer) =>
  driver.decode!({ target: 'board', link: 'umbilical', frame: frame.toString('hex') }, of);

describe('telecommands', () => {
  it('are packets from the ground to the node and the port of their component', async () => {
    const packet = readCsp(1, await encoded(mission));
    expect(packet).toMatchObject({
      ok: true,
      value: {
        priority: 2,
        source: 10,
        destination: 2,
        destinationPort: 7,
        sourcePort: 48,
        flags: cspFlag.crc,
      },
    });
    expect(packet.ok && packet.value.data.toString('hex')).toBe('0207d0');
  });

  it('csp-transport.P1 go to the port of their encode first, then of their component, then of the transport', async () => {
    const more = 'port: 7, nodes: { bus: 5 }, ports: { bus: 8 }, source_port: 33, priority: critical';
    const by = benchMission((text) => text.replace(CRC, more));
    const own = benchMission((text) =>
      text
        .replace(CRC, more)
        .replace(
          'encode:\n          fields:\n            - { type: u8, value: 2 }',
          'encode:\n          port: 9\n          fields:\n            - { type: u8, value: 2 }',
        ),
    );
    const header = async (of: Mission, call?: object) => {
      const packet = readCsp(1, await encoded(of, call));
      return packet.ok ? packet.value : undefined;
    };
    expect(await header(by)).toMatchObject({
      destination: 5,
      destinationPort: 8,
      sourcePort: 33,
      priority: 0,
    });
    expect(await header(own)).toMatchObject({ destination: 5, destinationPort: 9 });
    const other = { component: 'channels', telecommand: 'switch', args: { channel: 'RADIO', on: true } };
    expect(await header(by, other)).toMatchObject({ destination: 2, destinationPort: 7, flags: 0 });
  });

  it('of version 2 have its addresses', async () => {
    const two = benchMission((text) => text.replace('version: 1, source: 10', 'version: 2, source: 10000'));
    expect(readCsp(2, await encoded(two))).toMatchObject({
      ok: true,
      value: { source: 10_000, destination: 2 },
    });
  });

  it('on a KISS link are KISS frames with the CRC of KISS, and with their own where the link asks for it', async () => {
    const bare = await encoded(without);
    expect(new KissReader().push(await encoded(kiss))).toEqual([appendCrc(1, bare)]);
    expect(new KissReader().push(await encoded(kissAndCrc))).toEqual([appendCrc(1, await encoded(mission))]);
  });

  it('are refused with the reason', async () => {
    expect(await refusal(mission, { telecommand: 'nothing' })).toMatch(/no such telecommand/);
    expect(await refusal(mission, { args: {} })).toMatch(/no value for current/);
    expect(await refusal(mission, { args: { current: 1e9 } })).toMatch(/set_limit/);
    expect(await refusal(mission, { target: 'chamber', link: 'console' })).toMatch(
      /no transport of kind csp/,
    );
    expect(await refusal(mission, { target: 'nobody' })).toMatch(/no target/);
    const bare = withoutEncoding(benchMission(), 'bus.set_limit');
    expect(await refusal(bare)).toMatch(/does not define its encoding/);
    const crossed = benchMission();
    const [board, { platform }] = ['board', 'chamber'].map((name) => crossed.targets.get(name)!) as [
      Target,
      Target,
    ];
    (crossed.targets as Map<string, Target>).set('board', { ...board, platform });
    const heater = { component: 'chamber', telecommand: 'heater', args: { on: true } };
    expect(await refusal(crossed, heater)).toMatch(/encoded as a line of text/);
  });
});

describe('received packets', () => {
  it('become samples by the layout of their port and sender', () => {
    expect(read(mission, housekeeping())).toEqual({ rows: [ROW], reports: [], faults: [] });
    expect(decode(mission, housekeeping())).toMatchObject({ ok: true });
  });

  it('driver/csp.B1 of other nodes and for other addresses are skipped in silence', () => {
    const foreign = [housekeeping({ source: 3 }), housekeeping({ destination: 11 })];
    const anySender = benchMission((text) =>
      text.replace('csp: { port: 30, source: 2 }', 'csp: { port: 30 }'),
    );
    expect(read(anySender, housekeeping()).rows).toEqual([ROW]);
    expect(read(anySender, ...foreign)).toEqual({ rows: [], reports: [], faults: [] });
  });

  it('of a port are distinguished by sender and port of the sender', () => {
    const chosen = (csp: string) =>
      read(
        benchMission((text) =>
          text
            .replace('csp: { port: 30, source: 2 }', `csp: ${csp}`)
            .replace(CRC, `${CRC}, nodes: { channels: 3 }`),
        ),
        housekeeping(),
        housekeeping({ source: 3 }),
        housekeeping({ sourcePort: 9 }),
        housekeeping({ destinationPort: 31, sourcePort: 9 }),
      ).rows.length;
    expect(chosen('{ port: 30 }')).toBe(3);
    expect(chosen('{ port: 30, source: 2 }')).toBe(2);
    expect(chosen('{ port: 30, source: 3 }')).toBe(1);
    expect(chosen('{ source_port: 9 }')).toBe(2);
  });

  it('of a port that no layout names leave nothing, and decode says so', () => {
    expect(read(mission, housekeeping({ destinationPort: 31 }))).toEqual({
      rows: [],
      reports: [],
      faults: [],
    });
    expect(decode(mission, housekeeping({ destinationPort: 31 }))).toMatchObject({
      faults: [{ code: 'driver::decode-failed', message: expect.stringContaining('port 31 from 2:7') }],
    });
  });

  it('driver/csp.B2 without CRC are refused where the link asks for one, and taken where it does not', () => {
    const bare = housekeeping({ flags: 0 });
    expect(read(mission, bare).faults).toEqual(['the packet has no CRC, but the link requires one']);
    expect(read(without, bare).rows).toEqual([ROW]);
    expect(read(without, housekeeping()).rows).toEqual([ROW]);
  });

  it('that are damaged, too short or ask for what is not done are counted, each with its reason', () => {
    const damaged = housekeeping();
    damaged[6]! ^= 1;
    const frames = [
      damaged,
      Buffer.from('8222', 'hex'),
      housekeeping({ flags: cspFlag.hmac }),
      housekeeping({}, Buffer.alloc(2)),
    ];
    expect(read(mission, ...frames).faults).toEqual([
      expect.stringContaining('CRC-32C is wrong'),
      expect.stringContaining('too short for a header'),
      expect.stringContaining('HMAC'),
      expect.stringContaining('too short for layout housekeeping'),
    ]);
    for (const frame of frames) expect(decode(mission, frame).ok).toBe(false);
  });

  it('driver/csp.B3 come out of KISS frames, also several in one', () => {
    const bare = writeKiss(appendCrc(1, housekeeping({ flags: 0 })));
    expect(read(kiss, Buffer.concat([bare, bare])).rows).toEqual([ROW, ROW]);
    const own = writeKiss(appendCrc(1, housekeeping()));
    expect(read(kiss, own).rows).toEqual([ROW]);
    expect(read(kissAndCrc, own).rows).toEqual([ROW]);
    // Flagged and appended once, as some senders do.
    const once = writeKiss(housekeeping());
    expect(read(kissAndCrc, once)).toEqual({ rows: [ROW], reports: [], faults: [] });
  });

  it('driver/csp.B3 in damaged KISS frames are counted', () => {
    const frame = writeKiss(appendCrc(1, housekeeping({ flags: 0 })));
    const cut = frame.subarray(0, -1);
    const flipped = Buffer.from(frame);
    flipped[8]! ^= 1;
    expect(read(kiss, cut, flipped, housekeeping()).faults).toEqual([
      expect.stringContaining('1 damaged KISS frames'),
      expect.stringContaining('CRC-32C is wrong'),
      expect.stringContaining('not a KISS frame'),
    ]);
  });

  it('of any bytes never make reading throw (driver.D2)', () => {
    const sources = [mission, without, kiss, kissAndCrc].map((each) => sourceOf(each, 'board'));
    const anyFrame = fc.oneof(
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
      fc.uint8Array({ maxLength: 30 }).map((bytes) => housekeeping({}, Buffer.from(bytes))),
      fc
        .uint8Array({ maxLength: 30 })
        .map((bytes) => writeKiss(appendCrc(1, housekeeping({}, Buffer.from(bytes))))),
    );
    fc.assert(
      fc.property(anyFrame, (frame) => {
        for (const source of sources) readAll(driver, source, [frame]);
      }),
      { numRuns: 2_000 },
    );
  });
});

it('has no settings', () => {
  expect(createCspDriver({ address: 3, port: 4 })).toMatchObject({ faults: { length: 2 } });
});
