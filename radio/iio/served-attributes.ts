/**
 * What a command of iiod names in the context that is served: devices and channels by identifier or name, attributes by
 * name.
 */

import {
  attributeName,
  errno,
  type IioAttribute,
  type IioContext,
  type IioDevice,
  IioFailure,
} from './context.ts';
import type { AttributeWords } from './iiod-command.ts';

/** A device by its identifier or its name; refused with ENODEV. */
export function servedDevice({ devices }: IioContext, device: string): IioDevice {
  const found = devices.find(({ id }) => id === device) ?? devices.find(({ name }) => name === device);
  if (found === undefined) throw new IioFailure(errno.ENODEV, `no device ${device}`);
  return found;
}

/**
 * The attribute that is named, or all of its kind; refused with ENXIO without the channel, with ENOENT without the
 * attribute.
 */
export function namedAttributes(device: IioDevice, words: AttributeWords): IioAttribute[] {
  const all = words.of === 'channel' ? ofChannel(device, words) : ofDevice(device, words.of);
  const chosen = words.name === undefined ? all : all.filter(({ names }) => names.includes(words.name!));
  if (words.name !== undefined && chosen.length === 0)
    throw new IioFailure(errno.ENOENT, `no attribute ${device.name} ${words.name}`);
  return chosen.map(({ at }) => at);
}

interface Known {
  readonly at: IioAttribute;
  readonly names: readonly string[];
}

function ofDevice(device: IioDevice, of: 'device' | 'debug' | 'buffer'): Known[] {
  const names = { device: device.attributes, debug: device.debugAttributes, buffer: device.bufferAttributes }[
    of
  ];
  return names.map((name) => ({ at: { device: device.id, of, name }, names: [name] }));
}

/** An attribute of a channel answers to the name of its file also. */
function ofChannel(
  device: IioDevice,
  { channel, output }: Extract<AttributeWords, { of: 'channel' }>,
): Known[] {
  const sameWay = device.channels.filter((candidate) => candidate.output === output);
  const found = sameWay.find(({ id }) => id === channel) ?? sameWay.find(({ name }) => name === channel);
  if (found === undefined)
    throw new IioFailure(
      errno.ENXIO,
      `no channel ${attributeName({ device: device.name, of: 'channel', channel, output, name: '' })}`,
    );
  return found.attributes.map(({ name, filename }) => ({
    at: { device: device.id, of: 'channel', channel: found.id, output, name },
    names: [name, filename],
  }));
}
