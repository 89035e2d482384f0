/**
 * A file from one UDP socket of 127.0.0.1 to another of this process: by CFDP class 2 between two entities, or bare in
 * datagrams of the same size. So many datagrams are under way at once, and none is lost.
 */

import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { OnboardEntity } from '../../test/support/onboard-entity.ts';
import { answerCalls } from '../peer-side.ts';

const PDU_BYTES = 1_024;
/** What stands before the file's bytes in a datagram of the bare copy: as much as in a PDU. */
const HEAD_BYTES = 20;
const AT_ONCE = 32;
const FILE = '7';

type Taken = (datagram: Buffer) => void;

/** One end: what it sends arrives at the other one. */
class End {
  readonly #socket: Socket;
  #sent = 0;
  #arrived = 0;
  #wake: (() => void) | undefined;
  #other: End | undefined;

  static async open(): Promise<End> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new End(socket);
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  join(other: End, take: Taken): void {
    this.#other = other;
    this.#socket.on('message', (datagram) => {
      take(datagram);
      this.#arrived += 1;
      this.#wake?.();
    });
  }

  /** Resolves when all of it has arrived. */
  async send(datagrams: readonly Buffer[]): Promise<void> {
    const other = this.#other!;
    const { port } = other.#socket.address();
    for (const datagram of datagrams) this.#socket.send(datagram, port, '127.0.0.1');
    this.#sent += datagrams.length;
    while (other.#arrived < this.#sent)
      await new Promise<void>((resolve) => {
        other.#wake = resolve;
      });
  }

  close(): void {
    this.#socket.close();
  }
}

let content = Buffer.alloc(0);

function start({ bytes }: { readonly bytes: number }): void {
  content = Buffer.alloc(bytes, 'a file that comes down, ');
}

async function between<Value>(work: (ground: End, space: End) => Promise<Value>): Promise<Value> {
  const [ground, space] = [await End.open(), await End.open()];
  try {
    return await work(ground, space);
  } finally {
    ground.close();
    space.close();
  }
}

/** The ms it took. */
function cfdp(): Promise<number> {
  return between(async (ground, space) => {
    const begin = performance.now();
    const now = () => performance.now();
    const entity = (local: bigint, peer: bigint) =>
      new OnboardEntity({ settings: { local, pduBytes: PDU_BYTES }, peer, now, content: () => content });
    const [here, there] = [entity(1n, 2n), entity(2n, 1n)];
    ground.join(space, (pdu) => here.receive(pdu));
    space.join(ground, (pdu) => there.receive(pdu));
    const asked = here.entity.get({ sourceName: FILE, destinationName: FILE }, now());
    if (!asked.ok) throw new Error(asked.faults[0]);
    while (!here.taken.has(FILE)) {
      await ground.send(here.take(AT_ONCE));
      await space.send(there.take(AT_ONCE));
    }
    return whole(here.taken.get(FILE)!, begin);
  });
}

/** The ms it took. */
function bare(): Promise<number> {
  return between(async (ground, space) => {
    const begin = performance.now();
    const file = Buffer.alloc(content.length);
    ground.join(space, (datagram) => file.set(datagram.subarray(HEAD_BYTES), datagram.readUInt32BE()));
    space.join(ground, () => undefined);
    const room = PDU_BYTES - HEAD_BYTES;
    for (let at = 0; at < content.length; ) {
      const datagrams: Buffer[] = [];
      for (; datagrams.length < AT_ONCE && at < content.length; at += room) {
        const piece = content.subarray(at, at + room);
        const datagram = Buffer.alloc(HEAD_BYTES + piece.length);
        datagram.writeUInt32BE(at);
        datagram.set(piece, HEAD_BYTES);
        datagrams.push(datagram);
      }
      await space.send(datagrams);
    }
    return whole(file, begin);
  });
}

function whole(file: Buffer, begin: number): number {
  if (!file.equals(content)) throw new Error('the file is another one');
  return performance.now() - begin;
}

answerCalls({ start, cfdp, bare });
