/** What an interface description says of a service beside its routes. */

import type { Dialect } from './dialect.ts';
import type { Json } from './schema-components.ts';

export const LICENSE = { name: 'Apache License 2.0', identifier: 'Apache-2.0' } as const;

export interface ServiceInterface<Ports> {
  readonly title: string;
  readonly version: string;
  /** In Markdown: of the OpenAPI document, and of the AsyncAPI document. */
  readonly description: string;
  readonly following: string;
  /** Host and port where it usually listens. */
  readonly address: string;
  /** Ways to say who calls, each a requirement of OpenAPI; empty: nobody is asked. */
  readonly security: readonly Json[];
  readonly securitySchemes: Json;
  /** The same for WebSockets, as AsyncAPI has it. */
  readonly followSchemes: Json;
  /** Groups of routes, in order. */
  readonly tags: Readonly<Record<string, string>>;
  readonly dialect: Dialect<Ports>;
}
