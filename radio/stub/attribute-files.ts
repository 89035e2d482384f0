/**
 * The attributes of a model's devices, as the files a kernel driver shows: read, write, or both; and the devices made
 * of them as an IIO context describes them.
 *
 * A1. An unknown device is ENODEV, an unknown channel ENXIO, an unknown attribute ENOENT, a write to one that is only
 *     read EACCES.
 */

import { attributeName, errno, type IioAttribute, type IioDevice, IioFailure } from '../iio/context.ts';

/** One attribute: its text, and what a text written to it does. */
export interface AttributeFile {
  readonly read?: () => string;
  readonly write?: (text: string) => void;
}
export type AttributeFiles = Readonly<Record<string, AttributeFile>>;

export interface ModelChannel {
  readonly id: string;
  readonly name?: string;
  readonly output: boolean;
  readonly attributes: AttributeFiles;
  /** Attributes that all channels of that direction share: their file name carries no channel. */
  readonly shared?: AttributeFiles;
  readonly scan?: { readonly index: number; readonly format: string };
}

export interface ModelDevice {
  readonly id: string;
  readonly name: string;
  readonly attributes?: AttributeFiles;
  readonly debug?: AttributeFiles;
  readonly buffer?: AttributeFiles;
  readonly channels?: readonly ModelChannel[];
}

/** The device as a context describes it. */
export function described(device: ModelDevice): IioDevice {
  return {
    id: device.id,
    name: device.name,
    attributes: Object.keys(device.attributes ?? {}),
    debugAttributes: Object.keys(device.debug ?? {}),
    bufferAttributes: Object.keys(device.buffer ?? {}),
    channels: (device.channels ?? []).map(describedChannel),
  };
}

/** The device of this name or id; throws ENODEV. */
export function findDevice(devices: readonly ModelDevice[], device: string): ModelDevice {
  const found = devices.find(({ id, name }) => id === device || name === device);
  if (found === undefined) throw new IioFailure(errno.ENODEV, `no device ${device}`);
  return found;
}

/** The text of an attribute; throws by A1. */
export function readFile(devices: readonly ModelDevice[], at: IioAttribute): string {
  const { read } = findFile(devices, at);
  if (read === undefined) throw new IioFailure(errno.EACCES, `${attributeName(at)} is only written`);
  return read();
}

/** Writes an attribute; throws by A1, and what the driver refuses. */
export function writeFile(devices: readonly ModelDevice[], at: IioAttribute, text: string): void {
  const { write } = findFile(devices, at);
  if (write === undefined) throw new IioFailure(errno.EACCES, `${attributeName(at)} is only read`);
  write(text);
}

function findFile(devices: readonly ModelDevice[], at: IioAttribute): AttributeFile {
  const files = filesOf(findDevice(devices, at.device), at);
  const file = Object.hasOwn(files, at.name) ? files[at.name] : undefined;
  if (file === undefined) throw new IioFailure(errno.ENOENT, `${attributeName(at)}: no such attribute`);
  return file;
}

function filesOf(device: ModelDevice, at: IioAttribute): AttributeFiles {
  switch (at.of) {
    case 'device':
      return device.attributes ?? {};
    case 'debug':
      return device.debug ?? {};
    case 'buffer':
      return device.buffer ?? {};
    case 'channel': {
      const isWanted = ({ id, name, output }: ModelChannel) =>
        output === at.output && (id === at.channel || name === at.channel);
      const channel = device.channels?.find(isWanted);
      if (channel === undefined) throw new IioFailure(errno.ENXIO, `${attributeName(at)}: no such channel`);
      return { ...channel.shared, ...channel.attributes };
    }
  }
}

function describedChannel({
  id,
  name,
  output,
  attributes,
  shared,
  scan,
}: ModelChannel): IioDevice['channels'][number] {
  const direction = output ? 'out' : 'in';
  const own = name === undefined ? `${direction}_${id}` : `${direction}_${id}_${name}`;
  const kind = `${direction}_${id.replace(/\d+$/, '')}`;
  return {
    ...(name === undefined ? { id, output } : { id, name, output }),
    attributes: [
      ...Object.keys(attributes).map((key) => ({ name: key, filename: `${own}_${key}` })),
      ...Object.keys(shared ?? {}).map((key) => ({ name: key, filename: `${kind}_${key}` })),
    ],
    ...(scan === undefined ? {} : { scan }),
  };
}
