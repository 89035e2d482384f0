/**
 * The line of a unit to the bus: registration, heartbeats and verbs need no streams, and a unit may use none. Mission
 * Control Service, section 4.8.
 */

import { fmtCreds } from 'nats-jwt';
import type { Bus } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';
import { Connection } from './connection.ts';
import * as core from './core.ts';
import { unitInbox } from './identity.ts';
import { createUser, fromSeed } from './nkeys.ts';

interface UnitLineOptions {
  readonly url: string;
  readonly serial: string;
  /** A credentials file, read at each connection. */
  readonly credentials: string;
  readonly log: Log;
}

export type UnitLine = Pick<Bus, 'connected' | 'onConnection' | 'serve' | 'request' | 'close'>;

/** Returns at once and connects behind. */
export function openUnitLine({ url, serial, credentials, log }: UnitLineOptions): UnitLine {
  const connection = new Connection({
    url,
    name: serial,
    credentials: { kind: 'file', path: credentials },
    inboxPrefix: unitInbox(serial),
    log,
    // What a unit asks is answered by a front end or not: it asks again by itself.
    settleMs: 0,
  });
  return {
    get connected() {
      return connection.connected;
    },
    onConnection: (listener) => connection.onChange(listener),
    serve: (subject, answer, choice) => core.serve(connection, log, subject, answer, choice),
    request: (subject, data, settings) => core.request(connection, subject, data, settings),
    close: () => connection.close(),
  };
}

/** A new seed of a user key, secret. */
export function newUnitSeed(): string {
  return new TextDecoder().decode(createUser().getSeed());
}

/** The public key of a seed; throws on anything else. */
export function publicKeyOf(seed: string): string {
  return fromSeed(new TextEncoder().encode(seed)).getPublicKey();
}

/** What a credentials file holds. */
export function credentialsText(jwt: string, seed: string): string {
  return new TextDecoder().decode(fmtCreds(jwt, fromSeed(new TextEncoder().encode(seed))));
}
