/** Hands PDUs to a gateway (`contract/pdus.ts`). Whatever keeps them from leaving, they are lost like any other. */

import { assertNever } from '../../contract/assert.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { CFDP_SEND_MS } from '../../contract/limits/cfdp.ts';
import { type PdusCall, readPdusReply } from '../../contract/pdus.ts';
import type { PdusSent } from '../../links/cfdp/pdu-pump.ts';
import { askOrAway } from '../../messaging/ask.ts';
import type { Bus } from '../../ports/bus.ts';

/** How many of them have left, and why the others have not. Never rejects. */
export async function sendPdus(
  bus: Pick<Bus, 'request'>,
  gateway: string,
  call: PdusCall,
): Promise<PdusSent> {
  const to = subject.gatewayVerb(gateway, 'pdus');
  const asked = await askOrAway(bus, { to, call, read: readPdusReply, timeoutMs: 2 * CFDP_SEND_MS });
  switch (asked.outcome) {
    case 'answered': {
      const { answer } = asked;
      const frames = Math.min(Math.max(0, answer.frames), call.frames.length);
      return answer.outcome === 'sent' ? { frames } : { frames, refused: answer.detail };
    }
    case 'unserved':
      return { frames: 0, refused: 'it does not run, or does not know the verb pdus' };
    case 'unanswered':
      return { frames: 0, refused: 'it did not answer in time' };
    case 'unreadable':
      return { frames: 0, refused: `malformed reply: ${asked.said}` };
    case 'bus-away':
      return { frames: 0, refused: 'the bus is away' };
    default:
      return assertNever(asked);
  }
}
