/**
 * What the exchanges and sockets of one server share: the ports, how the service speaks, the counts, and what is still
 * open when it closes.
 */

import { type Dialect, defectReply, type LayerPorts } from '../dialect.ts';
import { closeCode } from '../follow.ts';
import type { AllowedHosts } from '../hosts.ts';
import type { Credentials } from '../identity.ts';
import type { FrontEndMetrics } from '../metrics.ts';
import { Admission, type AdmissionLimits } from './admission.ts';
import { CorkHolder } from './cork-holder.ts';
import type { Exchange } from './exchange.ts';

/** A WebSocket, as whoever ends it sees it. */
interface OpenSocket {
  cut(code: number, reason: string): void;
}

export class Served<Ports extends LayerPorts = LayerPorts> {
  readonly ports: Ports;
  readonly dialect: Dialect<Ports>;
  readonly metrics: FrontEndMetrics;
  /** Open WebSockets, each with the credentials that opened it. */
  readonly sockets = new Map<OpenSocket, Credentials>();
  readonly holder = new CorkHolder();
  readonly hosts: AllowedHosts;
  readonly admission: Admission;
  exchanges = 0;
  /** How often it has changed who has access. */
  accessChanges = 0;
  #hostWarned = false;

  constructor(
    ports: Ports,
    dialect: Dialect<Ports>,
    metrics: FrontEndMetrics,
    hosts: AllowedHosts,
    limits: Partial<AdmissionLimits> = {},
  ) {
    this.ports = ports;
    this.dialect = dialect;
    this.metrics = metrics;
    this.hosts = hosts;
    this.admission = new Admission(ports.log, limits);
  }

  /** Closes what changes of access leave nobody behind (http/follow.F5), until the result is called. */
  watchAccess(): () => void {
    return this.dialect.onAccessChange(this.ports, () => {
      this.accessChanges += 1;
      for (const [socket, credentials] of this.sockets) this.checkAccess(socket, credentials);
    });
  }

  /** Closes the socket unless its credentials would open it now. */
  checkAccess(socket: OpenSocket, credentials: Credentials): void {
    const check = async (): Promise<void> => {
      const caller = await this.dialect.identify(credentials, this.ports);
      if (!caller.ok && this.sockets.has(socket)) socket.cut(closeCode.tokenExpired, 'access has ended');
    };
    check().catch((error) => this.ports.log.error({ err: error }, 'a WebSocket could not be checked again'));
  }

  /** Logged once: behind a proxy it happens to every request until somebody allows the name. */
  refusedHost(host: string): void {
    if (this.#hostWarned) return;
    this.#hostWarned = true;
    this.ports.log.warn(
      { host: host.slice(0, 256) },
      'a request for another host was refused; --allow-host allows one',
    );
  }

  /** Counts an exchange from its beginning; the result is called at its end. */
  began(operation: string): (status: number) => void {
    this.exchanges += 1;
    return (status) => {
      this.exchanges -= 1;
      this.metrics.answered(operation, status);
    };
  }

  /** The last resort for a defect of the layer: logged, answered, closed. */
  failed(exchange: Exchange, error: unknown): void {
    const request = this.ports.newId();
    this.ports.log.error({ request, err: error }, 'the front end failed on a defect');
    exchange.finish(defectReply(this.dialect, request), true);
  }

  get idle(): boolean {
    return this.exchanges === 0 && this.sockets.size === 0;
  }
}
