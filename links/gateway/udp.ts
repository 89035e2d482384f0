/**
 * A gateway over UDP: a datagram is a frame, or holds several with a framing. Mission Control Service, section 1
 * (gateways).
 *
 * D1. A datagram leaves whole or not at all, so a sending that fails is refused, never unsure. Whether one that left
 *     arrived nobody knows: that is for telemetry to report.
 * D2. A socket that fails is opened again after a growing wait. A silent multicast link joins its group again and
 *     again.
 * D3. Frames never span datagrams: what a framing leaves unfinished at the end of one is cut off and counted.
 * D4. While another process has the port, what is to be sent waits for it (`port-wait.ts`), and the port is tried at a
 *     steady pace.
 * D6. What is to be sent while it is opened for the first time waits until it is open or has failed (`port-wait.ts`).
 * D5. What the kernel drops is counted (`udp-drops.ts`), and in the log when it begins.
 */

import { LINK_RETRY_FIRST_MS } from '../../contract/limits/link.ts';
import type { UdpEndpoint } from '../../mission/endpoint.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Framer } from '../framing/framer.ts';
import { createFramer } from '../framing/framing.ts';
import { acceptedSources } from './accepted-sources.ts';
import { Backoff } from './backoff.ts';
import type { Gateway, LinkFigures, Listener, MayLeave, Sent } from './gateway.ts';
import { LinkWatcher } from './link-watcher.ts';
import { PORT_HELD, PortWait } from './port-wait.ts';
import { SendQueue } from './send-queue.ts';
import { UdpDrops } from './udp-drops.ts';
import { UdpSocket } from './udp-socket.ts';

interface UdpOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** A gateway over UDP, idle until its `start`. */
export function createUdp(endpoint: UdpEndpoint, options: UdpOptions): Gateway {
  return new UdpGateway(endpoint, options);
}

class UdpGateway implements Gateway {
  readonly #endpoint: UdpEndpoint;
  readonly #options: UdpOptions;
  readonly #watcher: LinkWatcher;
  readonly #backoff: Backoff;
  readonly #framer: Framer | undefined;
  /** Of a list; undefined where the peer is looked at, or nobody. */
  readonly #accepts: ((address: string, port: number) => boolean) | undefined;
  #listener: Listener | undefined;
  #socket: UdpSocket | undefined;
  #sends: SendQueue | undefined;
  #timer: TimerHandle | undefined;
  #opened = 0;
  #cut = 0;
  #foreign = 0;
  /** D5 */
  readonly #drops: UdpDrops;
  #isGrantedLess = false;
  #isPortHeld = false;
  /** D6 */
  #isOpening = true;
  readonly #portWait: PortWait;
  #stopped = false;

  constructor(endpoint: UdpEndpoint, options: UdpOptions) {
    this.#endpoint = endpoint;
    this.#options = options;
    this.#backoff = new Backoff(options.random);
    this.#portWait = new PortWait(options.clock);
    this.#drops = new UdpDrops(options);
    this.#framer = endpoint.framing && createFramer(endpoint.framing);
    const { accept } = endpoint;
    this.#accepts = typeof accept === 'string' ? undefined : acceptedSources(accept);
    this.#watcher = new LinkWatcher({
      clock: options.clock,
      silentAfterMs: endpoint.silentAfterMs,
      changed: () => this.#changed(),
      stillSilent: () => this.#socket?.rejoin(),
    });
  }

  readonly link = (): LinkFigures => ({
    condition: this.#watcher.condition,
    reconnects: Math.max(0, this.#opened - 1),
    cut: this.#cut,
    skippedBytes: this.#framer?.skipped ?? 0,
    foreign: this.#foreign,
    kernel: this.#drops.count,
    sending: this.#sends?.length ?? 0,
  });

  start(listener: Listener): void {
    this.#listener = listener;
    this.#open();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    this.#drops.stop();
    this.#sends?.close('the gateway was stopped');
    this.#socket?.close();
    this.#watcher.set('down', 'the gateway was stopped');
    this.#watcher.stop();
  }

  async send(frame: Buffer, mayLeave?: MayLeave): Promise<Sent> {
    if (this.#endpoint.peer === undefined)
      return { sent: false, detail: 'this gateway has no peer: it only receives' };
    const comes = (): boolean => this.#sends === undefined && (this.#isPortHeld || this.#isOpening);
    if (comes()) await this.#portWait.until(() => !comes() || this.#stopped, mayLeave);
    const { reason = 'it is being opened' } = this.#watcher.condition;
    if (this.#sends === undefined) return { sent: false, detail: `the socket is not open (${reason})` };
    const wrapped = this.#framer?.wrap(frame);
    if (wrapped?.ok === false) return { sent: false, detail: wrapped.faults[0] };
    return this.#sends.send(wrapped?.value ?? frame, mayLeave);
  }

  #open(): void {
    const socket = new UdpSocket({
      endpoint: this.#endpoint,
      opened: () => this.#take(socket),
      received: (datagram, from, port) => this.#receive(datagram, from, port),
      failed: (reason, isPortHeld) => this.#failed(reason, isPortHeld),
      granted: (bytes, wanted) => this.#grantedLess(bytes, wanted),
    });
    this.#socket = socket;
  }

  #grantedLess(bytes: number, wanted: number): void {
    if (this.#isGrantedLess) return;
    this.#isGrantedLess = true;
    this.#options.log.warn(
      { bytes, wanted },
      'the kernel holds less for this gateway than was asked for: raise net.core.rmem_max',
    );
  }

  #take(socket: UdpSocket): void {
    this.#opened += 1;
    this.#isOpening = false;
    this.#isPortHeld = false;
    this.#backoff.reset();
    this.#sends = new SendQueue({
      clock: this.#options.clock,
      transport: (datagram, done) => socket.send(datagram, done),
      // D1
      halfway: (detail) => ({ sent: false, detail }),
      stuck: () => this.#failed('the socket takes no more datagrams'),
    });
    this.#watcher.set('up');
    this.#drops.follow(() => socket.descriptor);
  }

  #failed(reason: string, isPortHeld = false): void {
    this.#isOpening = false;
    this.#isPortHeld = isPortHeld;
    this.#sends?.close(reason);
    this.#sends = undefined;
    this.#socket?.close();
    if (this.#stopped) return;
    const { bind } = this.#endpoint;
    const why = isPortHeld ? `${reason}; ${PORT_HELD}` : reason;
    this.#watcher.set('down', `${bind.host}:${bind.port}: ${why}`);
    const waitMs = isPortHeld ? LINK_RETRY_FIRST_MS : this.#backoff.next();
    this.#timer = this.#options.clock.setTimeout(() => this.#open(), waitMs);
  }

  #receive(datagram: Buffer, from: string, port: number): void {
    if (this.#stopped) return;
    if (!this.#isAccepted(from, port)) {
      this.#foreign += 1;
      return;
    }
    this.#watcher.heard();
    for (const frame of this.#framesOf(datagram)) void this.#listener?.frame(frame);
  }

  #isAccepted(from: string, port: number): boolean {
    if (this.#accepts !== undefined) return this.#accepts(from, port);
    return this.#endpoint.accept === 'any' || from === this.#socket?.peer?.host;
  }

  #framesOf(datagram: Buffer): readonly Buffer[] {
    if (this.#framer === undefined) return datagram.length === 0 ? [] : [datagram];
    const frames = [...this.#framer.push(datagram), ...this.#framer.settle()];
    if (this.#framer.reset() > 0) this.#cut += 1;
    return frames;
  }

  #changed(): void {
    const { state, reason } = this.#watcher.condition;
    const fields = { state, ...(reason !== undefined && { reason }) };
    this.#options.log[state === 'up' ? 'info' : 'warn'](fields, 'link changed');
    this.#listener?.changed?.();
  }
}
