/**
 * Binds the telecommand chart to the world: which effect asks what of whom, and how the answer becomes an event. Mission
 * Control Service, section 3.1 (acknowledgement chain).
 *
 * W1. While the bus is away an effect waits for it: the outage is not the fault of the driver or of the gateway.
 * W2. A sending whose answer was lost is asked for again under the same key: a gateway sends a key once (O2).
 * W3. Every effect that the chain waits for ends in an event, whatever was answered: drivers and gateways may be of others.
 */

import { DRIVER_ANSWER_MS, GATEWAY_ANSWER_MS, SEND_WITHIN_MS } from '../../contract/limits.ts';
import type { DriverAnswer, EncodeCall, EncodeReply, SendCall, SendReply } from '../../contract/link.ts';
import { Outage } from '../../contract/outage.ts';
import { readReply } from '../../contract/reply.ts';
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
import { isTime, TELECOMMAND_VERSION } from './history.ts';
import { telecommandLog } from './replay.ts';
import { unmetRequirements } from './requirement.ts';
import { type Definition, fromCellId, type Work } from './work.ts';

/** What the lane of a telecommand does for it. */
export interface LaneServices {
  readonly work: Work;
  /** Why it may not go at all, as of now. */
  refusal(): Promise<string | undefined>;
  /** Why its frame may not leave any more, as of now: its run has lost the target. */
  taken(): Promise<string | undefined>;
  sample(ordinal: number): { value: number | string | null; groundMs: number } | undefined;
  gateway(definition: Definition): Gateway | undefined;
  verify(
    effect: Extract<TelecommandEffect, { type: 'effect.verify' }>,
    signal: AbortSignal,
  ): Promise<TelecommandEvent | undefined>;
  /** When it is too old to leave, ms since 1970 (MC-TC-059). */
  readonly expiresAt: number;
  /** Resolves when those before it have left (J1). */
  readonly turn: Promise<void>;
  release(): void;
  /** Nobody knows whether its frame left. */
  unsure(): void;
}

interface BindingOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly store: Store;
  readonly servicesOf: (cell: string) => LaneServices | undefined;
}

/** Pause before the bus is asked again while it is away; each ask already waits inside the bus. */
const BUS_RETRY_MS = 100;
/** The frame is kept in a header of its ENCODED event, as hexadecimal: a bus takes headers of 64 KiB in all. */
const FRAME_KEPT_BYTES = 32_000;
const HEXADECIMAL = /^([0-9a-f]{2})*$/i;
/** A reference is kept in a header beside the frame: one short line. */
const REFERENCE = /^\P{Cc}{0,256}$/u;

export function createTelecommandBinding({
  bus,
  clock,
  store,
  servicesOf,
}: BindingOptions): Binding<TelecommandEffect, TelecommandEvent> {
  const now = (): number => clock.now();
  const caller = createCaller(bus, clock);

  /** What leads to leaving waits for the turn of its telecommand; one that stands has it already. */
  const inTurn = async <Value>(run: EffectRun, step: () => Promise<Value>): Promise<Value | undefined> => {
    await servicesOf(run.id)?.turn;
    return run.signal.aborted ? undefined : step();
  };

  const check = async (run: EffectRun): Promise<TelecommandEvent | undefined> => {
    const services = servicesOf(run.id);
    const { work } = services ?? {};
    if (services === undefined || work === undefined) return undefined;
    const refused = await caller.patiently(() => services.refusal(), run.signal);
    if (refused === undefined) return undefined;
    const refusal = refused.value;
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
      const answer = readEncodeAnswer(body);
      if (answer === undefined) return refused(`driver ${driver} answered something that is no encoding`);
      if (!answer.ok) return refused(answer.faults.map((fault) => fault.message).join('; '));
      const { frame, reference } = answer.value;
      if (frame.length / 2 > FRAME_KEPT_BYTES)
        return refused(
          `its frame has ${frame.length / 2} bytes, at most ${FRAME_KEPT_BYTES} can be recorded and sent`,
        );
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
    if (services === undefined) return undefined;
    const { definition } = services.work;
    const gateway = definition === undefined ? undefined : services.gateway(definition);
    const refused = (detail: string): TelecommandEvent => ({ type: 'gateway.refused', at: now(), detail });
    if (gateway === undefined) {
      const detail = `no gateway serves link ${services.work.submission.link}`;
      if (effect.recovering === undefined) return refused(detail);
      // An earlier owner may have found one.
      return {
        type: 'gateway.unknown',
        at: now(),
        detail: `${detail} any more: nobody knows whether it left`,
      };
    }
    if (effect.recovering === undefined) {
      const taken = await caller.patiently(() => services.taken(), run.signal);
      if (taken === undefined) return undefined;
      if (taken.value !== undefined) return refused(taken.value);
    }
    const call = (recovering: SendCall['recovering']): SendCall => ({
      target: services.work.submission.target,
      key: run.key,
      epoch: run.epoch,
      frame: effect.frame,
      notAfter: Math.min(now() + SEND_WITHIN_MS, services.expiresAt),
      ...(recovering !== undefined && { recovering }),
    });
    const { recovering } = effect;
    const reply = await askGateway(caller, {
      gateway: gateway.name,
      call,
      recovering,
      now,
      signal: run.signal,
    });
    if (reply === undefined) return undefined;
    switch (reply.outcome) {
      case 'sent':
        return { type: 'gateway.sent', at: reply.at };
      case 'refused':
        return refused(reply.detail);
      case 'unknown':
        services.unsure();
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
    targetOf: (cell) => fromCellId(cell).target,
    history: (cell) => telecommandLog(bus, cell),
    effects: {
      'effect.check': (_effect, run) => inTurn(run, () => check(run)),
      'effect.encode': (_effect, run) => inTurn(run, () => encode(run)),
      'effect.send': (effect, run) => inTurn(run, () => send(effect, run)),
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
  /** The value, asked for until the bus answers (W1); undefined when aborted. */
  patiently<Value>(step: () => Promise<Value>, signal: AbortSignal): Promise<{ value: Value } | undefined>;
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
    return readReply(reply) ?? null;
  };
  const patiently: Caller['patiently'] = async (step, signal) => {
    while (!signal.aborted) {
      try {
        return { value: await step() };
      } catch (error) {
        if (!(error instanceof Outage) || error.code !== 'bus.unavailable') throw error;
        await pause(BUS_RETRY_MS);
      }
    }
    return undefined;
  };
  return {
    patiently,
    askOnce,
    ask: async (to, call, how) => (await patiently(() => askOnce(to, call, how), how.signal))?.value,
  };
}

function readEncodeAnswer(body: unknown): DriverAnswer<EncodeReply> | undefined {
  const answer = body as DriverAnswer<Partial<EncodeReply>> | null;
  if (answer?.ok === false) return areFaults(answer.faults) ? answer : undefined;
  const { frame, reference } = answer?.value ?? {};
  if (answer?.ok !== true || !isText(frame, HEXADECIMAL)) return undefined;
  return reference === undefined || isText(reference, REFERENCE)
    ? (answer as DriverAnswer<EncodeReply>)
    : undefined;
}

function isText(value: unknown, form: RegExp): boolean {
  return typeof value === 'string' && form.test(value);
}

function areFaults(faults: unknown): boolean {
  return Array.isArray(faults) && faults.every((fault) => typeof fault?.message === 'string');
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

interface Sending {
  readonly gateway: string;
  /** The call as of now: each asking has its own time to leave. */
  readonly call: (recovering: SendCall['recovering']) => SendCall;
  readonly recovering: SendCall['recovering'];
  readonly now: () => number;
  readonly signal: AbortSignal;
}

async function askGateway(
  caller: Caller,
  { gateway, call, recovering, now, signal }: Sending,
): Promise<SendReply | undefined> {
  const to = subject.gatewayVerb(gateway, 'send');
  const since = recovering?.since ?? now();
  const how: Asking = { timeoutMs: GATEWAY_ANSWER_MS / 2, signal };
  try {
    // Asked once only: whoever asks again may be asking for the second time, and says so.
    return readSendReply(await caller.askOnce(to, call(recovering), how), gateway);
  } catch (error) {
    if (!(error instanceof Outage)) throw error;
    // Nobody was there to take it, so nothing left; unless an earlier owner had asked.
    if (error.code === 'bus.no-responder' && recovering === undefined) {
      return { outcome: 'refused', detail: `gateway ${gateway} is not running` };
    }
  }
  try {
    const reply = await caller.patiently(() => caller.askOnce(to, call({ since }), how), signal);
    return reply && readSendReply(reply.value, gateway);
  } catch (error) {
    if (!(error instanceof Outage)) throw error;
    const detail = `gateway ${gateway} ${silence(error, GATEWAY_ANSWER_MS)}: nobody knows whether it sent the frame`;
    return { outcome: 'unknown', detail };
  }
}

function silence(error: Outage, ms: number): string {
  return error.code === 'bus.no-responder' ? 'is not running' : `did not answer within ${ms / 1000} s`;
}
