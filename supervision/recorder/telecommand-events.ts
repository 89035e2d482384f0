/** Telecommands in the log: who sent what, and what became of it. */

import { streams } from '../../contract/bus/streams.ts';
import type { LoggedEvent } from '../../contract/event.ts';
import type { EventSeverity } from '../../contract/event-kinds.ts';
import { readTcEvent, type TcEvent } from '../../contract/telecommand.ts';
import { isBadTcEnd, isGoodTcEnd } from '../../contract/telecommand-state.ts';
import type { Bus, StreamMessage } from '../../ports/bus.ts';
import { eventOf, momentOf } from './event-of.ts';
import { FirstMessages } from './first-messages.ts';
import type { ReadMessage } from './stream-source.ts';

type Sent = Pick<LoggedEvent, 'name' | 'by' | 'run'>;

/** What messages of TC_EVENTS say. */
export function telecommandEvents(bus: Pick<Bus, 'follow'>): ReadMessage {
  const first = new FirstMessages<Sent>(bus, streams.telecommandEvents, ({ data }) =>
    sentOf(readTcEvent(data)),
  );
  return async (message) => {
    const event = readTcEvent(message.data);
    if (event === undefined) return undefined;
    if (event.state === 'PENDING') first.note(message.subject, sentOf(event));
    const sent = (await first.of(message.subject)) ?? {};
    return [telecommandEvent(message, event, sent)];
  };
}

export function telecommandEvent(
  { subject, at }: Pick<StreamMessage, 'subject' | 'at'>,
  event: TcEvent,
  sent: Sent,
): LoggedEvent {
  const target = event.target ?? subject.split('.')[3] ?? '';
  const { tc, state } = event;
  const text = textOf(event, target, sent);
  const link = `/v1/tc/${target}/${tc}/events`;
  const time = momentOf(event.at, at);
  const severity = severityOf(event);
  return eventOf(
    { time, kind: 'telecommand', severity, target, subject: tc, state, text, link, ...sent },
    event,
  );
}

function sentOf(event: TcEvent | undefined): Sent | undefined {
  if (event?.telecommand === undefined) return undefined;
  const { component, instance, telecommand } = event.telecommand;
  const name = `${component}${instance === undefined ? '' : `[${instance}]`}.${telecommand}`;
  const { by, run } = event;
  return { name, ...(by !== undefined && { by }), ...(run !== undefined && { run }) };
}

function severityOf({ state, conforming }: TcEvent): EventSeverity {
  if (isBadTcEnd(state) || conforming === false) return 'warning';
  return state === 'PENDING' || isGoodTcEnd(state) ? 'info' : 'detail';
}

function textOf({ tc, state, detail, conforming }: TcEvent, target: string, sent: Sent): string {
  const { name = `telecommand ${tc}`, by, run } = sent;
  const because = detail === undefined ? '' : `: ${detail}`;
  if (state === 'PENDING')
    return `${by ?? (run === undefined ? 'Somebody' : `Run ${run}`)} sent ${name} to ${target}.`;
  if (state === 'ECHO')
    return `The echo of ${name} for ${target} ${conforming === false ? 'differs from' : 'is'} what was sent${because}.`;
  return `${name} for ${target} is ${state}${because}.`;
}
