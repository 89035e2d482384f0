/** What a handler answers with: a reply, or a refusal with every fault found. Mission Control Service, section 7.1. */

import type { Fault } from '../contract/errors.ts';

/** The bytes of an answer, read as its client takes them. */
export interface StreamedBody {
  /** Undefined where it is not known before the end: it is over when the pieces are. */
  readonly bytes: number | undefined;
  pieces(): AsyncIterable<Uint8Array>;
  /** Whether the connection ends with it, asked at its end; only where `bytes` is undefined. Default: it does not. */
  closing?(): Promise<boolean>;
}

/** What a handler answers with; `bytes` is a body that is already JSON (or `contentType`). */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly bytes?: Uint8Array | string;
  /** A body in pieces, of `contentType`. */
  readonly stream?: StreamedBody;
  readonly contentType?: string;
  /** Of another service, as it wrote them: instead of `contentType`. */
  readonly fields?: readonly (readonly [name: string, value: string])[];
  /** Of the service's own making: nothing of a request may stand in them (exchange.U3). */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A fault as the layer knows it, with codes of any service. */
export type AnyFault = Fault<string>;

/** A refusal; `status` where a code has two (contract/errors.E2). */
export interface Refusal<Refused extends AnyFault = Fault> {
  readonly ok: false;
  readonly faults: readonly [Refused, ...Refused[]];
  /** Faults that were found beside those, at least. */
  readonly more?: number;
  readonly status?: number;
}

export type Handled<Value, Refused extends AnyFault = Fault> =
  | { readonly ok: true; readonly value: Value }
  | Refusal<Refused>;

/** One fault, with a code of any service, as a refusal. */
export function refusal<Code extends string>(
  code: Code,
  message: string,
  more: { help?: string; path?: string } = {},
): Refusal<Fault<Code>> {
  return { ok: false, faults: [{ code, message, ...more }] };
}
