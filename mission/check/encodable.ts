/**
 * Telecommands that nobody can make a frame of: each is refused when it is sent, which is late. Mission Control
 * Service, section 2.1 (Encoded).
 *
 * N1. Only what is certain is a fault: a target of which all links have drivers of this service, at least one of which
 *     encodes. What a driver outside needs is not known here, and a target that only listens takes no telecommands.
 */

import type {
  LinkConfiguration,
  PlatformConfiguration,
  TargetConfiguration,
  TelecommandConfiguration,
  TopologyConfiguration,
} from '../configuration.ts';
import type { ReadDocument } from '../document/read.ts';

/** What a telecommand needs for a driver of each protocol that encodes; undefined: it has it. */
const LACKS: Readonly<Record<string, (telecommand: TelecommandConfiguration) => string | undefined>> = {
  'pus-c': ({ encode }) => {
    const { service, subtype } = encode?.header ?? {};
    return isByte(service) && isByte(subtype) ? undefined : 'service and subtype';
  },
  csp: ({ encode }) => (encode === undefined || encode.line !== undefined ? 'fields, or {}' : undefined),
  text: ({ encode }) => (encode?.line === undefined ? 'line' : undefined),
};
/** Protocols of this service whose drivers encode nothing. */
const LISTENING: readonly string[] = ['space-packet', 'cfdp'];

/** Reports each telecommand of these platforms that no driver of a target can encode, once. */
export function checkEncodable(
  documents: readonly ReadDocument[],
  platforms: ReadonlyMap<string, PlatformConfiguration>,
  { targets, drivers }: TopologyConfiguration,
): void {
  const protocols = new Map(drivers.map(({ name, protocol }) => [name, protocol]));
  for (const { value, faults } of documents) {
    const { platform, version } = value as { platform: string; version: string };
    const id = `${platform}@${version}`;
    const flown = targets.filter((target) => target.platform === id && isCertain(target, protocols));
    for (const component of platforms.get(id)?.components ?? []) {
      for (const telecommand of component.telecommands) {
        const needs = flown.map((target) => needsOf(target, component.name, telecommand, protocols));
        const at = needs.findIndex((need) => need !== undefined);
        if (at < 0) continue;
        const place = ['components', component.name, 'telecommands', telecommand.name];
        const where = telecommand.encode === undefined ? place : [...place, 'encode'];
        faults
          .in(...where)
          .keyFault(`no driver of target ${flown[at]!.name} can encode ${telecommand.name}`, needs[at]!);
      }
    }
  }
}

/** N1 */
function isCertain({ links }: TargetConfiguration, protocols: ReadonlyMap<string, string>): boolean {
  const spoken = links.map(({ driver }) => protocols.get(driver ?? ''));
  const isOurs = (protocol: string | undefined): boolean =>
    protocol !== undefined && (Object.hasOwn(LACKS, protocol) || LISTENING.includes(protocol));
  return spoken.every(isOurs) && spoken.some((protocol) => Object.hasOwn(LACKS, protocol ?? ''));
}

/** What to write so that one of the drivers can; undefined where one can. */
function needsOf(
  { links }: TargetConfiguration,
  component: string,
  telecommand: TelecommandConfiguration,
  protocols: ReadonlyMap<string, string>,
): string | undefined {
  const carrying = links.filter((link) => carries(link, component));
  const spoken = [...new Set(carrying.map(({ driver }) => protocols.get(driver ?? '') ?? ''))];
  const needs = spoken.flatMap((protocol) => {
    const lacks = LACKS[protocol];
    return lacks === undefined ? [] : [{ protocol, lacking: lacks(telecommand) }];
  });
  if (needs.some(({ lacking }) => lacking === undefined)) return undefined;
  const ways = needs.map(({ protocol, lacking }) => `${lacking} for ${protocol}`);
  return `give its encode ${ways.join(', or ')}`;
}

function carries({ components }: LinkConfiguration, component: string): boolean {
  return components === undefined || components.includes(component);
}

function isByte(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255;
}
