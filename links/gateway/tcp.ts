/**
 * A gateway over TCP: the radio is at the other end of a connection, and a framing says where a frame ends. Mission
 * Control Service, section 1 (gateways).
 *
 * Y1. A frame is sent when the network of this machine has taken all of it. Without a connection it is refused at once;
 *     where another process has the port, it waits for it, and while the first connection is being opened, for that
 *     (`port-wait.ts`).
 * Y2. `stop` ends the connection and answers whoever waits; nothing holds it up.
 */

import type { Socket } from 'node:net';
import type { TcpEndpoint } from '../../mission/endpoint.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { createFramer } from '../framing/framing.ts';
import { acceptedSources } from './accepted-sources.ts';
import type { Gateway, LinkFigures, Listener, MayLeave, Sent } from './gateway.ts';
import { Intake } from './intake.ts';
import { LinkWatcher } from './link-watcher.ts';
import { PortWait } from './port-wait.ts';
import { TcpConnection } from './tcp-connection.ts';
import { TcpDialer, TcpListener, type TcpSource } from './tcp-source.ts';

interface TcpOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** A gateway over TCP, idle until its `start`. */
export function createTcp(endpoint: TcpEndpoint, options: TcpOptions): Gateway {
  return new TcpGateway(endpoint, options);
}

class TcpGateway implements Gateway {
  readonly #endpoint: TcpEndpoint;
  readonly #options: TcpOptions;
  readonly #watcher: LinkWatcher;
  #listener: Listener | undefined;
  #intake: Intake | undefined;
  #source: TcpSource | undefined;
  #connection: TcpConnection | undefined;
  #connections = 0;
  #cut = 0;
  #refused = 0;
  /** Of the connections before. */
  #skipped = 0;
  #stopped = false;
  readonly #portWait: PortWait;

  constructor(endpoint: TcpEndpoint, options: TcpOptions) {
    this.#endpoint = endpoint;
    this.#options = options;
    this.#portWait = new PortWait(options.clock);
    this.#watcher = new LinkWatcher({
      clock: options.clock,
      silentAfterMs: endpoint.silentAfterMs,
      changed: () => this.#changed(),
    });
  }

  readonly link = (): LinkFigures => ({
    condition: this.#watcher.condition,
    reconnects: Math.max(0, this.#connections - 1),
    cut: this.#cut,
    skippedBytes: this.#skipped + (this.#connection?.framer.skipped ?? 0),
    foreign: this.#refused,
    sending: this.#connection?.sending ?? 0,
  });

  start(listener: Listener): void {
    this.#listener = listener;
    this.#intake = new Intake(listener);
    const { address, side, accept, replace } = this.#endpoint;
    const { clock, random } = this.#options;
    const source = {
      address,
      clock,
      random,
      connected: (socket: Socket) => this.#take(socket),
      refused: (reason: string) => this.#refuse(reason),
      state: (state: 'connecting' | 'down', reason: string) => this.#watcher.set(state, reason),
      ...(accept !== undefined && { accepts: acceptedSources(accept) }),
      ...(replace !== undefined && { replace }),
    };
    this.#source = side === 'connect' ? new TcpDialer(source) : new TcpListener(source);
    this.#source.start();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#source?.stop();
    this.#watcher.set('down', 'the gateway was stopped');
    this.#connection?.end('the gateway was stopped');
    this.#intake?.stop();
    this.#watcher.stop();
  }

  async send(frame: Buffer, mayLeave?: MayLeave): Promise<Sent> {
    if (this.#connection === undefined) await this.#comes(mayLeave);
    if (this.#connection !== undefined) return this.#connection.send(frame, mayLeave);
    const { reason = 'connecting' } = this.#watcher.condition;
    return { sent: false, detail: `there is no connection with the radio (${reason})` };
  }

  /** Y1: resolves at once where nothing is waited for. Behind a port that was held, the radio has yet to call. */
  async #comes(mayLeave: MayLeave | undefined): Promise<void> {
    const source = this.#source;
    let wasHeld = false;
    const isOver = (): boolean => {
      wasHeld ||= source?.isPortHeld === true;
      return this.#connection !== undefined || this.#stopped || !(wasHeld || source?.isOpening === true);
    };
    await this.#portWait.until(isOver, mayLeave);
  }

  #take(socket: Socket): void {
    this.#connection?.end('another connection took its place');
    const connection: TcpConnection = new TcpConnection({
      socket,
      framer: createFramer(this.#endpoint.framing),
      intake: this.#intake!,
      clock: this.#options.clock,
      heard: () => this.#watcher.heard(),
      closed: (unfinished) => this.#closed(connection, unfinished),
    });
    this.#connection = connection;
    this.#connections += 1;
    this.#watcher.set('up');
  }

  /** Counted each time and logged once: whoever may not call may do so without end. */
  #refuse(reason: string): void {
    if (this.#refused === 0) this.#options.log.warn({ reason }, 'a connection was refused');
    this.#refused += 1;
  }

  #closed(connection: TcpConnection, unfinished: number): void {
    this.#skipped += connection.framer.skipped;
    if (unfinished > 0) this.#cut += 1;
    if (this.#connection === connection) this.#connection = undefined;
  }

  #changed(): void {
    const { condition } = this.#watcher;
    const { state, reason } = condition;
    this.#options.log[state === 'up' ? 'info' : 'warn'](
      { state, ...(reason !== undefined && { reason }) },
      'link changed',
    );
    this.#listener?.changed?.();
  }
}
