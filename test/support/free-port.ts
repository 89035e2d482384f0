/**
 * Ports for what is started later, or ends and comes back at its place: of this worker alone, and below those that the
 * system draws for whoever asks for any port. One of these may be another test's by the time it is used.
 */

import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

const FIRST = 10_000;
/** For each worker, and for how many workers. */
const EACH = 1_000;
const WORKERS = 9;
const HOST = '127.0.0.1';

/** Where two runs of the tests share a machine, they hardly begin at the same place. */
let drawn = Math.floor(Math.random() * EACH);

/** A port that nobody listens on; none comes twice before all others have. */
export async function freePort(kind: 'tcp' | 'udp'): Promise<number> {
  const isFree = kind === 'tcp' ? isFreeOfStreams : isFreeOfDatagrams;
  const own = FIRST + (Number(process.env['VITEST_POOL_ID'] ?? 0) % WORKERS) * EACH;
  for (let tried = 0; tried < EACH; tried += 1) {
    drawn = (drawn + 1) % EACH;
    const port = own + drawn;
    if (await isFree(port)) return port;
  }
  throw new Error(`none of the ports ${own} to ${own + EACH - 1} is free`);
}

function isFreeOfStreams(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, HOST, () => server.close(() => resolve(true)));
  });
}

function isFreeOfDatagrams(port: number): Promise<boolean> {
  const socket = createSocket('udp4');
  return new Promise((resolve) => {
    socket.once('error', () => socket.close(() => resolve(false)));
    socket.bind(port, HOST, () => socket.close(() => resolve(true)));
  });
}
