/**
 * Streams that do not answer: without a leader, or on servers that are away. Whoever asks for one from outside is
 * answered at once, and not after the time that each of them would wait.
 *
 * I1. Of those who are not patient one asks at a time while a stream is silent; the others are refused at once.
 * I2. Any answer of the stream, also a refusal, ends its silence.
 */

import { Outage } from '../contract/outage.ts';

interface Silence {
  isAsked: boolean;
}

const REMEDY =
  'Look at the servers of the bus (`nats stream report`); it is asked again and again meanwhile.';

export class Silences {
  readonly #silent = new Map<string, Silence>();

  /** Called before a stream is asked; rejects by I1. The result is to be called when that is over. */
  enter(stream: string, isPatient: boolean): () => void {
    const silence = this.#silent.get(stream);
    if (silence === undefined || isPatient) return nothing;
    if (silence.isAsked)
      throw new Outage('bus.unavailable', `stream ${stream} of the bus does not answer`, { remedy: REMEDY });
    silence.isAsked = true;
    return () => {
      silence.isAsked = false;
    };
  }

  answered(stream: string): void {
    this.#silent.delete(stream);
  }

  unanswered(stream: string): void {
    if (!this.#silent.has(stream)) this.#silent.set(stream, { isAsked: false });
  }
}

function nothing(): void {}
