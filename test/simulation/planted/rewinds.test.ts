/** Checkers of what a store that went back, or lost messages, must not lead to: each finds a defect at the bus. */

import { expect, it } from 'vitest';
import { buckets, objectStores } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import type { Bus } from '../../../ports/bus.ts';
import { scenarioOf } from '../scenario.ts';
import { attempt } from '../trial.ts';
import type { RunOptions } from '../world.ts';
import { altered } from './plant.ts';

/** Nobody is informed of a loss, and of a record that was fired nothing is remembered. */
function forgettingLosses(bus: Bus): Bus {
  return Object.defineProperty(
    altered(bus, {
      bucket: (definition) => {
        const bucket = bus.bucket(definition);
        if (definition.name !== buckets.schedules.name) return bucket;
        return {
          ...bucket,
          watch: (filter, changed) =>
            bucket.watch(filter, (key, entry) => {
              if (entry?.rewound === true) changed(key, undefined);
              changed(key, entry);
            }),
        };
      },
    }),
    'lostUntil',
    { value: undefined },
  );
}

/** The whole of a file is said to be stored, and is not. */
function keepingParts(bus: Bus): Bus {
  return altered(bus, {
    objects: (definition) => {
      const objects = bus.objects(definition);
      if (definition.name !== objectStores.files.name) return objects;
      return {
        ...objects,
        replace: async (name, pieces) => {
          if (name.split('/').length > 3) return objects.replace(name, pieces);
          let bytes = 0;
          for await (const piece of pieces) bytes += piece.length;
          return bytes;
        },
      };
    },
  });
}

/** No stream ever has a hole. */
function unseeing(bus: Bus): Bus {
  return altered(bus, { holesUntil: async () => undefined });
}

/** Why a run ends is not said. */
function tightLipped(bus: Bus): Bus {
  return altered(bus, {
    append: (stream, subject, data, options) => {
      const text = Buffer.from(data)
        .toString()
        .replace(/lost|went back/g, 'fine');
      const isOurs = stream.name === streams.runs.name;
      return bus.append(stream, subject, isOurs ? Buffer.from(text) : data, options);
    },
  });
}

const found = async (seed: number, wrapBus: NonNullable<RunOptions['wrapBus']>): Promise<string[]> => {
  const { violations } = await attempt(scenarioOf(seed, 'rewinds'), { wrapBus });
  return violations.map(({ checker }) => checker);
};

it('a schedule that is fired a second time behind a loss is found', async () => {
  expect(await found(20_083, forgettingLosses)).toContain('fired-once-whatever-is-lost');
});

it('a file that is VERIFIED without its bytes is found', async () => {
  expect(await found(20_637, keepingParts)).toContain('verified-has-its-bytes');
});

it('a run whose events were lost and that does not say so is found', async () => {
  expect(await found(9_022, tightLipped)).toContain('cut-is-said');
});

/** Of what seeds have found: each broke a promise before the runtime was corrected. */
it.each([20_083, 20_230, 20_637, 20_966])('seed %i keeps its promises behind what is lost', async (seed) => {
  const { violations } = await attempt(scenarioOf(seed, 'rewinds'));
  expect(violations).toEqual([]);
});

it('a telecommand that leaves twice, since nobody looked whether its events were lost, is found', async () => {
  expect(await found(300_313, unseeing)).toContain('never-twice');
});
