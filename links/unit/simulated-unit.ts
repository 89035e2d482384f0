/**
 * A bench unit that is not there: it registers, sends heartbeats, and carries out the verbs as a real one would.
 * Mission Control Service, sections 2.9 and 4.8; `docs/units.md` describes what it does as what any unit does.
 *
 * D1. It registers at each start, and whenever the answer to a heartbeat asks for it; what is refused is tried again.
 * D2. One thing at a time: while it is updated or reboots it refuses what would disturb that.
 * D3. An update is checked for hardware, version, content and signature before it is answered, and installed behind
 *     that.
 * D4. A reboot is answered before it begins. While the unit is down nothing of it is on the bus.
 */

import type { KeyObject } from 'node:crypto';
import { subject } from '../../contract/bus/subjects.ts';
import { BUS_REQUEST_MS } from '../../contract/limits/bus.ts';
import { type Foreign, textIn } from '../../contract/reply.ts';
import {
  readHeartbeatReply,
  readRegistrationReply,
  readUnitCall,
  type UnitActivity,
  type UnitHeartbeat,
  type UnitRegistration,
  type UnitReply,
} from '../../contract/unit-wire.ts';
import type { Bus, CoreMessage } from '../../ports/bus.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { UnitFault } from './faults.ts';
import { imageFault } from './image.ts';
import type { Percent } from './load-image.ts';
import { selftest } from './selftest.ts';

type Line = Pick<Bus, 'connected' | 'onConnection' | 'serve' | 'request' | 'close'>;

export interface SimulatedUnitOptions {
  readonly serial: string;
  readonly hardware: string;
  readonly software: { readonly name: string; readonly version: string };
  readonly gateways: readonly string[];
  readonly periodMs: number;
  readonly publicKey: string;
  /** Opened at each start of the unit. */
  readonly open: () => Line;
  /** What a registration gives is kept for the next connection. */
  readonly keepCredential: (jwt: string) => Promise<void>;
  readonly keepVersion: (version: string) => Promise<void>;
  readonly loadImage: (url: string, percent: Percent) => Promise<Uint8Array>;
  /** Whose signature an image needs. */
  readonly trusted: KeyObject;
  /** How long it takes to install an image, and to come back from a reboot. */
  readonly installMs: number;
  readonly rebootMs: number;
  /** Another token at each call. */
  readonly newBoot: () => string;
  readonly clock: Clock;
  readonly log: Log;
  /** For people: what happens, in a line. */
  readonly say: (line: string) => void;
}

const AGAIN_MS = 2_000;
const INSTALL_STEPS = 10;
const REPLY_MS = 100;
const NOTHING = new Uint8Array();

export class SimulatedUnit {
  readonly #options: SimulatedUnitOptions;
  readonly #faults: Set<UnitFault>;
  #version: string;
  #boot = '';
  #line: Line | undefined;
  #activity: UnitActivity | undefined;
  #isRegistered = false;
  #isRegistering = false;
  #isStopped = false;
  readonly #timers = new Set<TimerHandle>();
  #offConnection: () => void = () => undefined;

  constructor(options: SimulatedUnitOptions, faults: Iterable<UnitFault> = []) {
    this.#options = options;
    this.#faults = new Set(faults);
    this.#version = options.software.version;
  }

  start(): void {
    const { serial, open, newBoot, say } = this.#options;
    this.#boot = newBoot();
    this.#activity = undefined;
    this.#isRegistered = false;
    const line = open();
    this.#line = line;
    line.serve(`mcs.ctl.rpc.unit.${serial}.*`, (message) => this.#called(message));
    this.#offConnection = line.onConnection((connected) => {
      if (connected && !this.#isRegistered) void this.#register();
    });
    say(`${serial} starts with version ${this.#version}`);
    if (line.connected) void this.#register();
    this.#beatLater();
  }

  /** Whatever is under way ends where it stands. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#down();
  }

  switch(fault: UnitFault, on: boolean): void {
    if (on) this.#faults.add(fault);
    else this.#faults.delete(fault);
  }

  // Registration and heartbeats ---------------------------------------------------------------------------------------

  /** D1 */
  async #register(): Promise<void> {
    const { serial, log, keepCredential, say } = this.#options;
    const line = this.#line;
    if (this.#isRegistering || line === undefined) return;
    this.#isRegistering = true;
    try {
      const document = Buffer.from(JSON.stringify(this.#document()));
      const bytes = await line.request(subject.unitRegister(serial), document, { timeoutMs: BUS_REQUEST_MS });
      const reply = readRegistrationReply(bytes);
      if (reply?.ok === true) {
        if (reply.value.jwt !== undefined) await keepCredential(reply.value.jwt);
        if (!this.#isRegistered) say(`${serial} is registered`);
        this.#isRegistered = true;
        return;
      }
      const why = reply?.faults.map(({ message }) => message).join('; ') ?? 'malformed reply';
      say(`registration of ${serial} refused: ${why}`);
    } catch (error) {
      log.info({ unit: serial, err: error }, 'registration is not answered; trying again');
    } finally {
      this.#isRegistering = false;
    }
    this.#after(AGAIN_MS, () => void this.#register());
  }

  #document(): UnitRegistration {
    const { serial, hardware, software, gateways, periodMs, publicKey } = this.#options;
    return {
      kind: 'unit',
      instance: serial,
      software: { name: software.name, version: this.#version },
      heartbeat_period_ms: periodMs,
      public_key: publicKey,
      unit: { hardware_revision: hardware, gateways },
      boot: this.#boot,
    };
  }

  #beatLater(): void {
    this.#after(this.#options.periodMs, () => {
      void this.#beat();
      this.#beatLater();
    });
  }

  async #beat(): Promise<void> {
    const { serial } = this.#options;
    const line = this.#line;
    if (line === undefined || !line.connected || !this.#isRegistered || this.#faults.has('silent')) return;
    const beat: UnitHeartbeat = {
      health: this.#faults.has('degraded')
        ? { state: 'degraded', reason: 'fan 2 stands still' }
        : { state: 'ok' },
      ...(this.#activity !== undefined && { activity: this.#activity }),
    };
    const data = Buffer.from(JSON.stringify(beat));
    // Where no front end receives it, the next one comes in a period.
    const bytes = await line
      .request(subject.unitHeartbeat(serial), data, { timeoutMs: this.#options.periodMs })
      .catch(() => NOTHING);
    if (readHeartbeatReply(bytes)?.register === true) await this.#register();
  }

  // Verbs -------------------------------------------------------------------------------------------------------------

  async #called({ subject: about, data }: CoreMessage): Promise<Uint8Array> {
    const { serial, say } = this.#options;
    const verb = about.slice(about.lastIndexOf('.') + 1);
    if (this.#faults.has('mute')) return new Promise(() => undefined);
    say(`${serial} is asked for ${verb}`);
    const reply = await this.#carriedOut(verb, readUnitCall(data));
    if (!reply.ok) say(`${serial} refuses ${verb}: ${reply.faults[0].message}`);
    return Buffer.from(JSON.stringify(reply));
  }

  async #carriedOut(verb: string, call: Foreign): Promise<UnitReply> {
    if (verb === 'selftest') return { ok: true, value: { ...this.#selftest() } };
    if (this.#activity !== undefined)
      return refusedWith(`busy: ${this.#activity.verb}, ${this.#activity.phase}`);
    if (verb === 'update') return this.#update(call);
    if (verb === 'reboot') return this.#reboot();
    return refusedWith(`this unit has no verb ${verb}`);
  }

  #selftest() {
    const { hardware, gateways } = this.#options;
    const connected = this.#line?.connected === true;
    return selftest({ hardware, gateways, connected, fails: this.#faults.has('selftest-fails') });
  }

  /** D3 */
  async #update(call: Foreign): Promise<UnitReply> {
    const { hardware, trusted, loadImage } = this.#options;
    const [url, version] = [textIn(call, 'image'), textIn(call, 'version')];
    if (url === undefined || version === undefined) return refusedWith('an update needs image and version');
    this.#busyWith('update', 'fetching', 0);
    const fault = await loadImage(url, (percent) => this.#busyWith('update', 'fetching', percent)).then(
      (image) => imageFault(image, { hardware, version }, trusted),
      (error: Error) => `the image cannot be fetched: ${error.message}`,
    );
    if (fault !== undefined) {
      this.#activity = undefined;
      return refusedWith(fault);
    }
    this.#install(version, 0);
    return { ok: true, value: { version, installing: true } };
  }

  #install(version: string, step: number): void {
    const { installMs, keepVersion, say, serial } = this.#options;
    this.#busyWith('update', 'installing', (100 * step) / INSTALL_STEPS);
    this.#after(installMs / INSTALL_STEPS, () => {
      if (step + 1 < INSTALL_STEPS) return this.#install(version, step + 1);
      say(`${serial} has installed version ${version}`);
      this.#version = version;
      keepVersion(version).then(
        () => this.#goDown('update'),
        (error: unknown) => {
          this.#activity = undefined;
          this.#options.log.error({ err: error }, 'the version could not be kept');
        },
      );
    });
  }

  /** D4 */
  #reboot(): UnitReply {
    this.#goDown('reboot');
    return { ok: true, value: { rebooting: true } };
  }

  /** Said in one heartbeat; then it is gone, and comes back unless it is made to stay away. */
  #goDown(verb: string): void {
    const { serial, rebootMs, say } = this.#options;
    this.#busyWith(verb, 'rebooting');
    const down = async (): Promise<void> => {
      await this.#beat();
      await this.#down();
      say(`${serial} is down`);
      if (this.#isStopped || this.#faults.has('stays-down')) return;
      this.#after(rebootMs, () => this.start());
    };
    // The reply leaves first.
    this.#after(REPLY_MS, () => void down());
  }

  async #down(): Promise<void> {
    for (const timer of this.#timers) this.#options.clock.clearTimeout(timer);
    this.#timers.clear();
    this.#offConnection();
    const line = this.#line;
    this.#line = undefined;
    await line?.close();
  }

  #busyWith(verb: string, phase: string, percent?: number): void {
    this.#activity = { verb, phase, ...(percent !== undefined && { percent }) };
  }

  #after(ms: number, work: () => void): void {
    const timer = this.#options.clock.setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, ms);
    this.#timers.add(timer);
  }
}

function refusedWith(message: string): UnitReply {
  return { ok: false, faults: [{ code: 'unit::refused', message }] };
}
