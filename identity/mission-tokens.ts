/**
 * Tokens checked as the current mission says. Mission Control Service, section 5 items 2 and 3.
 *
 * T1. What was verified counts until it expires, until the keys change or until the settings do, whichever is first;
 *     what was refused is checked again each time.
 * T2. Nothing is asked of a provider before the first token.
 * T3. Keys stay known for as long as the settings say that they are at the same place: the provider may be away just
 *     then (key-set.K1).
 */

import { AUTH_CLOCK_TOLERANCE_MS, AUTH_TOKENS_KEPT } from '../contract/limits/auth.ts';
import { accepted, type Result, refused } from '../contract/result.ts';
import type { AuthSettings } from '../mission/mission.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { MissionSource } from '../ports/mission-source.ts';
import type { AccessTokens, TokenFault, VerifiedToken } from '../ports/tokens.ts';
import { KeySet } from './key-set.ts';
import { type Fetch, keySource } from './key-source.ts';
import { type KeyLocation, type Provider, providerOf } from './provider.ts';
import { verifyToken } from './verification.ts';

export interface MissionTokensOptions {
  readonly missions: Pick<MissionSource, 'onChange'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly fetch: Fetch;
  /** Where a relative `auth.jwks_file` is found. */
  readonly missionFolder?: string | undefined;
}

export class MissionTokens implements AccessTokens {
  readonly #options: MissionTokensOptions;
  readonly #forget: () => void;
  readonly #listeners = new Set<() => void>();
  #settings = '';
  #checker: Checker | undefined;
  /** T3 */
  #keys: { readonly place: string; readonly set: KeySet } | undefined;

  constructor(options: MissionTokensOptions) {
    this.#options = options;
    this.#forget = options.missions.onChange(({ settings }) => this.#take(settings.auth));
  }

  async verify(token: string): Promise<Result<VerifiedToken, TokenFault>> {
    if (this.#checker !== undefined) return this.#checker.verify(token);
    return refused({
      code: 'auth::no-provider',
      message: 'a token was given, but no identity provider is configured',
      help: 'Call without a token, or configure the provider under auth.',
    });
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** No key is read any more. */
  stop(): void {
    this.#forget();
    this.#keys?.set.stop();
  }

  #take(auth: AuthSettings): void {
    const settings = JSON.stringify(auth);
    if (settings === this.#settings) return;
    this.#settings = settings;
    const provider = providerOf(auth);
    const keys = this.#keysAt(provider?.keys);
    this.#checker = provider && keys && new Checker(provider, keys, this.#options.clock);
    this.#changed();
  }

  /** T3 */
  #keysAt(location: KeyLocation | undefined): KeySet | undefined {
    const place = JSON.stringify(location);
    if (place === this.#keys?.place) return this.#keys?.set;
    this.#keys?.set.stop();
    this.#keys = location && { place, set: this.#keySet(location) };
    return this.#keys?.set;
  }

  #keySet(location: KeyLocation): KeySet {
    const { clock, log, fetch, missionFolder } = this.#options;
    return new KeySet({
      read: keySource(location, { clock, fetch, missionFolder }),
      changed: () => {
        this.#checker?.keysChanged();
        this.#changed();
      },
      clock,
      log,
    });
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Tokens of one provider. */
class Checker {
  readonly #provider: Provider;
  readonly #clock: Clock;
  readonly #keys: KeySet;
  /** By the token, the one used longest ago first. */
  readonly #verified = new Map<string, VerifiedToken>();
  #changes = 0;

  constructor(provider: Provider, keys: KeySet, clock: Clock) {
    this.#provider = provider;
    this.#keys = keys;
    this.#clock = clock;
  }

  async verify(token: string): Promise<Result<VerifiedToken, TokenFault>> {
    const known = this.#known(token);
    if (known !== undefined) return accepted(known);
    const changes = this.#changes;
    const outcome = await verifyToken(token, this.#provider, this.#keys, this.#clock.now());
    // The first token makes the keys be read, which is a change; what was checked while they changed is not kept (T1).
    if (outcome.ok && changes === this.#changes) this.#keep(token, outcome.value);
    return outcome;
  }

  keysChanged(): void {
    this.#changes += 1;
    this.#verified.clear();
  }

  #known(token: string): VerifiedToken | undefined {
    const known = this.#verified.get(token);
    if (known === undefined) return undefined;
    this.#verified.delete(token);
    if (this.#clock.now() - AUTH_CLOCK_TOLERANCE_MS >= known.expiresAt) return undefined;
    this.#verified.set(token, known);
    return known;
  }

  #keep(token: string, verified: VerifiedToken): void {
    this.#verified.set(token, verified);
    if (this.#verified.size <= AUTH_TOKENS_KEPT) return;
    for (const oldest of this.#verified.keys()) {
      this.#verified.delete(oldest);
      return;
    }
  }
}
