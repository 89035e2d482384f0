/**
 * The events that the chart of a telecommand received, read back from its log alone: for replaying any telecommand,
 * alive or long over. Architecture, "The inspector".
 *
 * A1. Each record of the log names the state it was made in; what the log does not say (the answer that satisfied a
 *     requirement, a second asking of the gateway) is filled in with the time of the record that follows.
 * A2. A log written before its PENDING event said what it was begun with, or its SEND_FAILED what the gateway said, is
 *     replayed by what it shows.
 */

import type { SendFailure, TcEvent } from '../../contract/telecommand.ts';
import { TC_STATES } from '../../contract/telecommand-state.ts';
import { isToken, isUlid } from '../../contract/token.ts';
import type { TelecommandEvent, TelecommandInput } from '../../machines/telecommand/telecommand.ts';
import type { Bus } from '../../ports/bus.ts';
import type { EntityEvent, EntityLog, LoggedStep } from '../../ports/entity.ts';
import { type Begun, type Recorded, readHistory } from './history.ts';

/** The log of a cell's telecommand; undefined when it has none. Throws `Outage`. */
export async function telecommandLog(bus: Bus, cell: string): Promise<EntityLog | undefined> {
  const [target = '', id = ''] = cell.split('.');
  if (!isToken(target) || !isUlid(id)) return undefined;
  const { recorded: history } = await readHistory(bus, target, id);
  const first = history[0];
  if (first === undefined) return undefined;
  const begun = first.begun ?? supposed(history);
  return {
    input: inputOf(target, first.event, begun, history),
    steps: history.map((each) => step(each, begun)),
  };
}

function inputOf(
  target: string,
  { tc, at, telecommand, by, run, step }: TcEvent,
  { changesState, verifyWithinMs, refused }: Begun,
  history: readonly Recorded[],
): TelecommandInput {
  const { component = '', instance, telecommand: name = '' } = telecommand ?? {};
  return {
    id: tc,
    target,
    component,
    telecommand: name,
    changesState,
    verifyWithinMs,
    at: Date.parse(at),
    ...(instance !== undefined && { instance }),
    ...(by !== undefined && { by }),
    ...(run !== undefined && { run }),
    ...(step !== undefined && { step }),
    ...(refused && { refusal: history[1]?.event.detail ?? 'refused' }),
  };
}

/** What an older log shows of how it was begun (A2). */
function supposed(history: readonly Recorded[]): Begun {
  const timeOf = (state: string): number =>
    Date.parse(history.find(({ event }) => event.state === state)?.event.at ?? '');
  const windowMs = timeOf('VERIFY_TIMEOUT') - timeOf('SENT');
  const isUnverified = history.some(({ event }) => event.state === 'COMPLETE');
  return {
    changesState: true,
    verifyWithinMs: isUnverified ? null : Number.isFinite(windowMs) ? windowMs : 0,
    refused: false,
  };
}

function step(recorded: Recorded, begun: Begun): LoggedStep {
  const { event, frame, reference, gateway } = recorded;
  const isState = (TC_STATES as readonly string[]).includes(event.state);
  return {
    at: Date.parse(event.at),
    event: event.state,
    ...(event.detail !== undefined && { detail: event.detail }),
    record: {
      ...event,
      ...(frame !== undefined && { frame }),
      ...(reference !== undefined && { reference }),
      ...(gateway !== undefined && { gateway }),
    },
    ...(isState && { state: event.state }),
    told: told(recorded, begun),
  };
}

/** The events that lead from the record before to this one. */
function told(
  { event, frame = '', reference, gateway, handed, failure }: Recorded,
  begun: Begun,
): readonly EntityEvent[] {
  const at = Date.parse(event.at);
  const { detail = '' } = event;
  const satisfied: TelecommandEvent = { type: 'requires.satisfied', at };
  switch (event.state) {
    case 'REJECTED':
      return begun.refused ? [] : events({ type: 'requires.failed', at, detail });
    case 'ENCODED': {
      const referred = reference === undefined ? {} : { reference };
      const given = gateway === undefined ? {} : { gateway };
      return events(satisfied, { type: 'driver.encoded', at, frame, ...referred, ...given });
    }
    case 'ENCODE_FAILED':
      return events(satisfied, { type: 'driver.refused', at, detail });
    case 'SENT':
      return events({ type: 'gateway.sent', at, ...(handed !== undefined && { handed }) });
    case 'SEND_FAILED':
      return events(...failedSending(at, detail, failure ?? supposedFailure(detail, begun)));
    case 'VERIFIED':
      return events({ type: 'verification.satisfied', at });
    case 'VERIFY_FAILED':
      return events({ type: 'verification.failed', at, detail });
    case 'VERIFY_TIMEOUT':
      return [{ type: 'xstate.after.verificationTimeout.telecommand.SENT' }];
    case 'ECHO':
      return events({ type: 'gateway.echoed', at, conforming: event.conforming ?? false });
    default:
      return [];
  }
}

/** What the gateway said to each asking; of an earlier one the words are kept behind those of the last. */
function failedSending(
  at: number,
  detail: string,
  { outcome, earlier, own = detail.length }: SendFailure,
): TelecommandEvent[] {
  const last: TelecommandEvent = { type: `gateway.${outcome}`, at, detail: detail.slice(0, own) };
  if (earlier === undefined) return [last];
  const doubt = detail.slice(own).replace(EARLIER, '');
  return [{ type: 'gateway.unknown', at, detail: doubt === '' ? detail : doubt }, last];
}

/** How the chart puts the words of an earlier sending behind those of the last. */
const EARLIER = '; of an earlier sending: ';

/**
 * An older log keeps only what was said in words (A2). One that changes nothing was asked for twice before it was given
 * up.
 */
function supposedFailure(detail: string, { changesState }: Begun): SendFailure {
  if (!/nobody knows|cannot tell/.test(detail)) return { outcome: 'refused' };
  return { outcome: 'unknown', ...(!changesState && { earlier: 'unknown' }) };
}

/** The same events, checked against what the chart knows. */
function events(...known: readonly TelecommandEvent[]): readonly EntityEvent[] {
  return known;
}
