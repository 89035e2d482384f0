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
 * I5. The unit signer can sign nothing but units, each for the subjects of its own serial number, which is the name in
 *     the token; the permission to respond lets it answer a verb, once.
 * I6. Where answers to units and connectors may go (ports/bus.P6) is decided beside where they may listen. Processes
 *     of this service listen below `_MCS`, and no unit may have answers there: the verbs it is asked for show it the
 *     inbox of whoever asks. A connector is never asked for anything, and one that the bus does not limit has its
 *     answers where its client listens by itself.
 */

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SigningKey } from 'nats-jwt';
import { encodeAccount, encodeOperator, encodeUser, fmtCreds, newScopedSigner } from 'nats-jwt';
import { UNIT_ANSWER_MS, UNIT_MESSAGE_BYTES, UNIT_SUBSCRIPTIONS } from '../contract/limits/unit.ts';
import { isToken } from '../contract/token.ts';
import type { LimitedAsker } from '../ports/bus.ts';
import type { JwtCredentials } from './credentials.ts';
import type { KeyPair } from './nkeys.ts';
import { createAccount, createOperator, createUser, fromPublic, fromSeed } from './nkeys.ts';
import { signingKey } from './signing-key.ts';

/** What signs the credentials of some users: the account they belong to and the seed of one of its signing keys. */
export interface Signer {
  readonly account: string;
  readonly seed: string;
  /** Whether the account says what this key may sign (`scoped`); else the token says it (I4). */
  readonly scoped: boolean;
}

export type FollowerSigner = Signer;
export type UnitSigner = Signer;

export interface Identity {
  readonly operatorJwt: string;
  readonly systemAccount: string;
  readonly systemJwt: string;
  readonly account: string;
  readonly accountJwt: string;
  readonly service: JwtCredentials;
  readonly followerSigner: FollowerSigner;
  readonly unitSigner: UnitSigner;
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

/** Where the replies to a unit arrive: neither followers nor other units may listen there. */
export function unitInbox(serial: string): string {
  return `_UNIT.${serial}`;
}

/** The same for a connector that the bus limits (`docs/connectors.md`). */
function connectorInbox(name: string): string {
  return `_CONNECTOR.${name}`;
}

/** Inboxes of users that may do everything: processes of this service, and clients as they come. */
const UNLIMITED_INBOXES = ['_MCS', '_INBOX'];

/** Whether whom the last token of the subject names has answers there (I6). */
export function isOwnInbox(asker: LimitedAsker, subject: string, reply: string): boolean {
  const name = subject.slice(subject.lastIndexOf('.') + 1);
  const inboxes = asker === 'unit' ? [unitInbox(name)] : [connectorInbox(name), ...UNLIMITED_INBOXES];
  return inboxes.some((inbox) => reply.startsWith(`${inbox}.`));
}

/** A verb is answered within 30 s or in vain; what the server counts is nanoseconds. */
const ANSWER_WITHIN_NS = 2 * UNIT_ANSWER_MS * 1_000_000;

/** I5 */
function unitPermissions(serial: string) {
  return {
    sub: { allow: [`mcs.ctl.rpc.unit.${serial}.*`, `${unitInbox(serial)}.>`], deny: [] as string[] },
    pub: {
      allow: [`mcs.ctl.register.unit.${serial}`, `mcs.ctl.heartbeat.unit.${serial}`],
      deny: [] as string[],
    },
    resp: { max: 1, ttl: ANSWER_WITHIN_NS },
    subs: UNIT_SUBSCRIPTIONS,
    data: -1,
    payload: UNIT_MESSAGE_BYTES,
  };
}

const SEEDS = [
  'operator',
  'system',
  'account',
  'serviceSigner',
  'followerSigner',
  'service',
  'unitSigner',
] as const;
type SeedName = (typeof SEEDS)[number];
/** What files of earlier releases do not have. */
const LATER_SEEDS: readonly SeedName[] = ['unitSigner'];
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
    signingKey(signer.seed),
    { issuer_account: signer.account, ...(!signer.scoped && FOLLOWER_PERMISSIONS) },
    // As it stands: what the library fills in by itself no scoped key may sign.
    { exp: Math.floor(follower.expiresAtMs / 1000), scopedUser: true },
  );
}

/** A token for the subjects of one unit, for the holder of `publicKey`; throws unless `isUserPublicKey`. */
export function issueUnit(
  signer: UnitSigner,
  unit: { readonly serial: string; readonly publicKey: string; readonly expiresAtMs: number },
): Promise<string> {
  if (!isUserPublicKey(unit.publicKey)) throw new TypeError('not a public user key');
  if (!isToken(unit.serial)) throw new TypeError('not a serial number');
  return encodeUser(
    unit.serial,
    fromPublic(unit.publicKey),
    signingKey(signer.seed),
    { issuer_account: signer.account, ...(!signer.scoped && unitPermissions(unit.serial)) },
    { exp: Math.floor(unit.expiresAtMs / 1000), scopedUser: true },
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
    unitSigner: { account, seed: seedOf(keys.unitSigner), scoped: true },
  };
}

function accountJwt(keys: Keys): Promise<string> {
  const account = {
    limits: UNLIMITED,
    signing_keys: [keys.serviceSigner.getPublicKey(), followerScope(keys), unitScope(keys)],
  };
  return encodeAccount('MCS', keys.account, account, { signer: keys.operator });
}

function followerScope(keys: Keys): SigningKey {
  const scope = newScopedSigner(keys.followerSigner, 'follower', FOLLOWER_PERMISSIONS);
  // The library always fills in a permission to respond, and the server puts it above the denial (I3).
  const { resp: _, ...template } = scope.template;
  return { ...scope, template };
}

function unitScope(keys: Keys): SigningKey {
  return newScopedSigner(keys.unitSigner, 'unit', unitPermissions('{{name()}}'));
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
  const [keys, isWhole] = text === undefined ? [createKeys(), false] : parseKeys(text, path);
  if (isWhole) return keys;
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
    unitSigner: createAccount(),
  };
}

/** The keys, and whether all of them stand in the text: one of an earlier release is completed. */
function parseKeys(text: string, path: string): readonly [Keys, boolean] {
  try {
    const seeds = JSON.parse(text) as Record<SeedName, string | undefined>;
    const missing = LATER_SEEDS.filter((name) => seeds[name] === undefined);
    const created = missing.map((name) => [name, createAccount()]);
    const read = SEEDS.filter((name) => !missing.includes(name)).map((name) => [name, keyOf(seeds[name]!)]);
    return [Object.fromEntries([...read, ...created]) as Record<SeedName, KeyPair>, missing.length === 0];
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
