/**
 * Generator: HTTP requests over plain sockets, one under way on each, the next when its answer is complete. Answers of
 * one server have one length, so they are counted by bytes; a parser would cost more than the server.
 *
 * H1. Only answers with status 2xx count; any other fails the round.
 */

import net from 'node:net';
import { answerCalls, ownCpuUs } from '../peer-side.ts';

interface Load {
  readonly port: number;
  readonly request: string;
  readonly connections: number;
  readonly ms: number;
}

interface Loaded {
  readonly operations: number;
  readonly ms: number;
  readonly cpuUs: number;
}

const BUFFER_BYTES = 64 * 1024;
const DIGIT_2 = 0x32;
/** Of the status in `HTTP/1.1 200`. */
const STATUS_AT = 9;

async function load({ port, request, connections, ms }: Load): Promise<Loaded> {
  const answerBytes = await lengthOfAnswer(port, request);
  const bytes = Buffer.from(request);
  const run = { operations: 0, over: false, answerBytes, bytes };
  const lines = await Promise.all(Array.from({ length: connections }, () => Line.open(port, run)));
  const start = performance.now();
  const cpu = ownCpuUs();
  const over = Promise.all(lines.map((line) => line.run()));
  await new Promise((resolve) => setTimeout(resolve, ms));
  run.over = true;
  await over;
  const took = performance.now() - start;
  for (const line of lines) line.close();
  return { operations: run.operations, ms: took, cpuUs: ownCpuUs() - cpu };
}

interface Run {
  operations: number;
  over: boolean;
  readonly answerBytes: number;
  readonly bytes: Buffer;
}

/** One connection, its answers read into one buffer that is used again and again. */
class Line {
  readonly #run: Run;
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #socket: net.Socket | undefined;
  #received = 0;
  #done: () => void = () => undefined;
  #fail: (error: Error) => void = () => undefined;

  private constructor(run: Run) {
    this.#run = run;
  }

  static async open(port: number, run: Run): Promise<Line> {
    const line = new Line(run);
    await line.#connect(port);
    return line;
  }

  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#done = resolve;
      this.#fail = reject;
      this.#socket!.write(this.#run.bytes);
    });
  }

  close(): void {
    this.#socket?.destroy();
  }

  #connect(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const onread = {
        buffer: this.#buffer,
        callback: (size: number) => {
          this.#take(size);
          return true;
        },
      };
      this.#socket = net.connect({ port, host: '127.0.0.1', noDelay: true, onread }, resolve);
      this.#socket.on('error', (error) => {
        reject(error);
        this.#fail(error);
      });
      this.#socket.on('close', () => this.#fail(new Error('the server closed a connection')));
    });
  }

  #take(size: number): void {
    if (this.#received === 0 && this.#buffer[STATUS_AT] !== DIGIT_2) {
      return this.#fail(new Error(this.#buffer.toString('latin1', 0, size)));
    }
    this.#received += size;
    if (this.#received < this.#run.answerBytes) return;
    this.#received = 0;
    this.#run.operations += 1;
    if (this.#run.over) this.#done();
    else this.#socket!.write(this.#run.bytes);
  }
}

/** The length of a whole answer, from one asked for alone. */
function lengthOfAnswer(port: number, request: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = net.connect(port, '127.0.0.1', () => socket.write(request));
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part;
      const end = text.indexOf('\r\n\r\n') + 4;
      const length = Number(/content-length: *(\d+)/i.exec(text)?.[1]);
      if (end < 4 || text.length < end + length) return;
      socket.destroy();
      resolve(end + length);
    });
    socket.on('error', reject);
  });
}

answerCalls({ load });
