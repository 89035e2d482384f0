/**
 * The credentials of followers, signed by the account they belong to. Mission Control Service, section 5 item 8. The
 * signer is the one of the embedded bus, or comes in a file beside the credentials of another.
 */

import { readFile } from 'node:fs/promises';
import { fromPublic, fromSeed } from 'nkeys.js';
import type { FollowerCredentials } from '../ports/follower-credentials.ts';
import { type FollowerSigner, issueFollower, isUserPublicKey } from './identity.ts';

/** Issues with that signer; without one it only knows keys from other texts. */
export function followerCredentials(signer: FollowerSigner | undefined): FollowerCredentials {
  return {
    isUserKey: isUserPublicKey,
    issue: signer && ((follower) => issueFollower(signer, follower)),
  };
}

/** The signer in a file `{"account", "seed", "scoped"?}`; rejects with a sentence that says what is wrong with it. */
export async function readSigner(path: string): Promise<FollowerSigner> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${path} cannot be read (${error.code ?? error.message})`);
  });
  const { account, seed, scoped = false } = objectOf(text, path);
  if (typeof account !== 'string' || !isAccountKey(account))
    throw new Error(`${path}: account must be the public key of the account (A…)`);
  if (typeof seed !== 'string' || !isAccountSeed(seed))
    throw new Error(`${path}: seed must be the seed of a signing key of the account (SA…)`);
  if (typeof scoped !== 'boolean')
    throw new Error(`${path}: scoped must be true for a scoped signing key, else false`);
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
