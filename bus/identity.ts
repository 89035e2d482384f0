/**
 * Who may speak on the embedded bus: the keys of its operator, accounts and signers, kept in the state directory so
 * that a restart keeps every credential valid. Mission Control Service, sections 4.9 and 5 rule 8.
 *
 * It does not know processes or connections.
 *
 * I1. Seeds are written once, with mode 0600, whole or not at all; the tokens are signed afresh at each start.
 * I2. The follower signer can sign nothing but followers: its scope stands in the account's own token.
 * I3. A follower publishes nothing: `deny: ['>']`, since an empty list would allow everything, and no permission to
 *     respond, with which it could acknowledge an event in place of the stream.
 * I4. A signer of which nothing is said is taken for a plain one, and the permissions stand in the token: with a scoped
 *     one the bus refuses such a token, where the other mistake would give a follower the whole account.
 */

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SigningKey } from 'nats-jwt';
import { encodeAccount, encodeOperator, encodeUser, fmtCreds, newScopedSigner } from 'nats-jwt';
import type { KeyPair } from 'nkeys.js';
import { createAccount, createOperator, createUser, fromPublic, fromSeed } from 'nkeys.js';
import type { JwtCredentials } from './credentials.ts';

/** What signs the credentials of followers: the account they belong to and the seed of one of its signing keys. */
export interface FollowerSigner {
  readonly account: string;
  readonly seed: string;
  /** Whether the account says what this key may sign (`scoped`); else the token says it (I4). */
  readonly scoped: boolean;
}

export interface Identity {
  readonly operatorJwt: string;
  readonly systemAccount: string;
  readonly systemJwt: string;
  readonly account: string;
  readonly accountJwt: string;
  readonly service: JwtCredentials;
  readonly followerSigner: FollowerSigner;
}

/** Subjects a follower receives (section 5 rule 8); its inbox prefix is not the one of the service. */
export const FOLLOWER_SUBJECTS = ['mcs.run.evt.>', 'mcs.alarm.evt.>', '_INBOX.>'] as const;

/** A follower has three subjects to receive; a page that follows many runs needs some tens of subscriptions. */
const FOLLOWER_SUBSCRIPTIONS = 50;

const FOLLOWER_PERMISSIONS = {
  sub: { allow: [...FOLLOWER_SUBJECTS] as string[], deny: [] as string[] },
  pub: { allow: [] as string[], deny: ['>'] },
  subs: FOLLOWER_SUBSCRIPTIONS,
  data: -1,
  payload: -1,
};

const SEEDS = ['operator', 'system', 'account', 'serviceSigner', 'followerSigner', 'service'] as const;
type SeedName = (typeof SEEDS)[number];
type Keys = Readonly<Record<SeedName, KeyPair>>;

/** The identity kept in `stateDir`, made and written there first if there is none; rejects a damaged file. */
export async function loadIdentity(stateDir: string): Promise<Identity> {
  const identity = await sign(await loadKeys(stateDir));
  await writeWhole(join(stateDir, 'service.creds'), credsFile(identity.service));
  return identity;
}

/** Whether a text is a public user key: 56 characters from `U` with a right checksum. */
export function isUserPublicKey(text: string): boolean {
  if (text.length !== 56 || !text.startsWith('U')) return false;
  try {
    fromPublic(text);
    return true;
  } catch {
    return false;
  }
}

/** A token that lets the holder of `publicKey` follow until `expiresAtMs`; throws unless `isUserPublicKey`. */
export function issueFollower(
  signer: FollowerSigner,
  follower: { readonly publicKey: string; readonly name: string; readonly expiresAtMs: number },
): Promise<string> {
  if (!isUserPublicKey(follower.publicKey)) throw new TypeError('not a public user key');
  return encodeUser(
    follower.name,
    fromPublic(follower.publicKey),
    keyOf(signer.seed),
    { issuer_account: signer.account, ...(!signer.scoped && FOLLOWER_PERMISSIONS) },
    // As it stands: what the library fills in by itself no scoped key may sign.
    { exp: Math.floor(follower.expiresAtMs / 1000), scopedUser: true },
  );
}

async function sign(keys: Keys): Promise<Identity> {
  const account = keys.account.getPublicKey();
  const systemAccount = keys.system.getPublicKey();
  return {
    operatorJwt: await encodeOperator('MCS', keys.operator, { system_account: systemAccount }),
    systemAccount,
    systemJwt: await encodeAccount('SYS', keys.system, {}, { signer: keys.operator }),
    account,
    accountJwt: await accountJwt(keys),
    service: {
      kind: 'jwt',
      jwt: await encodeUser('service', keys.service, keys.serviceSigner, { issuer_account: account }),
      seed: seedOf(keys.service),
    },
    followerSigner: { account, seed: seedOf(keys.followerSigner), scoped: true },
  };
}

function accountJwt(keys: Keys): Promise<string> {
  const account = {
    limits: UNLIMITED,
    signing_keys: [keys.serviceSigner.getPublicKey(), followerScope(keys)],
  };
  return encodeAccount('MCS', keys.account, account, { signer: keys.operator });
}

function followerScope(keys: Keys): SigningKey {
  const scope = newScopedSigner(keys.followerSigner, 'follower', FOLLOWER_PERMISSIONS);
  // The library always fills in a permission to respond, and the server puts it above the denial (I3).
  const { resp: _, ...template } = scope.template;
  return { ...scope, template };
}

/** Without the last four an account has no JetStream at all. */
const UNLIMITED = {
  subs: -1,
  data: -1,
  payload: -1,
  imports: -1,
  exports: -1,
  wildcards: true,
  conn: -1,
  leaf: -1,
  mem_storage: -1,
  disk_storage: -1,
  streams: -1,
  consumer: -1,
};

async function loadKeys(stateDir: string): Promise<Keys> {
  const path = join(stateDir, 'keys.json');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text !== undefined) return parseKeys(text, path);
  const keys = createKeys();
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  await writeWhole(path, JSON.stringify(Object.fromEntries(SEEDS.map((name) => [name, seedOf(keys[name])]))));
  return keys;
}

function createKeys(): Keys {
  return {
    operator: createOperator(),
    system: createAccount(),
    account: createAccount(),
    serviceSigner: createAccount(),
    followerSigner: createAccount(),
    service: createUser(),
  };
}

function parseKeys(text: string, path: string): Keys {
  try {
    const seeds = JSON.parse(text) as Record<SeedName, string>;
    return Object.fromEntries(SEEDS.map((name) => [name, keyOf(seeds[name])])) as Record<SeedName, KeyPair>;
  } catch (cause) {
    throw new Error(
      `${path} does not contain the keys of the bus; restore it, or remove the whole directory`,
      {
        cause,
      },
    );
  }
}

async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
}

function credsFile({ jwt, seed }: JwtCredentials): string {
  return new TextDecoder().decode(fmtCreds(jwt, keyOf(seed)));
}

function keyOf(seed: string): KeyPair {
  return fromSeed(new TextEncoder().encode(seed));
}

function seedOf(key: KeyPair): string {
  return new TextDecoder().decode(key.getSeed());
}
