/**
 * Hands the frame of a telecommand to its gateway and learns what became of it. Mission Control Service, section 3.1 (ACK 2).
 *
 * H1. A telecommand of a run is handed over only while that run holds its target. The hold is read before each asking,
 *     and the time that the frame has to leave counts from before that read: whoever sleeps behind it hands over a frame that
 *     is late.
 * H2. A sending whose answer was lost is asked for again under the same key: a gateway sends a key once (O2). Where the hold is
 *     over by then, the gateway is asked for what it knows, and has no time left to send.
 * H3. What nobody took is no sending: it is asked for again as if for the first time, for as long as the frame may leave.
 * H4. Where the bus stands is read before an asking and goes with it: the gateway keeps that of the first with the key, the
 *     history with SENT. Whoever verifies then, this owner or an heir, counts the same samples. Of a frame that an owner before
 *     may have handed over, only a gateway that remembers it knows where the bus stood.
 */

import { subject } from '../../contract/bus/subjects.ts';
import { GATEWAY_ANSWER_MS, SEND_WITHIN_MS } from '../../contract/limits.ts';
import { type BusPosition, isBusPosition, type SendCall, type SendReply } from '../../contract/link.ts';
import { Outage } from '../../contract/outage.ts';
import type { NeededHold } from '../../contract/telecommand.ts';
import { type Caller, silence } from './asking.ts';
import { isTime } from './history.ts';

export interface Sending {
  readonly gateway: string;
  readonly frame: Pick<SendCall, 'target' | 'key' | 'epoch' | 'frame'>;
  readonly recovering: SendCall['recovering'];
  /** When it is too old to leave, ms since 1970. */
  readonly expiresAt: number;
  /** Absent where no run sends it. */
  readonly hold: NeededHold | undefined;
  /** Why it may not leave, as of now. */
  readonly unheld: () => Promise<string | undefined>;
  /** Where the bus stands now; undefined where nothing is verified. Rejects with `Outage`. */
  readonly position: () => Promise<BusPosition | undefined>;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** A call as of now. */
interface Asked {
  readonly call: SendCall;
  /** Why it must not leave any more. */
  readonly unheld: string | undefined;
}

/** Before every clock: the gateway answers what it knows and sends nothing (H2). */
const NEVER = 0;

/** What became of the frame; undefined when `signal` ended it first. */
export async function sendFrame(caller: Caller, sending: Sending): Promise<SendReply | undefined> {
  const { gateway, now, signal, expiresAt } = sending;
  const since = sending.recovering?.since ?? now();
  let mayHaveLeft = sending.recovering !== undefined;
  let isSecond = false;
  let handed: BusPosition | undefined;
  for (;;) {
    const recovering = mayHaveLeft ? { since } : undefined;
    const before = mayHaveLeft ? handed : undefined;
    const asked = await caller.patiently(() => callOf(sending, recovering, before), signal);
    if (asked === undefined) return undefined;
    const { call, unheld } = asked.value;
    handed = call.handed;
    if (unheld !== undefined && !mayHaveLeft) return { outcome: 'refused', detail: unheld };
    const reply = await ask(caller, gateway, call);
    if (!(reply instanceof Outage)) {
      if (reply.outcome === 'sent')
        return withPosition(reply, sending.recovering === undefined ? handed : undefined);
      return reply.outcome === 'refused' ? withReason(reply, unheld) : reply;
    }
    if (reply.unsettled) {
      if (!mayHaveLeft && now() >= expiresAt) return { outcome: 'refused', detail: reply.message };
    } else if (reply.code === 'bus.unavailable') {
      mayHaveLeft = true;
      await caller.pause();
    } else if (reply.code === 'bus.no-responder' && !mayHaveLeft) {
      return { outcome: 'refused', detail: `gateway ${gateway} is not running` };
    } else if (isSecond || reply.code === 'bus.no-responder') {
      const silent = `gateway ${gateway} ${silence(reply, GATEWAY_ANSWER_MS)}`;
      return { outcome: 'unknown', detail: `${silent}: nobody knows whether it sent the frame` };
    } else {
      isSecond = true;
      mayHaveLeft = true;
    }
  }
}

/** H1, H4: `before` is where the bus stood at an asking that may have been taken. */
async function callOf(
  { frame, expiresAt, hold, unheld, position, now }: Sending,
  recovering: SendCall['recovering'],
  before: BusPosition | undefined,
): Promise<Asked> {
  const asOf = now();
  const reason = hold === undefined ? undefined : await unheld();
  const handed = before ?? (await position());
  const call: SendCall = {
    ...frame,
    notAfter: reason === undefined ? Math.min(asOf + SEND_WITHIN_MS, expiresAt) : NEVER,
    ...(recovering !== undefined && { recovering }),
    ...(hold !== undefined && { hold }),
    ...(handed !== undefined && { handed }),
  };
  return { call, unheld: reason };
}

async function ask(caller: Caller, gateway: string, call: SendCall): Promise<SendReply | Outage> {
  const how = { timeoutMs: GATEWAY_ANSWER_MS / 2 };
  try {
    return readSendReply(await caller.askOnce(subject.gatewayVerb(gateway, 'send'), call, how), gateway);
  } catch (error) {
    if (error instanceof Outage) return error;
    throw error;
  }
}

function withPosition(
  { handed, ...reply }: Extract<SendReply, { outcome: 'sent' }>,
  own: BusPosition | undefined,
): SendReply {
  const position = isBusPosition(handed) ? handed : own;
  return { ...reply, ...(position !== undefined && { handed: position }) };
}

function withReason(
  reply: Extract<SendReply, { outcome: 'refused' }>,
  reason: string | undefined,
): SendReply {
  return reason === undefined ? reply : { ...reply, detail: reason };
}

function readSendReply(body: unknown, gateway: string): SendReply {
  const reply = body as Partial<{ outcome: string; at: unknown; detail: string }> | null;
  if (reply?.outcome === 'sent' && isTime(reply.at)) return reply as SendReply;
  const { outcome, detail } = reply ?? {};
  if ((outcome === 'refused' || outcome === 'unknown') && typeof detail === 'string')
    return { outcome, detail };
  const said = `gateway ${gateway} answered something that is no outcome`;
  return { outcome: 'unknown', detail: `${said}: nobody knows whether it sent the frame` };
}
