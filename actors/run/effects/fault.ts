/**
 * Switches a fault of a simulated target at its time. The gateway reports the switch on `mcs.sim.evt.<target>`, with
 * the run; the run logs it. Mission Control Service, sections 2.3, 4.9 and 6.
 *
 * T1. A fault is switched once: a gateway that is asked again after a crash has it as it is.
 * T2. What the gateway refuses, and its silence, are reported and end no run.
 * T3. An executor that slept while another took its run over switches nothing: it could not be switched back.
 */

import { assertNever } from '../../../contract/assert.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { BUS_RETRY_MS, SIM_ANSWER_MS } from '../../../contract/limits.ts';
import { type FaultCall, readFaultReply } from '../../../contract/link.ts';
import { accepted, type Result, refused } from '../../../contract/result.ts';
import type { RunEffect } from '../../../machines/run/protocol.ts';
import { ask } from '../../../messaging/ask.ts';
import { pause } from '../../../messaging/pause.ts';
import { retryWhileBusIsAway } from '../../../messaging/while-bus-is-away.ts';
import type { Handler, RunAtHand, RunServices } from '../services.ts';

type FaultEffect = Extract<RunEffect, { type: 'effect.fault' }>;

export function createFault(services: RunServices): Handler<'effect.fault'> {
  const { clock } = services;
  return async (effect, at, signal) => {
    if (effect.at > clock.now()) await pause(clock, effect.at - clock.now(), signal);
    const switched = await retryWhileBusIsAway({ clock, signal }, () =>
      switchFault(effect, at, services, signal),
    );
    if (switched?.value === undefined || signal.aborted) return undefined;
    const { index: fault, on } = effect;
    if (switched.value.ok) return { type: 'fault.switched', at: clock.now(), fault, on };
    return { type: 'fault.refused', at: clock.now(), fault, on, reason: switched.value.faults.join('; ') };
  };
}

/**
 * A gateway whose process was just replaced has nobody there for a moment: it is asked again within its time. Undefined
 * when the run is no longer held here.
 */
async function switchFault(
  effect: FaultEffect,
  at: RunAtHand,
  services: RunServices,
  signal: AbortSignal,
): Promise<Result<undefined, string> | undefined> {
  const { clock } = services;
  const end = clock.now() + SIM_ANSWER_MS;
  for (;;) {
    if (signal.aborted || !at.holds()) return undefined;
    const asked = await askGateway(effect, at, services, Math.max(1, end - clock.now()));
    if (asked !== 'nobody') return asked;
    if (clock.now() + BUS_RETRY_MS >= end) {
      return refused(`gateway ${effect.fault.gateway} does not run`);
    }
    await pause(clock, BUS_RETRY_MS, signal);
  }
}

async function askGateway(
  { fault: { gateway, fault }, on }: FaultEffect,
  { run, by }: RunAtHand,
  { bus }: RunServices,
  timeoutMs: number,
): Promise<Result<undefined, string> | 'nobody'> {
  const call: FaultCall = { fault, on, run, ...(by !== undefined && { by }) };
  const to = subject.gatewayVerb(gateway, 'fault');
  const asked = await ask(bus, { to, call, read: readFaultReply, timeoutMs });
  switch (asked.outcome) {
    case 'answered': {
      const { answer } = asked;
      return answer.ok
        ? accepted(undefined)
        : refused(answer.faults.map(({ message }) => message).join('; '));
    }
    case 'unserved':
      return 'nobody';
    case 'unanswered':
      if (!asked.mayBeDone) return 'nobody';
      return refused(`gateway ${gateway} did not answer within ${SIM_ANSWER_MS / 1000} s`);
    case 'unreadable':
      return refused(`malformed reply from gateway ${gateway}`);
    default:
      return assertNever(asked);
  }
}
