/** Requests of a generator, and why some of them were not taken. */

import http from 'node:http';

interface Asked {
  readonly port: number;
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  /** The status of the answer that takes it. */
  readonly wanted: number;
}

/** A reason is counted without what differs from one request to the next. */
const REASON_CHARS = 300;
const REASONS = 50;

/** Resolves with the answer that was wanted; rejects with the status and body of any other, or how the connection ended. */
export function ask(agent: http.Agent, { port, method, path, body, wanted }: Asked): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`${method} ${path.split('/')[2]}: ${why}`));
    const sent = http.request({ agent, port, host: '127.0.0.1', method, path }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', (error) => fail(String(error)));
      response.on('end', () => {
        const text = Buffer.concat(parts).toString();
        if (response.statusCode === wanted) resolve(text);
        else fail(`${response.statusCode} ${text}`);
      });
    });
    sent.on('error', (error: NodeJS.ErrnoException) =>
      fail(
        `${error.code ?? error.message}${sent.reusedSocket ? ' on a connection that had been used before' : ''}`,
      ),
    );
    sent.end(body);
  });
}

export class Refusals {
  readonly byReason: Record<string, number> = {};
  count = 0;

  note({ message }: Error): void {
    this.count += 1;
    const reason = message.slice(0, REASON_CHARS);
    if (reason in this.byReason || Object.keys(this.byReason).length < REASONS)
      this.byReason[reason] = (this.byReason[reason] ?? 0) + 1;
  }
}
