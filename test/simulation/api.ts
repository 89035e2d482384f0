/**
 * The front end of a simulated process: the handler of `POST /v1/tc` with its real ports, called where a socket would call
 * it. Mission Control Service, section 2.1. What comes before a handler (path, body shape, identity) is not simulated.
 */

import { Outage } from '../../contract/outage.ts';
import type { TcReply, TcRequest } from '../../contract/telecommand.ts';
import { watchHolds } from '../../http/holds.ts';
import type { RoutePorts } from '../../http/ports.ts';
import { submitTelecommand } from '../../http/routes/telecommands.ts';
import type { RoleContext, RoleFactory } from '../../supervision/role.ts';
import type { RunningValueFeeds } from '../../telemetry/value-feeds.ts';

export type Answer =
  | { readonly outcome: 'accepted'; readonly duplicate: boolean }
  /** 503: nobody knows whether it was taken. */
  | { readonly outcome: 'unavailable' }
  | { readonly outcome: 'refused'; readonly codes: readonly string[] };

export interface Api {
  readonly values: RunningValueFeeds;
  submit(request: TcRequest): Promise<Answer>;
}

/** The role `api` of a simulated process; `ready` is given what a client can ask. */
export function simulatedApi(ready: (api: Api) => void): RoleFactory {
  return async (context) => {
    const holds = watchHolds(context.bus, context.log);
    const ports = portsOf(context, holds);
    ready({ values: context.values, submit: (request) => submit(request, ports) });
    return { shared: [], stop: () => holds.stop() };
  };
}

/** Clients of the simulation bring their identifiers, and nobody inspects: a handler that asks for more fails loudly. */
function portsOf(
  { bus, missions, values, log, clock, registry }: RoleContext,
  holds: RoutePorts['holds'],
): RoutePorts {
  const ports = { bus, missions, values, log, clock, registry, holds };
  return { ...ports, valuesLoaded: () => true, draining: () => false } as unknown as RoutePorts;
}

async function submit(body: TcRequest, ports: RoutePorts): Promise<Answer> {
  const caller = { kind: 'declared', name: 'ada', roles: [] } as const;
  try {
    const handled = await submitTelecommand.handle({ params: {}, query: {}, body, caller }, ports);
    if (handled.ok) return { outcome: 'accepted', duplicate: (handled.value.body as TcReply).duplicate };
    const codes = handled.faults.map(({ code }) => code);
    const passing = codes.every((code) => code === 'api::unavailable' || code === 'api::no-configuration');
    return passing ? { outcome: 'unavailable' } : { outcome: 'refused', codes };
  } catch (error) {
    if (error instanceof Outage) return { outcome: 'unavailable' };
    throw error;
  }
}
