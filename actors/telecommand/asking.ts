/**
 * Asks drivers and gateways over the bus, for the telecommands of a lane.
 *
 * W1. While the bus is away a question waits for it, and while those asked may not be back yet: the outage is not the fault of
 *     the driver or of the gateway.
 */

import { Outage } from '../../contract/outage.ts';
import { readReply } from '../../contract/reply.ts';
import type { Bus, Headers } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';

/** Pause before the bus is asked again while it is away; each ask already waits inside the bus. */
const BUS_RETRY_MS = 100;

interface Asking {
  readonly timeoutMs: number;
  readonly headers?: Headers;
}

export interface Caller {
  /** The value, asked for until the bus answers (W1); undefined when aborted. */
  patiently<Value>(step: () => Promise<Value>, signal: AbortSignal): Promise<{ value: Value } | undefined>;
  /** The answer, null when it is no JSON; every outage is thrown. */
  askOnce(to: string, call: object, how: Asking): Promise<unknown>;
  /** Waits before the bus is asked again. */
  pause(): Promise<void>;
}

export function createCaller(bus: Bus, clock: Clock): Caller {
  const pause = (): Promise<void> => new Promise((resolve) => void clock.setTimeout(resolve, BUS_RETRY_MS));
  return {
    pause,
    askOnce: async (to, call, { timeoutMs, headers = {} }) =>
      readReply(await bus.request(to, Buffer.from(JSON.stringify(call)), { timeoutMs, headers })) ?? null,
    patiently: async (step, signal) => {
      while (!signal.aborted) {
        try {
          return { value: await step() };
        } catch (error) {
          if (!(error instanceof Outage)) throw error;
          if (error.code !== 'bus.unavailable' && !error.unsettled) throw error;
          await pause();
        }
      }
      return undefined;
    },
  };
}

/** What is said of one that did not answer. */
export function silence(error: Outage, ms: number): string {
  return error.code === 'bus.no-responder' ? 'is not running' : `did not answer within ${ms / 1000} s`;
}
