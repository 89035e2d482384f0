/** The mission of archives: two spacecraft of the demo platform, and how long their past is kept. */

import { type PlatformColumns, platformColumns } from '../../../archive/platform-columns.ts';
import { load } from '../../../mission/load.ts';
import { compiledWith, type Published } from '../mission.ts';

export const ARCHIVE_TARGETS = ['sat1', 'sat2'] as const;

const TOPOLOGY = `
topology: archive
environments:
  bench: { identity: declared, human_orchestration: false }
gateways:
  sim-1: { simulated: true, model: cubesat-6u }
drivers:
  pus: { protocol: pus-c }
targets:
${ARCHIVE_TARGETS.map(
  (target) => `
  ${target}:
    platform: cubesat-6u@1.0.0
    environments: [bench]
    links:
      uhf: { default: true, driver: pus, transport: { kind: space-packet, apid: 0x73 }, gateway: sim-1 }
`,
).join('')}`;

/** ms; the shortest that a mission may ask for, and as long again for minutes. */
export const RETENTION = { samplesMs: 86_400_000, minutesMs: 2 * 86_400_000 } as const;

function missionWith(settings: string): Published {
  return compiledWith([
    { file: 'topology.yaml', text: TOPOLOGY },
    { file: 'config.yaml', text: `reconciler: { leader_ttl: 3 s }\n${settings}` },
  ]);
}

let flown: { readonly [retains in 'forever' | 'aDay']: Published } | undefined;

/** Compiled when it is first asked for. */
export function archiveMission(retains: boolean): Published {
  flown ??= {
    forever: missionWith(''),
    aDay: missionWith('archive: { retention: { samples: 1 d, minutes: 2 d } }\n'),
  };
  return retains ? flown.aDay : flown.forever;
}

export function archivedPlatform({ configuration, revision }: Published): PlatformColumns {
  const platform = load(configuration, revision).targets.get(ARCHIVE_TARGETS[0])?.platform;
  if (platform === undefined) throw new Error('what is archived has no platform');
  return platformColumns(platform);
}
