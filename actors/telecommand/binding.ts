/**
 * Binds the telecommand chart to the world: which effect asks what of whom, and how the answer becomes an event. Mission
 * Control Service, section 3.1 (acknowledgement chain).
 *
 * W1. While the bus is away an effect waits for it: the outage is not the fault of the driver or of the gateway.
 * W2. A sending whose answer was lost is asked for again under the same key: a gateway sends a key once (O2).
 */

import { DRIVER_ANSWER_MS, GATEWAY_ANSWER_MS } from '../../contract/limits.ts';
import type { DriverAnswer, EncodeCall, EncodeReply, SendCall, SendReply } from '../../contract/link.ts';
import { Outage } from '../../contract/outage.ts';
import { header, subject } from '../../contract/subject.ts';
import {
  type TelecommandEffect,
  type TelecommandEvent,
  telecommandMachine,
} from '../../machines/telecommand.ts';
import type { Gateway } from '../../mission/mission.ts';
import type { Bus, Headers } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Binding, EffectRun, Store } from '../../ports/entity.ts';
import { TELECOMMAND_VERSION } from './history.ts';
import { unmetRequirements } from './requirement.ts';
import type { Definition, Work } from './work.ts';

/** What the lane of a telecommand does for it. */
export interface LaneServices {
  readonly work: Work;
  /** Why it may not go at all, as of now. */
  refusal(): Promise<string | undefined>;
  sample(ordinal: number): { value: number | string | null; groundMs: number } | undefined;
  gateway(definition: Definition): Gateway | undefined;
  verify(
    effect: Extract<TelecommandEffect, { type: 'effect.verify' }>,
    signal: AbortSignal,
  ): Promise<TelecommandEvent | undefined>;
  release(): void;
}

interface BindingOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly store: Store;
  readonly servicesOf: (cell: string) => LaneServices | undefined;
}

/** Pause before the bus is asked again while it is away; each ask already waits inside the bus. */
const BUS_RETRY_MS = 100;

export function createTelecommandBinding({
  bus,
  clock,
  store,
  servicesOf,
}: BindingOptions): Binding<TelecommandEffect, TelecommandEvent> {
  const now = (): number => clock.now();
  const caller = createCaller(bus, clock);

  const check = async (run: EffectRun): Promise<TelecommandEvent | undefined> => {
    const services = servicesOf(run.id);
    const { work } = services ?? {};
    if (services === undefined || work === undefined) return undefined;
    const refusal = await services.refusal();
    if (refusal !== undefined || work.definition === undefined) {
      return { type: 'requires.failed', at: now(), detail: refusal ?? 'its configuration does not know it' };
    }
    const detail = unmetRequirements(work.definition.telecommand.requires, {
      platform: work.definition.platform,
      instance: work.submission.instance,
      args: work.submission.args,
      sample: services.sample,
      now: now(),
    });
    return detail === undefined
      ? { type: 'requires.satisfied', at: now() }
      : { type: 'requires.failed', at: now(), detail };
  };

  const encode = async (run: EffectRun): Promise<TelecommandEvent | undefined> => {
    const { submission, definition } = servicesOf(run.id)?.work ?? {};
    if (submission === undefined || definition === undefined) return undefined;
    const refused = (detail: string): TelecommandEvent => ({ type: 'driver.refused', at: now(), detail });
    const { driver } = definition.link;
    if (driver === undefined) return refused(`no driver is bound to link ${submission.link}`);
    const call: EncodeCall = encodeCall(submission);
    try {
      const body = await caller.ask(subject.driverVerb(driver, 'encode'), call, {
        timeoutMs: DRIVER_ANSWER_MS,
        // The driver encodes by the configuration the telecommand was resolved with.
        headers: { [header.config]: definition.mission.revision },
        signal: run.signal,
      });
      if (body === undefined) return undefined;
      const answer = body as DriverAnswer<EncodeReply>;
      if (!answer.ok) return refused(answer.faults.map((fault) => fault.message).join('; '));
      const { frame, reference } = answer.value;
      return { type: 'driver.encoded', at: now(), frame, ...(reference !== undefined && { reference }) };
    } catch (error) {
      if (!(error instanceof Outage)) throw error;
      return refused(`driver ${driver} ${silence(error, DRIVER_ANSWER_MS)}`);
    }
  };

  const send = async (
    effect: Extract<TelecommandEffect, { type: 'effect.send' }>,
    run: EffectRun,
  ): Promise<TelecommandEvent | undefined> => {
    const services = servicesOf(run.id);
    const definition = services?.work.definition;
    if (services === undefined || definition === undefined) return undefined;
    const gateway = services.gateway(definition);
    const refused = (detail: string): TelecommandEvent => ({ type: 'gateway.refused', at: now(), detail });
    if (gateway === undefined) return refused(`no gateway serves link ${definition.link.name}`);
    const call: SendCall = {
      target: definition.target.name,
      key: run.key,
      epoch: run.epoch,
      frame: effect.frame,
      ...(effect.recovering !== undefined && { recovering: effect.recovering }),
    };
    const reply = await askGateway(caller, gateway.name, call, now, run.signal);
    if (reply === undefined) return undefined;
    switch (reply.outcome) {
      case 'sent':
        return { type: 'gateway.sent', at: reply.at };
      case 'refused':
        return refused(reply.detail);
      case 'unknown':
        return { type: 'gateway.unknown', at: now(), detail: reply.detail };
    }
  };

  return {
    kind: 'telecommand',
    version: TELECOMMAND_VERSION,
    chart: telecommandMachine,
    store,
    durability: 'log',
    restart: 'transient',
    idleMs: null,
    migrations: {},
    effects: {
      'effect.check': (_effect, run) => check(run),
      'effect.encode': (_effect, run) => encode(run),
      'effect.send': send,
      'effect.verify': async (effect, run) => servicesOf(run.id)?.verify(effect, run.signal),
      'effect.release': (_effect, run) => {
        servicesOf(run.id)?.release();
        return undefined;
      },
    },
  };
}

function encodeCall(submission: Work['submission']): EncodeCall {
  const { target, link, environment, component, instance, telecommand, args } = submission;
  return {
    target,
    link,
    component,
    telecommand,
    args,
    ...(environment !== undefined && { environment }),
    ...(instance !== undefined && { instance }),
  };
}

interface Caller {
  /** The answer; undefined when aborted. Outages of the one asked are thrown, those of the bus waited for (W1). */
  ask(to: string, call: object, how: Asking): Promise<unknown>;
  /** The answer; every outage is thrown. */
  askOnce(to: string, call: object, how: Asking): Promise<unknown>;
}

interface Asking {
  readonly timeoutMs: number;
  readonly headers?: Headers;
  readonly signal: AbortSignal;
}

function createCaller(bus: Bus, clock: Clock): Caller {
  const pause = (ms: number): Promise<void> => new Promise((resolve) => void clock.setTimeout(resolve, ms));
  const askOnce = async (to: string, call: object, { timeoutMs, headers = {} }: Asking): Promise<unknown> => {
    const reply = await bus.request(to, Buffer.from(JSON.stringify(call)), { timeoutMs, headers });
    return JSON.parse(Buffer.from(reply).toString());
  };
  return {
    askOnce,
    ask: async (to, call, how) => {
      while (!how.signal.aborted) {
        try {
          return await askOnce(to, call, how);
        } catch (error) {
          if (!(error instanceof Outage) || error.code !== 'bus.unavailable') throw error;
          await pause(BUS_RETRY_MS);
        }
      }
      return undefined;
    },
  };
}

async function askGateway(
  caller: Caller,
  gateway: string,
  call: SendCall,
  now: () => number,
  signal: AbortSignal,
): Promise<SendReply | undefined> {
  const to = subject.gatewayVerb(gateway, 'send');
  const since = call.recovering?.since ?? now();
  const timeoutMs = GATEWAY_ANSWER_MS / 2;
  try {
    // Asked once only: whoever asks again may be asking for the second time, and says so.
    return (await caller.askOnce(to, call, { timeoutMs, signal })) as SendReply;
  } catch (error) {
    if (!(error instanceof Outage)) throw error;
    // Nobody was there to take it, so nothing left; unless an earlier owner had asked.
    if (error.code === 'bus.no-responder' && call.recovering === undefined) {
      return { outcome: 'refused', detail: `gateway ${gateway} is not running` };
    }
  }
  try {
    const again = { ...call, recovering: { since } };
    return (await caller.ask(to, again, { timeoutMs, signal })) as SendReply | undefined;
  } catch (error) {
    if (!(error instanceof Outage)) throw error;
    const detail = `gateway ${gateway} ${silence(error, GATEWAY_ANSWER_MS)}: nobody knows whether it sent the frame`;
    return { outcome: 'unknown', detail };
  }
}

function silence(error: Outage, ms: number): string {
  return error.code === 'bus.no-responder' ? 'is not running' : `did not answer within ${ms / 1000} s`;
}
