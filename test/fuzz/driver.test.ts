import fc from 'fast-check';
import { describe, it } from 'vitest';
import { BlockBuilder } from '../../contract/batch.ts';
import type { Driver, LinkSource, Reading } from '../../links/driver/driver.ts';
import { createDriver } from '../../links/driver/protocols.ts';
import type { Mission } from '../../mission/mission.ts';
import type { FileReadings } from '../../mission/platform.ts';
import { absentBus } from '../http/fixture.ts';
import { FUZZ_TEST_MS, fuzz } from './cases.ts';
import { demand } from './demand.ts';
import { anyFrame, shippedMissions } from './shipped.ts';

const missions = shippedMissions();

describe('any frame', { timeout: FUZZ_TEST_MS }, () => {
  it('is read by the layouts of a platform into whole rows, or refused leaving nothing behind', () => {
    const platforms = missions.flatMap(({ targets }) =>
      [...targets.values()].flatMap(({ platform }) => platform ?? []),
    );
    fuzz({ cases: 6_000 }, fc.tuple(fc.array(anyFrame, { maxLength: 3 }), fc.nat(63)), ([packets, port]) => {
      for (const platform of platforms) {
        const samples = new BlockBuilder();
        const files: FileReadings = { samples: [], chunks: [] };
        for (const packet of packets) {
          const before = taken(files);
          const read = platform.packets.read(packet, 1, samples, files);
          if (read !== undefined && 'fault' in read) {
            demand(read.fault !== '', 'a fault without a reason');
            demand(taken(files) === before, 'files of a packet that is refused');
          }
          demand(taken(files) - before <= packet.length, 'more files than there are bytes');
          platform.datagrams.read({ port, sourcePort: port, source: 1 }, packet, 1, samples, files);
          platform.lines.read(packet.toString('latin1'), 1, samples);
          platform.lines.answers(packet.toString('latin1'));
        }
        for (const { ordinals, ground, raw } of samples.take()) {
          demand(raw.length === ordinals.length * ground.length, 'a row that is not whole');
          demand(
            ordinals.every((ordinal) => ordinal < platform.measures.length),
            'a measure nobody has',
          );
        }
      }
    });
  });

  it('is decoded by every driver of the service without a throw, for the bus and for a caller', () => {
    const drivers = missions.flatMap(driversOf);
    demand(new Set(drivers.map(({ protocol }) => protocol)).size >= 4, 'a protocol that no mission speaks');
    fuzz({ cases: 4_000 }, anyFrame, (bytes) => {
      for (const { driver, source, mission } of drivers) {
        driver.read(bytes, 1, source, reading());
        const { target, link } = source;
        const call = { target: target.name, link: link.name, frame: bytes.toString('hex') };
        const decoded = driver.decode?.(call, mission);
        if (decoded?.ok === false)
          for (const { message } of decoded.faults) demand(message !== '', 'no reason');
      }
    });
  });
});

/** Entries, and bytes of chunks. */
function taken({ samples, chunks }: FileReadings): number {
  return chunks.reduce((sum, { data }) => sum + data.length, samples.length);
}

function reading(): Reading {
  return {
    samples: new BlockBuilder(),
    files: { samples: [], chunks: [] },
    reports: [],
    fault: (detail) => demand(detail !== '', 'a fault without a reason'),
  };
}

interface Tried {
  readonly driver: Driver;
  readonly protocol: string;
  readonly source: LinkSource;
  readonly mission: Mission;
}

/** Each driver of the mission with each link it reads. */
function driversOf(mission: Mission): Tried[] {
  return [...mission.targets.values()].flatMap((target) =>
    [...target.links.values()].flatMap((link) => {
      const definition = link.driver === undefined ? undefined : mission.drivers.get(link.driver);
      const { platform } = target;
      if (definition === undefined || platform === undefined) return [];
      const driver = createDriver(definition, absentBus);
      if (!driver.ok) throw new Error(driver.faults.join());
      const { protocol } = definition;
      return [{ driver: driver.value, protocol, source: { target, link, platform }, mission }];
    }),
  );
}
