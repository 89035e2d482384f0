/** The bus of a command that speaks to one itself: its address, how it is reached, and how long that is waited for. */

import { withoutSecrets } from '../bus/credentials.ts';
import { type BusOptions, type NatsBus, openBus } from '../bus/nats-bus.ts';
import { Outage } from '../contract/outage.ts';
import type { Log } from '../ports/log.ts';
import { realClock } from '../supervision/clock.ts';
import { busAccess } from './bus-access.ts';
import type { ValuesOf } from './command.ts';

export const BUS_OPTIONS = {
  nats: { type: 'string' },
  credentials: { type: 'string' },
  'nats-ca': { type: 'string' },
} as const;
export type BusValues = ValuesOf<typeof BUS_OPTIONS>;

/** Where nats-server listens when nobody says otherwise. */
const DEFAULT_NATS = 'nats://127.0.0.1:4222';
/** A server that is up answers within a fraction of this; a person is waiting. */
const CONNECT_MS = 3_000;

/** The bus that the options or the environment name, and its address without a password. */
export function openAsked(
  values: BusValues,
  options: Pick<BusOptions, 'name' | 'replicas' | 'looksOnly'>,
): { readonly url: string; readonly bus: NatsBus } {
  const url = values.nats ?? process.env.MCS_NATS ?? DEFAULT_NATS;
  const path = values.credentials ?? process.env.MCS_NATS_CREDENTIALS;
  const access = busAccess({ credentials: path, ca: values['nats-ca'] ?? process.env.MCS_NATS_CA });
  return { url: withoutSecrets(url), bus: openBus({ url, log: SILENT, ...options, ...access }) };
}

/** Resolves when the bus is connected; rejects with an outage when it is not in time. */
export function connected(bus: NatsBus): Promise<void> {
  if (bus.connected) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const settle = (outcome: () => void): void => {
      realClock.clearTimeout(timer);
      forget();
      outcome();
    };
    const late = (): Outage =>
      new Outage('bus.unavailable', bus.unreached ?? `no connection within ${CONNECT_MS / 1_000} s`);
    const timer = realClock.setTimeout(() => settle(() => reject(late())), CONNECT_MS);
    const forget = bus.onConnection((up) => up && settle(resolve));
  });
}

/** The command says itself what went wrong. */
const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => SILENT };
