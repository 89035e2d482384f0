/**
 * Tokens checked as the current mission says. Mission Control Service, section 5 items 2 and 3.
 *
 * T1. What was verified counts until it expires, until the keys change or until the settings do, whichever is first;
 *     what was refused is checked again each time.
 * T2. Nothing is asked of a provider before the first token.
 */

import { AUTH_CLOCK_TOLERANCE_MS, AUTH_TOKENS_KEPT } from '../contract/limits/auth.ts';
import { accepted, type Result, refused } from '../contract/result.ts';
import type { AuthSettings } from '../mission/mission.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { MissionSource } from '../ports/mission-source.ts';
import type { TokenFault, Tokens, VerifiedToken } from '../ports/tokens.ts';
import { KeySet } from './key-set.ts';
import { type Fetch, keySource } from './key-source.ts';
import { type Provider, providerOf } from './provider.ts';
import { verifyToken } from './verification.ts';

export interface MissionTokensOptions {
  readonly missions: Pick<MissionSource, 'onChange'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly fetch: Fetch;
  /** Where a relative `auth.jwks_file` is found. */
  readonly missionFolder?: string | undefined;
}

export class MissionTokens implements Tokens {
  readonly #options: MissionTokensOptions;
  readonly #forget: () => void;
  #settings = '';
  #checker: Checker | undefined;

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

  /** No key is read any more. */
  stop(): void {
    this.#forget();
    this.#checker?.stop();
  }

  #take(auth: AuthSettings): void {
    const settings = JSON.stringify(auth);
    if (settings === this.#settings) return;
    this.#settings = settings;
    this.#checker?.stop();
    const provider = providerOf(auth);
    this.#checker = provider && new Checker(provider, this.#options);
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

  constructor(provider: Provider, { clock, log, fetch, missionFolder }: MissionTokensOptions) {
    this.#provider = provider;
    this.#clock = clock;
    this.#keys = new KeySet({
      read: keySource(provider.keys, { clock, fetch, missionFolder }),
      changed: () => this.#keysChanged(),
      clock,
      log,
    });
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

  stop(): void {
    this.#keys.stop();
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

  #keysChanged(): void {
    this.#changes += 1;
    this.#verified.clear();
  }
}
