/** The simulated spacecraft against its interface control document, read with the protocols of the ground. */

import { describe, expect, it } from 'vitest';
import { createSpacecraft, type Spacecraft } from '../../../links/simulated/spacecraft.ts';
import { writePusTelecommand } from '../../../protocol/pus-telecommand.ts';
import { type PusTelemetry, readPusTelemetry } from '../../../protocol/pus-telemetry.ts';
import { readCdsShort } from '../../../protocol/time-code.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const START_MS = Date.UTC(2026, 0, 1, 12);

interface Flight {
  readonly clock: ManualClock;
  readonly spacecraft: Spacecraft;
  readonly packets: Buffer[];
  /** Telemetry since the last call. */
  heard(): PusTelemetry[];
}

function fly(seed = 7): Flight {
  const clock = new ManualClock(START_MS);
  const spacecraft = createSpacecraft({ clock, seed });
  const packets: Buffer[] = [];
  let read = 0;
  spacecraft.onDownlink((packet) => packets.push(packet));
  const heard = () => {
    const telemetry = packets.slice(read).map((packet) => {
      const message = readPusTelemetry(packet, 7);
      if (!message.ok) throw new Error(message.faults[0]);
      return message.value;
    });
    read = packets.length;
    return telemetry;
  };
  return { clock, spacecraft, packets, heard };
}

let count = 0;

function telecommand(service: number, subtype: number, data: string, flags = 9): Buffer {
  count += 1;
  const packet = writePusTelecommand({
    apid: 0x73,
    sequenceCount: count,
    flags,
    service,
    subtype,
    source: 0,
    data: Buffer.from(data, 'hex'),
  });
  if (!packet.ok) throw new Error(packet.faults[0]);
  return packet.value;
}

/** Subtypes of service 1 received, with the failure code where there is one. */
function reports(flight: Flight): string[] {
  return flight
    .heard()
    .filter(({ service }) => service === 1)
    .map(({ subtype, data }) => (data.length > 4 ? `1,${subtype} ${data.readUInt16BE(4)}` : `1,${subtype}`));
}

function send(flight: Flight, packet: Buffer): string[] {
  flight.heard();
  flight.spacecraft.uplink(packet);
  flight.clock.advance(200);
  return reports(flight);
}

describe('housekeeping', () => {
  it('comes at its cadences, with the on-board time and counters', () => {
    const flight = fly();
    flight.clock.advance(60_500);
    const telemetry = flight.heard();
    const of = (structure: number) => telemetry.filter(({ data }) => data.readUInt16BE(0) === structure);
    expect([of(1).length, of(2).length, of(3).length]).toEqual([61, 31, 13]);
    expect(of(1).map(({ time }) => readCdsShort(time))).toEqual(
      Array.from({ length: 61 }, (_, second) => START_MS + second * 1_000),
    );
    expect(telemetry.map(({ messageCounter }) => messageCounter)).toEqual(telemetry.map((_, index) => index));
    expect(telemetry.map(({ sequenceCount }) => sequenceCount)).toEqual(telemetry.map((_, index) => index));
    expect(of(1)[0]?.data.length).toBe(13);
    expect(of(2)[0]?.data.length).toBe(24);
    expect(of(3)[0]?.data.length).toBe(12);
  });

  it('spacecraft.W1 is the same for the same seed and differs for another', () => {
    const [first, second, other] = [fly(1), fly(1), fly(2)];
    for (const { clock } of [first, second, other]) clock.advance(20_000);
    expect(second.packets).toEqual(first.packets);
    expect(other.packets).not.toEqual(first.packets);
  });

  it('brings no burst after the clock jumped ahead', () => {
    const flight = fly();
    flight.clock.advance(500);
    flight.heard();
    // What a sleep of the machine looks like: a timer fires an hour late.
    const now = flight.clock.now.bind(flight.clock);
    flight.clock.now = () => now() + 3_600_000;
    flight.clock.advance(1_000);
    expect(flight.heard().length).toBeLessThan(6);
  });

  it('battery.B1 stays inside the soft limits over two orbits with the payload on', () => {
    const flight = fly();
    flight.spacecraft.uplink(telecommand(8, 1, '050101'));
    flight.clock.advance(2 * 95 * 60_000);
    const voltages = flight
      .heard()
      .filter(({ service, data }) => service === 3 && data.readUInt16BE(0) === 2)
      .flatMap(({ data }) => [data.readUInt16BE(2), data.readUInt16BE(13)]);
    expect(voltages.length).toBeGreaterThan(10_000);
    expect(Math.min(...voltages)).toBeGreaterThan(6_800);
    expect(Math.max(...voltages)).toBeLessThan(8_300);
    // It works: the shadow discharges it, the sun charges it.
    expect(Math.max(...voltages) - Math.min(...voltages)).toBeGreaterThan(300);
  });
});

describe('telecommands', () => {
  const accepted: [string, number, string][] = [
    ['obc.ping', 17, ''],
    ['obc.set_mode', 8, '0102'],
    ['obc.set_watchdog', 8, '020078'],
    ['obc.reboot', 8, '03'],
    ['battery.set_heater', 8, '0402c0a00000'],
    ['power.switch', 8, '050101'],
    ['camera.ping', 8, '07'],
    ['files.list', 8, '09'],
    ['files.read', 8, '0a0001000000000010'],
    ['files.write', 8, '0b000200000000000401020304'],
    ['files.write with a generation', 8, '0b0002000000000004010203040002'],
    ['files.delete', 8, '0c0002'],
    ['files.regenerate', 8, '0d0002'],
  ];

  it.each(accepted)('%s is accepted, counted and done', (_, service, data) => {
    const flight = fly();
    expect(send(flight, telecommand(service, 1, data))).toEqual(['1,1', '1,7']);
    expect(flight.spacecraft.state.counter).toBe(data === '03' ? 0 : 1);
  });

  it('reports only what the flags ask for', () => {
    const flight = fly();
    const asked = (flags: number) => send(flight, telecommand(17, 1, '', flags));
    expect([asked(0), asked(8), asked(1)]).toEqual([[], ['1,1'], ['1,7']]);
    expect(flight.spacecraft.state.counter).toBe(3);
  });

  it('answers a ping with 17,2', () => {
    const flight = fly();
    flight.spacecraft.uplink(telecommand(17, 1, ''));
    flight.clock.advance(200);
    expect(flight.heard().filter(({ service, subtype }) => service === 17 && subtype === 2)).toHaveLength(1);
  });

  it('does what they say', () => {
    const flight = fly();
    const { state } = flight.spacecraft;
    for (const data of ['0102', '020078', '0402c0a00000', '050101', '050200', '0641200000020aff']) {
      expect(send(flight, telecommand(8, 1, data))).toEqual(['1,1', '1,7']);
    }
    expect([state.mode, state.watchdogS, state.batteries[1].heaterOnBelow]).toEqual([2, 120, -5]);
    expect([state.payload, state.heater, state.images, state.lastExposureMs]).toEqual([true, false, 1, 10]);
    send(flight, telecommand(8, 1, '0b000200000002000401020304'));
    expect(state.files.bytesOf(2)?.toString('hex')).toBe('000001020304');
  });

  const refused: [string, Buffer, string[]][] = [
    ['an unknown service', telecommand(9, 1, ''), ['1,2 2']],
    ['an unknown function', telecommand(8, 1, 'c8'), ['1,2 2']],
    ['no function', telecommand(8, 1, ''), ['1,2 3']],
    ['a wrong length', telecommand(8, 1, '0200'), ['1,2 3']],
    ['a tag cut short', telecommand(8, 1, '064120000005aa'), ['1,2 3']],
    ['a mode that is none', telecommand(8, 1, '0103'), ['1,2 4']],
    ['a watchdog of 5 s', telecommand(8, 1, '020005'), ['1,2 4']],
    ['a heater that is not a number', telecommand(8, 1, '04017fc00000'), ['1,2 4']],
    ['a third battery', telecommand(8, 1, '040300000000'), ['1,2 4']],
    ['a channel that is none', telecommand(8, 1, '050301'), ['1,2 4']],
    ['an exposure of 501 ms', telecommand(8, 1, '0643fa800000'), ['1,2 4']],
    ['a picture in SAFE', telecommand(8, 1, '064120000000'), ['1,1', '1,8 5']],
    ['reading past a file', telecommand(8, 1, '0a0002000007f80010'), ['1,1', '1,8 4']],
  ];

  it.each(refused)('refuses %s', (_, packet, expected) => {
    const flight = fly();
    expect(send(flight, packet)).toEqual(expected);
    expect(flight.spacecraft.state.counter).toBe(expected[0] === '1,1' ? 1 : 0);
  });

  it('refuses a reboot outside SAFE, a bad CRC and a wrong length field', () => {
    const flight = fly();
    send(flight, telecommand(8, 1, '0102'));
    expect(send(flight, telecommand(8, 1, '03'))).toEqual(['1,1', '1,8 5']);
    const damaged = telecommand(17, 1, '');
    damaged[12]! ^= 1;
    expect(send(flight, damaged)).toEqual(['1,2 1']);
    const long = telecommand(17, 1, '');
    long[5]! += 1;
    expect(send(flight, long)).toEqual(['1,2 3']);
  });

  it('is not disturbed by frames that are no telecommand for it', () => {
    const flight = fly();
    const foreign = telecommand(17, 1, '');
    foreign[1] = 0x74;
    for (const frame of [Buffer.alloc(0), Buffer.alloc(5), Buffer.alloc(40, 0xff), foreign]) {
      expect(send(flight, frame)).toEqual([]);
    }
    expect(flight.spacecraft.counts().total).toBe(0);
  });

  it('boots after a reboot: BOOT for some seconds, then SAFE, uptime from zero', () => {
    const flight = fly();
    flight.clock.advance(100_000);
    send(flight, telecommand(8, 1, '03'));
    expect(flight.spacecraft.state.mode).toBe(0);
    flight.clock.advance(3_000);
    expect(flight.spacecraft.readings.computer).toMatchObject({ mode: 0, counter: 0 });
    expect(flight.spacecraft.readings.computer?.uptime).toBeLessThan(5);
    flight.clock.advance(5_000);
    expect(flight.spacecraft.readings.computer?.mode).toBe(1);
  });

  it('spacecraft.W2 counts every telecommand received by its request identifier', () => {
    const flight = fly();
    const [ping, bad] = [telecommand(17, 1, ''), telecommand(9, 1, '')];
    for (const packet of [ping, ping, bad]) send(flight, packet);
    const request = (packet: Buffer) => packet.toString('hex', 0, 4);
    expect(flight.spacecraft.counts()).toEqual({
      received: { [request(ping)]: 2, [request(bad)]: 1 },
      total: 3,
    });
  });
});

describe('faults', () => {
  it('cell_drain takes battery 1 below its limit, and gives it back', () => {
    const flight = fly();
    const voltage = (battery: 0 | 1) => flight.spacecraft.readings.batteries?.[battery].voltage ?? Number.NaN;
    flight.clock.advance(5_000);
    flight.spacecraft.fault('cell_drain', true);
    flight.clock.advance(30_000);
    expect(voltage(0)).toBeLessThan(6.8);
    expect(voltage(1)).toBeGreaterThan(6.8);
    flight.spacecraft.fault('cell_drain', false);
    flight.clock.advance(30_000);
    expect(voltage(0)).toBeGreaterThan(6.8);
  });

  it('tm_silence silences everything, also reports', () => {
    const flight = fly();
    flight.clock.advance(100);
    flight.heard();
    flight.spacecraft.fault('tm_silence', true);
    expect(send(flight, telecommand(17, 1, ''))).toEqual([]);
    flight.clock.advance(10_000);
    expect(flight.heard()).toEqual([]);
    expect(flight.spacecraft.state.counter).toBe(1);
    flight.spacecraft.fault('tm_silence', false);
    flight.clock.advance(2_000);
    expect(flight.heard().length).toBeGreaterThan(0);
  });

  it('no_reports silences service 1 only', () => {
    const flight = fly();
    flight.spacecraft.fault('no_reports', true);
    expect(send(flight, telecommand(17, 1, ''))).toEqual([]);
    expect(flight.spacecraft.state.counter).toBe(1);
    flight.clock.advance(2_000);
    expect(flight.heard().length).toBeGreaterThan(0);
  });

  it('reject_all refuses every telecommand with code 2', () => {
    const flight = fly();
    flight.spacecraft.fault('reject_all', true);
    expect(send(flight, telecommand(17, 1, ''))).toEqual(['1,2 2']);
    expect(flight.spacecraft.state.counter).toBe(0);
  });

  it('slow_completion delays 1,7 by 30 s, not what is done', () => {
    const flight = fly();
    flight.spacecraft.fault('slow_completion', true);
    expect(send(flight, telecommand(8, 1, '0102'))).toEqual(['1,1']);
    expect(flight.spacecraft.state.mode).toBe(2);
    flight.clock.advance(29_000);
    expect(reports(flight)).toEqual([]);
    flight.clock.advance(2_000);
    expect(reports(flight)).toEqual(['1,7']);
  });
});

it('is silent after it stopped and leaves no timer', () => {
  const flight = fly();
  flight.clock.advance(1_000);
  flight.spacecraft.stop();
  flight.heard();
  flight.clock.advance(10_000);
  expect(flight.heard()).toEqual([]);
  expect(flight.clock.waiting).toBe(0);
});
