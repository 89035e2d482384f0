/**
 * One gateway on the bus: publishes what it receives, serves `send`, `pdus`, `fence`, `state`, `bind`, `faults`,
 * `fault`, `files` and `stats`, reports its echoes, of what it sent and of its throughput. Mission Control Service,
 * sections 4.9 and 6. One process at a time runs a gateway; which one, and that it is started again when its definition
 * changes, is decided elsewhere (supervision).
 *
 * Q1. Every fault switched is published on `mcs.sim.evt.<target>` of each target the gateway reaches, before the
 *     answer. One that stays on for others (fault-holders.L1), or was asked for late (fault-holders.L2), was not
 *     switched.
 * Q2. A gateway whose settings cannot be used is reported and stays: it refuses to send with a reason, so that a
 *     telecommand fails at once instead of waiting for nobody.
 * Q3. A process that slept until another one runs the gateway sends nothing, switches nothing and answers nothing,
 *     whatever the verb: both received the call, and only the memory of the other one counts (O2).
 * Q7. One that is given back first finishes what it was asked, for `GATEWAY_LEAVES_MS`. What it refuses behind that it
 *     does as one that is leaving: nothing of it was handed over, and the next process is asked.
 * Q4. A frame that may have left in part is answered `unknown`, and asked again under its key it still is
 *     (sent-frames.I1).
 * Q5. A frame of a run leaves only while the run holds its target, and the verb `fence` says when nothing of it is on
 *     its way any more (`gateway/departures.ts`).
 * Q6. With a key it remembers where the bus stood when its frame was handed over: whoever asks again judges what came
 *     behind that.
 * Q8. A process may have hundreds of gateways: all verbs of one are one subscription. A verb that it does not have is
 *     refused.
 */

import { subject } from '../contract/bus/subjects.ts';
import { FRAME_BYTES, GATEWAY_LEAVES_MS } from '../contract/limits/link.ts';
import {
  type FaultCall,
  type FaultReply,
  type FenceCall,
  type FenceReply,
  type FileReply,
  type GatewayReport,
  type GatewayState,
  isBusPosition,
  type SendCall,
  type SendReply,
  type SentMessage,
  type SimulationRefusal,
} from '../contract/link.ts';
import type { PdusCall, PdusReply } from '../contract/pdus.ts';
import { accepted, refused } from '../contract/result.ts';
import type { FaultEvent } from '../contract/simulation.ts';
import type { Gateway as Definition } from '../mission/mission.ts';
import { type CurrentPasses, NO_PASSES } from '../mission/pass/serving-gateway.ts';
import type { Bus, CoreMessage, Stoppable } from '../ports/bus.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { MissionSource } from '../ports/mission-source.ts';
import { possibleBindings, targetsOf } from './bindings.ts';
import { AwaitedEchoes } from './gateway/awaited-echoes.ts';
import { Departures } from './gateway/departures.ts';
import { FaultHolders } from './gateway/fault-holders.ts';
import { FramePublisher } from './gateway/frame-publisher.ts';
import type { Gateway, MayLeave } from './gateway/gateway.ts';
import { GatewayReporter } from './gateway/gateway-reporter.ts';
import { openGateway } from './gateway/kinds.ts';
import { PduDepartures, pdusFault } from './gateway/pdu-departures.ts';
import { SentFrames } from './gateway/sent-frames.ts';
import { callOf, isFrame } from './json-call.ts';
import { askForBindings, KeptBindings } from './kept-bindings.ts';
import type { SpacecraftFactory } from './simulated/spacecraft.ts';

export interface GatewayOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: Random;
  readonly missions: MissionSource;
  /** Default: none is known. */
  readonly passes?: CurrentPasses;
  /** Folder that files of the mission are relative to; recordings need it. */
  readonly missionFolder?: string;
  /** Where a simulated gateway finds its spacecraft; default: it makes its own. */
  readonly spacecraft?: SpacecraftFactory;
  /** Whether this process still has the gateway to itself, now; default: always. */
  readonly holds?: () => boolean;
  /** How its links are bound, from a gateway of this name before it; default: not known yet. */
  readonly bindings?: KeptBindings;
  /** What it sent, from a gateway of this name before it; default: nothing is known. */
  readonly sent?: SentFrames;
}

export interface RunningGateway {
  readonly name: string;
  start(): void;
  /** Stops receiving and serving; resolves when nothing is under way any more. */
  stop(): Promise<void>;
  /** Frames lost because the bus was away for too long. */
  readonly dropped: number;
  /** How it is now. */
  report(): GatewayReport;
}

/** The gateway of a definition that is not external, not started yet. */
export function createGateway(definition: Definition, options: GatewayOptions): RunningGateway {
  return new GatewayOnBus(definition, options);
}

/** A sending as this process knows it; ms since 1970. */
type Sending = Omit<SentMessage, 'at'> & { readonly at: number };

class GatewayOnBus implements RunningGateway {
  readonly name: string;
  readonly #options: GatewayOptions;
  readonly #log: Log;
  readonly #sent: SentFrames;
  readonly #departures: Departures;
  readonly #pdus: PduDepartures;
  readonly #echoes = new AwaitedEchoes();
  readonly #faultHolders = new FaultHolders();
  readonly #publisher: FramePublisher;
  readonly #reporter: GatewayReporter;
  readonly #definition: Definition;
  readonly #bindings: KeptBindings;
  #gateway: Gateway | undefined;
  #unusable: string | undefined;
  /** Q8 */
  readonly #verbs = new Map<string, (call: object | undefined) => unknown>([
    ['state', () => this.#state()],
    ['bind', (call) => this.#bindings.keep(call)],
    ['send', (call) => this.#send(call as SendCall | undefined)],
    ['pdus', (call) => this.#sendPdus(call as PdusCall | undefined)],
    ['fence', (call) => this.#fence(call as FenceCall | undefined)],
    ['faults', () => this.#faults()],
    ['fault', (call) => this.#fault(call as FaultCall | undefined)],
    ['files', () => this.#files()],
    ['stats', () => this.#gateway?.stats?.() ?? {}],
  ]);
  #serving: Stoppable | undefined;
  /** What it was asked to send and has not answered. */
  readonly #underWay = new Set<Promise<unknown>>();
  #isLeaving = false;

  constructor(definition: Definition, options: GatewayOptions) {
    const { bus, clock, random } = options;
    this.name = definition.name;
    this.#options = options;
    this.#definition = definition;
    this.#bindings = options.bindings ?? new KeptBindings();
    this.#log = options.log.child({ gateway: this.name });
    this.#sent = options.sent ?? new SentFrames(clock.now());
    this.#sent.beginAnew(clock.now());
    const holds = (): boolean => options.holds?.() !== false;
    this.#departures = new Departures({ bus, clock, gateway: this.name, holds });
    this.#pdus = new PduDepartures({ clock, gateway: this.name, holds });
    const life = `${clock.now()}-${Math.floor(random.next() * 2 ** 32).toString(16)}`;
    this.#publisher = new FramePublisher({ bus, clock, log: this.#log, gateway: this.name, life });
    this.#reporter = new GatewayReporter({
      bus,
      clock,
      gateway: this.name,
      kind: definition.kind,
      link: () => this.#gateway?.link?.(),
      unusable: () => this.#unusable,
      publisher: this.#publisher,
    });
  }

  get dropped(): number {
    return this.#publisher.dropped;
  }

  report(): GatewayReport {
    return this.#reporter.report();
  }

  start(): void {
    this.#open();
    this.#reporter.start();
    const { bus } = this.#options;
    this.#serving = bus.serve(subject.gatewayVerbs(this.name), async (message) =>
      Buffer.from(JSON.stringify(await this.#answer(message))),
    );
    askForBindings({ gateway: this.name }, { bus, log: this.#log });
  }

  async stop(): Promise<void> {
    this.#reporter.stop();
    await this.#serving?.stop();
    await this.#finish();
    this.#isLeaving = true;
    await this.#gateway?.stop();
    this.#gateway = undefined;
    await this.#publisher.stop();
  }

  /** Q7 */
  async #finish(): Promise<void> {
    if (this.#underWay.size === 0) return;
    const { clock } = this.#options;
    await new Promise<void>((resolve) => {
      const late = clock.setTimeout(resolve, GATEWAY_LEAVES_MS);
      void Promise.allSettled(this.#underWay).then(() => {
        clock.clearTimeout(late);
        resolve();
      });
    });
  }

  #open(): void {
    const opened = openGateway(this.#definition, { ...this.#options, log: this.#log });
    if (!opened.ok) {
      this.#unusable = opened.faults.join('; ');
      this.#log.error({ faults: opened.faults }, 'gateway cannot be used');
      return;
    }
    this.#gateway = opened.value;
    this.#gateway.start({
      frame: (frame) => this.#receive(frame),
      echo: (frame) => this.#publishEcho(frame),
      changed: () => this.#reporter.tell(),
    });
  }

  #state(): GatewayState {
    const mission = this.#options.missions.current;
    const bound = mission === undefined ? [] : possibleBindings(mission, this.name);
    const isBound = (target: string, link: string): boolean =>
      bound.some((each) => each.target.name === target && each.link.name === link);
    return { ...this.report(), bindings: this.#bindings.of(isBound) };
  }

  async #answer(message: CoreMessage): Promise<unknown> {
    if (this.#options.holds?.() === false)
      throw new Error(`another process may run gateway ${this.name}: not answered (Q3)`);
    const verb = message.subject.slice(message.subject.lastIndexOf('.') + 1);
    const answer = this.#verbs.get(verb);
    if (answer !== undefined) return answer(callOf(message));
    return { outcome: 'refused', detail: `gateway ${this.name} has no verb "${verb}"` };
  }

  async #send(call: SendCall | undefined): Promise<SendReply> {
    const fault = faultOf(call);
    if (call === undefined || fault !== undefined)
      return { outcome: 'refused', detail: fault ?? 'malformed call' };
    const { clock } = this.#options;
    const answered = this.#sent.once(call, clock.now(), async () => {
      const reply = await this.#sendFrame(call);
      if (reply.outcome === 'refused' && this.#isLeaving) return { ...reply, leaving: true };
      // It is kept: written out, since an object that is spread has a shape of its own, of twice its size.
      return reply.outcome === 'sent' && isBusPosition(call.handed)
        ? { outcome: 'sent', at: reply.at, handed: call.handed }
        : reply;
    });
    this.#underWay.add(answered);
    return answered.finally(() => this.#underWay.delete(answered));
  }

  async #sendPdus(call: PdusCall | undefined): Promise<PdusReply> {
    const fault = pdusFault(call);
    if (call === undefined || fault !== undefined)
      return { outcome: 'refused', frames: 0, detail: fault ?? 'malformed call' };
    const { target, key, frames } = call;
    return this.#pdus.send(call, async (index, mayLeave) => {
      const frame = Buffer.from(frames[index]!, 'hex');
      if (this.#gateway === undefined) return { sent: false, detail: `gateway ${this.name} is not usable` };
      const sent = await this.#gateway.send(frame, mayLeave);
      const reported = {
        target,
        key: `${key}.${index}`,
        frame: frames[index]!,
        at: this.#options.clock.now(),
      };
      if (sent.sent) this.#reportSent(frame, { ...reported, outcome: 'sent' });
      return sent;
    });
  }

  async #fence(call: FenceCall | undefined): Promise<FenceReply> {
    const { target, run, upTo } = call ?? {};
    if (typeof target !== 'string' || typeof run !== 'string' || !isPosition(upTo))
      throw new Error('a fence needs `target`, `run` and `upTo`');
    await this.#departures.fence({ target, run, upTo });
    return { fenced: true };
  }

  #receive(frame: Buffer): Promise<void> | undefined {
    this.#reporter.received(frame);
    return this.#publisher.push(frame);
  }

  async #sendFrame(call: SendCall): Promise<SendReply> {
    const { target, key, frame: hexadecimal } = call;
    const frame = Buffer.from(hexadecimal, 'hex');
    const reply = await this.#departures.send(call, (mayLeave) => this.#handOver(call, frame, mayLeave));
    this.#reportSent(frame, { target, key, frame: hexadecimal, at: this.#options.clock.now(), ...reply });
    return reply;
  }

  #reportSent(frame: Buffer, { at, ...sending }: Sending): void {
    if (sending.outcome !== 'refused') this.#reporter.sent(frame);
    const message: SentMessage = { ...sending, at: new Date(at).toISOString() };
    this.#options.bus.publish(subject.sent(this.name), Buffer.from(JSON.stringify(message)));
  }

  async #handOver({ target, key }: SendCall, frame: Buffer, mayLeave: MayLeave): Promise<SendReply> {
    const { clock } = this.#options;
    if (this.#gateway === undefined)
      return { outcome: 'refused', detail: `gateway ${this.name} is not usable` };
    // Awaited before it is sent: an echo may be received before the sending is known to be done.
    if (this.#definition.echo) this.#echoes.await({ target, key, frame, at: clock.now() });
    const sent = await this.#gateway.send(frame, mayLeave);
    // On the scale of the ground times: what was received before was before, also within a millisecond.
    if (sent.sent) return { outcome: 'sent', at: this.#publisher.now() };
    if (sent.unsure === true) return { outcome: 'unknown', detail: sent.detail };
    this.#echoes.forget(key);
    return { outcome: 'refused', detail: sent.detail };
  }

  #publishEcho(frame: Buffer): void {
    const { bus, clock } = this.#options;
    const echo = this.#echoes.heard(frame, clock.now());
    if (echo !== undefined) bus.publish(subject.echo(this.name), Buffer.from(JSON.stringify(echo)));
  }

  #faults(): FaultReply {
    const faults = this.#gateway?.faults;
    if (faults === undefined) return this.#faultless();
    return accepted({ faults: faults.names.map((fault) => ({ fault, on: faults.isOn(fault) })) });
  }

  /** A simulation whose settings cannot be used is still a simulation (Q2). */
  #faultless(): SimulationRefusal {
    if (this.#definition.kind !== 'simulated') return notSimulated(this.name);
    return simRefused(`gateway ${this.name} cannot be used; the log of its process says why`);
  }

  async #files(): Promise<FileReply> {
    const files = this.#gateway?.files;
    return files === undefined ? this.#faultless() : accepted({ files: await files() });
  }

  #fault(call: FaultCall | undefined): FaultReply {
    const faults = this.#gateway?.faults;
    if (faults === undefined) return this.#faultless();
    if (typeof call?.on !== 'boolean') return simRefused('expected {fault, on}');
    if (!faults.names.includes(call.fault)) {
      return simRefused(
        `gateway ${this.name} has no fault "${call.fault}"; it has ${faults.names.join(', ')}`,
      );
    }
    const { isOn, isDone } = this.#faultHolders.switch(call);
    faults.switch(call.fault, isOn);
    if (isDone) this.#publishFault(call);
    return this.#faults();
  }

  /** Q1 */
  #publishFault({ fault, on, run, by }: FaultCall): void {
    const { bus, clock, missions, passes = NO_PASSES } = this.#options;
    const now = clock.now();
    const at = new Date(now).toISOString();
    const { current } = missions;
    for (const target of current === undefined ? [] : targetsOf(current, this.name, passes, now)) {
      const who = { ...(run !== undefined && { run }), ...(by !== undefined && { by }) };
      const event: FaultEvent = { ...who, target, fault, on, at };
      bus.publish(subject.simEvent(target), Buffer.from(JSON.stringify(event)));
    }
  }
}

function notSimulated(name: string): SimulationRefusal {
  return refused({ code: 'sim::not-simulated', message: `gateway ${name} is not simulated` });
}

function simRefused(message: string): SimulationRefusal {
  return refused({ code: 'sim::refused', message });
}

/** Why a call is none; undefined when it is well formed. */
function faultOf(call: SendCall | undefined): string | undefined {
  if (call === undefined) return 'the call is not a JSON object';
  if (typeof call.target !== 'string' || typeof call.key !== 'string')
    return 'the call lacks `target` or `key`';
  if (!Number.isSafeInteger(call.epoch)) return 'the call lacks `epoch`';
  if (!isFrame(call.frame)) return 'the frame is not hexadecimal';
  if (call.frame.length / 2 > FRAME_BYTES) return `the frame is longer than ${FRAME_BYTES} bytes`;
  if (call.recovering !== undefined && typeof call.recovering?.since !== 'number')
    return '`recovering` lacks `since`';
  const { hold } = call;
  if (hold !== undefined && (typeof hold?.run !== 'string' || !isPosition(hold.position)))
    return '`hold` lacks `run` or `position`';
  return undefined;
}

function isPosition(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
