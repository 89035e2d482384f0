/** How the link of a gateway is when somebody begins to watch it. Mission Control Service, section 4.3. */

import { assertNever } from '../../contract/assert.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { GATEWAY_STATE_MS } from '../../contract/limits/link.ts';
import type { LinkCondition } from '../../contract/link.ts';
import { askOrAway } from '../../messaging/ask.ts';
import type { Gateway } from '../../mission/mission.ts';
import type { Bus } from '../../ports/bus.ts';
import { readReport } from './bus-messages.ts';

export interface KnownState {
  readonly gateway: string;
  readonly link: Pick<LinkCondition, 'state' | 'reason'> & Partial<LinkCondition>;
}

/** Undefined where that is not known: the next report of the gateway comes without being asked for. */
export async function firstState(
  { name, kind }: Pick<Gateway, 'name' | 'kind'>,
  bus: Pick<Bus, 'request'>,
): Promise<KnownState | undefined> {
  const to = subject.gatewayVerb(name, 'state');
  const asked = await askOrAway(bus, { to, read: readReport, timeoutMs: GATEWAY_STATE_MS });
  switch (asked.outcome) {
    case 'answered':
      return asked.answer;
    case 'unserved':
      // Gateways of others need not know the verb.
      if (kind === 'external') return undefined;
      return { gateway: name, link: { state: 'down', reason: 'no process runs this gateway' } };
    case 'unanswered':
    case 'unreadable':
    case 'bus-away':
      return undefined;
    default:
      return assertNever(asked);
  }
}
