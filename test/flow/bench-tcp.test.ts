/** The bench over real sockets: lines over TCP with an instrument that answers at once, CSP in KISS frames over TCP. */

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import type { CurrentValues } from '../../contract/value.ts';
import { appendCrc, readCsp, takeCrc, writeCsp } from '../../protocol/csp.ts';
import { KissReader, writeKiss } from '../../protocol/kiss.ts';
import { call, readLog } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { until } from '../support/until.ts';

const BENCH_LAB = fileURLToPath(new URL('../../missions/bench-lab', import.meta.url));

let cell: DemoCell;
let folder: string;
const servers: Server[] = [];
const sockets = new Set<Socket>();
/** Functions the board did. */
const done: string[] = [];

/** A server on a free port of this machine. */
async function listen(serve: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    sockets.add(socket.setNoDelay());
    socket.on('error', () => undefined);
    serve(socket);
  });
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Answers in the same turn in which the line is complete. */
function instrument(socket: Socket): void {
  let rest = '';
  socket.on('data', (data) => {
    const lines = (rest + data.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) socket.write(line.includes('fail') ? 'ERR 9 told to fail\r\n' : 'OK\r\n');
  });
}

function board(socket: Socket): void {
  const reader = new KissReader();
  socket.on('data', (data) => {
    for (const content of reader.push(data)) {
      const packet = takeCrc(1, content);
      const read = packet.ok ? readCsp(1, packet.value) : undefined;
      if (read?.ok !== true) continue;
      done.push(read.value.data.toString('hex'));
      const header = {
        priority: 2,
        source: 2,
        destination: 10,
        destinationPort: 30,
        sourcePort: 7,
        flags: 0,
      };
      const state = Buffer.from(`6b6c0001${read.value.data.toString('hex', 1)}000001`, 'hex');
      const frame = writeKiss(appendCrc(1, writeCsp(1, header, state)));
      socket.write(frame.subarray(0, 5));
      socket.write(frame.subarray(5));
    }
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-bench-'));
  await cp(BENCH_LAB, folder, { recursive: true });
  const topology = join(folder, 'topology.yaml');
  const [console, umbilical] = [await listen(instrument), await listen(board)];
  const over = (port: number, kind: string) =>
    `{ tcp: { connect: { host: 127.0.0.1, port: ${port} } }, framing: { kind: ${kind} } }`;
  const text = await readFile(topology, 'utf8');
  const wired = text
    .replace(/^ {2}board-1: .*$/m, `  board-1: ${over(umbilical, 'kiss')}`)
    .replace(/^ {2}chamber-1: .*$/m, `  chamber-1: ${over(console, 'line')}`)
    .replace('port: 7, crc: true', 'port: 7, kiss: true');
  await writeFile(topology, wired);
  // No verification ends because the machine stands still.
  for (const file of ['power-board.yaml', 'thermal-chamber.yaml']) {
    const platform = await readFile(join(folder, file), 'utf8');
    await writeFile(join(folder, file), platform.replaceAll(/within: (?:2|5|10) s/g, 'within: 30 s'));
  }
  cell = await startDemoCell({ folder });
}, 60_000);
afterAll(async () => {
  await cell.stop();
  for (const socket of sockets) socket.destroy();
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

async function outcome(body: { target: string; telecommand: string; args: object }): Promise<TcEvent> {
  const answer = await call<TcReply>('POST', `${cell.api}/v1/tc`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  const events = await readLog<TcEvent>(`${cell.api}/v1/tc/${body.target}/${answer.body.id}/events`);
  return events.at(-1)!;
}

const label = (text: string) => outcome({ target: 'chamber', telecommand: 'set_label', args: { text } });

it('every line is matched with the answer that comes at once, success or failure, one after the other', async () => {
  await until(async () => (await label('warm up')).state === 'VERIFIED');
  const texts = Array.from({ length: 40 }, (_, n) => (n % 3 === 0 ? `fail ${n}` : `row ${n}`));
  const ends = await Promise.all(texts.map(label));
  expect(ends.map(({ state }) => state)).toEqual(
    texts.map((text) => (text.startsWith('fail') ? 'VERIFY_FAILED' : 'VERIFIED')),
  );
});

it('each telecommand ends by its own answer', async () => {
  for (const text of ['fail', 'fine', 'fail', 'fail', 'fine'])
    expect(await label(text)).toMatchObject({ state: text === 'fail' ? 'VERIFY_FAILED' : 'VERIFIED' });
});

it('CSP packets pass KISS frames both ways, cut anywhere', async () => {
  const sent = { target: 'board', telecommand: 'set_limit', args: { current: 1.5 } };
  await until(async () => (await outcome(sent)).state === 'VERIFIED');
  expect(done).toContain('0205dc');
  const limit = async (): Promise<unknown> => {
    const { body } = await call<CurrentValues>('GET', `${cell.api}/v1/targets/board/values`);
    return body.values?.find(({ measure }) => measure === 'limit')?.sample.value;
  };
  await until(async () => (await limit()) === 1.5, { what: 'the limit among the values' });
});
