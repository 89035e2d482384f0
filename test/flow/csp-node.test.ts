/**
 * A node that speaks CSP over UDP and answers in the turn in which it is asked, once: the answer comes within the
 * millisecond of the sending, before the sending is recorded. Mission Control Service, section 3.1 (ACK 3).
 */

import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import type { CurrentValues } from '../../contract/value.ts';
import { readCsp, writeCsp } from '../../protocol/csp.ts';
import { call, readLog } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { freePort } from '../support/radio.ts';
import { until } from '../support/until.ts';

const BENCH_LAB = fileURLToPath(new URL('../../missions/bench-lab', import.meta.url));
const SENDINGS = 40;
const LIMIT = 2;

let cell: DemoCell;
let folder: string;
let node: Socket;
let port: number;
/** The state of the board. */
const board = { limitMa: 2_000, accepted: 0 };

function housekeeping(): Buffer {
  const data = Buffer.alloc(9);
  data.writeUInt16BE(28_000, 0);
  data.writeUInt16BE(board.limitMa, 4);
  data.writeUInt16BE(board.accepted, 7);
  const ports = { destinationPort: 30, sourcePort: 7 };
  return writeCsp(1, { priority: 2, source: 2, destination: 10, flags: 1, ...ports }, data);
}

/** It says nothing by itself: an answer that is missed is missed for good. */
function answer(datagram: Buffer): void {
  const packet = readCsp(1, datagram);
  if (!packet.ok) return;
  const { data } = packet.value;
  board.accepted += 1;
  if (data[0] === LIMIT) board.limitMa = data.readUInt16BE(1);
  node.send(housekeeping(), port, '127.0.0.1');
}

beforeAll(async () => {
  node = createSocket('udp4').bind(0, '127.0.0.1');
  await once(node, 'listening');
  node.on('message', answer);
  const peer = (node.address() as AddressInfo).port;
  port = await freePort('udp');
  folder = await mkdtemp(join(tmpdir(), 'mcs-csp-node-'));
  await cp(BENCH_LAB, folder, { recursive: true });
  const path = join(folder, 'topology.yaml');
  const text = await readFile(path, 'utf8');
  const udp = `udp: { port: ${port}, peer: { host: 127.0.0.1, port: ${peer} } }`;
  await writeFile(path, text.replace('simulated: true, model: power-board', udp));
  // An answer that is missed is missed for good; one that comes to a machine that stood still is not.
  const platform = join(folder, 'power-board.yaml');
  await writeFile(platform, (await readFile(platform, 'utf8')).replaceAll('within: 5 s', 'within: 60 s'));
  cell = await startDemoCell({ folder });
  await until(
    async () => {
      node.send(housekeeping(), port, '127.0.0.1');
      const { body } = await call<CurrentValues>('GET', `${cell.api}/v1/targets/board/values`);
      return body.values?.some(({ measure }) => measure === 'accepted');
    },
    { timeoutMs: 60_000, what: 'the first housekeeping' },
  );
}, 120_000);
afterAll(async () => {
  await cell.stop();
  node.close();
  await rm(folder, { recursive: true, force: true });
});

it('MC-TC-038 each of its answers verifies, by a value and by a change, whatever its millisecond', async () => {
  const ends: Record<string, number> = {};
  for (let n = 0; n < SENDINGS; n += 1) {
    // `limit within 0.001 A of $current`, and `bus.accepted changes`.
    const body =
      n % 2 === 0
        ? { target: 'board', telecommand: 'set_limit', args: { current: `${1 + n / 100} A` } }
        : { target: 'board', telecommand: 'switch', args: { channel: 'RADIO', on: n % 4 === 1 } };
    const { body: reply } = await call<TcReply>('POST', `${cell.api}/v1/tc`, body);
    const events = await readLog<TcEvent>(`${cell.api}/v1/tc/board/${reply.id}/events`);
    const end = `${body.telecommand} ${events.at(-1)?.state}`;
    ends[end] = (ends[end] ?? 0) + 1;
  }
  expect(ends).toEqual({ 'set_limit VERIFIED': SENDINGS / 2, 'switch VERIFIED': SENDINGS / 2 });
}, 180_000);
