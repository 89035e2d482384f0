/**
 * Binds the telecommand chart to the world: which effect asks what of whom, and how the answer becomes an event. Mission
 * Control Service, section 3.1 (acknowledgement chain).
 *
 * W1. While the bus is away an effect waits for it: the outage is not the fault of the driver or of the gateway
 *     (`asking.ts`).
 * W2. How a frame is handed to its gateway, and who may hand it over: `sending.ts`.
 * W3. Every effect that the chain waits for ends in an event, whatever was answered: drivers and gateways may be of others.
 */

import { header } from '../../contract/bus/headers.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { DRIVER_ANSWER_MS } from '../../contract/limits.ts';
import type { BusPosition, DriverAnswer, EncodeCall, EncodeReply } from '../../contract/link.ts';
import { Outage } from '../../contract/outage.ts';
import type { NeededHold } from '../../contract/telecommand.ts';
import { TELECOMMAND_VERSION } from '../../machines/telecommand/fold.ts';
import {
  type TelecommandEffect,
  type TelecommandEvent,
  telecommandMachine,
} from '../../machines/telecommand/telecommand.ts';
import type { Gateway } from '../../mission/mission.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Binding, EffectRun, Store } from '../../ports/entity.ts';
import { createCaller, silence } from './asking.ts';
import { telecommandLog } from './replay.ts';
import { unmetRequirements } from './requirement.ts';
import { sendFrame } from './sending.ts';
import { type Definition, fromCellId, type Work } from './work.ts';

/** What the lane of a telecommand does for it. */
export interface LaneServices {
  readonly work: Work;
  /** Why it may not go at all, as of now. */
  refusal(): Promise<string | undefined>;
  /** The hold that its frame needs to leave; undefined where no run sends it. */
  readonly hold: NeededHold | undefined;
  /** Why its frame may not leave, as of now: its run does not hold the target. */
  unheld(): Promise<string | undefined>;
  sample(ordinal: number): { value: number | string | null; groundMs: number } | undefined;
  gateway(definition: Definition): Gateway | undefined;
  /** Where the bus stands now; undefined where nothing is verified. Rejects with `Outage`. */
  position(): Promise<BusPosition | undefined>;
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
      // The driver encodes by the configuration the telecommand was resolved with.
      const headers = { [header.config]: definition.mission.revision };
      const how = { timeoutMs: DRIVER_ANSWER_MS, headers };
      const to = subject.driverVerb(driver, 'encode');
      const reply = await caller.patiently(() => caller.askOnce(to, call, how), run.signal);
      if (reply === undefined) return undefined;
      const answer = readEncodeAnswer(reply.value);
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
    const { target } = services.work.submission;
    const reply = await sendFrame(caller, {
      gateway: gateway.name,
      frame: { target, key: run.key, epoch: run.epoch, frame: effect.frame },
      recovering: effect.recovering,
      expiresAt: services.expiresAt,
      hold: services.hold,
      unheld: () => services.unheld(),
      position: () => services.position(),
      now,
      signal: run.signal,
    });
    if (reply === undefined) return undefined;
    switch (reply.outcome) {
      case 'sent':
        return {
          type: 'gateway.sent',
          at: reply.at,
          ...(reply.handed !== undefined && { handed: reply.handed }),
        };
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
    kept: {},
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
