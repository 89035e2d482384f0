/**
 * A board at the other end of an iiod: an IIO context over its protocol in text, which every version speaks.
 *
 * K1. Attributes have one connection and each open buffer its own: a buffer that waits for samples holds nothing else
 *     up.
 * K2. When the connection of attributes breaks the context is lost, with its buffers: what was asked may have happened
 *     or not. Whoever uses it connects again.
 * K3. When the connection of a buffer breaks only that transfer has failed; whether the board is still there is asked
 *     of the connection of attributes, whose deadline decides.
 * K4. What cannot wait has a connection of its own (`urgent`), open from the beginning: a question that hangs on the
 *     first one holds it up for nothing. When that breaks the context is lost too: a board that cannot be stopped is
 *     not to be used.
 * K5. Nothing of a description goes into a command that could end it: names of a hostile board are refused.
 */

import { IIOD_VALUE_BYTES, IIOD_XML_BYTES } from '../../contract/limits/bench.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { ByteStream } from './byte-stream.ts';
import { IiodBuffer } from './client-buffer.ts';
import {
  attributeName,
  errno,
  type IioAttribute,
  type IioBuffer,
  type IioBufferOptions,
  type IioContext,
  type IioDevice,
  IioFailure,
} from './context.ts';
import { type ContextDescription, readContextXml } from './context-xml.ts';
import { askNumber, attributeText, takeNumber, takeValue } from './iiod-answer.ts';
import { type IiodAddress, type IiodConnection, openIiodConnection } from './iiod-connection.ts';
import { ServerTimeout } from './server-timeout.ts';
import { SOURCE_ATTRIBUTE } from './source-attribute.ts';

export interface IiodOptions extends IiodAddress {
  /** Of each question, and of connecting; a buffer has its own time beside it. */
  readonly deadlineMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Connects and reads what devices there are; rejects with an `IioFailure`, within four deadlines at the very most. */
export async function connectIiod(options: IiodOptions): Promise<IioContext> {
  const { host, port, deadlineMs, clock, log } = options;
  const connection = await openIiodConnection({ address: { host, port }, deadlineMs, clock });
  let urgent: IiodConnection | undefined;
  try {
    urgent = await openIiodConnection({ address: { host, port }, deadlineMs, clock });
    const version = await connection.ask('VERSION', deadlineMs, askVersion);
    const description = await connection.ask('PRINT', deadlineMs, askDescription);
    log.info({ host, port, version, devices: description.devices.length }, 'iiod connected');
    return new IiodContext(options, { connection, urgent, description });
  } catch (error) {
    connection.close('the context could not be read');
    urgent?.close('the context could not be read');
    throw error;
  }
}

const VERSION = /^\d+\.\d+\.\S*\s*$/;
/** A name that is one word of a command. */
const WORD = /^[\w.:,+-]+$/;

async function askVersion(stream: ByteStream): Promise<string> {
  await stream.write('VERSION\r\n');
  const line = await stream.line();
  if (!VERSION.test(line)) throw new Error(`"${line.slice(0, 40)}" is not a version: this is not an iiod`);
  return line.trim();
}

async function askDescription(stream: ByteStream): Promise<ContextDescription> {
  const length = await askNumber(stream, 'PRINT', 'PRINT');
  const text = await takeValue(stream, length, IIOD_XML_BYTES);
  const description = readContextXml(text.toString('utf8'));
  if (!description.ok) throw new Error(`the description of the context: ${description.faults.join('; ')}`);
  return description.value;
}

interface Opened {
  readonly connection: IiodConnection;
  readonly urgent: IiodConnection;
  readonly description: ContextDescription;
}

class IiodContext implements IioContext {
  readonly source: 'pl' | 'stub';
  readonly name: string;
  readonly devices: readonly IioDevice[];
  readonly lost: Promise<IioFailure>;
  readonly urgent: NonNullable<IioContext['urgent']>;
  readonly #options: IiodOptions;
  readonly #attributes: IiodConnection;
  readonly #urgent: IiodConnection;
  readonly #patience = new ServerTimeout();
  readonly #buffers = new Map<string, IiodBuffer>();
  #reportLost!: (failure: IioFailure) => void;
  #end: IioFailure | undefined;

  constructor(options: IiodOptions, { connection, urgent, description }: Opened) {
    this.#options = options;
    this.#attributes = connection;
    this.#urgent = urgent;
    this.source = description.attributes.get(SOURCE_ATTRIBUTE) === 'stub' ? 'stub' : 'pl';
    this.name = `iiod at ${options.host}:${options.port}`;
    this.devices = description.devices;
    this.lost = new Promise((resolve) => {
      this.#reportLost = resolve;
    });
    this.urgent = {
      devices: this.devices,
      read: (at) => this.#read(at, urgent),
      write: (at, value) => this.#write(at, value, urgent),
    };
    for (const each of [connection, urgent]) void each.broken.then((failure) => this.#lose(failure));
  }

  read(at: IioAttribute): Promise<string> {
    return this.#read(at, this.#attributes);
  }

  write(at: IioAttribute, value: string): Promise<void> {
    return this.#write(at, value, this.#attributes);
  }

  async #read(at: IioAttribute, by: IiodConnection): Promise<string> {
    const what = attributeName(at);
    const address = this.#address(at);
    return by.ask(what, this.#options.deadlineMs, async (stream) => {
      const length = await askNumber(stream, `READ ${address}`, what);
      return attributeText(await takeValue(stream, length, IIOD_VALUE_BYTES));
    });
  }

  async #write(at: IioAttribute, value: string, by: IiodConnection): Promise<void> {
    const what = attributeName(at);
    const address = this.#address(at);
    const bytes = Buffer.from(`${value}\0`);
    if (value.includes('\0') || bytes.length > IIOD_VALUE_BYTES)
      throw new IioFailure(
        errno.EINVAL,
        `${what}: no value of an attribute has ${bytes.length} bytes or a NUL`,
      );
    await by.ask(what, this.#options.deadlineMs, async (stream) => {
      await stream.write(`WRITE ${address} ${bytes.length}\r\n`, bytes);
      await takeNumber(stream, what);
    });
  }

  async open(device: string, options: IioBufferOptions): Promise<IioBuffer> {
    const found = this.#device(device);
    if (this.#buffers.has(found.id))
      throw new IioFailure(errno.EBUSY, `the buffer of ${found.name} is open already`);
    const buffer = new IiodBuffer({
      device: found,
      buffer: options,
      deadlineMs: this.#options.deadlineMs,
      patience: this.#patience,
      connect: () => this.#connect(),
      closed: () => this.#buffers.delete(found.id),
      doubted: () => void this.#probe(),
    });
    this.#buffers.set(found.id, buffer);
    try {
      await buffer.open();
    } catch (error) {
      await buffer.close();
      throw error;
    }
    return buffer;
  }

  async close(): Promise<void> {
    this.#end ??= new IioFailure(errno.EBADF, `${this.name} is closed`);
    await Promise.all([...this.#buffers.values()].map((buffer) => buffer.close()));
    this.#attributes.close(this.#end.message);
    this.#urgent.close(this.#end.message);
  }

  async #connect(): Promise<IiodConnection> {
    if (this.#end !== undefined) throw this.#end;
    const { host, port, deadlineMs, clock } = this.#options;
    const connection = await openIiodConnection({ address: { host, port }, deadlineMs, clock });
    if (this.#end === undefined) return connection;
    connection.close(`${this.name} is lost`);
    throw this.#end;
  }

  /** K3 */
  async #probe(): Promise<void> {
    await this.#attributes.ask('VERSION', this.#options.deadlineMs, askVersion).catch(() => undefined);
  }

  /** K2 */
  #lose(failure: IioFailure): void {
    if (this.#end !== undefined) return;
    this.#end = failure;
    this.#options.log.warn({ iiod: this.name, reason: failure.message }, 'iiod lost');
    this.#attributes.close(failure.message);
    this.#urgent.close(failure.message);
    for (const buffer of this.#buffers.values()) buffer.lose(failure);
    this.#reportLost(failure);
  }

  #device(device: string): IioDevice {
    const found =
      this.devices.find(({ id }) => id === device) ?? this.devices.find(({ name }) => name === device);
    if (found === undefined) throw new IioFailure(errno.ENODEV, `${this.name} has no device ${device}`);
    checkWord(found.id);
    return found;
  }

  /**
   * An iiod does not take the value of a write to a device that it does not have, so that nothing of the kind is asked.
   */
  #address(at: IioAttribute): string {
    const device = this.#device(at.device);
    checkWord(at.name);
    if (at.of === 'device') return `${device.id} ${at.name}`;
    if (at.of !== 'channel') return `${device.id} ${at.of.toUpperCase()} ${at.name}`;
    const sameWay = device.channels.filter(({ output }) => output === at.output);
    const channel =
      sameWay.find(({ id }) => id === at.channel) ?? sameWay.find(({ name }) => name === at.channel);
    if (channel === undefined)
      throw new IioFailure(errno.ENXIO, `${attributeName(at)}: ${device.name} has no such channel`);
    checkWord(channel.id);
    return `${device.id} ${at.output ? 'OUTPUT' : 'INPUT'} ${channel.id} ${at.name}`;
  }
}

/** K5 */
function checkWord(word: string): void {
  if (!WORD.test(word))
    throw new IioFailure(errno.EINVAL, `${JSON.stringify(word)} is not a name that iiod accepts`);
}
