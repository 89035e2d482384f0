/**
 * Answers the registrations of units on the bus, with the credential of each. Mission Control Service, sections 2.9 and
 * 4.8. Any front end answers.
 *
 * R1. Who may register a serial number is decided by the bus: its subject is open to the holder of a credential for it
 *     alone, and has its answers in the inbox of that one (ports/bus.P6). What is decided here is whether the document
 *     is right, and the key that of the serial number.
 * R2. Registrations are answered one after the other: a signature takes milliseconds in which nothing else is done.
 * R3. One that is repeated word for word within `UNIT_REPEATED_MS` gets the same answer, without another signature.
 */

import { subject } from '../contract/bus/subjects.ts';
import { UNIT_CREDENTIAL_MS, UNIT_REPEATED_MS } from '../contract/limits/unit.ts';
import { Outage } from '../contract/outage.ts';
import { accepted, refused } from '../contract/result.ts';
import {
  type RegistrationFault,
  type RegistrationReply,
  readRegistration,
  type UnitRegistered,
  type UnitRegistration,
} from '../contract/unit-wire.ts';
import type { CoreMessage, Stoppable } from '../ports/bus.ts';
import type { UnitCredentials } from '../ports/unit-credentials.ts';
import { type Fleet, UNIT_QUEUE } from './fleet.ts';
import type { BookTools } from './registered-book.ts';
import { unitsAmong } from './unit-removal.ts';
import { registerUnit } from './unit-writes.ts';

interface RegistrarOptions extends BookTools {
  readonly fleet: Pick<Fleet, 'book'>;
  readonly credentials: UnitCredentials;
}

interface Given {
  readonly document: string;
  readonly reply: RegistrationReply;
  /** Monotonic time. */
  readonly at: number;
}

export class UnitRegistrar implements Stoppable {
  readonly #options: RegistrarOptions;
  /** By serial number (R3). */
  readonly #given = new Map<string, Given>();
  #serving: Stoppable | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: RegistrarOptions) {
    this.#options = options;
  }

  start(): void {
    const answer = async (message: CoreMessage): Promise<Uint8Array> =>
      Buffer.from(JSON.stringify(await this.#inTurn(message)));
    const choice = { queue: UNIT_QUEUE, asker: 'unit' } as const;
    this.#serving = this.#options.bus.serve(subject.unitRegistrations, answer, choice);
  }

  async stop(): Promise<void> {
    await this.#serving?.stop();
    await this.#turn.catch(() => undefined);
  }

  /** R2 */
  #inTurn(message: CoreMessage): Promise<RegistrationReply> {
    const made = this.#turn.then(() => this.#answer(message));
    this.#turn = made.catch(() => undefined);
    return made;
  }

  async #answer({ subject: about, data }: CoreMessage): Promise<RegistrationReply> {
    const { credentials, log } = this.#options;
    const serial = about.slice(about.lastIndexOf('.') + 1);
    const read = readRegistration(data, serial, credentials.isUserKey);
    if (!read.ok) {
      log.warn({ unit: serial, faults: read.faults }, 'registration of a unit refused');
      return read;
    }
    const document = JSON.stringify(read.value);
    const before = this.#repeated(read.value, document);
    if (before !== undefined) return before;
    const reply = await this.#registered(read.value);
    if (reply.ok) this.#keep(serial, { document, reply, at: this.#options.clock.monotonic() });
    return reply;
  }

  async #registered(document: UnitRegistration): Promise<RegistrationReply> {
    const { bus, clock, log, fleet } = this.#options;
    const { instance, software, public_key } = document;
    try {
      const count = (): number => unitsAmong(fleet.book.entries());
      const written = await registerUnit({ bus, clock, count }, document);
      if (!written.ok) {
        log.warn({ unit: instance, faults: written.faults }, 'registration of a unit refused');
        return written;
      }
      await fleet.book.seen(written.value.revision);
      log.info({ unit: instance, software, public_key }, 'unit registered');
      return accepted(await this.#credential(document));
    } catch (error) {
      if (!(error instanceof Outage)) throw error;
      const message = `the registration could not be stored: ${error.message}`;
      return refused<RegistrationFault>({ code: 'api::unavailable', message });
    }
  }

  /** None where this service has no key to sign one: such a unit came in with a credential of somebody else. */
  async #credential({ instance, public_key }: UnitRegistration): Promise<UnitRegistered> {
    const { clock, credentials } = this.#options;
    if (credentials.issue === undefined) return {};
    const expires = Math.floor((clock.now() + UNIT_CREDENTIAL_MS) / 1_000);
    const unit = { serial: instance, publicKey: public_key, expiresAtMs: expires * 1_000 };
    return { jwt: await credentials.issue(unit), expires };
  }

  /** R3; the key may have been enrolled again meanwhile. */
  #repeated({ instance, public_key }: UnitRegistration, document: string): RegistrationReply | undefined {
    const given = this.#given.get(instance);
    const { clock, fleet } = this.#options;
    const record = fleet.book.get(instance)?.record;
    const isKnown = record?.registered !== undefined && record.public_key === public_key;
    const isFresh = given !== undefined && clock.monotonic() - given.at <= UNIT_REPEATED_MS;
    return isKnown && isFresh && given.document === document ? given.reply : undefined;
  }

  /** The oldest come first: what is not fresh any more is dropped. */
  #keep(serial: string, given: Given): void {
    this.#given.delete(serial);
    this.#given.set(serial, given);
    for (const [name, { at }] of this.#given) {
      if (given.at - at <= UNIT_REPEATED_MS) break;
      this.#given.delete(name);
    }
  }
}
