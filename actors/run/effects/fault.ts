/**
 * Switches a fault of a simulated target at its time. The gateway reports the switch on `mcs.sim.evt.<target>`, with
 * the run; the run logs it. Mission Control Service, sections 2.3, 4.9 and 6.
 *
 * T1. A fault is switched once: a gateway that is asked again after a crash has it as it is.
 * T2. What the gateway refuses, and its silence, are reported and end no run. One that is silent, or whose reply cannot
 *     be read, may have switched it (run/fault.F2).
 * T3. An executor that slept while another took its run over switches nothing: it could not be switched back.
 */

import { assertNever } from '../../../contract/assert.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { SIM_ANSWER_MS } from '../../../contract/limits/simulation.ts';
import { type FaultCall, readFaultReply } from '../../../contract/link.ts';
import type { SwitchEnd } from '../../../machines/run/fault-log.ts';
import type { RunEffect } from '../../../machines/run/protocol.ts';
import { notRunning } from '../../../messaging/hand-overs.ts';
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
    return { ...switched.value, at: clock.now(), fault, on };
  };
}

/**
 * A gateway that nobody serves is waited for (hand-overs.G1). Undefined when the run is no longer held here.
 */
async function switchFault(
  { fault: { gateway, fault }, index, on }: FaultEffect,
  { run, by, holds }: RunAtHand,
  { bus, handOvers }: RunServices,
  signal: AbortSignal,
): Promise<SwitchEnd | undefined> {
  const call: FaultCall = { fault, on, run, index, ...(by !== undefined && { by }) };
  const to = subject.gatewayVerb(gateway, 'fault');
  const question = { to, call, read: readFaultReply, timeoutMs: SIM_ANSWER_MS };
  const found = await handOvers.ask(bus, question, { name: gateway, isOfCell: true, signal, mayAsk: holds });
  if (found === undefined) return undefined;
  const { asked, absence } = found;
  switch (asked.outcome) {
    case 'answered': {
      const { answer } = asked;
      if (!answer.ok) return refused(answer.faults.map(({ message }) => message).join('; '));
      const isOn = answer.value.faults.some((each) => each.fault === fault && each.on);
      return { type: 'fault.switched', ...(isOn && !on && { staysOn: true as const }) };
    }
    case 'unserved':
      return refused(`gateway ${gateway} ${notRunning(absence)}`);
    case 'unanswered':
      return unknown(`gateway ${gateway} did not answer within ${SIM_ANSWER_MS / 1000} s`);
    case 'unreadable':
      return unknown(`malformed reply from gateway ${gateway}`);
    default:
      return assertNever(asked);
  }
}

function refused(reason: string): SwitchEnd {
  return { type: 'fault.refused', reason };
}

/** T2 */
function unknown(reason: string): SwitchEnd {
  return { type: 'fault.refused', reason, mayBeDone: true };
}
