/**
 * Has the frame of a telecommand sent by the gateway of its link (`actors/telecommand/sending.ts`). Mission Control
 * Service, section 3.1 (ACK 2).
 */

import { assertNever } from '../../../contract/assert.ts';
import type { SendReply } from '../../../contract/link.ts';
import type { TelecommandEffect, TelecommandEvent } from '../../../machines/telecommand/telecommand.ts';
import type { Gateway } from '../../../mission/mission.ts';
import type { EffectRun } from '../../../ports/entity.ts';
import { type Sending, sendFrame } from '../sending.ts';
import type { Handler, LaneServices, TelecommandPorts } from '../services.ts';

export function createSend(ports: TelecommandPorts): Handler<'effect.send'> {
  return async (effect, services, run) => {
    const { submission, definition } = services.work;
    const gateway = definition && services.gateway(definition, effect.gateway);
    if (gateway === undefined) {
      const reason = definition && services.whyNotServed(definition);
      const none = noGateway(submission.link, effect.recovering !== undefined, reason);
      return eventOf(none, ports.clock.now());
    }
    const reply = await sendFrame(ports, sendingOf(gateway, effect, services, run));
    if (reply?.outcome === 'unknown') services.unsure();
    return reply && eventOf(reply, ports.clock.now());
  };
}

function sendingOf(
  { name, kind }: Gateway,
  { frame, recovering }: Extract<TelecommandEffect, { type: 'effect.send' }>,
  services: LaneServices,
  { key, epoch, signal }: EffectRun,
): Sending {
  return {
    gateway: name,
    isOfCell: kind !== 'external',
    frame: { target: services.work.submission.target, key, epoch, frame },
    recovering,
    expiresAt: services.expiresAt,
    hold: services.hold,
    unheld: () => services.unheld(),
    position: () => services.position(),
    signal,
  };
}

/** An earlier owner may have found one. */
function noGateway(link: string, mayHaveLeft: boolean, reason: string | undefined): SendReply {
  const detail = `no gateway serves link ${link}`;
  if (mayHaveLeft) return { outcome: 'unknown', detail: `${detail} any more: nobody knows whether it left` };
  return { outcome: 'refused', detail: reason === undefined ? detail : `${detail}: ${reason}` };
}

function eventOf(reply: SendReply, now: number): TelecommandEvent {
  switch (reply.outcome) {
    case 'sent':
      return {
        type: 'gateway.sent',
        at: reply.at,
        ...(reply.handed !== undefined && { handed: reply.handed }),
      };
    case 'refused':
      return { type: 'gateway.refused', at: now, detail: reply.detail };
    case 'unknown':
      return { type: 'gateway.unknown', at: now, detail: reply.detail };
    default:
      return assertNever(reply);
  }
}
