/**
 * The longest a procedure can last, retries included. Mission Control Service, section 4.2 rule 3 (the longest path
 * with every retry, timeout and wait). It is an upper bound: contingencies count as if all ran.
 *
 * D1. What a person is waited for without timeout has no bound (null), and neither has what holds it.
 * D2. Not counted: decisions after a failure, suspensions, and confirmations that an environment asks for hazardous
 *     telecommands. They are no part of the procedure, and a run that must end in time is watched while it runs.
 */

import { DRIVER_ANSWER_MS, GATEWAY_ANSWER_MS } from '../../../contract/limits/link.ts';
import { TELECOMMAND_MARGIN_MS } from '../../../contract/limits/telecommand.ts';
import type { Component, Platform, Telecommand } from '../../platform.ts';
import type { Node } from '../procedure.ts';

type Duration = number | null;

/** From its submission to its final state: requirements, driver, gateway, verification. */
export function telecommandLongestMs({ verify }: Pick<Telecommand, 'verify'>): number {
  return TELECOMMAND_MARGIN_MS + DRIVER_ANSWER_MS + GATEWAY_ANSWER_MS + (verify?.withinMs ?? 0);
}

/** One after the other. */
export function sum(durations: Iterable<Duration>): Duration {
  let total = 0;
  for (const each of durations) {
    if (each === null) return null;
    total += each;
  }
  return total;
}

export function longestOf(nodes: readonly Node[]): Duration {
  return sum(nodes.map(({ longestMs }) => longestMs));
}

/** With every attempt and the pauses between them. */
export function withAttempts(once: Duration, attempts: number, delayMs: number): Duration {
  return once === null ? null : attempts * once + (attempts - 1) * delayMs;
}

/** Every setter of the platform for every instance, as if a mode gave a value to each, then the readbacks. */
export function configureLongestMs(platform: Platform, readbackMs: number): number {
  const setters = settersOf(platform).map(
    ({ component, telecommand }) =>
      Math.max(1, component.instances.length) * telecommandLongestMs(telecommand),
  );
  return setters.reduce((total, each) => total + each, readbackMs);
}

/** What sets the parameters of a platform. */
export function settersOf(
  platform: Platform,
): readonly { readonly component: Component; readonly telecommand: Telecommand }[] {
  return [...platform.components.values()].flatMap(({ parameters }) =>
    parameters.flatMap(({ set }) => {
      const component = platform.components.get(set?.component ?? '');
      const telecommand = component?.telecommands.get(set?.telecommand ?? '');
      return component === undefined || telecommand === undefined ? [] : [{ component, telecommand }];
    }),
  );
}
