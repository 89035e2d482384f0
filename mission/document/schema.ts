/**
 * The kinds of mission documents and their JSON Schemas, for the compilation and for editors
 * (`# yaml-language-server: $schema=…`).
 */

import type { TSchema } from 'typebox';
import { bounded } from '../../contract/bounded.ts';
import { ConfigDocument } from './config.ts';
import { LibraryDocument } from './library.ts';
import { PlatformDocument } from './platform.ts';
import { TopologyDocument } from './topology.ts';

export const DOCUMENT_KINDS = ['platform', 'topology', 'library', 'config'] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

const SCHEMAS: Readonly<Record<DocumentKind, TSchema>> = {
  platform: bounded(PlatformDocument),
  topology: bounded(TopologyDocument),
  library: bounded(LibraryDocument),
  config: bounded(ConfigDocument),
};

/** The JSON Schema (draft 7, which editors of YAML know best) of a kind of document. */
export function documentSchema(kind: DocumentKind): TSchema & { readonly $schema: string } {
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...SCHEMAS[kind] };
}

/** The kind of a document: the kind it has a key of; one that has none is a config document. */
export function kindOf(document: object): DocumentKind {
  return DOCUMENT_KINDS.find((kind) => Object.hasOwn(document, kind)) ?? 'config';
}
