/**
 * Hands the frame of a telecommand to its gateway and learns what became of it. Mission Control Service, section 3.1
 * (ACK 2).
 *
 * H1. A telecommand of a run is handed over only while that run holds its target. The hold is read before each
 *     asking, and the time that the frame has to leave counts from before that read: whoever sleeps behind it hands
 *     over a frame that is late.
 * H2. A sending whose answer was lost is asked for again under the same key: a gateway sends a key once (O2). Where the
 *     hold is over by then, the gateway is asked for what it knows, and has no time left to send.
 * H3. What nobody took is no sending: it is asked for again as if for the first time, for as long as the frame may
 *     leave.
 * H5. A gateway of the cell that nobody serves is about to be taken over: it is waited for (hand-overs.G1), in the turn
 *     of the telecommand and for as long as the frame may leave. One of others is there or is not.
 * H4. Where the bus stands is read before an asking and goes with it: the gateway keeps that of the first with the key,
 *     the history with SENT. Whoever verifies then, this owner or an heir, counts the same samples. Of a frame that an
 *     owner before may have handed over, only a gateway that remembers it knows where the bus stood.
 */

import { assertNever } from '../../contract/assert.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { BUS_RETRY_MS } from '../../contract/limits/bus.ts';
import { GATEWAY_ANSWER_MS } from '../../contract/limits/link.ts';
import { SEND_WITHIN_MS } from '../../contract/limits/telecommand.ts';
import { type BusPosition, readSendReply, type SendCall, type SendReply } from '../../contract/link.ts';
import type { NeededHold } from '../../contract/target-holds.ts';
import { type Asked, askOrAway, type BusAway, type Question } from '../../messaging/ask.ts';
import { type Absence, notRunning } from '../../messaging/hand-overs.ts';
import { pause } from '../../messaging/pause.ts';
import { retryWhileBusIsAway } from '../../messaging/while-bus-is-away.ts';
import type { Clock } from '../../ports/clock.ts';
import type { TelecommandPorts } from './services.ts';

export interface Sending {
  readonly gateway: string;
  /** A process of the cell serves it, one at a time (H5). */
  readonly isOfCell: boolean;
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
  readonly signal: AbortSignal;
}

/** A call as of now. */
interface MadeCall {
  readonly call: SendCall;
  /** Why it must not leave any more. */
  readonly unheld: string | undefined;
}

/** Before every clock: the gateway answers what it knows and sends nothing (H2). */
const NEVER = 0;

/** What became of the frame; undefined when `signal` ended it first. */
export async function sendFrame(ports: TelecommandPorts, sending: Sending): Promise<SendReply | undefined> {
  const { bus, clock } = ports;
  const { gateway, signal } = sending;
  const since = sending.recovering?.since ?? clock.now();
  let doubt: Doubt = { mayHaveLeft: sending.recovering !== undefined, wasSilent: false, absence: undefined };
  let handed: BusPosition | undefined;
  for (;;) {
    const recovering = doubt.mayHaveLeft ? { since } : undefined;
    const before = doubt.mayHaveLeft ? handed : undefined;
    const made = await retryWhileBusIsAway({ clock, signal }, () =>
      callOf(sending, recovering, before, clock),
    );
    if (made === undefined) return undefined;
    const { call, unheld } = made.value;
    handed = call.handed;
    if (unheld !== undefined && !doubt.mayHaveLeft) return { outcome: 'refused', detail: unheld };
    const asked = await askOrAway(bus, questionOf(gateway, call));
    if (asked.outcome === 'answered' && !isLeaving(asked.answer)) {
      ports.handOvers.served(gateway);
      return answerOf(asked.answer, { unheld, handed, isRecovering: sending.recovering !== undefined });
    }
    const next = afterSilence(asked, doubt, sending, ports);
    if ('outcome' in next) return next;
    doubt = next;
    const pauseMs = doubt.absence?.pauseMs ?? BUS_RETRY_MS;
    if (asked.outcome !== 'unanswered') await pause(clock, pauseMs, signal);
  }
}

/** What nobody knows of a frame between two askings. */
interface Doubt {
  readonly mayHaveLeft: boolean;
  /** Its gateway took the question once and did not answer. */
  readonly wasSilent: boolean;
  /** Nobody served it the last time. */
  readonly absence: Absence | undefined;
}

/** H2, H3: the end of the sending, or what the next asking has to assume. */
function afterSilence(
  silence: Asked<SendReply> | BusAway,
  doubt: Doubt,
  sending: Sending,
  { clock, handOvers }: TelecommandPorts,
): SendReply | Doubt {
  const { gateway, expiresAt } = sending;
  switch (silence.outcome) {
    case 'unreadable':
      return unknown(`gateway ${gateway} answered something that is no outcome`);
    // It is leaving.
    case 'answered':
    case 'unserved':
      return afterAbsence(doubt, sending, { isLate: clock.now() >= expiresAt, handOvers });
    // Nobody can take anything over meanwhile.
    case 'bus-away':
      return { ...doubt, mayHaveLeft: true, absence: undefined };
    case 'unanswered':
      if (!silence.mayBeDone)
        return clock.now() >= expiresAt && !doubt.mayHaveLeft
          ? { outcome: 'refused', detail: silence.message }
          : doubt;
      handOvers.served(gateway);
      if (doubt.wasSilent)
        return unknown(`gateway ${gateway} did not answer within ${GATEWAY_ANSWER_MS / 1000} s`);
      return { mayHaveLeft: true, wasSilent: true, absence: undefined };
    default:
      return assertNever(silence);
  }
}

/** H5 */
function afterAbsence(
  doubt: Doubt,
  { gateway, isOfCell }: Sending,
  { isLate, handOvers }: { readonly isLate: boolean } & Pick<TelecommandPorts, 'handOvers'>,
): SendReply | Doubt {
  const absence = isOfCell ? handOvers.unserved(gateway, doubt.absence) : undefined;
  if (absence !== undefined && !absence.isOver && !isLate) return { ...doubt, absence };
  const detail = `gateway ${gateway} ${notRunning(absence)}`;
  return doubt.mayHaveLeft ? unknown(detail) : { outcome: 'refused', detail };
}

/** Nothing was handed over, and another process is about to serve the gateway. */
function isLeaving(reply: SendReply): boolean {
  return reply.outcome === 'refused' && reply.leaving === true;
}

function questionOf(gateway: string, call: SendCall): Question<SendReply> {
  const to = subject.gatewayVerb(gateway, 'send');
  return { to, call, read: readSendReply, timeoutMs: GATEWAY_ANSWER_MS / 2 };
}

function unknown(why: string): SendReply {
  return { outcome: 'unknown', detail: `${why}: nobody knows whether it sent the frame` };
}

/** What the gateway says, with the reason that the frame was kept from leaving and where the bus stood. */
function answerOf(
  reply: SendReply,
  how: {
    readonly unheld: string | undefined;
    readonly handed: BusPosition | undefined;
    readonly isRecovering: boolean;
  },
): SendReply {
  if (reply.outcome === 'refused') return { ...reply, detail: how.unheld ?? reply.detail };
  if (reply.outcome === 'unknown' || reply.handed !== undefined) return reply;
  const own = how.isRecovering ? undefined : how.handed;
  return { ...reply, ...(own !== undefined && { handed: own }) };
}

/** H1, H4: `before` is where the bus stood at an asking that may have been taken. */
async function callOf(
  { frame, expiresAt, hold, unheld, position }: Sending,
  recovering: SendCall['recovering'],
  before: BusPosition | undefined,
  clock: Clock,
): Promise<MadeCall> {
  const asOf = clock.now();
  const [reason, handed] = await Promise.all([
    hold === undefined ? undefined : unheld(),
    before ?? position(),
  ]);
  const call: SendCall = {
    ...frame,
    notAfter: reason === undefined ? Math.min(asOf + SEND_WITHIN_MS, expiresAt) : NEVER,
    ...(recovering !== undefined && { recovering }),
    ...(hold !== undefined && { hold }),
    ...(handed !== undefined && { handed }),
  };
  return { call, unheld: reason };
}
