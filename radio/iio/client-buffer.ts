/**
 * The buffer of a device behind an iiod, on a connection of its own.
 *
 * F1. A transfer gives every byte that was asked for or fails; what came of it before is dropped, never handed out.
 * F2. After a failed transfer the buffer of iiod is of no use any more, and a refusal in the middle of a write may
 *     leave bytes that are taken for commands. So its connection ends, which frees the buffer, and the next transfer
 *     opens it again on another.
 * F3. So does a transfer that outlasts its time and a deadline: nothing late can arrive on the next connection.
 * F4. Bytes of another set of channels than the one asked for are no samples: somebody else has widened it.
 */

import { IIOD_BLOCK_BYTES, IIOD_TRANSFER_BYTES } from '../../contract/limits/bench.ts';
import type { ByteStream } from './byte-stream.ts';
import { errno, type IioBuffer, type IioBufferOptions, type IioDevice, IioFailure } from './context.ts';
import { askNumber, takeNumber } from './iiod-answer.ts';
import type { IiodConnection } from './iiod-connection.ts';
import { maskWords, sampleBytes } from './scan.ts';
import { SerialQueue } from './serial-queue.ts';
import type { ServerTimeout } from './server-timeout.ts';

interface BufferOptions {
  readonly device: IioDevice;
  readonly buffer: IioBufferOptions;
  readonly deadlineMs: number;
  readonly patience: ServerTimeout;
  readonly connect: () => Promise<IiodConnection>;
  readonly closed: () => void;
  /** The connection has gone or is late: is the board there? */
  readonly doubted: () => void;
}

export class IiodBuffer implements IioBuffer {
  readonly #options: BufferOptions;
  readonly #what: string;
  readonly #mask: string;
  readonly #sampleBytes: number;
  #connection: IiodConnection | undefined;
  readonly #turns = new SerialQueue();
  #end: IioFailure | undefined;

  /** Refused with EINVAL when the device has no such buffer. */
  constructor(options: BufferOptions) {
    const { device, buffer } = options;
    this.#options = options;
    this.#what = `the buffer of ${device.name}`;
    this.#mask = maskWords(device, buffer.mask);
    this.#sampleBytes = sampleBytes(device, buffer.mask);
    const block = buffer.samples * this.#sampleBytes;
    if (!Number.isInteger(buffer.samples) || block < 1 || block > IIOD_BLOCK_BYTES)
      throw this.#invalid(
        `a block of ${buffer.samples} samples, where 1 to ${IIOD_BLOCK_BYTES} bytes are taken`,
      );
  }

  open(): Promise<void> {
    return this.#turns.run(this.#what, async () => void (await this.#ready()));
  }

  read(bytes: number, timeoutMs: number): Promise<Uint8Array> {
    return this.#transfer(bytes, timeoutMs, (stream) => this.#take(stream, bytes));
  }

  async write(data: Uint8Array, timeoutMs: number): Promise<void> {
    await this.#transfer(data.length, timeoutMs, (stream) => this.#give(stream, data));
  }

  async close(): Promise<void> {
    if (this.#end !== undefined) return;
    this.#end = new IioFailure(errno.EBADF, `${this.#what} is closed`);
    const connection = this.#connection;
    if (connection?.isIdle === true)
      await this.#command(connection, `CLOSE ${this.#options.device.id}`).catch(() => undefined);
    connection?.close(this.#end.message);
    this.#options.closed();
  }

  /** The board is lost; whoever waits is refused with the reason. */
  lose(failure: IioFailure): void {
    this.#end ??= failure;
    this.#connection?.close(failure.message);
    this.#options.closed();
  }

  #transfer<Value>(bytes: number, timeoutMs: number, talk: (stream: ByteStream) => Promise<Value>) {
    return this.#turns.run(this.#what, async () => {
      this.#check(bytes, timeoutMs);
      const connection = await this.#ready();
      const patience = this.#options.patience.join(timeoutMs);
      try {
        await this.#command(connection, `TIMEOUT ${patience.askedMs}`);
        return await connection.ask(this.#what, timeoutMs + this.#options.deadlineMs, talk);
      } catch (error) {
        this.#drop(connection);
        throw error;
      } finally {
        patience.leave();
      }
    });
  }

  /** The connection on which iiod has the buffer open. */
  async #ready(): Promise<IiodConnection> {
    if (this.#end !== undefined) throw this.#end;
    if (this.#connection?.isOver === false) return this.#connection;
    const connection = await this.#options.connect();
    this.#connection = connection;
    void connection.broken.then(this.#options.doubted);
    const { device, buffer } = this.#options;
    const cyclic = buffer.cyclic === true ? ' CYCLIC' : '';
    try {
      await this.#command(connection, `OPEN ${device.id} ${buffer.samples} ${this.#mask}${cyclic}`);
      if (this.#end !== undefined) throw this.#end;
    } catch (error) {
      this.#drop(connection);
      throw error;
    }
    return connection;
  }

  /** F2 */
  #drop(connection: IiodConnection): void {
    connection.close(`${this.#what} has failed`);
    this.#connection = undefined;
  }

  #command(connection: IiodConnection, command: string): Promise<number> {
    const what = `${this.#what}: ${command}`;
    return connection.ask(what, this.#options.deadlineMs, (stream) => askNumber(stream, command, what));
  }

  #check(bytes: number, timeoutMs: number): void {
    const isWhole = Number.isInteger(bytes) && bytes > 0 && bytes % this.#sampleBytes === 0;
    if (!isWhole || bytes > IIOD_TRANSFER_BYTES)
      throw this.#invalid(`${bytes} bytes, where samples of ${this.#sampleBytes} are transferred`);
    if (!Number.isInteger(timeoutMs) || timeoutMs < 1) throw this.#invalid(`a time of ${timeoutMs} ms`);
  }

  async #take(stream: ByteStream, bytes: number): Promise<Uint8Array> {
    await stream.write(`READBUF ${this.#options.device.id} ${bytes}\r\n`);
    const data = Buffer.allocUnsafe(bytes);
    for (let taken = 0; taken < bytes; ) {
      const length = await takeNumber(stream, this.#what);
      if (length === 0 || length > bytes - taken)
        throw new Error(`iiod gives ${length} bytes of the ${bytes - taken} that were asked for`);
      if (taken === 0) this.#checkMask(await stream.line());
      await stream.into(data.subarray(taken, taken + length));
      taken += length;
    }
    return data;
  }

  async #give(stream: ByteStream, data: Uint8Array): Promise<void> {
    await askNumber(stream, `WRITEBUF ${this.#options.device.id} ${data.length}`, this.#what);
    await stream.write(data);
    const taken = await takeNumber(stream, this.#what);
    if (taken !== data.length) throw new Error(`iiod has taken ${taken} bytes of ${data.length}`);
  }

  /** F4 */
  #checkMask(mask: string): void {
    if (mask.toLowerCase() === this.#mask) return;
    throw new Error(`iiod gives the channels ${mask.slice(0, 40)} instead of ${this.#mask}`);
  }

  #invalid(why: string): IioFailure {
    return new IioFailure(errno.EINVAL, `${this.#what}: ${why}`);
  }
}
