/** Asks as units do, for tests that have no credential of one: each answer comes to the inbox of the unit that asked. */

import { connect, jwtAuthenticator, type NatsConnection } from 'nats';
import { unitInbox } from '../../bus/identity.ts';
import type { TestNats } from '../support/nats.ts';

export class AsUnit {
  readonly #client: NatsConnection;
  #asked = 0;

  private constructor(client: NatsConnection) {
    this.#client = client;
  }

  static async connect({ url, credentials: { jwt, seed } }: TestNats): Promise<AsUnit> {
    const authenticator = jwtAuthenticator(jwt, Buffer.from(seed));
    return new AsUnit(await connect({ servers: url, authenticator }));
  }

  async ask(serial: string, about: string, data: Uint8Array, timeoutMs = 5_000): Promise<Uint8Array> {
    this.#asked += 1;
    const reply = `${unitInbox(serial)}.${this.#asked}`;
    const answer = await this.#client.request(about, data, { timeout: timeoutMs, noMux: true, reply });
    return answer.data;
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
