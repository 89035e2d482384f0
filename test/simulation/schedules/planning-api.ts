/**
 * What feeders and planners reach of the front end of a simulated process: the handlers of passes, schedules and rules
 * with their real ports. Mission Control Service, sections 4.5 and 4.6.
 */

import type { RoutePorts } from '../../../http/ports.ts';
import type { Handled, Reply } from '../../../http/reply.ts';
import { replacePasses, writePass } from '../../../http/routes/passes.ts';
import { deleteRule, writeRule } from '../../../http/routes/schedule-rules.ts';
import { cancelScheduleRoute, validateScheduleRoute, writeSchedule } from '../../../http/routes/schedules.ts';
import { FEEDERS } from './mission.ts';
import type { Request } from './planning.ts';

/** Who asks. */
export interface Asker {
  readonly name: string;
  readonly roles: readonly string[];
}

/** Who a request is from: feeders by their source, supervisors validate. */
export function askerOf(what: Request, serial: number): Asker {
  if (what.kind === 'pass') return { name: FEEDERS[what.pass.source], roles: [] };
  if (what.kind === 'snapshot') return { name: FEEDERS[what.snapshot.source], roles: [] };
  const roles = what.kind === 'validate' ? ['supervisor'] : [];
  return { name: `${what.kind === 'validate' ? 'supervisor' : 'planner'}-${serial}`, roles };
}

export async function askForPlanning(
  what: Request,
  { name, roles }: Asker,
  ports: RoutePorts,
): Promise<Handled<Reply>> {
  const caller = { kind: 'declared', name, roles } as const;
  const nothing = { query: {}, content: undefined, caller };
  switch (what.kind) {
    case 'pass':
      return writePass.handle({ params: {}, ...nothing, body: what.pass } as never, ports);
    case 'snapshot':
      return replacePasses.handle({ params: {}, ...nothing, body: what.snapshot } as never, ports);
    case 'schedule':
      return writeSchedule.handle({ params: {}, ...nothing, body: what.schedule } as never, ports);
    case 'cancel':
      return cancelScheduleRoute.handle({ params: { id: what.id }, ...nothing } as never, ports);
    case 'validate':
      return validateScheduleRoute.handle({ params: { id: what.id }, ...nothing } as never, ports);
    case 'rule':
      return writeRule.handle({ params: {}, ...nothing, body: what.rule } as never, ports);
    case 'unrule':
      return deleteRule.handle({ params: { id: what.id }, ...nothing } as never, ports);
  }
}
