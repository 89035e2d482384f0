/**
 * Where the connections of a gateway over TCP come from: it opens them itself, or waits for the radio to do so. Either
 * way it goes on until it is stopped, and says how the link is meanwhile.
 *
 * R1. A connection that stands is not ended by whoever calls next: a further one is refused and counted. A radio that
 *     restarted is taken again when the kernel has found its old connection dead; with `replace` the newest one counts.
 * R2. Between two tries there is always a wait, growing until a connection has held (`Backoff`).
 * R3. Who is not in the list `accept` is refused before a byte of it is read.
 * R4. Its first try, to connect or to listen, is under way from the beginning until it has ended, either way. When the
 *     radio calls is not part of it.
 */

import { connect, createServer, type Server, type Socket } from 'node:net';
import { LINK_CONNECT_MS, LINK_RETRY_FIRST_MS, LINK_STABLE_MS } from '../../contract/limits/link.ts';
import type { LinkState } from '../../contract/link.ts';
import type { Address } from '../../mission/endpoint.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import { Backoff } from './backoff.ts';
import { isPortHeld, PORT_HELD } from './port-wait.ts';

export interface TcpSourceOptions {
  readonly address: Address;
  readonly clock: Clock;
  readonly random: Random;
  /** A connection stands. */
  readonly connected: (socket: Socket) => void;
  /** Somebody was refused (R1, R3), and why. */
  readonly refused?: (reason: string) => void;
  /** Who may call; default: anybody. Of a listener. */
  readonly accepts?: (address: string, port: number) => boolean;
  /** The newest connection counts (R1). Of a listener. */
  readonly replace?: boolean;
  /** There is none, and why. */
  readonly state: (state: Exclude<LinkState, 'up' | 'silent'>, reason: string) => void;
}

export interface TcpSource {
  start(): void;
  /** Opens and takes no more connections; those that stand are whoever's took them. */
  stop(): void;
  /** Another process has the port. */
  readonly isPortHeld: boolean;
  /** Its first try is under way (R4). */
  readonly isOpening: boolean;
}

/** Opens a connection, and another one whenever it is lost. */
export class TcpDialer implements TcpSource {
  readonly isPortHeld = false;
  isOpening = true;
  readonly #options: TcpSourceOptions;
  readonly #backoff: Backoff;
  #timer: TimerHandle | undefined;
  #dialling: Socket | undefined;
  #stopped = false;

  constructor(options: TcpSourceOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.random);
  }

  start(): void {
    this.#dial();
  }

  stop(): void {
    this.#stopped = true;
    this.#stopTimer();
    this.#dialling?.destroy();
  }

  #dial(): void {
    const { address, clock, connected } = this.#options;
    const socket = connect(address.port, address.host);
    let connectedAt: number | undefined;
    let reason = 'the peer closed the connection';
    this.#dialling = socket;
    this.#timer = clock.setTimeout(() => {
      socket.destroy(new Error(`no answer within ${LINK_CONNECT_MS / 1_000} s`));
    }, LINK_CONNECT_MS);
    socket.on('error', (error) => {
      reason = reasonOf(error);
    });
    socket.on('connect', () => {
      this.#stopTimer();
      this.#dialling = undefined;
      connectedAt = clock.now();
      connected(socket);
      this.isOpening = false;
    });
    socket.on('close', () => {
      if (connectedAt !== undefined && clock.now() - connectedAt >= LINK_STABLE_MS) this.#backoff.reset();
      this.#again(reason);
    });
  }

  #again(reason: string): void {
    this.#stopTimer();
    this.#dialling = undefined;
    this.isOpening = false;
    if (this.#stopped) return;
    const { address, clock, state } = this.#options;
    state('connecting', `${address.host}:${address.port}: ${reason}`);
    this.#timer = clock.setTimeout(() => this.#dial(), this.#backoff.next());
  }

  #stopTimer(): void {
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** Listens, and listens again when that failed (another process may leave the port). */
export class TcpListener implements TcpSource {
  isPortHeld = false;
  isOpening = true;
  readonly #options: TcpSourceOptions;
  readonly #backoff: Backoff;
  #server: Server | undefined;
  #peer: Socket | undefined;
  #timer: TimerHandle | undefined;
  #stopped = false;

  constructor(options: TcpSourceOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.random);
  }

  start(): void {
    const { address } = this.#options;
    const server = createServer({ noDelay: true }, (socket) => this.#take(socket));
    this.#server = server;
    server.on('error', (error) => this.#failed(server, error));
    server.listen(address.port, address.host, () => {
      this.#backoff.reset();
      this.isPortHeld = false;
      this.isOpening = false;
      this.#waitForPeer();
    });
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    this.#server?.close();
  }

  #take(socket: Socket): void {
    const refusal = this.#refusal(socket);
    if (refusal !== undefined) {
      socket.on('error', () => undefined);
      socket.destroy();
      this.#options.refused?.(refusal);
      return;
    }
    let reason = 'the peer closed the connection';
    socket.on('error', (error) => {
      reason = reasonOf(error);
    });
    socket.on('close', () => {
      if (this.#peer === socket) this.#waitForPeer(reason);
    });
    this.#peer = socket;
    this.#options.connected(socket);
  }

  #refusal({ remoteAddress = '', remotePort = 0 }: Socket): string | undefined {
    const { accepts, replace = false } = this.#options;
    if (accepts?.(remoteAddress, remotePort) === false)
      return `${remoteAddress} is not among those it accepts`;
    if (this.#peer !== undefined && !replace)
      return `${remoteAddress} called while ${this.#peer.remoteAddress ?? 'another one'} is connected`;
    return undefined;
  }

  #waitForPeer(reason?: string): void {
    if (this.#stopped) return;
    const { address, state } = this.#options;
    const waiting = `waiting for the radio on ${address.host}:${address.port}`;
    this.#peer = undefined;
    state('connecting', reason === undefined ? waiting : `${reason}; ${waiting}`);
  }

  #failed(server: Server, error: NodeJS.ErrnoException): void {
    server.close();
    this.isPortHeld = isPortHeld(error);
    this.isOpening = false;
    if (this.#stopped) return;
    const { address, clock, state } = this.#options;
    const why = this.isPortHeld ? `${reasonOf(error)}; ${PORT_HELD}` : reasonOf(error);
    state('down', `cannot listen on ${address.host}:${address.port}: ${why}`);
    const waitMs = this.isPortHeld ? LINK_RETRY_FIRST_MS : this.#backoff.next();
    this.#timer = clock.setTimeout(() => this.start(), waitMs);
  }
}

/** Several addresses of one name fail as one error without a message. */
function reasonOf(error: NodeJS.ErrnoException): string {
  return error.message === '' ? (error.code ?? 'failed') : error.message;
}
