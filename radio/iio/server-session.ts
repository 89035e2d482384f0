/**
 * One client of the iiod server: takes commands one after the other and answers each.
 *
 * R1. A refusal is a number of its own and never stands in a value: what is announced is there already.
 * R2. A value that comes with a refused command is taken off the line before the refusal: it is never taken for a
 *     command.
 * R3. Nothing of any size is kept beyond a value, a block and what a line may have.
 */

import type { Socket } from 'node:net';
import { IIOD_SEND_MS, IIOD_VALUE_BYTES } from '../../contract/limits/bench.ts';
import { LINK_KEEPALIVE_MS } from '../../contract/limits/link.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { AskedWait } from './asked-waits.ts';
import { ByteStream } from './byte-stream.ts';
import { errno, type IioContext, type IioDevice, IioFailure } from './context.ts';
import { writeContextXml } from './context-xml.ts';
import type { HeldBuffers } from './held-buffers.ts';
import { type AttributeWords, type IiodCommand, parseIiodCommand } from './iiod-command.ts';
import { IIOD_HELP } from './iiod-help.ts';
import { namedAttributes, servedDevice } from './served-attributes.ts';
import { SessionBuffers } from './session-buffers.ts';
import { SOURCE_ATTRIBUTE } from './source-attribute.ts';

interface SessionOptions {
  readonly socket: Socket;
  readonly context: IioContext;
  readonly buffers: HeldBuffers;
  readonly wait: AskedWait;
  readonly clock: Clock;
  readonly log: Log;
}

type Command<Verb extends IiodCommand['verb']> = Extract<IiodCommand, { readonly verb: Verb }>;

const VERSION = '0.24.v0.24  ';

export class IiodSession {
  readonly #options: SessionOptions;
  readonly #stream: ByteStream;
  readonly #held: SessionBuffers;

  constructor(options: SessionOptions) {
    const { socket } = options;
    socket.setNoDelay(true);
    socket.setKeepAlive(true, LINK_KEEPALIVE_MS);
    this.#options = options;
    this.#stream = new ByteStream(socket);
    this.#held = new SessionBuffers({
      buffers: options.buffers,
      stream: this.#stream,
      send: (...parts) => this.#send(...parts),
    });
  }

  /** Resolves when the client has gone and everything it held is free. */
  async serve(): Promise<void> {
    const gone = this.#stream.ended.then(() => this.#held.release());
    try {
      for (;;) {
        const line = await this.#stream.line();
        if (line.trim() !== '' && (await this.#answer(line)) === 'exit') break;
      }
    } catch (error) {
      const level = this.#stream.isOver ? 'debug' : 'warn';
      this.#options.log[level]({ reason: (error as Error).message }, 'client of iiod dropped');
    }
    this.end();
    await gone;
  }

  end(): void {
    this.#stream.destroy(new Error('the session is ended'));
  }

  async #answer(line: string): Promise<'exit' | undefined> {
    const command = parseIiodCommand(line);
    if (command?.verb === 'EXIT') return 'exit';
    try {
      await this.#act(command);
    } catch (error) {
      if (!(error instanceof IioFailure)) throw error;
      await this.#say(-error.errno);
    }
    return undefined;
  }

  #act(command: IiodCommand | undefined): Promise<void> {
    switch (command?.verb) {
      case 'VERSION':
        return this.#send(`${VERSION}\n`);
      case 'HELP':
        return this.#send(IIOD_HELP);
      case 'PRINT':
        return this.#print();
      case 'TIMEOUT':
        this.#options.wait.ask(command.ms);
        return this.#say(0);
      case 'READ':
        return this.#read(command.at);
      case 'WRITE':
        return this.#write(command);
      case 'OPEN':
        return this.#held.open(this.#device(command.device), command);
      case 'CLOSE':
        return this.#held.close(this.#device(command.device));
      case 'READBUF':
        return this.#held.read(this.#device(command.device), command.bytes, this.#options.wait.timeoutMs);
      case 'WRITEBUF':
        return this.#held.write(this.#device(command.device), command.bytes, this.#options.wait.timeoutMs);
      case 'SET':
        return this.#held.count(this.#device(command.device), command.buffers);
      case 'GETTRIG':
      case 'SETTRIG':
        this.#device(command.device);
        return this.#say(-errno.ENOENT);
      default:
        return this.#say(-errno.EINVAL);
    }
  }

  async #print(): Promise<void> {
    const { name, source, devices } = this.#options.context;
    const xml = writeContextXml({
      description: name,
      attributes: new Map([[SOURCE_ATTRIBUTE, source]]),
      devices,
    });
    await this.#send(`${Buffer.byteLength(xml)}\n${xml}\n`);
  }

  async #read(words: AttributeWords): Promise<void> {
    const attributes = namedAttributes(this.#device(words.device), words);
    const value =
      words.name === undefined
        ? Buffer.concat(await Promise.all(attributes.map((at) => this.#listed(at))))
        : Buffer.from(`${await this.#options.context.read(attributes[0]!)}\0`);
    if (value.length > IIOD_VALUE_BYTES) throw new IioFailure(errno.EIO, 'a value too long for the line');
    await this.#send(`${value.length}\n`, value, '\n');
  }

  /** One value among all of a device: its length, or what failed, in 4 bytes; then itself, filled up to 4. */
  async #listed(at: ReturnType<typeof namedAttributes>[number]): Promise<Buffer> {
    const value = await this.#options.context.read(at).catch(failureOf);
    const text = value instanceof IioFailure ? Buffer.alloc(0) : Buffer.from(`${value}\0`);
    const entry = Buffer.alloc(4 + Math.ceil(text.length / 4) * 4);
    entry.writeInt32BE(value instanceof IioFailure ? -value.errno : text.length);
    text.copy(entry, 4);
    return entry;
  }

  async #write({ at, bytes }: Command<'WRITE'>): Promise<void> {
    if (bytes > IIOD_VALUE_BYTES) throw new Error(`a value of ${bytes} bytes`);
    const value = await this.#stream.bytes(bytes);
    const [attribute] = namedAttributes(this.#device(at.device), at);
    if (at.name === undefined || attribute === undefined)
      throw new IioFailure(errno.EINVAL, 'attributes are written one at a time');
    const end = value.indexOf(0);
    await this.#options.context.write(attribute, value.toString('utf8', 0, end < 0 ? bytes : end));
    await this.#say(bytes);
  }

  #device(device: string): IioDevice {
    return servedDevice(this.#options.context, device);
  }

  #say(number: number): Promise<void> {
    return this.#send(`${number}\n`);
  }

  /** Rejects when the client takes nothing for too long. */
  async #send(...parts: (string | Uint8Array)[]): Promise<void> {
    const { clock } = this.#options;
    const timer = clock.setTimeout(
      () => this.#stream.destroy(new Error('the client does not read its replies')),
      IIOD_SEND_MS,
    );
    await this.#stream.write(...parts).finally(() => clock.clearTimeout(timer));
  }
}

function failureOf(error: unknown): IioFailure {
  if (error instanceof IioFailure) return error;
  throw error;
}
