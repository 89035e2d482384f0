/**
 * Every key of a config document does something: a part of the service reads what becomes of it, and a test shows what
 * it changes. A key that no part of this release reads says so when it is given.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ConfigDocument } from '../../mission/document/config.ts';
import { compiled, topology } from './documents.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Who reads settings: everything but the compilation that makes them. */
const READERS = [
  'actors',
  'archive',
  'bus',
  'cli',
  'http',
  'identity',
  'messaging',
  'supervision',
  'telemetry',
];

interface Effect {
  /** Under which the service reads it. */
  readonly property: string;
  /** The test that shows what another value changes, and what it names there. */
  readonly shown: readonly [file: string, text: string];
}

const VERIFICATION = 'test/identity/verification.test.ts';
const ROUTES = 'test/http/auth.test.ts';

const EFFECTS: Readonly<Record<string, Effect>> = {
  'auth.issuer': { property: 'issuer', shown: [VERIFICATION, 'issuer'] },
  'auth.audience': { property: 'audience', shown: [VERIFICATION, 'audience'] },
  'auth.jwks_url': { property: 'jwks_url', shown: ['test/identity/provider.test.ts', 'jwks_url'] },
  'auth.jwks_file': { property: 'jwks_file', shown: [ROUTES, 'jwks_file'] },
  'auth.roles_claim': { property: 'roles_claim', shown: [VERIFICATION, 'roles_claim'] },
  'auth.roles_prefix': { property: 'roles_prefix', shown: [VERIFICATION, 'roles_prefix'] },
  'auth.required': { property: 'required', shown: [ROUTES, 'required: true'] },
  'auth.client_id': { property: 'client_id', shown: [ROUTES, "client_id: 'page'"] },
  'auth.cli_client_id': { property: 'cli_client_id', shown: [ROUTES, "cli_client_id: 'cli'"] },
  'auth.organization': { property: 'organization', shown: [ROUTES, "organization: 'esoc'"] },
  'auth.scopes': { property: 'scopes', shown: [ROUTES, "scopes: ['openid', 'mission']"] },
  'auth.nats_ttl': { property: 'nats_ttl_ms', shown: [ROUTES, 'gives it for auth.nats_ttl'] },
  'alarms.max_shelve': {
    property: 'maxShelveMs',
    shown: ['test/actors/alarm/service.test.ts', 'forMs: 8 * 3_600_000 + 1'],
  },
  'alarms.retention': {
    property: 'alarmRetentionMs',
    shown: ['test/bus/assets.test.ts', 'take the retention and the window an installation states'],
  },
  'alarms.answer_within': {
    property: 'alarmAnswerMs',
    shown: ['test/http/alarm-routes.test.ts', 'alarmAnswerMs: 300'],
  },
  'reconciler.leader_ttl': {
    property: 'leaderTtlMs',
    shown: ['test/supervision/ownership/leader.test.ts', 'ttlMs'],
  },
  'transfers.retention': {
    property: 'contentRetentionMs',
    shown: ['test/supervision/reconciler/content-ageing.test.ts', "retention: '7 d'"],
  },
  'archive.folder': {
    property: 'archiveFolder',
    shown: ['test/supervision/roles/archive.test.ts', 'archiveFolder'],
  },
  'archive.retention.samples': {
    property: 'samplesMs',
    shown: ['test/supervision/archive/owner.test.ts', 'samplesMs: DAY_MS'],
  },
  'archive.retention.minutes': {
    property: 'minutesMs',
    shown: ['test/supervision/archive/owner.test.ts', 'minutesMs: 3 * DAY_MS'],
  },
  'archive.retention.events': {
    property: 'eventsMs',
    shown: ['test/supervision/archive/owner.test.ts', 'eventsMs: DAY_MS'],
  },
  'telecommands.max_age': {
    property: 'maxSubmissionAgeMs',
    shown: ['test/flow/take-up.test.ts', 'max_age: 5 min'],
  },
  'passes.feeders': {
    property: 'feeders',
    shown: ['test/http/pass-routes.test.ts', 'feeders: FEEDERS'],
  },
  'scheduler.margin': {
    property: 'schedulerMarginMs',
    shown: ['test/http/run-routes.test.ts', 'schedulerMarginMs: 1_000'],
  },
  'editor.url': { property: 'editorUrl', shown: ['test/http/editor/configured.test.ts', 'editor.url'] },
  'editor.max_bytes': {
    property: 'editorMaxBytes',
    shown: ['test/http/editor/configured.test.ts', 'editor.max_bytes'],
  },
  'nats.warn_at': {
    property: 'streamsWarnAt',
    shown: ['test/messaging/stream-fills.test.ts', 'streamsWarnAt: 0.5'],
  },
  'nats.streams': {
    property: 'streams',
    shown: ['test/bus/stream-sizes.test.ts', 'what one configuration stated is not put back'],
  },
  'nats.replicas': { property: 'replicas', shown: ['test/flow/three-servers.test.ts', "'replicas: 3'"] },
};

/** The keys without a reader, and a value of each. */
const UNREAD: Readonly<Record<string, unknown>> = {
  connectors: { fds: { url: 'http://127.0.0.1' } },
};

/** `a.b` for every value a document can hold; a record is one. */
function keysOf(schema: { properties?: object }, path: readonly string[] = []): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) =>
    (inner as { properties?: object }).properties === undefined
      ? [[...path, key].join('.')]
      : keysOf(inner as { properties?: object }, [...path, key]),
  );
}

function sourcesOf(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(ROOT, folder, name), 'utf8'));
}

const warningsOf = (key: string, value: unknown): string[] => {
  const document = key.split('.').reduceRight<unknown>((inner, step) => ({ [step]: inner }), value);
  const config = { file: 'config.yaml', text: stringify({ config: 'settings', ...(document as object) }) };
  return compiled([topology(), config]).warnings.map(({ path, message }) => `${path}: ${message}`);
};

describe('the keys of a config document', () => {
  const sources = READERS.flatMap(sourcesOf);

  it('are listed here, each as read or as unread', () => {
    const keys = keysOf(ConfigDocument).filter((key) => key !== 'config');
    expect(keys.toSorted()).toEqual([...Object.keys(EFFECTS), ...Object.keys(UNREAD)].toSorted());
  });

  it.each(Object.entries(EFFECTS))('%s is read, and a test shows what it changes', (_key, effect) => {
    const read = new RegExp(String.raw`\b${effect.property}\b`);
    expect(sources.some((source) => read.test(source))).toBe(true);
    const [file, text] = effect.shown;
    expect(readFileSync(join(ROOT, file), 'utf8')).toContain(text);
  });

  it.each(Object.entries(UNREAD))('%s is not read, and says so when it is given', (key, value) => {
    expect(warningsOf(key, value)).toContain(`${key}: no part of this release reads it`);
  });
});
