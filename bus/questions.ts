/**
 * Questions under way on one connection and the answers to them. The client has requests of its own; they make an error
 * with its stack, two promises and a race for each one that succeeds, which was a tenth of a telecommand's cost.
 *
 * Q1. A question is settled once: by its answer, by the server saying that nobody listens, by its time, or by the loss
 *     of the connection.
 * Q2. Answers come to one inbox of this connection, below a prefix that holders of follower credentials cannot receive.
 */

import type { Msg, NatsConnection } from 'nats';
import { createInbox } from 'nats';
import { Outage } from '../contract/outage.ts';
import { toOutage } from './fault.ts';
import type { Message, Outgoing } from './outgoing.ts';

interface Question {
  readonly subject: string;
  readonly resolve: (answer: Msg) => void;
  readonly reject: (outage: Outage) => void;
  readonly timer: NodeJS.Timeout;
}

const NO_RESPONDERS = 503;

export class Questions {
  readonly #inbox: string;
  readonly #open = new Map<string, Question>();
  #asked = 0;

  constructor(prefix: string) {
    this.#inbox = createInbox(prefix);
  }

  /** Listens for answers on a new client, until that ends. */
  attach(client: NatsConnection): void {
    client.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        if (error === null) this.#answered(message);
      },
    });
  }

  /** The answer; rejects with an outage. */
  ask(
    outgoing: Outgoing,
    subject: string,
    data: Uint8Array,
    timeoutMs: number,
    headers: Message['options']['headers'],
  ): Promise<Msg> {
    return new Promise((resolve, reject) => {
      this.#asked += 1;
      const token = this.#asked.toString(36);
      const reply = `${this.#inbox}.${token}`;
      const timer = setTimeout(() => this.#expired(token), Math.max(1, Math.ceil(timeoutMs)));
      this.#open.set(token, { subject, resolve, reject, timer });
      outgoing.add({
        subject,
        data,
        options: headers === undefined ? { reply } : { reply, headers },
        refused: (error) => this.#settled(token)?.reject(toOutage(error, subject)),
      });
    });
  }

  /** No answer can come any more to what is open on `subject`, or to anything. */
  abandon(reason: string, subject?: string): void {
    for (const [token, question] of [...this.#open]) {
      if (subject !== undefined && subject !== question.subject) continue;
      this.#settled(token)?.reject(new Outage('bus.unavailable', reason));
    }
  }

  #answered(message: Msg): void {
    const question = this.#settled(message.subject.slice(this.#inbox.length + 1));
    if (question === undefined) return;
    if (message.data.length === 0 && message.headers?.code === NO_RESPONDERS)
      question.reject(new Outage('bus.no-responder', `no responder on ${question.subject}`));
    else question.resolve(message);
  }

  #expired(token: string): void {
    const question = this.#settled(token);
    question?.reject(new Outage('bus.timeout', `no answer from ${question.subject} in time`));
  }

  #settled(token: string): Question | undefined {
    const question = this.#open.get(token);
    if (question === undefined) return undefined;
    this.#open.delete(token);
    clearTimeout(question.timer);
    return question;
  }
}
