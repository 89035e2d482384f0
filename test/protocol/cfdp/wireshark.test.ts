/**
 * What our entities send, as Wireshark reads it: another hand's reading of CCSDS 727.0-B. Only the bytes are compared,
 * since it takes no part. `npm run interoperate` runs it where `tshark` is installed; the tests do not.
 */

import { expect, it } from 'vitest';
import type { ByteRange } from '../../../contract/byte-ranges.ts';
import type { CfdpEntity } from '../../../protocol/cfdp/entity.ts';
import type { Pdu, PduBody } from '../../../protocol/cfdp/pdu.ts';
import type { CfdpSettings } from '../../../protocol/cfdp/settings.ts';
import { writeTlvs } from '../../../protocol/cfdp/tlv.ts';
import { type UserMessage, userMessagesOf } from '../../../protocol/cfdp/user-message.ts';
import { noWireshark, readByWireshark, wiresharkVersion } from '../../support/wireshark.ts';
import { contentOf, entities, read, talk } from './pair.ts';

const IS_ASKED = process.env['INTEROPERATE'] !== undefined;
const CONTENT = contentOf(5_000);
const NAME = 'images/a';

const FIELDS = [
  '_ws.malformed',
  'cfdp.version',
  'cfdp.pdu_type',
  'cfdp.direction',
  'cfdp.trans_mode',
  'cfdp.crc_flag',
  'cfdp.data_length',
  'cfdp.srcid',
  'cfdp.dstid',
  'cfdp.transeqnum',
  'cfdp.crc',
  'cfdp.fdtype',
  'cfdp.condition_code',
  'cfdp.checksum',
  'cfdp.file_size',
  'cfdp.src_file_name',
  'cfdp.dst_file_name',
  'cfdp.nak_st_scope',
  'cfdp.nak_sp_scope',
  'cfdp.segment_requests',
  'cfdp.delivery_code',
  'cfdp.file_status',
  'cfdp.dir_code_ack',
  'cfdp.trans_stat_ack',
  'cfdp.offset',
  'cfdp.progress',
  'cfdp.entity',
  'cfdp.proxy_msg_type',
] as const;
type Field = (typeof FIELDS)[number];
type Fields = Partial<Record<Field, readonly (string | number)[]>>;

/** What Wireshark is to find in a PDU. */
function expected(pdu: Buffer): Record<Field, string[]> {
  const { header, body } = read(pdu);
  const [source, sequence, destination] = [header.source, header.sequence, header.destination].map(String);
  const head: Fields = {
    'cfdp.version': [1],
    'cfdp.pdu_type': [header.type === 'fileData' ? 1 : 0],
    'cfdp.direction': [header.towards === 'sender' ? 1 : 0],
    'cfdp.trans_mode': [header.mode === 'unacknowledged' ? 1 : 0],
    'cfdp.crc_flag': [header.crc ? 1 : 0],
    'cfdp.data_length': [pdu.length - 4 - 2 * header.idBytes - header.sequenceBytes],
    'cfdp.srcid': [source!],
    'cfdp.dstid': [destination!],
    'cfdp.transeqnum': [sequence!],
    ...(header.crc && { 'cfdp.crc': [`0x${pdu.subarray(-2).toString('hex')}`] }),
  };
  const fields = { ...head, ...directiveOf(body), ...bodyOf(body) };
  const messages = body.kind === 'metadata' ? userMessagesOf(body.options).map(messageOf) : [];
  const valuesOf = (field: Field) => [fields, ...messages].flatMap((said) => said[field] ?? []).map(String);
  return Object.fromEntries(FIELDS.map((field) => [field, valuesOf(field)])) as Record<Field, string[]>;
}

const CODES = { eof: 4, finished: 5, ack: 6, metadata: 7, nak: 8, prompt: 9, keepAlive: 12 };

function directiveOf(body: PduBody): Fields {
  return body.kind === 'fileData' ? {} : { 'cfdp.fdtype': [CODES[body.kind]] };
}

function bodyOf(body: PduBody): Fields {
  switch (body.kind) {
    case 'fileData':
      return { 'cfdp.offset': [body.offset] };
    case 'metadata':
      return { 'cfdp.file_size': [body.size], ...namesOf(body.sourceName, body.destinationName) };
    case 'eof':
      return {
        'cfdp.condition_code': [body.condition],
        'cfdp.checksum': [`0x${body.checksum.toString(16).padStart(8, '0')}`],
        'cfdp.file_size': [body.size],
        ...unreadLocationOf(body),
      };
    case 'finished':
      return {
        'cfdp.condition_code': [body.condition],
        'cfdp.delivery_code': [body.complete ? 0 : 1],
        'cfdp.file_status': [body.fileStatus],
        ...locationOf(body),
      };
    case 'ack':
      return {
        'cfdp.dir_code_ack': [CODES[body.of]],
        'cfdp.condition_code': [body.condition],
        'cfdp.trans_stat_ack': [body.status],
      };
    case 'nak':
      return {
        'cfdp.nak_st_scope': [body.scope[0]],
        'cfdp.nak_sp_scope': [body.scope[1]],
        // All of them are one field.
        'cfdp.segment_requests': [body.segments.length === 0 ? '<MISSING>' : hexOf(body.segments)],
      };
    case 'keepAlive':
      return { 'cfdp.progress': [body.progress] };
    default:
      return {};
  }
}

function messageOf(message: UserMessage): Fields {
  switch (message.kind) {
    case 'proxyPutRequest':
      return {
        'cfdp.proxy_msg_type': [0],
        'cfdp.dstid': [String(message.destination)],
        ...namesOf(message.sourceName, message.destinationName),
      };
    case 'originatingTransaction':
      return {
        'cfdp.proxy_msg_type': [10],
        'cfdp.srcid': [String(message.id.source)],
        'cfdp.transeqnum': [String(message.id.sequence)],
      };
    case 'proxyPutResponse':
      return {
        'cfdp.proxy_msg_type': [7],
        // It shows it twice.
        'cfdp.condition_code': [message.condition, message.condition],
        'cfdp.file_status': [message.fileStatus],
      };
    default:
      return {};
  }
}

function hexOf(segments: readonly ByteRange[]): string {
  return segments
    .flat()
    .map((offset) => offset.toString(16).padStart(8, '0'))
    .join('');
}

function namesOf(sourceName: string, destinationName: string): Fields {
  return {
    ...(sourceName !== '' && { 'cfdp.src_file_name': [sourceName] }),
    ...(destinationName !== '' && { 'cfdp.dst_file_name': [destinationName] }),
  };
}

/** It takes the first octets of the location of a fault (5.2.2.2) for the CRC, and shows what follows as data. */
function unreadLocationOf({ options }: Extract<PduBody, { kind: 'eof' }>): Fields {
  const octets = writeTlvs(options).subarray(0, 2).toString('hex');
  return octets === '' ? {} : { 'cfdp.crc': [`0x${octets}`] };
}

function locationOf({ options }: Extract<PduBody, { kind: 'finished' }>): Fields {
  const [location] = options;
  return location === undefined ? {} : { 'cfdp.entity': [location.value.toString('hex')] };
}

const WIDTHS = [1, 2, 4, 8];
const CHECKSUMS = [0, 2, 3, 15];

/** A link that loses the same PDUs each time. */
function losing(each: number): (pdu: Pdu) => boolean {
  let number = 0;
  return () => {
    number += 1;
    return number % each !== 0;
  };
}

/** Everything that both ends send in conversations of all kinds. */
function conversations(): Buffer[] {
  const sent: Buffer[] = [];
  const pair = (settings: Partial<CfdpSettings>): ReturnType<typeof entities> => {
    const both = entities({ pduBytes: 300, ...settings });
    for (const entity of [both.one, both.two]) overheard(entity, sent);
    return both;
  };
  const file = { sourceName: NAME, destinationName: 'a', size: CONTENT.length };
  WIDTHS.forEach((idBytes, n) => {
    CHECKSUMS.forEach((checksumType, m) => {
      const crc = (n + m) % 2 === 0;
      const both = pair({ idBytes, sequenceBytes: WIDTHS[m]!, crc, crcRequired: crc, checksumType });
      both.one.put({ file }, 0);
      talk(both, 0, { content: CONTENT, keeps: losing(3 + n + m), turns: 400 });
    });
  });
  const empty = pair({});
  empty.two.put({ file: { ...file, size: 0 } }, 0);
  talk(empty, 0);
  const asking = pair({});
  const asked = asking.one.get({ sourceName: NAME, destinationName: 'a' }, 0);
  talk(asking, 0);
  for (const event of asking.events.two)
    if (event.kind === 'proxyPut') asking.two.put({ file, originating: event.id }, 10_000);
  talk(asking, 10_000, { content: CONTENT });
  expect(asked.ok && asking.events.one.some(({ kind }) => kind === 'downloadEnded')).toBe(true);
  for (const end of ['one', 'two'] as const) {
    const cut = pair({});
    const put = cut.one.put({ file }, 0);
    if (!put.ok) throw new Error(put.faults.join());
    // Nothing of its end arrives: it is still open.
    talk(cut, 0, { content: CONTENT, keeps: ({ body }) => body.kind !== 'eof', turns: 5 });
    cut.one.prompt(put.value, 'nak', 1_000);
    talk(cut, 1_000, { content: CONTENT, keeps: ({ body }) => body.kind !== 'eof', turns: 2 });
    cut.one.prompt(put.value, 'keepAlive', 2_000);
    talk(cut, 2_000, { content: CONTENT, keeps: ({ body }) => body.kind !== 'eof', turns: 2 });
    cut[end].cancel(put.value, 3_000);
    talk(cut, 3_000, { content: CONTENT });
  }
  return sent;
}

function overheard(entity: CfdpEntity, sent: Buffer[]): void {
  const pull = entity.pull.bind(entity);
  entity.pull = (now) => {
    const pdu = pull(now);
    if (pdu !== undefined) sent.push(Buffer.from(pdu));
    return pdu;
  };
}

it.runIf(IS_ASKED)('MC-CFDP-001 Wireshark reads in every PDU what was meant', () => {
  const missing = noWireshark();
  if (missing !== undefined) throw new Error(`${missing}: install it and run this again`);
  const pdus = conversations();
  const found = readByWireshark(pdus, FIELDS);
  expect(found.length).toBe(pdus.length);
  for (const [n, fields] of found.entries())
    expect(fields, pdus[n]!.toString('hex')).toEqual(expected(pdus[n]!));
  const kinds = new Map<string, number>();
  for (const pdu of pdus) {
    const { kind } = read(pdu).body;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  expect([...kinds.keys()].sort()).toEqual([...Object.keys(CODES), 'fileData'].sort());
  console.info(`${wiresharkVersion()}: ${[...kinds].map(([kind, count]) => `${count} ${kind}`).join(', ')}`);
});
