/** Files of the simulated three-unit CubeSat by CFDP, with the ground's driver at the other end of a radio channel. */

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededContent } from '../../../links/simulated/file-content.ts';
import type { FileFault } from '../../../links/simulated/onboard-files.ts';
import { readPusTelemetry } from '../../../protocol/pus-telemetry.ts';
import { readPrimaryHeader } from '../../../protocol/space-packet.ts';
import { FileFlight, PDU_APID, START_MS } from './file-flight.ts';

const IMAGE = 2;
const hashOf = (data: Buffer): string => createHash('sha256').update(data).digest('hex');
const bad = { loss: 0.1, delay: '300 ms', reordering: 0.1, duplication: 0.1 };
const BAD = { up: bad, down: bad };
const CLEAN = {};
const patch = (size: number, seed = 3): Buffer => seededContent(seed, 1, 1, size).read(0, size);

const isPdu = ({ packet }: { readonly packet: Buffer }): boolean =>
  readPrimaryHeader(packet)?.apid === PDU_APID;

/** When housekeeping of structure 1 was received. */
function computerTimes(flight: FileFlight): number[] {
  return flight.packets.flatMap((each) => {
    if (isPdu(each)) return [];
    const read = readPusTelemetry(each.packet, 7);
    if (!read.ok) throw new Error(read.faults[0]);
    const { service, data } = read.value;
    return service === 3 && data.readUInt16BE(0) === 1 ? [each.at] : [];
  });
}

describe.each([
  ['a clean channel', CLEAN],
  ['a tenth lost, doubled and overtaken each way', BAD],
])('over %s', (_, channel) => {
  it('MC-CFDP-007 a file comes down byte for byte', async () => {
    const flight = new FileFlight({ channel });
    const call = flight.download(IMAGE);
    expect(flight.until(call)).toEqual({ outcome: 'completed' });
    const onboard = await flight.contentOf(String(IMAGE));
    expect(hashOf(flight.received.get(String(IMAGE))!)).toBe(onboard?.sha256);
  });

  it('MC-CFDP-008 a file that goes up is on board whole, as the next generation, and not before', async () => {
    const flight = new FileFlight({ channel });
    const content = patch(60_000);
    const before = await flight.contentOf('2');
    const call = flight.upload(IMAGE, content);
    flight.call(call);
    flight.run(400);
    expect(await flight.contentOf('2')).toEqual(before);
    expect(flight.until(call)).toEqual({ outcome: 'completed' });
    const { id, file_type } = before!;
    expect(await flight.contentOf('2')).toMatchObject({
      id,
      file_type,
      generation: 2,
      size: content.length,
      sha256: hashOf(content),
    });
  });

  it('several files at once, and one without bytes', async () => {
    const flight = new FileFlight({ channel, files: new Map([[9, 70_000]]) });
    const calls = [flight.download(1), flight.download(9), flight.upload(30, Buffer.alloc(0))];
    for (const call of calls) flight.call(call);
    for (const call of calls) expect(flight.until(call)).toEqual({ outcome: 'completed' });
    for (const id of ['1', '9'])
      expect(hashOf(flight.received.get(id)!)).toBe((await flight.contentOf(id))?.sha256);
    expect(await flight.contentOf('30')).toMatchObject({ size: 0, generation: 1 });
  });

  it('spacecraft.W1 the same seed gives the same packets at the same times', () => {
    const [first, second] = [1, 2].map(() => {
      const flight = new FileFlight({ channel });
      flight.until(flight.download(1));
      return flight.packets;
    });
    expect(first!.length).toBeGreaterThan(20);
    expect(second).toEqual(first);
  });
});

describe('the downlink', () => {
  it('onboard-downlink.T1 T3 carries files at its rate, and housekeeping keeps its times', () => {
    const flight = new FileFlight({ bitsPerSecond: 200_000 });
    flight.until(flight.download(IMAGE));
    const pdus = flight.packets.filter(isPdu);
    const bits = flight.packets.reduce((sum, { packet }) => sum + packet.length * 8, 0);
    const busy = pdus.filter(({ packet }) => packet.length > 1_000);
    const seconds = (busy.at(-1)!.at - busy[0]!.at) / 1_000;
    const carried = busy.slice(1).reduce((sum, { packet }) => sum + packet.length * 8, 0);
    expect(carried / seconds / 200_000).toBeGreaterThan(0.9);
    expect(carried / seconds).toBeLessThan(200_000);
    expect(bits).toBeGreaterThan(150_000 * 8);
    // A packet of a PDU takes 41 ms.
    const late = computerTimes(flight).map((at) => (at - START_MS) % 1_000);
    expect(late.length).toBeGreaterThan(5);
    expect(Math.max(...late)).toBeLessThan(10 + 3 * 45);
  });

  it('is quiet when there is nothing to send, and no timer of a file is left behind', () => {
    const idle = new FileFlight();
    idle.run(5_000);
    const flight = new FileFlight();
    flight.until(flight.download(1));
    flight.run(180_000);
    expect(flight.packets.slice(-10).some(isPdu)).toBe(false);
    expect(flight.clock.waiting).toBe(idle.clock.waiting);
  });
});

describe('what the spacecraft does not give', () => {
  it('onboard-cfdp.J1 a file that is not there is refused, and the ground can ask for the next', () => {
    const flight = new FileFlight();
    const none = flight.download(IMAGE, { file_id: '77' });
    expect(flight.until(none)).toEqual({ outcome: 'failed', reason: 'the file store refuses the file' });
    expect(flight.until(flight.download(IMAGE))).toEqual({ outcome: 'completed' });
  });

  it.each(['0', '007', '65536', '99999999999', '../2', 'two'])(
    'onboard-cfdp.J1 neither gives nor takes a file called %s',
    (file_id) => {
      const flight = new FileFlight();
      const reason = 'the file store refuses the file';
      expect(flight.until(flight.download(IMAGE, { file_id }))).toEqual({ outcome: 'failed', reason });
      expect(flight.until({ ...flight.upload(1, patch(10)), file_id })).toEqual({
        outcome: 'failed',
        reason,
      });
      expect(flight.spacecraft.state.files.count).toBe(4);
    },
  );

  it.each([
    ['deleted', '0c0002'],
    ['written again', '0d0002'],
  ])(
    'MC-GEN-022 onboard-cfdp.J2 a file that is %s meanwhile fails, and no byte of another generation comes',
    (_, data) => {
      const flight = new FileFlight({ channel: BAD });
      const content = flight.spacecraft.state.files.bytesOf(IMAGE)!;
      const call = flight.download(IMAGE);
      flight.call(call);
      flight.run(900);
      // Repeated where the channel loses it.
      for (let sent = 0; sent < 5 && flight.spacecraft.state.counter === 0; sent += 1) {
        flight.send(data);
        flight.run(700);
      }
      const reply = flight.until(call);
      expect(reply).toMatchObject({ outcome: 'failed' });
      const received = flight.received.get('2')!;
      const some = received.findIndex((byte) => byte !== 0);
      expect(some).toBeGreaterThanOrEqual(0);
      received.forEach((byte, at) => {
        if (byte !== 0 && byte !== content[at]) throw new Error(`another byte at ${at}`);
      });
    },
  );

  it('onboard-cfdp.J2 what is written again meanwhile comes down whole when it is asked for', async () => {
    const flight = new FileFlight();
    const call = flight.download(IMAGE);
    flight.call(call);
    flight.run(500);
    flight.send('0d0002');
    expect(flight.until(call)).toMatchObject({ outcome: 'failed' });
    const next = flight.download(IMAGE);
    expect([next.generation, flight.until(next)]).toEqual([2, { outcome: 'completed' }]);
    expect(hashOf(flight.received.get('2')!)).toBe((await flight.contentOf('2'))?.sha256);
  });
});

describe('faults mean for CFDP what they mean for parts of files', () => {
  const faulty = (fault: FileFault): FileFlight => {
    const flight = new FileFlight();
    flight.spacecraft.fault(fault, true);
    return flight;
  };

  it('bad_checksum: the file comes as it is, and is listed with another checksum', async () => {
    const flight = faulty('bad_checksum');
    expect(flight.until(flight.download(IMAGE))).toEqual({ outcome: 'completed' });
    const { sha256, crc32 } = (await flight.contentOf('2'))!;
    expect(hashOf(flight.received.get('2')!)).toBe(sha256);
    const listed = flight.spacecraft.state.files.listing().find(({ id }) => id === IMAGE)!;
    expect(listed.crc32).not.toBe(Number.parseInt(crc32, 16));
  });

  it('short_files: a file is half as long as it is listed', () => {
    const flight = faulty('short_files');
    const reason = 'the file has 75000 bytes on board, and 150000 are listed';
    expect(flight.until(flight.download(IMAGE))).toEqual({ outcome: 'failed', reason });
  });

  it('wrong_generation: the bytes are those of the generation after it', async () => {
    const flight = faulty('wrong_generation');
    expect(flight.until(flight.download(IMAGE))).toEqual({ outcome: 'completed' });
    const next = seededContent(7, IMAGE, 2, 150_000).read(0, 150_000);
    expect(flight.received.get('2')!.equals(next)).toBe(true);
    expect((await flight.contentOf('2'))?.generation).toBe(1);
  });

  it('no_chunks: the request is taken, and nothing comes of it', () => {
    const flight = faulty('no_chunks');
    const reason = 'nothing is received any more';
    expect(flight.until(flight.download(IMAGE))).toEqual({ outcome: 'failed', reason });
    flight.spacecraft.fault('no_chunks', false);
    expect(flight.until(flight.download(IMAGE))).toEqual({ outcome: 'completed' });
  });

  it('tm_silence: no PDU comes either, and the transfer goes on behind it', () => {
    const flight = new FileFlight();
    const call = flight.download(3);
    flight.call(call);
    flight.run(3_000);
    flight.spacecraft.fault('tm_silence', true);
    flight.run(500);
    const before = flight.packets.length;
    flight.run(10_000);
    expect(flight.packets.length).toBe(before);
    flight.spacecraft.fault('tm_silence', false);
    expect(flight.until(call)).toEqual({ outcome: 'completed' });
  });
});

describe('what goes away and comes back', () => {
  it('MC-CFDP-001 loss of signal in the middle: what is missing comes behind it', async () => {
    const flight = new FileFlight({ channel: BAD });
    const call = flight.download(IMAGE);
    flight.call(call);
    for (const forMs of [20_000, 8_000, 30_000]) {
      flight.run(600);
      flight.link(false);
      flight.run(forMs);
      flight.link(true);
    }
    expect(flight.until(call)).toEqual({ outcome: 'completed' });
    expect(hashOf(flight.received.get('2')!)).toBe((await flight.contentOf('2'))?.sha256);
  });

  it('a spacecraft that gave up during a long loss of signal is asked again', async () => {
    const flight = new FileFlight();
    const call = flight.download(IMAGE);
    flight.call(call);
    flight.run(800);
    flight.link(false);
    flight.run(20 * 60_000);
    flight.link(true);
    expect(flight.until(call)).toMatchObject({ outcome: 'failed' });
    expect(flight.until(call)).toEqual({ outcome: 'completed' });
    expect(hashOf(flight.received.get('2')!)).toBe((await flight.contentOf('2'))?.sha256);
  });

  it.each(['download', 'upload'] as const)(
    'onboard-cfdp.J4 spacecraft.W4 a reboot forgets a %s that was under way; asked again it is done',
    async (direction) => {
      const flight = new FileFlight();
      const content = patch(150_000);
      const call = direction === 'download' ? flight.download(IMAGE) : flight.upload(9, content);
      flight.call(call);
      flight.run(700);
      flight.send('03');
      flight.run(300);
      // What goes up begins again in the same transaction: the spacecraft asks for what it does not know any more.
      if (direction === 'download') expect(flight.until(call)).toMatchObject({ outcome: 'failed' });
      expect(flight.until(call)).toEqual({ outcome: 'completed' });
      const sha256 = (await flight.contentOf(call.file_id))?.sha256;
      expect(sha256).toBe(hashOf(direction === 'download' ? flight.received.get('2')! : content));
    },
  );

  it('MC-CFDP-009 the ground restarts and asks again', async () => {
    const flight = new FileFlight({ channel: BAD });
    const call = flight.download(IMAGE);
    flight.call(call);
    flight.run(900);
    flight.ground = flight.newGround();
    expect(flight.until(call)).toEqual({ outcome: 'completed' });
    expect(hashOf(flight.received.get('2')!)).toBe((await flight.contentOf('2'))?.sha256);
  });
});

describe('generations of what goes up', () => {
  it('onboard-files.M5 the same bytes again are a repetition until a listing showed them', async () => {
    const flight = new FileFlight();
    const content = patch(5_000);
    const generation = async (): Promise<number | undefined> => (await flight.contentOf('9'))?.generation;
    const uploaded = async (bytes: Buffer): Promise<number | undefined> => {
      expect(flight.until(flight.upload(9, bytes))).toEqual({ outcome: 'completed' });
      return generation();
    };
    expect(await uploaded(content)).toBe(1);
    expect(await uploaded(content)).toBe(1);
    expect(await uploaded(patch(5_000, 4))).toBe(2);
    flight.send('09');
    flight.run(500);
    expect(await uploaded(patch(5_000, 4))).toBe(3);
  });

  it('gives back what an upload took that did not come to its end', () => {
    const flight = new FileFlight();
    const { pages } = flight.spacecraft.state.files;
    const room = (): number => {
      let [low, high] = [0, 2 ** 20];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if (pages.has(middle)) low = middle;
        else high = middle - 1;
      }
      return low;
    };
    const before = room();
    flight.call(flight.upload(9, patch(100_000)));
    flight.run(700);
    expect(room()).toBeLessThan(before);
    flight.send('03');
    flight.run(20);
    flight.link(false);
    flight.run(300);
    expect(room()).toBe(before);
  });

  it('onboard-cfdp.J5 a memory that is full refuses, and gives back what it took', () => {
    const flight = new FileFlight();
    const { pages } = flight.spacecraft.state.files;
    pages.take(2 ** 17 - 4);
    const reason = 'the file store refuses the file';
    expect(flight.until(flight.upload(9, patch(100_000)))).toEqual({ outcome: 'failed', reason });
    flight.run(60_000);
    expect(pages.has(4)).toBe(true);
    expect(flight.until(flight.upload(9, patch(16_000)))).toEqual({ outcome: 'completed' });
  });
});

describe('whatever the ground sends', () => {
  it('onboard-pdu.O1 onboard-cfdp.J5 throws nothing and leaves nothing behind', () => {
    const flight = new FileFlight();
    flight.call(flight.upload(9, patch(3_000)));
    const pdus: Buffer[] = [];
    const send = flight.sendPdu.bind(flight);
    flight.sendPdu = (pdu) => {
      pdus.push(Buffer.from(pdu));
      send(pdu);
    };
    flight.until(flight.download(1));
    flight.sendPdu = send;
    expect(pdus.length).toBeGreaterThan(4);
    const mutated = fc
      .tuple(fc.nat(), fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 6 }), fc.nat())
      .map(([which, edits, cut]) => {
        const pdu = Buffer.from(pdus[which % pdus.length]!);
        for (const [at, byte] of edits) pdu[at % pdu.length] = byte;
        return cut % 4 === 0 ? pdu.subarray(0, Math.max(1, cut % pdu.length)) : pdu;
      });
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 }).map((each) => Buffer.from(each));
    fc.assert(
      fc.property(fc.array(fc.oneof(mutated, bytes), { maxLength: 20 }), (some) => {
        for (const each of some) {
          flight.sendPdu(each);
          flight.spacecraft.uplink(each);
        }
        flight.clock.advance(50);
      }),
      { numRuns: 400 },
    );
    // Transactions that were begun run out, and what the memory holds is what came whole.
    flight.clock.advance(30 * 60_000);
    const { readings, state } = flight.spacecraft;
    expect(readings.memory?.transactions).toBe(0);
    expect(state.files.count).toBeLessThanOrEqual(6);
    expect(flight.until(flight.download(IMAGE))).toEqual({ outcome: 'completed' });
  });
});
