/**
 * Every error code of the bench with its status and cause. RF Bench Service, section 7; the complete list of codes is
 * not shown there: the first five are the general ones, the others say more where a client can act on it.
 *
 * E1. A published code never changes its meaning or its status; new codes are only added.
 */

import Type, { type Static } from 'typebox';
import type { Fault } from '../errors.ts';
import { ChainState, NextStep } from './chain.ts';

interface BenchErrorDescription {
  readonly status: number;
  readonly cause: string;
}

export const BENCH_ERRORS = {
  not_found: { status: 404, cause: 'no such resource, or no datapath to flush or transmit with' },
  validation_failed: { status: 400, cause: 'path, query, body or document is not what the route accepts' },
  conflict: { status: 409, cause: 'the state of the resource does not allow it' },
  unavailable: { status: 503, cause: 'no board, no driver, no datapath, or no place to keep records' },
  timeout: {
    status: 504,
    cause: 'the chain did not sustain the blocks, or the board did not answer in time',
  },
  board_busy: { status: 409, cause: 'a campaign or a scenario holds the board' },
  board_failed: { status: 502, cause: 'the board refused the request' },
  too_large: { status: 413, cause: 'request body larger than the route accepts' },
  unauthorized: { status: 401, cause: 'a bearer token is required, or the one given was refused' },
  head_too_large: { status: 431, cause: 'headers and query of the request are larger than 16 KiB' },
  foreign_origin: { status: 403, cause: 'a browser page of another origin made the request' },
  foreign_host: { status: 403, cause: 'the request names a host that the bench is not started for' },
  too_many_requests: {
    status: 503,
    cause: 'too many WebSockets or unfinished bodies of one address, or of all',
  },
  internal: { status: 500, cause: 'defect in the service; the log names it by the request id' },
} as const satisfies Record<string, BenchErrorDescription>;

export type BenchErrorCode = keyof typeof BENCH_ERRORS;

/** A refusal of the bench; of the chain with its first missing step and its state. */
export interface BenchFault extends Fault<BenchErrorCode> {
  readonly next?: NextStep;
  readonly state?: ChainState;
}

export const ApiError = Type.Object(
  {
    code: Type.Enum(Object.keys(BENCH_ERRORS) as BenchErrorCode[]),
    message: Type.String({ description: 'For people; all faults, one after the other.' }),
    help: Type.Optional(Type.String({ description: 'How to fix it.' })),
    next: Type.Optional(NextStep),
    state: Type.Optional(ChainState),
  },
  {
    additionalProperties: false,
    title: 'ApiErrorDRO',
    examples: [{ code: 'not_found', message: 'no profile "qpsk"' }],
  },
);
export type ApiError = Static<typeof ApiError>;
