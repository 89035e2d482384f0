/**
 * Sends a telecommand of a run: submitted as a direct one is, under the identifier its log has announced, and followed
 * to its final state. Mission Control Service, sections 3.1 and 4.1; ledger MC-LOG-009, MC-LOG-011.
 *
 * S1. Submitting again under the same identifier sends nothing twice: the stream and the lane know it (O2, O4).
 * S2. A value that does not fit is refused here, as the API refuses it to an operator, and nothing is submitted.
 */

import { header } from '../../../contract/bus/headers.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type { Ack } from '../../../contract/run-event.ts';
import { readTcEvent, type TcSubmission } from '../../../contract/telecommand.ts';
import { isFinalTcState } from '../../../contract/telecommand-state.ts';
import type { Announced, RunEffect } from '../../../machines/run/protocol.ts';
import { retryWhileBusIsAway } from '../../../messaging/while-bus-is-away.ts';
import type { Follower, Headers, StreamMessage } from '../../../ports/bus.ts';
import { type SendValues, sendValues } from '../operands.ts';
import type { Handler, RunAtHand, RunServices } from '../services.ts';

type SendEffect = Extract<RunEffect, { type: 'effect.send' }>;

/** How a telecommand ended. */
interface Ended {
  readonly state: string;
  readonly detail?: string;
  readonly acks: readonly Ack[];
}

export function createSend(services: RunServices): Handler<'effect.send'> {
  return async (effect, at, signal) => {
    const ended = await carryOut(effect, at, services, signal);
    if (ended === undefined) return undefined;
    const { ticket, tc } = effect;
    return { type: 'telecommand.ended', at: services.clock.now(), ticket, tc, ...ended };
  };
}

async function carryOut(
  effect: SendEffect,
  at: RunAtHand,
  services: RunServices,
  signal: AbortSignal,
): Promise<Ended | undefined> {
  const { statement, answers, tc } = effect;
  const values = sendValues(statement, at.mission, answers);
  if (!values.ok) return { state: 'REJECTED', detail: values.faults.join('; '), acks: [] };
  const { bus, clock } = services;
  const submission = submissionOf(effect, at, values.value);
  const headers = headersOf(at);
  const body = Buffer.from(JSON.stringify(submission));
  const submitted = await retryWhileBusIsAway({ clock, signal }, () =>
    bus.append(streams.telecommands, subject.tcSubmit(statement.target), body, { id: tc, headers }),
  );
  return submitted && followToEnd(statement.target, tc, services, signal);
}

export function headersOf({ program, by }: Pick<RunAtHand, 'program' | 'by'>): Headers {
  return { [header.config]: program.config, ...(by !== undefined && { [header.user]: by }) };
}

export function submissionOf(
  { statement, path, tc }: Announced,
  { run }: Pick<RunAtHand, 'run'>,
  values: SendValues,
): TcSubmission {
  const { target, component, telecommand, link, environment } = statement;
  return {
    id: tc,
    target,
    component,
    telecommand,
    link,
    run,
    args: values.args,
    ...(values.instance !== undefined && { instance: values.instance }),
    ...(environment !== undefined && { environment }),
    step: path,
  };
}

/** Follows the history of a telecommand to its final state; undefined when `signal` ends it first. */
function followToEnd(
  target: string,
  tc: string,
  { bus, clock, log }: RunServices,
  signal: AbortSignal,
): Promise<Ended | undefined> {
  return new Promise((resolve, reject) => {
    const acks: Ack[] = [];
    let follower: Follower | undefined;
    let over = false;
    const settle = (ended: Ended | undefined): void => {
      if (over) return;
      over = true;
      signal.removeEventListener('abort', aborted);
      void follower?.stop().catch(() => undefined);
      resolve(ended);
    };
    const aborted = (): void => settle(undefined);
    const hear = ({ data, seq, subject: about }: StreamMessage): void => {
      const event = readTcEvent(data);
      // Thrown, it would be handed over again for ever, and the end behind it never seen.
      if (event === undefined)
        return log.error({ position: seq, subject: about }, 'not an event of a telecommand: skipped');
      const { state, at, detail } = event;
      if (over || state === 'ECHO') return;
      acks.push({ state, at, ...(detail !== undefined && { detail }) });
      if (isFinalTcState(state)) settle({ state, acks, ...(detail !== undefined && { detail }) });
    };
    if (signal.aborted) return settle(undefined);
    signal.addEventListener('abort', aborted, { once: true });
    const begin = (): Promise<Follower> =>
      bus.follow(streams.telecommandEvents, subject.tcEvent(target, tc), { from: 'start' }, hear);
    retryWhileBusIsAway({ clock, signal }, begin).then((begun) => {
      follower = begun?.value;
      if (over) void follower?.stop().catch(() => undefined);
    }, reject);
  });
}
