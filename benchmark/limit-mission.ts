/**
 * A mission made of limits: every spacecraft has so many measures, each with soft and hard limits, in space packets,
 * and a gateway of its own. What alarms are measured on where real samples are to cross. Mission Control Service,
 * section 2.4.
 *
 * Y1. A packet carries the same value for all its measures: all of them cross with it, or none.
 */

import type { SourceFile } from '../mission/document/read.ts';

/** What every measure says that is nominal, and what is outside its soft limits. */
export const NOMINAL = 10;
export const OUTSIDE = 150;

const PLATFORM = 'limits';
/** As its missions name it. */
export const LIMIT_PLATFORM = `${PLATFORM}@1.0.0`;
const APID = 0x42;
const HEADER_BYTES = 6;
const COUNT_BYTES = 2;
/** The sequence count of a packet is not followed: both flags say that it stands alone. */
const ALONE = 0xc000;

interface LimitMission {
  readonly targets: readonly string[];
  /** Packets of each target, numbered from 1. */
  readonly pages: number;
  /** Measures of one packet. */
  readonly measures: number;
  /** The declaration of a gateway; default: one that is served from outside. */
  readonly gateway?: (target: string) => string;
}

/** The documents of the mission. */
export function limitMission({ targets, pages, measures, gateway = () => '{}' }: LimitMission): SourceFile[] {
  return [
    { file: 'limits.yaml', text: platform(pages, measures) },
    { file: 'topology.yaml', text: topology(targets, gateway) },
  ];
}

/** The gateway of a target. */
export function gatewayOf(target: string): string {
  return `gw-${target}`;
}

/** The packet of one page in which every measure has that value. */
export function limitPacket(page: number, value: number, measures: number): Buffer {
  const packet = Buffer.alloc(HEADER_BYTES + COUNT_BYTES * (1 + measures));
  packet.writeUInt16BE(APID, 0);
  packet.writeUInt16BE(ALONE, 2);
  packet.writeUInt16BE(packet.length - HEADER_BYTES - 1, 4);
  packet.writeUInt16BE(page, HEADER_BYTES);
  for (let at = HEADER_BYTES + COUNT_BYTES; at < packet.length; at += COUNT_BYTES)
    packet.writeUInt16BE(value, at);
  return packet;
}

function platform(pages: number, measures: number): string {
  const instances = numbers(pages).map((page) => `"${page}"`);
  const limits = '{ soft: [0, 100], hard: [0, 200] }';
  return `
platform: ${PLATFORM}
version: 1.0.0
components:
  bank:
    instances: [${instances.join(', ')}]
    measures:
${numbers(measures)
  .map((n) => `      m${n}: { type: u16, limits: ${limits} }`)
  .join('\n')}
packets:
${numbers(pages)
  .map((page) => layout(page, measures))
  .join('')}`;
}

function layout(page: number, measures: number): string {
  const fields = numbers(measures).map((n) => `      - { to: "bank[${page}].m${n}" }`);
  return `  page-${page}:
    apid: ${APID}
    match: [{ at: ${HEADER_BYTES}, type: u16, equals: ${page} }]
    fields:
      - { at: ${HEADER_BYTES}, type: u16, to: skip }
${fields.join('\n')}
`;
}

function topology(targets: readonly string[], gateway: (target: string) => string): string {
  return `
topology: limits
environments:
  bench: { identity: declared, human_orchestration: false }
gateways:
${targets.map((target) => `  ${gatewayOf(target)}: ${gateway(target)}`).join('\n')}
drivers:
  packets: { protocol: space-packet }
targets:
${targets.map(targetOf).join('')}`;
}

function targetOf(name: string): string {
  return `  ${name}:
    platform: ${LIMIT_PLATFORM}
    environments: [bench]
    links:
      down: { default: true, driver: packets, transport: { kind: space-packet, apid: ${APID} }, gateway: ${gatewayOf(name)} }
`;
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n + 1);
}
