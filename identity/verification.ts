/**
 * Whether one token is good, and whom it names. Mission Control Service, section 5 item 2: signature, expiry, issuer,
 * audience, subject.
 *
 * V1. Only signatures of `ALGORITHMS` count, whatever the token or a key says: none of them is "none" or symmetric.
 * V2. A refusal says what is wrong and never repeats the token.
 * V3. A token of another issuer is refused before any key is looked for (key-set.K2).
 * V4. The subject may stand in a header of the bus as it is: half a surrogate pair would arrive as another character,
 *     and two people as one.
 * V5. The subject is no name that the service gives its own launches: a reaction takes targets from others.
 * V6. The end of a token is a time that can be written (contract/instant.I2): some providers mean "never" by a number
 *     behind all of them.
 * V7. A key that cannot be used is a fault of the key set, and not of the token.
 */

import {
  decodeJwt,
  errors,
  type JWTPayload,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose';
import { isNameOfService } from '../contract/auth.ts';
import { LAST_MS, nearestInstant } from '../contract/instant.ts';
import {
  AUTH_CLOCK_TOLERANCE_MS,
  AUTH_SUBJECT_CHARACTERS,
  AUTH_TOKEN_CHARACTERS,
} from '../contract/limits/auth.ts';
import { accepted, type Result, refused } from '../contract/result.ts';
import type { TokenFault, VerifiedToken } from '../ports/tokens.ts';
import { type KeySet, KeysAway } from './key-set.ts';
import type { Provider } from './provider.ts';
import { rolesOf } from './roles.ts';

const ALGORITHMS = ['ES256', 'ES384', 'ES512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].concat([
  'EdDSA',
  'Ed25519',
]);

/** What an access token may call itself (RFC 9068, section 4); logout tokens and the like name something else. */
const TYPES: ReadonlySet<string> = new Set(['jwt', 'at+jwt', 'application/at+jwt', 'application/jwt']);

const NEW_TOKEN = 'Sign in again for a new token.';

/** Why a token is refused. */
class Refused extends Error {
  readonly help: string;

  constructor(message: string, help: string = NEW_TOKEN) {
    super(message);
    this.help = help;
  }
}

/** The identity of the token; refuses with `auth::invalid-token`. */
export async function verifyToken(
  token: string,
  provider: Provider,
  keys: Pick<KeySet, 'find' | 'renewed'>,
  nowMs: number,
): Promise<Result<VerifiedToken, TokenFault>> {
  try {
    checkIssuer(token, provider.issuer);
    const { payload, protectedHeader } = await verifyRenewed(token, keys, {
      algorithms: ALGORITHMS,
      issuer: provider.issuer,
      audience: [...provider.audiences],
      requiredClaims: ['exp'],
      clockTolerance: AUTH_CLOCK_TOLERANCE_MS / 1_000,
      currentDate: new Date(nowMs),
    });
    checkType(protectedHeader.typ);
    return accepted({
      name: subjectOf(payload),
      roles: rolesOf(payload, provider.rolesClaim, provider.rolesPrefix),
      expiresAt: Math.min(payload.exp! * 1_000, LAST_MS - AUTH_CLOCK_TOLERANCE_MS),
    });
  } catch (error) {
    const { message, help } = refusalOf(error, provider);
    return refused({ code: 'auth::invalid-token', message: `the token is refused: ${message}`, help });
  }
}

/** V3 */
function checkIssuer(token: string, issuer: string): void {
  if (token.length > AUTH_TOKEN_CHARACTERS)
    throw new Refused(`it is longer than ${AUTH_TOKEN_CHARACTERS} characters`);
  if (decodeJwt(token).iss !== issuer) throw foreignIssuer(issuer);
}

/** key-set.K4 */
async function verifyRenewed(
  token: string,
  keys: Pick<KeySet, 'find' | 'renewed'>,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  try {
    return await verifySignature(token, keys, options);
  } catch (error) {
    const mayBeReplaced = error instanceof errors.JWSSignatureVerificationFailed || isOfKey(error);
    if (!mayBeReplaced || !(await keys.renewed())) throw error;
    return verifySignature(token, keys, options);
  }
}

/** With several keys that fit, of a token that names none, each is tried. */
async function verifySignature(
  token: string,
  keys: Pick<KeySet, 'find'>,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, keys.find, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      const verified = await jwtVerify(token, key, options).catch((other: unknown) => {
        if (other instanceof errors.JWSSignatureVerificationFailed || isOfKey(other)) return undefined;
        throw other;
      });
      if (verified !== undefined) return verified;
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** V7. What is wrong with the token itself has an error of its own (JOSEError); a key is refused with those of Node.js. */
function isOfKey(error: unknown): error is Error {
  const isOurs = error instanceof Refused || error instanceof KeysAway;
  return error instanceof Error && !isOurs && !(error instanceof errors.JOSEError);
}

function checkType(type: unknown): void {
  if (type !== undefined && !TYPES.has(String(type).toLowerCase()))
    throw new Refused('it is not an access token', 'Send the access token of the sign-in.');
}

/** V4, V5 */
function subjectOf({ sub }: JWTPayload): string {
  if (typeof sub !== 'string' || sub.trim() === '') throw new Refused('it has no subject (claim sub)');
  if (sub !== sub.trim() || /[\p{Cc}\p{Cs}]/u.test(sub) || sub.length > AUTH_SUBJECT_CHARACTERS)
    throw new Refused(
      `its subject is not a valid name: at most ${AUTH_SUBJECT_CHARACTERS} characters, no control characters, no surrounding blanks`,
    );
  if (isNameOfService(sub))
    throw new Refused(
      'its subject is a name reserved for runs that the service starts',
      'Use another subject: not alarm, schedule, rule or run followed by a blank.',
    );
  return sub;
}

function refusalOf(error: unknown, provider: Provider): Refused {
  if (error instanceof Refused) return error;
  if (error instanceof KeysAway)
    return new Refused(
      `there are no keys to verify it: ${error.message}`,
      'Try again in a moment; if this persists, check auth.issuer, auth.jwks_url or auth.jwks_file.',
    );
  if (error instanceof errors.JWTExpired) return new Refused(`it expired at ${timeOf(error.payload.exp)}`);
  if (error instanceof errors.JWTClaimValidationFailed) return claimRefusal(error, provider);
  if (error instanceof errors.JWSSignatureVerificationFailed) return new Refused('its signature is wrong');
  if (error instanceof errors.JWKSNoMatchingKey)
    return new Refused('the identity provider does not have the key it is signed with');
  if (error instanceof errors.JOSEAlgNotAllowed)
    return new Refused(`its signature algorithm is not one of ${ALGORITHMS.join(', ')}`);
  if (isOfKey(error))
    return new Refused(
      'the key of the identity provider that it is signed with cannot be used: it is damaged or too short',
      'Check the key set: auth.jwks_url, auth.jwks_file, or that of auth.issuer.',
    );
  return new Refused(
    'it is not a signed token (JWT)',
    'Send the access token exactly as the identity provider issued it.',
  );
}

function claimRefusal(error: errors.JWTClaimValidationFailed, { issuer, audiences }: Provider): Refused {
  const { claim, reason, payload } = error;
  if (claim === 'iss') return foreignIssuer(issuer);
  if (claim === 'aud')
    return new Refused(`its audience is not ${audiences.join(' or ')}`, 'Request a token for this service.');
  if (claim === 'nbf' && reason === 'check_failed')
    return new Refused(`it is not valid before ${timeOf(payload.nbf)}`, 'Wait, or check the clocks.');
  return new Refused(reason === 'missing' ? `claim ${claim} is missing` : `claim ${claim} is invalid`);
}

function foreignIssuer(issuer: string): Refused {
  return new Refused(
    `it is not of issuer ${issuer}`,
    'Sign in at the provider named by GET /v1/auth/config.',
  );
}

function timeOf(seconds: number | undefined): string {
  return seconds === undefined ? 'an unreadable time' : nearestInstant(seconds * 1_000);
}
