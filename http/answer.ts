/**
 * One request from its checks to its answer, on no particular transport. Mission Control Service, sections 4 and 7.
 *
 * A1. There is always an answer: what a handler throws is an outage (503) or a defect (500, logged), never silence.
 */

import type { Caller } from './caller.ts';
import { check, type Incoming } from './check.ts';
import { type Dialect, defectReply, type LayerPorts } from './dialect.ts';
import type { AnyFollow, FollowSource, FollowWriter } from './follow.ts';
import type { AnyFault, Refusal, Reply } from './reply.ts';
import { type AnyEndpoint, type AnyRoute, declaredErrors } from './route.ts';

/** The answer of a route to a request. */
export async function answer<Ports extends LayerPorts>(
  route: AnyRoute<Ports>,
  incoming: Incoming,
  ports: Ports,
  dialect: Dialect<Ports>,
): Promise<Reply> {
  try {
    const checked = check(route, incoming, ports, dialect);
    const request = checked instanceof Promise ? await checked : checked;
    if (!request.ok) return refused(route, request, ports, dialect);
    const handled = await route.handle(request.value, ports);
    // Whatever it was given up with, nobody reads it.
    if (incoming.gone?.aborted === true) return GONE;
    if (!handled.ok) return refused(route, handled, ports, dialect);
    if (route.method !== 'GET' && route.changesNothing !== true && handled.value.status < 300)
      ports.acted?.({ route, ...request.value, reply: handled.value });
    return handled.value;
  } catch (error) {
    return failure(route, error, ports, dialect);
  }
}

const GONE: Reply = { status: 499 };

export interface OpenedFollow {
  readonly source: FollowSource;
  readonly caller: Caller;
}

/** What a follow route started for whom, or the answer that refuses the upgrade. */
export async function openFollow<Ports extends LayerPorts>(
  route: AnyFollow<Ports>,
  incoming: Incoming,
  ports: Ports,
  dialect: Dialect<Ports>,
  writer: FollowWriter,
): Promise<OpenedFollow | { readonly reply: Reply }> {
  try {
    const checked = check(route, incoming, ports, dialect);
    const request = checked instanceof Promise ? await checked : checked;
    if (!request.ok) return { reply: refused(route, request, ports, dialect) };
    const opened = await route.open(request.value, ports, writer);
    if (!opened.ok) return { reply: refused(route, opened, ports, dialect) };
    return { source: opened.value, caller: request.value.caller };
  } catch (error) {
    return { reply: failure(route, error, ports, dialect) };
  }
}

/**
 * An undeclared code (http/route.R1) is a defect of the table, not of the request: the caller still gets the true
 * reason.
 */
function refused<Ports extends LayerPorts>(
  endpoint: AnyEndpoint,
  refusal: Refusal<AnyFault>,
  ports: Ports,
  dialect: Dialect<Ports>,
): Reply {
  const declared = declaredErrors(endpoint, dialect);
  const undeclared = refusal.faults.filter(({ code }) => !declared.has(code));
  if (undeclared.length > 0) {
    ports.log.error(
      { route: endpoint.operationId, undeclared },
      'a route answered with a code it does not declare',
    );
  }
  return dialect.reply(refusal);
}

function failure<Ports extends LayerPorts>(
  endpoint: AnyEndpoint,
  error: unknown,
  ports: Ports,
  dialect: Dialect<Ports>,
): Reply {
  const outage = dialect.outage(error);
  if (outage !== undefined) return refused(endpoint, outage, ports, dialect);
  const request = ports.newId();
  ports.log.error({ route: endpoint.operationId, request, err: error }, 'a request failed on a defect');
  return defectReply(dialect, request);
}
