/**
 * How one service speaks. The layer (routes as data, checks, answers, sockets, descriptions) serves two services; what
 * differs between them beside their tables is here, as one object that each server is given.
 *
 * D1. Nothing is decided per request that could be read from the object: a dialect is fields and plain functions.
 */

import type { TSchema } from 'typebox';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Caller } from './caller.ts';
import type { Credentials } from './identity.ts';
import type { AnyFault, Handled, Refusal, Reply } from './reply.ts';
import type { Act } from './request-events.ts';
import type { Json } from './schema-components.ts';

/** What the layer itself reaches, whatever its routes reach beside it. */
export interface LayerPorts {
  readonly log: Log;
  readonly clock: Clock;
  /** Called for each call that succeeded and may have changed something; absent: they are not recorded. */
  readonly acted?: ((act: Act) => void) | undefined;
  /** Origin of the identity provider that a page may sign in at (pages/page.P4); absent: none. */
  readonly signInAt?: (() => string | undefined) | undefined;
  /** A fresh identifier, for the log to name a request by. */
  readonly newId: () => string;
}

/** The codes the layer refuses with by itself, by what happened. */
export interface LayerCodes {
  readonly unknownRoute: string;
  /** Head, query or body are not what the route takes. */
  readonly invalid: string;
  readonly tooLarge: string;
  readonly headTooLarge: string;
  readonly foreignOrigin: string;
  readonly foreignHost: string;
  readonly tooMany: string;
  readonly internal: string;
}

export interface Dialect<Ports> {
  readonly codes: LayerCodes;
  /** Codes that the checks before a handler add to those of an endpoint that asks who calls. */
  readonly checked: readonly string[];
  /** What a call brings as its body that takes none: refused (http/check.C2), or not read. */
  readonly unaskedBody: 'refused' | 'ignored';
  /** How somebody finds the routes there are. */
  readonly routesHelp: string;
  /** Who calls; at once unless a token has to be asked about. */
  identify(
    credentials: Credentials,
    ports: Ports,
  ): Promise<Handled<Caller, AnyFault>> | Handled<Caller, AnyFault>;
  /** Calls the listener when another answer to that is possible from now on; the result ends it. */
  onAccessChange(ports: Ports, listener: () => void): () => void;
  /** The refusal that a failure amounts to; undefined for a defect. */
  outage(error: unknown): Refusal<AnyFault> | undefined;
  /** The answer of a refusal: the status it chose, else the usual one of its first fault. */
  reply(refusal: Refusal<AnyFault>): Reply;
  /** The statuses and the cause of a code; the first status is the usual one. */
  describe(code: string): { readonly statuses: readonly number[]; readonly cause: string };
  /** The body of an error answer with one of the codes; `reference` describes a schema with a title once. */
  errorSchema(codes: readonly string[], reference: (schema: TSchema) => Json): Json;
}

/** The answer to a defect: the log knows more under the same identifier. */
export function defectReply<Ports>({ codes, reply }: Dialect<Ports>, requestId: string): Reply {
  const message = `a defect in the service stopped this request; the log names it by ${requestId}`;
  return reply({ ok: false, faults: [{ code: codes.internal, message }] });
}
