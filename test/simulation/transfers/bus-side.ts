/**
 * Between a process and its bus in simulations of files: notes what it asks of spacecraft and what became of the
 * asking, and lets the store refuse or be slow.
 */

import { buckets, objectStores } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { Outage } from '../../../contract/outage.ts';
import type { TcSubmission } from '../../../contract/telecommand.ts';
import type { Bucket, Bus, Objects } from '../../../ports/bus.ts';
import type { Clock } from '../../../ports/clock.ts';
import { altered } from '../planted/plant.ts';
import type { FileTarget } from './mission.ts';

/** A part of a file that was asked for, or written. */
export interface AskedPart {
  /** The process. */
  readonly by: string;
  /** When it gave it to its bus, ms since 1970, and the place of what was stored last then. */
  readonly at: number;
  readonly order: number;
  readonly id: string;
  readonly target: FileTarget;
  readonly file: string;
  readonly way: 'download' | 'upload';
  readonly start: number;
  readonly end: number;
  readonly run: string | undefined;
  /** When its bus said that it does not know whether it is stored. */
  unknownAt: number | undefined;
}

export type StoreTrouble = 'full' | 'slow' | undefined;

interface BusSideOptions {
  readonly instance: string;
  readonly world: Clock;
  /** Of the process. */
  readonly clock: () => Clock;
  readonly order: () => number;
  readonly asked: AskedPart[];
  readonly trouble: (of: 'files' | 'records') => StoreTrouble;
}

const SLOW_MS = 2_500;

export function busSide(bus: Bus, options: BusSideOptions): Bus {
  return altered(bus, {
    append: async (stream, subject, data, how) => {
      if (stream.name !== streams.telecommands.name) return bus.append(stream, subject, data, how);
      const part = noted(data, options);
      try {
        return await bus.append(stream, subject, data, how);
      } catch (error) {
        part.unknownAt = options.world.now();
        throw error;
      }
    },
    objects: (definition) => {
      const objects = bus.objects(definition);
      return definition.name === objectStores.files.name ? troubledObjects(objects, options) : objects;
    },
    bucket: (definition) => {
      const bucket = bus.bucket(definition);
      return definition.name === buckets.transfers.name ? troubledBucket(bucket, options) : bucket;
    },
  });
}

function noted(data: Uint8Array, { instance, world, order, asked }: BusSideOptions): AskedPart {
  const submission = JSON.parse(Buffer.from(data).toString()) as TcSubmission;
  const { id, target, instance: file = '', telecommand, args, run } = submission;
  const start = Number(args['offset']);
  const isWrite = telecommand === 'write';
  const length = isWrite ? String(args['data']).length / 2 : Number(args['length']);
  const part: AskedPart = {
    by: instance,
    at: world.now(),
    order: order(),
    id,
    target: target as FileTarget,
    file,
    way: isWrite ? 'upload' : 'download',
    start,
    end: start + length,
    run,
    unknownAt: undefined,
  };
  asked.push(part);
  return part;
}

function troubledObjects(objects: Objects, options: BusSideOptions): Objects {
  return {
    ...objects,
    replace: async (name, pieces) => {
      await troubled('files', options);
      return objects.replace(name, pieces);
    },
  };
}

function troubledBucket(bucket: Bucket, options: BusSideOptions): Bucket {
  return {
    ...bucket,
    put: async (key, value, expected, how) => {
      await troubled('records', options);
      return bucket.put(key, value, expected, how);
    },
  };
}

async function troubled(of: 'files' | 'records', { trouble, clock }: BusSideOptions): Promise<void> {
  switch (trouble(of)) {
    case 'full':
      throw new Outage('bus.unavailable', `no room for ${of}`, { remedy: 'Make room.' });
    case 'slow':
      await new Promise<void>((resolve) => void clock().setTimeout(resolve, SLOW_MS));
      return;
    default:
  }
}
