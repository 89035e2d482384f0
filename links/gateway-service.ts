/**
 * One gateway on the bus: publishes what it receives, serves `send`, `faults`, `fault` and `stats`, tells of its echoes.
 * Mission Control Service, sections 4.9 and 6. One process at a time runs a gateway; which one, and that it is started
 * anew when its definition changes, is decided elsewhere (supervision).
 *
 * Q1. Every fault switched is published on `mcs.sim.evt.<target>` of each target the gateway reaches, before the answer.
 * Q2. A gateway whose settings cannot be used is told of and stays: it refuses to send with a reason, so that a
 *     telecommand fails at once instead of waiting for nobody.
 */

import { FRAME_BYTES } from '../contract/limits.ts';
import type { FaultCall, FaultReply, SendCall, SendReply } from '../contract/link.ts';
import { accepted, refused } from '../contract/result.ts';
import { subject } from '../contract/subject.ts';
import type { Gateway as Definition } from '../mission/mission.ts';
import type { Bus, Stoppable } from '../ports/bus.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { MissionSource } from '../ports/mission-source.ts';
import { targetsOf } from './bindings.ts';
import { AwaitedEchoes } from './gateway/awaited-echoes.ts';
import { FramePublisher } from './gateway/frame-publisher.ts';
import type { Gateway } from './gateway/gateway.ts';
import { openGateway } from './gateway/kinds.ts';
import { SentFrames } from './gateway/sent-frames.ts';
import { callOf, isHexadecimal } from './json-call.ts';

export interface GatewayOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: Random;
  readonly missions: MissionSource;
  /** Folder that files of the mission are relative to; recordings need it. */
  readonly missionFolder?: string;
}

export interface RunningGateway {
  readonly name: string;
  start(): void;
  /** Stops receiving and serving; resolves when nothing is under way any more. */
  stop(): Promise<void>;
  /** Frames lost because the bus was away for too long. */
  readonly dropped: number;
}

/** The gateway of a definition with kind `simulated` or `recording`, not started yet. */
export function createGateway(definition: Definition, options: GatewayOptions): RunningGateway {
  return new GatewayOnBus(definition, options);
}

class GatewayOnBus implements RunningGateway {
  readonly name: string;
  readonly #options: GatewayOptions;
  readonly #log: Log;
  readonly #sent: SentFrames;
  readonly #echoes = new AwaitedEchoes();
  readonly #publisher: FramePublisher;
  readonly #definition: Definition;
  #gateway: Gateway | undefined;
  #verbs: readonly Stoppable[] = [];

  constructor(definition: Definition, options: GatewayOptions) {
    const { bus, clock, random } = options;
    this.name = definition.name;
    this.#options = options;
    this.#definition = definition;
    this.#log = options.log.child({ gateway: this.name });
    this.#sent = new SentFrames(clock.now());
    const life = `${clock.now()}-${Math.floor(random.next() * 2 ** 32).toString(16)}`;
    this.#publisher = new FramePublisher({ bus, clock, log: this.#log, gateway: this.name, life });
  }

  get dropped(): number {
    return this.#publisher.dropped;
  }

  start(): void {
    this.#open();
    this.#verbs = [
      this.#serve('send', (call) => this.#send(call as SendCall | undefined)),
      this.#serve('faults', async () => this.#faults()),
      this.#serve('fault', async (call) => this.#fault(call as FaultCall | undefined)),
      this.#serve('stats', async () => this.#gateway?.stats?.() ?? {}),
    ];
  }

  async stop(): Promise<void> {
    await Promise.all(this.#verbs.map((verb) => verb.stop()));
    await this.#gateway?.stop();
    this.#gateway = undefined;
    await this.#publisher.stop();
  }

  #open(): void {
    const opened = openGateway(this.#definition, { ...this.#options, log: this.#log });
    if (!opened.ok) {
      this.#log.error({ faults: opened.faults }, 'gateway not usable');
      return;
    }
    this.#gateway = opened.value;
    this.#gateway.start({
      frame: (frame) => this.#publisher.push(frame),
      echo: (frame) => this.#tellEcho(frame),
    });
  }

  #serve(verb: string, answer: (call: object | undefined) => Promise<object>): Stoppable {
    return this.#options.bus.serve(subject.gatewayVerb(this.name, verb), async (message) =>
      Buffer.from(JSON.stringify(await answer(callOf(message)))),
    );
  }

  async #send(call: SendCall | undefined): Promise<SendReply> {
    const fault = faultOf(call);
    if (call === undefined || fault !== undefined) return { outcome: 'refused', detail: fault ?? 'no call' };
    const { clock } = this.#options;
    return this.#sent.once(call, clock.now(), () => this.#sendFrame(call));
  }

  async #sendFrame({ target, key, frame: hexadecimal }: SendCall): Promise<SendReply> {
    const { clock } = this.#options;
    if (this.#gateway === undefined)
      return { outcome: 'refused', detail: `gateway ${this.name} is not usable` };
    const frame = Buffer.from(hexadecimal, 'hex');
    // Awaited before it is sent: an echo may be heard before the sending is known to be done.
    if (this.#definition.echo) this.#echoes.await({ target, key, frame, at: clock.now() });
    const sent = await this.#gateway.send(frame);
    if (sent.sent) return { outcome: 'sent', at: clock.now() };
    this.#echoes.forget(key);
    return { outcome: 'refused', detail: sent.detail };
  }

  #tellEcho(frame: Buffer): void {
    const { bus, clock } = this.#options;
    const echo = this.#echoes.heard(frame, clock.now());
    if (echo !== undefined) bus.publish(subject.echo(this.name), Buffer.from(JSON.stringify(echo)));
  }

  #faults(): FaultReply {
    const faults = this.#gateway?.faults;
    if (faults === undefined) return notSimulated(this.name);
    return accepted({ faults: faults.names.map((fault) => ({ fault, on: faults.isOn(fault) })) });
  }

  #fault(call: FaultCall | undefined): FaultReply {
    const faults = this.#gateway?.faults;
    if (faults === undefined) return notSimulated(this.name);
    if (typeof call?.on !== 'boolean') return simRefused('a fault is switched by {fault, on}');
    if (!faults.names.includes(call.fault)) {
      return simRefused(
        `gateway ${this.name} has no fault "${call.fault}"; it has ${faults.names.join(', ')}`,
      );
    }
    faults.switch(call.fault, call.on);
    this.#tellFault(call);
    return this.#faults();
  }

  /** Q1 */
  #tellFault({ fault, on, run }: FaultCall): void {
    const { bus, clock, missions } = this.#options;
    const at = new Date(clock.now()).toISOString();
    for (const target of missions.current === undefined ? [] : targetsOf(missions.current, this.name)) {
      const event = { ...(run !== undefined && { run }), target, fault, on, at };
      bus.publish(subject.simEvent(target), Buffer.from(JSON.stringify(event)));
    }
  }
}

function notSimulated(name: string): FaultReply {
  return refused({ code: 'sim::not-simulated', message: `gateway ${name} is no simulation` });
}

function simRefused(message: string): FaultReply {
  return refused({ code: 'sim::refused', message });
}

/** Why a call is none; undefined when it is well formed. */
function faultOf(call: SendCall | undefined): string | undefined {
  if (call === undefined) return 'the call is not a JSON object';
  if (typeof call.target !== 'string' || typeof call.key !== 'string')
    return 'the call lacks `target` or `key`';
  if (!Number.isSafeInteger(call.epoch)) return 'the call lacks `epoch`';
  if (!isHexadecimal(call.frame)) return 'the frame is not hexadecimal';
  if (call.frame.length / 2 > FRAME_BYTES) return `the frame is longer than ${FRAME_BYTES} bytes`;
  if (call.recovering !== undefined && typeof call.recovering?.since !== 'number')
    return '`recovering` lacks `since`';
  return undefined;
}
