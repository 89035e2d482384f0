/**
 * The public keys of the identity provider, kept fresh. Mission Control Service, section 5 item 2: read at the first
 * token, then every hour; before that when a token names a key that is not among them, or is signed by none of those
 * that it may mean (K4).
 *
 * K1. The last good keys stay while the provider is away.
 * K2. Strangers cannot make the service ask the provider more often than `AUTH_KEYS_AGAIN_MS` allows, and a time of day
 *     that is set back does not keep it from asking.
 * K3. Only public keys of signatures count: a symmetric key would make everybody who checks tokens one who makes them.
 * K4. A provider may have replaced a key under the same name, or name none: a wrong signature is looked at again with
 *     keys that were read since.
 */

import { createLocalJWKSet, errors, type JSONWebKeySet, type JWK, type JWTVerifyGetKey } from 'jose';
import { AUTH_KEYS_AGAIN_MS, AUTH_KEYS_MS, AUTH_KEYS_RETRY_MS } from '../contract/limits/auth.ts';
import type { Clock, TimerHandle } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';

/** No keys were ever read. */
export class KeysAway extends Error {}

export interface KeySetOptions {
  /** The key set document; rejects with a sentence. */
  readonly read: () => Promise<unknown>;
  /** Reported when other keys count from now on. */
  readonly changed: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

export class KeySet {
  readonly #options: KeySetOptions;
  #keys: { readonly text: string; readonly find: JWTVerifyGetKey } | undefined;
  #reading: Promise<void> | undefined;
  /** Of the last attempt, by the monotonic clock (K2). */
  #askedAt = Number.NEGATIVE_INFINITY;
  #failure: string | undefined;
  #timer: TimerHandle | undefined;
  #stopped = false;

  constructor(options: KeySetOptions) {
    this.#options = options;
  }

  /** The key a token names; rejects as jose does, and with `KeysAway` while none were ever read. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    if (this.#keys === undefined) await this.#readAfter(AUTH_KEYS_RETRY_MS);
    if (this.#keys === undefined) throw new KeysAway(this.#failure);
    try {
      return await this.#keys.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.#readAfter(AUTH_KEYS_AGAIN_MS);
      return this.#keys.find(header, token);
    }
  };

  /** Reads them again (K2); whether there are others now (K4). */
  async renewed(): Promise<boolean> {
    const before = this.#keys;
    await this.#readAfter(AUTH_KEYS_AGAIN_MS);
    return this.#keys !== before;
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  /** Reads unless the last attempt is younger (K2); joins one under way. */
  async #readAfter(pauseMs: number): Promise<void> {
    if (this.#reading === undefined && this.#options.clock.monotonic() - this.#askedAt < pauseMs) return;
    await this.#read();
  }

  #read(): Promise<void> {
    this.#cancel();
    this.#askedAt = this.#options.clock.monotonic();
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readOnce(): Promise<void> {
    let pauseMs = AUTH_KEYS_MS;
    try {
      this.#adopt(publicKeysOf(await this.#options.read()));
      this.#failure = undefined;
    } catch (error) {
      pauseMs = AUTH_KEYS_RETRY_MS;
      this.#failed((error as Error).message);
    }
    if (!this.#stopped) this.#timer = this.#options.clock.setTimeout(() => void this.#read(), pauseMs);
  }

  #adopt(jwks: JSONWebKeySet): void {
    const text = JSON.stringify(jwks);
    if (this.#stopped || text === this.#keys?.text) return;
    this.#keys = { text, find: createLocalJWKSet(jwks) };
    this.#options.log.info({ keys: jwks.keys.length }, 'keys of the identity provider loaded');
    this.#options.changed();
  }

  /** Said once for each reason, not once for each try. */
  #failed(reason: string): void {
    if (reason !== this.#failure && !this.#stopped)
      this.#options.log.warn(
        { reason, kept: this.#keys !== undefined },
        'keys of the identity provider could not be read',
      );
    this.#failure = reason;
  }

  #cancel(): void {
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

const PUBLIC_TYPES: ReadonlySet<unknown> = new Set(['RSA', 'EC', 'OKP']);

/** The keys that count (K3); throws a sentence when there is none. */
function publicKeysOf(document: unknown): JSONWebKeySet {
  const { keys } = (document ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new Error('not a JSON Web Key Set ({"keys": [...]})');
  const usable = keys.filter(isUsable).map(withoutPrivate);
  if (usable.length === 0) throw new Error('the JSON Web Key Set contains no public signing key');
  return { keys: usable };
}

function isUsable(key: unknown): key is JWK {
  if (typeof key !== 'object' || key === null) return false;
  const { kty, use, key_ops } = key as JWK;
  return PUBLIC_TYPES.has(kty) && (use === undefined || use === 'sig') && isOfSignatures(key_ops);
}

/** Of a public key `verify`, of a whole pair `sign`; a key that says nothing may be for both. */
function isOfSignatures(operations: unknown): boolean {
  if (operations === undefined) return true;
  return Array.isArray(operations) && (operations.includes('verify') || operations.includes('sign'));
}

/** A file that somebody generated may hold the whole pair. */
function withoutPrivate({ d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, oth: _oth, ...key }: JWK): JWK {
  const { key_ops, ...rest } = key;
  return key_ops === undefined ? key : { ...rest, key_ops: ['verify'] };
}
