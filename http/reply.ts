/** What a handler answers with: a reply, or a refusal with every fault found. Mission Control Service, section 7.1. */

import type { Fault } from '../contract/errors.ts';

/** What a handler answers with; `bytes` is a body that is already JSON (or `contentType`). */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly bytes?: Uint8Array | string;
  readonly contentType?: string;
  /** Of the service's own making: nothing of a request may stand in them (U3). */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal; `status` where a code has two (E2). */
export interface Refusal {
  readonly ok: false;
  readonly faults: readonly [Fault, ...Fault[]];
  readonly status?: number;
}

export type Handled<Value> = { readonly ok: true; readonly value: Value } | Refusal;
