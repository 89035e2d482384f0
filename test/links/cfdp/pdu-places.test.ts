import { expect, it } from 'vitest';
import { PduPlaces } from '../../../links/cfdp/pdu-places.ts';
import { cfdpTransport } from '../../../links/driver/cfdp-transport.ts';
import type { Link } from '../../../mission/mission.ts';
import { beginPdu } from '../../../protocol/cfdp/header.ts';
import { writeSpacePacket } from '../../../protocol/space-packet.ts';

const ALONE = { protocol: 'cfdp', settings: { entity: 1 } };
const BESIDE = { protocol: 'pus-c', settings: { cfdp: { entity: 1 } } };

function place(name: string, gateways: readonly string[], entity: number, apid: number | undefined) {
  const beside = { kind: 'space-packet', apid: 100, cfdp: { entity, apid } };
  const transport = apid === undefined ? { kind: 'cfdp', entity } : beside;
  const made = cfdpTransport(apid === undefined ? ALONE : BESIDE, { name, transport } as unknown as Link);
  if (!made.ok) throw new Error(JSON.stringify(made.faults));
  return { name, gateways, transport: made.value };
}

function pdu(towards: 'receiver' | 'sender', source: bigint, destination: bigint): Buffer {
  return beginPdu(
    {
      type: 'directive',
      towards,
      mode: 'acknowledged',
      crc: false,
      large: false,
      segmentation: false,
      segmentMetadata: false,
      idBytes: 2,
      sequenceBytes: 4,
      source,
      sequence: 1n,
      destination,
    },
    0,
  );
}

function packet(apid: number, data: Buffer): Buffer {
  const fields = { secondaryHeader: false, apid, sequenceFlags: 'unsegmented', sequenceCount: 0 } as const;
  return writeSpacePacket({ type: 'telemetry', ...fields }, data);
}

const a = place('a', ['g'], 42, 117);
const b = place('b', ['g', 'h'], 43, 117);
const c = place('c', ['g'], 42, 118);
const d = place('d', ['h'], 42, 117);
const datagrams = place('e', ['i'], 42, undefined);
const places = new PduPlaces([a, b, c, d, datagrams]);
const of = (gateway: string, frame: Buffer) => places.of(gateway, frame)?.map(({ name }) => name);

it('pdu-places.P1 the APID and the entity on board say whose a frame is, whichever end began the transaction', () => {
  expect(of('g', packet(117, pdu('receiver', 42n, 1n)))).toEqual(['a']);
  expect(of('g', packet(117, pdu('sender', 1n, 42n)))).toEqual(['a']);
  expect(of('g', packet(117, pdu('receiver', 43n, 1n)))).toEqual(['b']);
  expect(of('g', packet(118, pdu('receiver', 42n, 1n)))).toEqual(['c']);
  expect(of('i', pdu('receiver', 42n, 1n))).toEqual(['e']);
});

it('pdu-places.P2 a link is asked about frames of its own gateways alone', () => {
  expect(of('h', packet(117, pdu('receiver', 42n, 1n)))).toEqual(['d']);
  expect(of('h', packet(117, pdu('receiver', 43n, 1n)))).toEqual(['b']);
  expect(of('j', packet(117, pdu('receiver', 42n, 1n)))).toBeUndefined();
});

it('what carries no PDU is nothing, what nobody has is of nobody, and what cannot be read is reported once', () => {
  expect(of('g', packet(119, pdu('receiver', 42n, 1n)))).toBeUndefined();
  expect(of('g', Buffer.alloc(3))).toBeUndefined();
  expect(of('g', packet(117, pdu('receiver', 99n, 1n)))).toEqual([]);
  expect(of('g', packet(117, Buffer.from('nonsense')))).toEqual(['a']);
});

it('pdu-places.P1 a frame costs the same however many links there are', () => {
  let asked = 0;
  const many = Array.from({ length: 2_000 }, (_, n) => {
    const made = place(`l${n}`, ['g'], n + 1, 117);
    const { pduIn } = made.transport;
    const counted = (frame: Buffer) => {
      asked += 1;
      return pduIn(frame);
    };
    return { ...made, transport: { ...made.transport, pduIn: counted } };
  });
  const found = new PduPlaces(many).of('g', packet(117, pdu('receiver', 1_500n, 1n)));
  expect([found?.map(({ name }) => name), asked]).toEqual([['l1499'], 1]);
});
