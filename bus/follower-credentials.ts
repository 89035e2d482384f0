/**
 * The credentials of followers and of units, signed by the account they belong to. Mission Control Service, sections
 * 4.8 and 5 item 8. The signers are those of the embedded bus, or come in a file beside the credentials of another.
 */

import { readFile } from 'node:fs/promises';
import type { FollowerCredentials } from '../ports/follower-credentials.ts';
import type { UnitCredentials } from '../ports/unit-credentials.ts';
import {
  type FollowerSigner,
  issueFollower,
  issueUnit,
  isUserPublicKey,
  type UnitSigner,
} from './identity.ts';
import { fromPublic, fromSeed } from './nkeys.ts';

/** Issues with that signer; without one it only knows keys from other texts. */
export function followerCredentials(signer: FollowerSigner | undefined): FollowerCredentials {
  return {
    isUserKey: isUserPublicKey,
    issue: signer && ((follower) => issueFollower(signer, follower)),
  };
}

/** The same for units. */
export function unitCredentials(signer: UnitSigner | undefined): UnitCredentials {
  return { isUserKey: isUserPublicKey, issue: signer && ((unit) => issueUnit(signer, unit)) };
}

export interface Signers {
  readonly followers: FollowerSigner;
  /** Undefined where the file has a scoped key for followers alone. */
  readonly units: UnitSigner | undefined;
}

/**
 * The signers in a file `{"account", "seed", "scoped"?, "units"?: {"seed", "scoped"?}}`; rejects with a sentence that
 * says what is wrong with it. A plain key signs for units too.
 */
export async function readSigners(path: string): Promise<Signers> {
  const followers = await readSigner(path);
  const { units } = objectOf(await readFile(path, 'utf8'), path);
  if (units === undefined) return { followers, units: followers.scoped ? undefined : followers };
  if (typeof units !== 'object' || units === null)
    throw new Error(`${path}: units must be {"seed": "SA…", "scoped"?}`);
  return { followers, units: signerOf(path, 'units.', { account: followers.account, ...units }) };
}

/** The signer of followers in such a file. */
export async function readSigner(path: string): Promise<FollowerSigner> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${path} cannot be read (${error.code ?? error.message})`);
  });
  return signerOf(path, '', objectOf(text, path));
}

function signerOf(
  path: string,
  at: string,
  { account, seed, scoped = false }: Readonly<Record<string, unknown>>,
): FollowerSigner {
  if (typeof account !== 'string' || !isAccountKey(account))
    throw new Error(`${path}: account must be the public key of the account (A…)`);
  if (typeof seed !== 'string' || !isAccountSeed(seed))
    throw new Error(`${path}: ${at}seed must be the seed of a signing key of the account (SA…)`);
  if (typeof scoped !== 'boolean')
    throw new Error(`${path}: ${at}scoped must be true for a scoped signing key, else false`);
  return { account, seed, scoped };
}

/** What the file holds must not appear in an error: it is a secret. */
function objectOf(text: string, path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new Error(`${path} must be JSON: {"account": "A…", "seed": "SA…"}`);
}

function isAccountKey(text: string): boolean {
  try {
    fromPublic(text);
    return text.startsWith('A');
  } catch {
    return false;
  }
}

function isAccountSeed(text: string): boolean {
  try {
    return fromSeed(new TextEncoder().encode(text)).getPublicKey().startsWith('A');
  } catch {
    return false;
  }
}
