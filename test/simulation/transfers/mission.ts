/**
 * The mission of files that come and go: three spacecraft with the files of the demo platform, each with another
 * checksum, two that are read and written by telecommands and one that speaks CFDP.
 */

import { readFileSync } from 'node:fs';
import { compiledWith, type Published } from '../mission.ts';

/** What their listings say of a file, and how it is transferred. */
export const FILE_TARGETS = {
  sat1: { checksum: 'crc32', protocol: 'chunked', gateway: 'sim-1' },
  sat2: { checksum: 'sha256', protocol: 'chunked', gateway: 'sim-2' },
  sat3: { checksum: 'md5', protocol: 'cfdp', gateway: 'sim-3' },
} as const;
export type FileTarget = keyof typeof FILE_TARGETS;
export const FILE_TARGET_NAMES = Object.keys(FILE_TARGETS) as [FileTarget, ...FileTarget[]];

/** The driver of the one that speaks CFDP. */
export const CFDP_DRIVER = 'files';
/** Of each link, bit/s: what requests are sized by where nothing was measured. */
export const LINK_RATE = 16_000;
/** Where passes are. */
export const STATION = 'north';

const SETTINGS = 'reconciler: { leader_ttl: 3 s }\n';

const TOPOLOGY = `
topology: files
environments:
  bench: { identity: declared, human_orchestration: false }
gateways:
${FILE_TARGET_NAMES.map((target) => `  ${FILE_TARGETS[target].gateway}: { simulated: true, model: cubesat-6u, tags: [${target}, ${STATION}] }\n`).join('')}
drivers:
  pus: { protocol: pus-c }
  ${CFDP_DRIVER}: { protocol: cfdp, entity: 1 }
targets:
${FILE_TARGET_NAMES.map(targetOf).join('')}`;

function targetOf(name: FileTarget): string {
  const { protocol } = FILE_TARGETS[name];
  const link =
    protocol === 'cfdp'
      ? `driver: ${CFDP_DRIVER}, transport: { kind: cfdp, entity: 42 }`
      : 'driver: pus, transport: { kind: space-packet, apid: 0x73 }';
  return `
  ${name}:
    platform: ${platformOf(name)}@1.0.0
    environments: [bench]
    links:
      uhf: { default: true, ${link}, tags: [${name}], rate: ${LINK_RATE / 1_000} kbit/s }
`;
}

function platformOf(name: FileTarget): string {
  return name === 'sat1' ? 'cubesat-6u' : `cubesat-${FILE_TARGETS[name].checksum}`;
}

const CHUNKED = 'transfer: { list: list, read: read, write: write, max_chunk: 200, checksum: crc32 }';
const CHECKSUM_BYTES = { crc32: 4, md5: 16, sha256: 32 } as const;
const TELECOMMANDS = /\n {4}read:\n[\s\S]*?(?=\n {4}delete:)/;

/** The demo platform under another name. */
function platformDocument(name: FileTarget, demo: string): string {
  const { checksum, protocol } = FILE_TARGETS[name];
  const cfdp = protocol === 'cfdp';
  const transfer = cfdp
    ? `transfer: { list: list, protocol: cfdp, checksum: ${checksum} }`
    : CHUNKED.replace('crc32', checksum);
  const named = demo
    .replace('platform: cubesat-6u\n', `platform: ${platformOf(name)}\n`)
    .replace(', on_raise: run "shed_load"', '')
    .replace(
      '{ type: bytes, size: 4, to: checksum }',
      `{ type: bytes, size: ${CHECKSUM_BYTES[checksum]}, to: checksum }`,
    )
    .replace(CHUNKED, transfer);
  return cfdp ? named.replace(TELECOMMANDS, '') : named;
}

let made: Published | undefined;

/** The configuration, made once: other kinds of scenarios need none of it. */
export function filesMission(): Published {
  const file = new URL('../../../missions/demo/cubesat-6u.yaml', import.meta.url);
  made ??= compiledWith([
    { file: 'topology.yaml', text: TOPOLOGY },
    ...(['sat2', 'sat3'] as const).map((name) => ({
      file: `${name}.yaml`,
      text: platformDocument(name, readFileSync(file, 'utf8')),
    })),
    { file: 'config.yaml', text: SETTINGS },
  ]);
  return made;
}
