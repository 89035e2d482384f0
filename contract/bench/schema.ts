/** JSON Schemas of the documents of the bench, for editors (`# yaml-language-server: $schema=…`). */

import type { TSchema } from 'typebox';
import { Campaign } from './campaign.ts';
import { BenchConfig } from './config.ts';
import { Profile } from './profile.ts';
import { Scenario } from './scenario.ts';

export const BENCH_DOCUMENT_KINDS = ['profile', 'scenario', 'campaign'] as const;
export type BenchDocumentKind = (typeof BENCH_DOCUMENT_KINDS)[number];
/** With `bench.yaml` itself. */
export const BENCH_SCHEMA_KINDS = [...BENCH_DOCUMENT_KINDS, 'bench'] as const;
export type BenchSchemaKind = (typeof BENCH_SCHEMA_KINDS)[number];

const SCHEMAS: Readonly<Record<BenchSchemaKind, TSchema>> = {
  profile: Profile,
  scenario: Scenario,
  campaign: Campaign,
  bench: BenchConfig,
};

/** The JSON Schema (draft 7, which editors of YAML know best) of a kind of document. */
export function benchSchema(kind: BenchSchemaKind): TSchema & { readonly $schema: string } {
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...SCHEMAS[kind] };
}
