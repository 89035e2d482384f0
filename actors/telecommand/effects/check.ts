/**
 * Whether a telecommand may go: its lane lets it, and what it requires is so. Mission Control Service, section 3.1.
 *
 * C1. Every sample stored before the check began is known before what is required is judged (as judge.I3): a reader of
 *     values that is behind still has the sample that a newer one replaced.
 */

import { retryWhileBusIsAway } from '../../../messaging/while-bus-is-away.ts';
import { UNDEFINED } from '../refusal.ts';
import { unmetRequirements } from '../requirement.ts';
import type { Handler, LaneServices, TelecommandPorts } from '../services.ts';

export function createCheck({ clock }: TelecommandPorts): Handler<'effect.check'> {
  return async (_effect, services, { signal }) => {
    const refused = await retryWhileBusIsAway({ clock, signal }, () => services.refusal());
    if (refused === undefined) return undefined;
    if (refused.value === undefined && isConditional(services)) {
      const known = await retryWhileBusIsAway({ clock, signal }, () => services.upToDate());
      if (known === undefined) return undefined;
    }
    const detail = refused.value ?? unmet(services, clock.now());
    const at = clock.now();
    return detail === undefined
      ? { type: 'requires.satisfied', at }
      : { type: 'requires.failed', at, detail };
  };
}

function isConditional({ work: { definition } }: LaneServices): boolean {
  return definition !== undefined && definition.telecommand.requires.length > 0;
}

function unmet({ work: { definition, submission }, sample }: LaneServices, now: number): string | undefined {
  if (definition === undefined) return UNDEFINED;
  const { telecommand, platform } = definition;
  const { instance, args } = submission;
  return unmetRequirements(telecommand.requires, { platform, instance, args, sample, now });
}
