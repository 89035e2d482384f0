/**
 * Drivers on the bus: answers the verbs of every driver of the mission whose protocol is known here. Mission Control
 * Service, section 4.1, rules 7 and 8. Any number of processes serve the same driver; each call goes to one of them.
 *
 * H1. Encode and decode publish nothing and take no hold: a call changes at most a counter of the driver. Files by CFDP
 *     are brought elsewhere (`files`), whichever process takes the call.
 * H2. A call carries the revision it was resolved against (`Mcs-Config`) and is answered from that mission, with the
 *     settings that the driver has there: a process may be behind that mission or ahead of it.
 * H3. An outage leaves the call unanswered, and the caller to its timeout; everything else is answered.
 * H4. What may be asked twice is also answered by each process, on a subject of its own, for who got no answer from the
 *     one that was given the call (ask.Q5): that one may sleep.
 */

import { header } from '../contract/bus/headers.ts';
import { subject } from '../contract/bus/subjects.ts';
import { type CfdpAnswer, cfdpFailed } from '../contract/cfdp.ts';
import type {
  DecodeCall,
  DriverAnswer,
  DriverState,
  DriverVerb,
  EncodeCall,
  RepeatableVerb,
} from '../contract/link.ts';
import type { LinkBinding } from '../contract/mode.ts';
import { accepted, type Result, refused } from '../contract/result.ts';
import type { Driver as DriverDefinition, Mission } from '../mission/mission.ts';
import type { Bus, CoreMessage, Stoppable } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';
import type { MissionSource } from '../ports/mission-source.ts';
import { speaksCfdp } from './driver/cfdp-transport.ts';
import { type Driver, decodeFailed, encodeFailed } from './driver/driver.ts';
import { createDriver, isKnownProtocol } from './driver/protocols.ts';
import { callOf, isFrame } from './json-call.ts';
import { KeptBindings, serveBindings } from './kept-bindings.ts';

/** Answers the verb `cfdp` of a driver that speaks it. */
type AnswerFiles = (
  driver: DriverDefinition,
  call: object | undefined,
  mission: Mission,
) => Promise<CfdpAnswer>;

interface DriverServiceOptions {
  readonly bus: Bus;
  readonly missions: MissionSource;
  readonly log: Log;
  /** Default: no driver has the verb. */
  readonly files?: AnswerFiles;
}

/** A telecommand waits for hours at most, and missions are not published by the minute. */
const OTHERS_KEPT = 16;

type Answer = (message: CoreMessage) => Promise<Uint8Array>;

interface Served {
  /** The definition as text, to see whether a new mission changed it. */
  readonly definition: string;
  readonly verbs: readonly Stoppable[];
}

/** Serves the drivers of the current mission and follows its changes until stopped. */
export function startDriverService(options: DriverServiceOptions): Stoppable {
  return new DriverService(options);
}

class DriverService implements Stoppable {
  readonly #bus: Bus;
  readonly #missions: MissionSource;
  readonly #log: Log;
  readonly #files: AnswerFiles | undefined;
  readonly #served = new Map<string, Served>();
  /** By driver; they outlive a change of its settings. */
  readonly #bindings = new Map<string, KeptBindings>();
  /** As other missions than the current one define them, the last one asked for last (H2). */
  readonly #others = new Map<string, Result<Driver, string>>();
  readonly #forget: () => void;

  constructor({ bus, missions, log, files }: DriverServiceOptions) {
    this.#bus = bus;
    this.#missions = missions;
    this.#log = log;
    this.#files = files;
    this.#forget = missions.onChange((mission) => this.#takeUp(mission));
  }

  async stop(): Promise<void> {
    this.#forget();
    await Promise.all([...this.#served.keys()].map((name) => this.#withdraw(name)));
  }

  #takeUp(mission: Mission): void {
    for (const [name, served] of this.#served) {
      if (served.definition !== textOf(mission.drivers.get(name))) void this.#withdraw(name);
    }
    for (const definition of mission.drivers.values()) {
      if (isKnownProtocol(definition.protocol) && !this.#served.has(definition.name)) this.#serve(definition);
    }
  }

  #serve(definition: DriverDefinition): void {
    const { name } = definition;
    const driver = createDriver(definition, this.#bus);
    if (!driver.ok) {
      this.#log.error({ driver: name, faults: driver.faults }, 'driver cannot be used');
      return;
    }
    const answers = (verb: EncodingVerb) => (message: CoreMessage) =>
      this.#answer(verb, definition, driver.value, message);
    const verbs = [
      ...this.#serveRepeatable(name, 'encode', answers('encode')),
      ...this.#serveRepeatable(name, 'decode', answers('decode')),
      ...this.#serveRepeatable(name, 'state', this.#state(definition)),
      this.#serveShared(name, 'cfdp', (message) => this.#answerFiles(definition, message)),
      this.#serveBind(name),
    ];
    this.#served.set(name, { definition: textOf(definition), verbs });
  }

  #serveShared(name: string, verb: string, answer: Answer): Stoppable {
    return this.#bus.serve(subject.driverVerb(name, verb), answer, { queue: `driver-${name}` });
  }

  /** H4 */
  #serveRepeatable(name: string, verb: RepeatableVerb, answer: Answer): Stoppable[] {
    const ofAll = this.#bus.serve(subject.driverVerbOfAll(name, verb), answer);
    return [this.#serveShared(name, verb, answer), ofAll];
  }

  /** That it answers is all that is asked of it: a run begins only with drivers that are alive (MC-STM-029). */
  #state({ name, protocol }: DriverDefinition): Answer {
    const state = (): DriverState => ({ driver: name, protocol, bindings: this.#boundBy(name) });
    return async () => Buffer.from(JSON.stringify(state()));
  }

  /** Not shared out: each process that serves the driver gets it. */
  #serveBind(name: string): Stoppable {
    const kept = this.#bindings.get(name) ?? new KeptBindings();
    this.#bindings.set(name, kept);
    const ports = { bus: this.#bus, log: this.#log };
    return serveBindings(subject.driverVerb(name, 'bind'), { driver: name }, kept, ports);
  }

  #boundBy(name: string): LinkBinding[] {
    const targets = this.#missions.current?.targets;
    const isBound = (target: string, link: string): boolean =>
      targets?.get(target)?.links.get(link)?.driver === name;
    return this.#bindings.get(name)?.of(isBound) ?? [];
  }

  async #withdraw(name: string): Promise<void> {
    const served = this.#served.get(name);
    this.#served.delete(name);
    await Promise.all(served?.verbs.map((verb) => verb.stop()) ?? []);
  }

  async #answerFiles(definition: DriverDefinition, message: CoreMessage): Promise<Uint8Array> {
    const mission = await this.#missionOf(message);
    return Buffer.from(JSON.stringify(await this.#filesAnswer(definition, callOf(message), mission)));
  }

  async #filesAnswer(
    definition: DriverDefinition,
    call: object | undefined,
    mission: Mission | undefined,
  ): Promise<CfdpAnswer> {
    // As the call has it: its mission may have another driver of this name.
    const driver = mission?.drivers.get(definition.name) ?? definition;
    if (this.#files === undefined || !speaksCfdp(driver))
      return refused({ code: 'driver::no-verb', message: `driver ${driver.name} does not speak CFDP` });
    if (mission === undefined) return cfdpFailed('no configuration is published');
    return this.#files(driver, call, mission);
  }

  async #answer(
    verb: EncodingVerb,
    served: DriverDefinition,
    driver: Driver,
    message: CoreMessage,
  ): Promise<Uint8Array> {
    const mission = await this.#missionOf(message);
    const wanted = mission?.drivers.get(served.name) ?? served;
    const meant = textOf(wanted) === textOf(served) ? accepted(driver) : this.#other(wanted);
    return Buffer.from(JSON.stringify(await answerOf(verb, meant, callOf(message), mission)));
  }

  /** H2 */
  #other(definition: DriverDefinition): Result<Driver, string> {
    const key = `${definition.name} ${textOf(definition)}`;
    const driver = this.#others.get(key) ?? createDriver(definition, this.#bus);
    this.#others.delete(key);
    this.#others.set(key, driver);
    for (const oldest of this.#others.keys()) {
      if (this.#others.size <= OTHERS_KEPT) break;
      this.#others.delete(oldest);
    }
    return driver;
  }

  /** H2 */
  async #missionOf(message: CoreMessage): Promise<Mission | undefined> {
    const revision = message.headers[header.config];
    const { current } = this.#missions;
    if (revision === undefined || revision === current?.revision) return current;
    return (await this.#missions.at(revision)) ?? current;
  }
}

type EncodingVerb = Exclude<DriverVerb, 'cfdp'>;

async function answerOf(
  verb: EncodingVerb,
  made: Result<Driver, string>,
  call: object | undefined,
  mission: Mission | undefined,
): Promise<DriverAnswer<unknown>> {
  const failed = verb === 'decode' ? decodeFailed : encodeFailed;
  if (!made.ok) return failed(`the driver of this configuration cannot be used: ${made.faults.join('; ')}`);
  const driver = made.value;
  if (driver[verb] === undefined)
    return refused({ code: 'driver::no-verb', message: `this driver cannot ${verb}` });
  if (call === undefined) return failed('the call is not a JSON object');
  if (mission === undefined) return failed('no configuration is published');
  if (verb === 'decode') return decode(driver, call as DecodeCall, mission);
  return encode(driver, call as EncodeCall, mission);
}

function decode(driver: Driver, call: DecodeCall, mission: Mission): DriverAnswer<unknown> {
  if (!isFrame(call.frame)) return decodeFailed('the frame is not hexadecimal');
  return driver.decode!(call, mission);
}

async function encode(driver: Driver, call: EncodeCall, mission: Mission): Promise<DriverAnswer<unknown>> {
  if (typeof call.args !== 'object' || call.args === null) return encodeFailed('the call has no `args`');
  return driver.encode!(call, mission);
}

/** Made once for each definition: it is compared at each call. */
const texts = new WeakMap<DriverDefinition, string>();

function textOf(definition: DriverDefinition | undefined): string {
  if (definition === undefined) return '';
  const text = texts.get(definition) ?? JSON.stringify([definition.protocol, definition.settings]);
  texts.set(definition, text);
  return text;
}
