/** Wireshark's own reading of PDUs of CFDP: the program `tshark` on a capture that holds nothing else. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInstalled } from './real-iiod.ts';

/** The first link type that captures leave to their users. */
const LINK_TYPE = 147;
const AS_CFDP = ['-o', `uat:user_dlts:"User 0 (DLT=${LINK_TYPE})","cfdp","0","","0",""`];
const MOST_OUTPUT_BYTES = 256 * 2 ** 20;

/** Why it cannot be asked here; undefined when it can. */
export function noWireshark(): string | undefined {
  return isInstalled('tshark') ? undefined : 'tshark is not installed (Debian package tshark)';
}

export function wiresharkVersion(): string {
  return spawnSync('tshark', ['--version'], { encoding: 'utf8' }).stdout.split('\n')[0] ?? '';
}

/** For each PDU the fields asked for, each with every value it has there. */
export function readByWireshark<Name extends string>(
  pdus: readonly Buffer[],
  fields: readonly Name[],
): Record<Name, string[]>[] {
  const folder = mkdtempSync(join(tmpdir(), 'mcs-wireshark-'));
  try {
    const file = join(folder, 'pdus.pcap');
    writeFileSync(file, captureOf(pdus));
    const chosen = fields.flatMap((field) => ['-e', field]);
    const args = [
      '-r',
      file,
      ...AS_CFDP,
      '-T',
      'fields',
      '-E',
      'separator=/t',
      '-E',
      'aggregator=;',
      ...chosen,
    ];
    const { status, stdout, stderr } = spawnSync('tshark', args, {
      encoding: 'utf8',
      maxBuffer: MOST_OUTPUT_BYTES,
    });
    if (status !== 0) throw new Error(`tshark: ${stderr}`);
    const lines = stdout.split('\n').slice(0, -1);
    return lines.map((line) => {
      const values = line.split('\t').map((value) => (value === '' ? [] : value.split(';')));
      return Object.fromEntries(fields.map((field, n) => [field, values[n] ?? []])) as Record<Name, string[]>;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A capture in the format of libpcap. */
function captureOf(pdus: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(24);
  head.writeUInt32LE(0xa1b2c3d4, 0);
  head.writeUInt16LE(2, 4);
  head.writeUInt16LE(4, 6);
  head.writeUInt32LE(0x40000, 16);
  head.writeUInt32LE(LINK_TYPE, 20);
  const records = pdus.flatMap((pdu, n) => {
    const record = Buffer.alloc(16);
    record.writeUInt32LE(n, 0);
    record.writeUInt32LE(pdu.length, 8);
    record.writeUInt32LE(pdu.length, 12);
    return [record, pdu];
  });
  return Buffer.concat([head, ...records]);
}
