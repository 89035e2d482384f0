/** JSON Schemas of the documents of the bench, for editors (`# yaml-language-server: $schema=…`). */

import type { TSchema } from 'typebox';
import { Campaign } from '../../contract/bench/campaign.ts';
import { Profile } from '../../contract/bench/profile.ts';
import { Scenario } from '../../contract/bench/scenario.ts';

export const BENCH_DOCUMENT_KINDS = ['profile', 'scenario', 'campaign'] as const;
export type BenchDocumentKind = (typeof BENCH_DOCUMENT_KINDS)[number];

const SCHEMAS: Readonly<Record<BenchDocumentKind, TSchema>> = {
  profile: Profile,
  scenario: Scenario,
  campaign: Campaign,
};

/** The JSON Schema (draft 7, which editors of YAML know best) of a kind of document. */
export function benchSchema(kind: BenchDocumentKind): TSchema & { readonly $schema: string } {
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...SCHEMAS[kind] };
}
