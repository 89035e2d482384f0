/**
 * Which telecommand a sent frame carries: its key names it, and the first event of its history says what it is. Mission
 * Control Service, section 2.1 (TcEvent).
 *
 * T1. Answers come in the order asked; while too many wait, the identifier alone is the answer.
 */

import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { FrameSent } from '../../contract/link-event.ts';
import { Outage } from '../../contract/outage.ts';
import type { TcEvent } from '../../contract/telecommand.ts';
import type { Bus, Follower } from '../../ports/bus.ts';

type Carried = Pick<FrameSent, 'tc' | 'telecommand'>;

/** Key of the sending of a telecommand: kind, entity, revision, number (C3). */
const KEY = /^telecommand:([A-Za-z0-9_-]+)\.([0-9A-Z]{26}):/;
/** Histories read for one watcher at once; each takes milliseconds. */
const READINGS = 32;

export class SentTelecommands {
  readonly #bus: Bus;
  #last: Promise<unknown> = Promise.resolve();
  #reading = 0;

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  /** What the key of a sending says; empty when it is no telecommand's. */
  of(key: string): Promise<Carried> {
    const [, target, tc] = KEY.exec(key) ?? [];
    const known: Carried = tc === undefined ? {} : { tc };
    const isRead = target !== undefined && tc !== undefined && this.#reading < READINGS;
    if (isRead) this.#reading += 1;
    const answer = this.#last.then(() => (isRead ? this.#read(target, tc) : known));
    this.#last = answer;
    return answer;
  }

  async #read(target: string, tc: string): Promise<Carried> {
    try {
      const telecommand = nameOf(await this.#firstEvent(target, tc));
      return { tc, ...(telecommand !== undefined && { telecommand }) };
    } catch (error) {
      if (!(error instanceof Outage)) throw error;
      return { tc };
    } finally {
      this.#reading -= 1;
    }
  }

  async #firstEvent(target: string, tc: string): Promise<TcEvent | undefined> {
    let first: TcEvent | undefined;
    const about = subject.tcEvent(target, tc);
    const follower: Follower = await this.#bus.follow(
      streams.telecommandEvents,
      about,
      { from: 'start' },
      ({ data }) => {
        first ??= parsed(data);
      },
    );
    await follower.caughtUp;
    await follower.stop();
    return first;
  }
}

function parsed(data: Uint8Array): TcEvent | undefined {
  try {
    return JSON.parse(Buffer.from(data).toString()) as TcEvent;
  } catch {
    return undefined;
  }
}

function nameOf(event: TcEvent | undefined): string | undefined {
  if (event?.telecommand?.component === undefined) return undefined;
  const { component, instance, telecommand } = event.telecommand;
  return `${component}${instance === undefined ? '' : `[${instance}]`}.${telecommand}`;
}
