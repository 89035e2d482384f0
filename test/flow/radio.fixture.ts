/**
 * A radio as a process of its own: sends bytes of a file over UDP or TCP when reported to, and reports what it
 * receives.
 */

import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type RadioOrder =
  | { readonly order: 'listen'; readonly port?: number }
  | { readonly order: 'connect'; readonly port: number }
  /** The bytes from `from` to `to`, in writes of `chunk`. */
  | { readonly order: 'stream'; readonly from: number; readonly to: number; readonly chunk: number }
  | { readonly order: 'hang-up' }
  | { readonly order: 'bind' }
  | {
      readonly order: 'datagrams';
      readonly port: number;
      readonly size: number;
      readonly from: number;
      readonly to: number;
    };

export type RadioNews =
  | { readonly news: 'done'; readonly port?: number }
  | { readonly news: 'connected' }
  | { readonly news: 'received'; readonly bytes: string };

const file = readFileSync(process.argv[2]!);
let stream: Socket | undefined;
let datagrams: UdpSocket | undefined;
const tell = (news: RadioNews): void => void process.send!(news);
const done = (port?: number): void => tell({ news: 'done', ...(port !== undefined && { port }) });

function take(socket: Socket): void {
  stream = socket;
  socket.on('data', (bytes) => tell({ news: 'received', bytes: bytes.toString('hex') }));
  socket.on('error', () => undefined);
  tell({ news: 'connected' });
}

process.on('message', (order: RadioOrder) => {
  switch (order.order) {
    case 'listen': {
      const server = createServer(take);
      server.listen(order.port ?? 0, '127.0.0.1', () => done((server.address() as AddressInfo).port));
      return;
    }
    case 'connect': {
      const socket = connect(order.port, '127.0.0.1', () => {
        take(socket);
        done();
      });
      return;
    }
    case 'stream':
      for (let at = order.from; at < order.to; at += order.chunk)
        stream!.write(file.subarray(at, Math.min(at + order.chunk, order.to)));
      stream!.write('', () => done());
      return;
    case 'hang-up':
      stream!.end(() => done());
      return;
    case 'bind': {
      const socket = createSocket('udp4');
      datagrams = socket;
      socket.on('message', (bytes) => tell({ news: 'received', bytes: bytes.toString('hex') }));
      socket.bind(0, '127.0.0.1', () => done(socket.address().port));
      return;
    }
    case 'datagrams':
      for (let n = order.from; n < order.to; n += 1)
        datagrams!.send(file.subarray(n * order.size, (n + 1) * order.size), order.port, '127.0.0.1');
      datagrams!.send(Buffer.alloc(0), order.port, '127.0.0.1', () => done());
      return;
  }
});
process.on('disconnect', () => process.exit());
