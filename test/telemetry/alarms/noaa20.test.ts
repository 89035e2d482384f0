/** Recorded flight data of NOAA-20 with limits: the alarms are those that a plain script finds in the recording. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { BlockBuilder, type DecodedBatch, decodeBatch, encodeBatch } from '../../../contract/batch.ts';
import type { Platform } from '../../../mission/platform.ts';
import type { AlarmEdge } from '../../../ports/alarm-watch.ts';
import { PacketSplitter } from '../../../protocol/packet-splitter.ts';
import { createAlarmWatch } from '../../../telemetry/alarms/alarm-watch.ts';
import { calibrateBatch } from '../../../telemetry/calibration.ts';
import { Compute } from '../../../telemetry/compute/compute.ts';
import { demoDocuments, loaded } from '../../mission/documents.ts';
import { NOAA20_LIMITS, recordedNorms, recordedTransitions } from '../../support/noaa20-limits.ts';
import { T0 } from './watched.ts';

const RECORDING = new URL('../../../missions/demo/recordings/noaa20-geolocation.ccsds', import.meta.url);
const NORM = 'adcfaq1 * adcfaq1 + adcfaq2 * adcfaq2 + adcfaq3 * adcfaq3 + adcfaq4 * adcfaq4';
const OUTSIDE = 'norm > 1.00000003';

/** The platform of the demo with limits on positions and velocities, and the norm of the quaternion. */
function limitedPlatform(): Platform {
  const documents = demoDocuments().map(({ file, text }) => {
    if (file !== 'jpss-geolocation.yaml') return { file, text };
    const document = parse(text);
    const { ephemeris, attitude } = document.components;
    for (const [name, limits] of Object.entries(NOAA20_LIMITS)) {
      if (name in ephemeris.measures)
        Object.assign(ephemeris.measures[name], { limits: inUnit(name, limits) });
    }
    for (const name of Object.keys(attitude.measures)) delete attitude.measures[name].limits;
    attitude.measures.norm = { type: 'f64', derived: NORM, limits: NOAA20_LIMITS.norm };
    attitude.alarms = { stretched: { when: OUTSIDE, severity: 'critical' } };
    return { file, text: stringify(document) };
  });
  return loaded(documents).platforms.get('jpss-geolocation@1.0.0')!;
}

function inUnit(name: string, { soft, hard }: (typeof NOAA20_LIMITS)['norm']): object {
  const unit = name.includes('pos') ? 'm' : 'm/s';
  const written = (bounds: readonly number[]) => bounds.map((bound) => `${bound} ${unit}`);
  return { soft: written(soft), hard: written(hard) };
}

/** What the watch says of the recording in messages of `packets`, one packet a second. */
function edgesOf(platform: Platform, packets: number): AlarmEdge[] {
  const splitter = new PacketSplitter();
  const recorded = [...splitter.push(readFileSync(RECORDING)), ...splitter.end()];
  const compute = new Compute(platform);
  const edges: AlarmEdge[] = [];
  const watch = createAlarmWatch({ platform, tell: (edge) => edges.push(edge) });
  for (let from = 0; from < recorded.length; from += packets) {
    const into = new BlockBuilder();
    for (const [index, packet] of recorded.slice(from, from + packets).entries()) {
      platform.packets.read(packet, T0 + (from + index) * 1_000, into);
    }
    const batch = { platform: platform.digest, link: 'replay', blocks: into.take(), reports: [] };
    const decoded = decodeBatch<DecodedBatch>(encodeBatch(batch));
    const values = compute.apply(calibrateBatch(decoded, platform, false));
    watch.apply(decodeBatch(encodeBatch(values)), from / packets + 1);
  }
  return edges;
}

const transitionsIn = (edges: readonly AlarmEdge[]) =>
  edges
    .filter(({ alarm }) => alarm !== 'stretched')
    .map(({ alarm, severity, value, evaluated }) => ({
      measure: alarm,
      packet: (evaluated.at - T0) / 1_000,
      severity,
      value,
    }))
    .sort((one, other) => one.packet - other.packet || (one.measure < other.measure ? -1 : 1));

describe('the recorded flight with limits', () => {
  const platform = limitedPlatform();
  const expected = recordedTransitions();

  it('crosses each of its limits', () => {
    for (const measure of Object.keys(NOAA20_LIMITS)) {
      const severities = expected.filter((each) => each.measure === measure).map(({ severity }) => severity);
      expect(new Set(severities), measure).toEqual(new Set([null, 'warning', 'critical']));
    }
    expect(expected.length).toBeGreaterThan(3_000);
  });

  it.each([7, 256])(
    'MC-ALM-014 raises and clears what the script finds, no more and no less, in messages of %i',
    (packets) => {
      expect(transitionsIn(edgesOf(platform, packets))).toEqual(expected);
    },
  );

  it('MC-ALM-015 the named alarm of the norm is true where the script finds the norm outside', () => {
    const stretched = edgesOf(platform, 60).filter(({ alarm }) => alarm === 'stretched');
    let above: boolean | undefined;
    const turns = recordedNorms().flatMap((norm, packet) => {
      const now = norm > NOAA20_LIMITS.norm.soft[1];
      const turned = now !== above;
      above = now;
      return turned ? [[packet, now ? 'critical' : null]] : [];
    });
    expect(stretched.map(({ evaluated, severity }) => [(evaluated.at - T0) / 1_000, severity])).toEqual(
      turns,
    );
  });
});
