/**
 * Our entity and one of cfdp-py at the two ends of a link of UDP datagrams on 127.0.0.1. The link loses, doubles and
 * reorders what it is asked to: what passes it in each direction is drawn from a seed.
 */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CfdpEntity } from '../../protocol/cfdp/entity.ts';
import type { CfdpEvent } from '../../protocol/cfdp/event.ts';
import { type Pdu, readPdu } from '../../protocol/cfdp/pdu.ts';
import type { CfdpSettings } from '../../protocol/cfdp/settings.ts';
import type { TransactionId } from '../../protocol/cfdp/user-message.ts';
import { Chance } from '../simulation/chance.ts';
import { until } from './until.ts';

const PROGRAM = fileURLToPath(new URL('cfdp_py_entity.py', import.meta.url));
const HOST = '127.0.0.1';
const TURN_MS = 2;
/** More between two turns of the loop may overflow the socket of the other end. */
const PDUS_OF_A_TURN = 8;
/** A datagram that others are to overtake leaves after this at the latest. */
const OVERTAKEN_MS = 20;
/** Timers of both ends, and how many times each may expire. */
const TIMER_MS = 300;
const LIMIT = 30;
const LINK_TIMEOUT_MS = 40_000;

export const OURS = 1n;
export const THEIRS = 2n;

/** Shares of the datagrams. */
export interface Weather {
  readonly seed: number;
  readonly lost: number;
  readonly doubled: number;
  readonly overtaken: number;
  /** Passes as it is. */
  readonly spares?: (pdu: Pdu) => boolean;
}

export interface LinkOptions {
  /** What both ends have in common, and what only ours has. */
  readonly settings?: Partial<CfdpSettings>;
  /** Whether theirs asks for gaps at once; default: yes. */
  readonly immediateNaks?: boolean;
  readonly weather?: Weather;
  /** Loses what it returns false for. */
  readonly keeps?: (pdu: Pdu) => boolean;
}

/** What theirs says: an indication, a fault, or a PDU that it could not read or write. */
export interface TheirEvent {
  readonly event: string;
  readonly role?: 'sender' | 'receiver';
  readonly sequence?: number;
  readonly condition?: number;
  readonly delivery?: number;
  readonly status?: number;
  readonly error?: string;
  readonly port?: number;
}

export interface TheirOrder {
  readonly source: string;
  readonly destination: string;
  readonly class: 1 | 2;
  readonly closure?: boolean;
}

const python = (args: readonly string[]) =>
  spawnSync('python3', [PROGRAM, ...args], { encoding: 'utf8', timeout: 20_000 });

/** Why it cannot be run here; undefined when it can. */
export function noCfdpPy(): string | undefined {
  const { status, stderr } = python(['--check']);
  if (status === 0) return undefined;
  const why = stderr?.trim().split('\n').at(-1) ?? 'python3 is not installed';
  return `cfdp-py cannot be used (pip install cfdp-py, or PYTHONPATH names a folder that has it): ${why}`;
}

export const cfdpPyVersion = (): string => python(['--check']).stdout.trim();

/** One direction of a link. */
class Direction {
  readonly #chance: Chance | undefined;
  readonly #weather: Weather | undefined;
  readonly #deliver: (datagram: Buffer) => void;
  #held: Buffer | undefined;
  #release: NodeJS.Timeout | undefined;

  constructor(name: string, weather: Weather | undefined, deliver: (datagram: Buffer) => void) {
    this.#weather = weather;
    this.#chance = weather && new Chance(weather.seed, name);
    this.#deliver = deliver;
  }

  pass(datagram: Buffer, pdu: Pdu): void {
    const weather = this.#weather;
    const chance = this.#chance;
    if (weather === undefined || chance === undefined || weather.spares?.(pdu) === true)
      return this.#deliver(datagram);
    const [isLost, isDoubled, isHeld] = [weather.lost, weather.doubled, weather.overtaken].map((share) =>
      chance.happens(share),
    );
    if (isLost) return;
    if (isHeld && this.#held === undefined) {
      this.#held = datagram;
      this.#release = setTimeout(() => this.#letGo(), OVERTAKEN_MS);
      return;
    }
    this.#deliver(datagram);
    if (isDoubled) this.#deliver(datagram);
    this.#letGo();
  }

  #letGo(): void {
    const held = this.#held;
    this.#held = undefined;
    clearTimeout(this.#release);
    if (held !== undefined) this.#deliver(held);
  }

  close(): void {
    clearTimeout(this.#release);
  }
}

/** Both ends and the link between them; ours serves what theirs sends. */
export class CfdpPyLink {
  readonly entity: CfdpEntity;
  readonly events: CfdpEvent[] = [];
  readonly theirs: TheirEvent[] = [];
  /** The files of their end, in its working folder. */
  readonly folder: string;
  /** What passed the link or was lost on it, in the order in which our end saw it. */
  readonly pdus: Pdu[] = [];
  readonly #files = new Map<string, Buffer>();
  /** By sequence number: what our end sends, and what it receives. */
  readonly #sources = new Map<bigint, Buffer>();
  readonly #names = new Map<bigint, string>();
  readonly #socket: Socket;
  readonly #child: ChildProcess;
  readonly #keeps: (pdu: Pdu) => boolean;
  readonly #directions: { readonly out: Direction; readonly in: Direction };
  readonly #loop: NodeJS.Timeout;
  #errors = '';

  private constructor(options: LinkOptions, socket: Socket, folder: string) {
    this.folder = folder;
    this.#socket = socket;
    this.#keeps = options.keeps ?? (() => true);
    const settings: Pick<CfdpSettings, 'local'> & Partial<CfdpSettings> = {
      local: OURS,
      ackMs: TIMER_MS,
      ackLimit: LIMIT,
      nakMs: TIMER_MS,
      nakLimit: LIMIT,
      checkMs: TIMER_MS,
      checkLimit: LIMIT,
      inactivityMs: LINK_TIMEOUT_MS,
      ...options.settings,
    };
    this.entity = new CfdpEntity(
      {
        settings,
        peer: THEIRS,
        wallMs: Date.now(),
        accept: () => true,
        emit: (event) => this.#onEvent(event),
      },
      performance.now(),
    );
    this.#directions = {
      out: new Direction('out', options.weather, (pdu) => this.#send(pdu)),
      in: new Direction('in', options.weather, (pdu) => this.entity.receive(pdu, performance.now())),
    };
    socket.on('message', (datagram) => {
      this.#pass(this.#directions.in, datagram);
    });
    this.#child = spawn('python3', [PROGRAM], { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    createInterface({ input: this.#child.stdout! }).on('line', (line) => {
      this.theirs.push(JSON.parse(line) as TheirEvent);
    });
    const { idBytes, sequenceBytes, pduBytes, crc, checksumType } = this.entity.settings;
    this.#order({
      local: Number(THEIRS),
      peer: Number(OURS),
      peerPort: (socket.address() as AddressInfo).port,
      idBytes,
      sequenceBytes,
      pduBytes,
      crc,
      checksumType,
      class: 2,
      closure: false,
      timer: TIMER_MS / 1_000,
      limit: LIMIT,
      immediateNaks: options.immediateNaks ?? true,
    });
    this.#loop = setInterval(() => this.#turn(), TURN_MS);
  }

  static async open(options: LinkOptions = {}): Promise<CfdpPyLink> {
    const socket = createSocket('udp4');
    socket.bind(0, HOST);
    await once(socket, 'listening');
    const link = new CfdpPyLink(options, socket, mkdtempSync(join(tmpdir(), 'mcs-cfdp-py-')));
    try {
      await link.said('ready');
      return link;
    } catch (error) {
      await link.close();
      throw error;
    }
  }

  #order(order: object): void {
    this.#child.stdin!.write(`${JSON.stringify(order)}\n`);
  }

  /** Their end sends a file of its folder. */
  theirPut(order: TheirOrder): void {
    this.#order(order);
  }

  theirCancel(): void {
    this.#order({ cancel: true });
  }

  /** Their end asks for a file of ours. */
  theirAsk(names: { readonly source: string; readonly destination: string }): void {
    this.#order({ ask: names });
  }

  /** Our end sends a file. */
  ourPut(name: string, content: Buffer, originating?: TransactionId): TransactionId {
    const file = { sourceName: name, destinationName: name, size: content.length };
    const put = this.entity.put({ file, ...(originating && { originating }) }, performance.now());
    if (!put.ok) throw new Error(put.faults.join());
    this.#sources.set(put.value.sequence, content);
    return put.value;
  }

  ourCancel(id: TransactionId): void {
    this.entity.cancel(id, performance.now());
  }

  /** The file that our end received under a name. */
  received(name: string): Buffer | undefined {
    return this.#files.get(name);
  }

  /** Waits for an event of their end. */
  said(event: string, matches: (said: TheirEvent) => boolean = () => true): Promise<TheirEvent> {
    return this.until(`${event} of cfdp-py`, () =>
      this.theirs.find((each) => each.event === event && matches(each)),
    );
  }

  /** Waits for an event of ours. */
  happened<Kind extends CfdpEvent['kind']>(
    kind: Kind,
    matches: (event: Extract<CfdpEvent, { kind: Kind }>) => boolean = () => true,
  ): Promise<Extract<CfdpEvent, { kind: Kind }>> {
    const isIt = (event: CfdpEvent): event is Extract<CfdpEvent, { kind: Kind }> =>
      event.kind === kind && matches(event as Extract<CfdpEvent, { kind: Kind }>);
    return this.until(`${kind} here`, () => this.events.find(isIt)) as Promise<
      Extract<CfdpEvent, { kind: Kind }>
    >;
  }

  async until<Value>(what: string, check: () => Value): Promise<Exclude<Value, undefined | null | false>> {
    try {
      return await until(check, { what, timeoutMs: LINK_TIMEOUT_MS });
    } catch (error) {
      const last = JSON.stringify(this.theirs.slice(-8));
      throw new Error(`${(error as Error).message}; cfdp-py: ${last} ${this.#errors}`, { cause: error });
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#loop);
    this.#directions.in.close();
    this.#directions.out.close();
    if (this.#child.exitCode === null) {
      const ended = once(this.#child, 'exit');
      this.#child.stdin!.end();
      await ended;
    }
    this.#socket.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #turn(): void {
    const now = performance.now();
    const { entity } = this;
    entity.tick(now);
    for (let sent = 0; sent < PDUS_OF_A_TURN; sent += 1) {
      for (const { id, range } of entity.wanted())
        entity.give(id, range[0], this.#sources.get(id.sequence)?.subarray(...range), now);
      const pdu = entity.pull(now);
      if (pdu === undefined) return;
      this.#pass(this.#directions.out, Buffer.from(pdu));
    }
  }

  #pass(direction: Direction, datagram: Buffer): void {
    const read = readPdu(datagram);
    if (!read.ok) throw new Error(`${read.faults.join()}: ${datagram.toString('hex')}`);
    this.pdus.push(read.value);
    if (this.#keeps(read.value)) direction.pass(datagram, read.value);
  }

  #send(pdu: Buffer): void {
    const port = this.theirs.find(({ event }) => event === 'ready')?.port;
    if (port !== undefined) this.#socket.send(pdu, port, HOST);
  }

  #onEvent(event: CfdpEvent): void {
    this.events.push(event);
    if (event.kind === 'metadata') {
      this.#names.set(event.id.sequence, event.metadata.destinationName);
      if (event.metadata.destinationName !== '')
        this.#files.set(event.metadata.destinationName, Buffer.alloc(event.metadata.size));
    }
    if (event.kind === 'chunk')
      this.#files.get(this.#names.get(event.id.sequence) ?? '')?.set(event.bytes, event.offset);
  }
}
