import fc from 'fast-check';
import { describe, it } from 'vitest';
import { CFDP_REPLIES_WAITING, CFDP_TRANSACTIONS } from '../../contract/limits/cfdp.ts';
import { CfdpEntity } from '../../protocol/cfdp/entity.ts';
import { readPdu, writePdu } from '../../protocol/cfdp/pdu.ts';
import { userMessagesOf } from '../../protocol/cfdp/user-message.ts';
import { FUZZ_TEST_MS, fuzz } from './cases.ts';
import { demand } from './demand.ts';
import { anyBytes } from './shipped.ts';
import { mutatedBytes } from './text.ts';

const address = {
  towards: 'receiver',
  mode: 'acknowledged',
  crc: false,
  large: false,
  segmentation: false,
  idBytes: 1,
  sequenceBytes: 1,
  source: 2n,
  sequence: 1n,
  destination: 1n,
} as const;
const back = { ...address, towards: 'sender', source: 1n, destination: 2n } as const;

const sound = [
  writePdu(address, {
    kind: 'metadata',
    closure: false,
    checksumType: 0,
    size: 300,
    sourceName: 'a',
    destinationName: 'b',
    options: [{ type: 2, value: Buffer.from('cfdp\x0a\x00\x01\x01') }],
  }),
  writePdu(address, { kind: 'fileData', offset: 100, data: Buffer.alloc(50) }),
  writePdu(address, { kind: 'eof', condition: 0, checksum: 0, size: 300, options: [] }),
  writePdu(address, { kind: 'prompt', response: 'nak' }),
  writePdu(address, { kind: 'ack', of: 'finished', condition: 0, status: 1 }),
  writePdu(back, {
    kind: 'nak',
    scope: [0, 300],
    segments: [
      [0, 0],
      [10, 200],
    ],
  }),
  writePdu(back, { kind: 'finished', condition: 0, complete: true, fileStatus: 2, options: [] }),
  writePdu(back, { kind: 'ack', of: 'eof', condition: 0, status: 1 }),
  writePdu(back, { kind: 'keepAlive', progress: 5 }),
];

const anyPdu = fc
  .oneof(anyBytes, mutatedBytes(sound), fc.constantFrom(...sound))
  .map((bytes) => Buffer.from(bytes));
const call = fc.oneof(
  { weight: 6, arbitrary: fc.record({ what: fc.constant('receive' as const), pdu: anyPdu }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('wait' as const), ms: fc.nat(400_000) }) },
  { weight: 2, arbitrary: fc.constantFrom({ what: 'put' as const }, { what: 'get' as const }) },
  { weight: 1, arbitrary: fc.constantFrom({ what: 'down' as const }, { what: 'up' as const }) },
);

describe('any bytes', { timeout: FUZZ_TEST_MS }, () => {
  it('are read as a PDU of CFDP that is written as it was read, or refused with a reason', () => {
    fuzz({ cases: 4_000 }, anyPdu, (bytes) => {
      const read = readPdu(bytes);
      if (!read.ok) return demand(read.faults[0].length > 0, 'a refusal without a reason');
      const { header, body } = read.value;
      if (body.kind === 'metadata') userMessagesOf(body.options);
      const again = readPdu(writePdu(header, body));
      demand(again.ok && again.value.body.kind === body.kind, 'cannot be read again');
    });
  });

  it('never harm an entity, nor make it spin, send without end or hold more than its bounds', () => {
    fuzz({ cases: 1_500 }, fc.array(call, { maxLength: 40 }), (calls) => {
      let now = 0;
      const settings = { local: 1n, idBytes: 1, sequenceBytes: 1, crc: false, crcRequired: false };
      const entity = new CfdpEntity(
        { settings, peer: 2n, wallMs: 0, accept: () => true, emit: () => {} },
        now,
      );
      for (const each of calls) {
        if (each.what === 'receive') entity.receive(each.pdu, now);
        else if (each.what === 'put')
          entity.put({ file: { sourceName: 'a', destinationName: 'b', size: 300 } }, now);
        else if (each.what === 'get') entity.get({ sourceName: 'a', destinationName: 'b' }, now);
        else if (each.what === 'down') entity.linkDown(now);
        else if (each.what === 'up') entity.linkUp(now);
        else now += each.ms;
        entity.tick(now);
        demand((entity.nextDue(now) ?? now + 1) > now, 'is due again at once');
        for (const { id, range } of entity.wanted())
          entity.give(id, range[0], Buffer.alloc(range[1] - range[0]), now);
        let sent = 0;
        while (entity.pull(now) !== undefined) sent += 1;
        demand(sent <= CFDP_REPLIES_WAITING + CFDP_TRANSACTIONS * 20, `sent ${sent} PDUs at once`);
        demand(entity.transactions <= CFDP_TRANSACTIONS, 'too many transactions');
      }
    });
  });
});
