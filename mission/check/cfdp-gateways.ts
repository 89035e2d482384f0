/**
 * Links that carry CFDP over the same gateway: whose PDU a frame is must be clear from the frame.
 *
 * G1. PDUs are distinguished by their APID and by the identifiers of both ends. Two links with all of these the same
 *     would each answer for the other's transactions.
 * G2. An APID of PDUs carries nothing else over that gateway: another link would read PDUs as damaged telemetry.
 */

import type {
  DriverConfiguration,
  GatewayConfiguration,
  LinkConfiguration,
  TargetConfiguration,
} from '../configuration.ts';
import type { FaultsAt } from '../document/fault.ts';
import { gatewaysOf } from './link-gateways.ts';

interface Flown {
  readonly gateways: readonly GatewayConfiguration[];
  readonly drivers: readonly DriverConfiguration[];
  readonly targets: readonly TargetConfiguration[];
}

type Fields = Readonly<Record<string, unknown>>;

/** How a link is used over one gateway. */
interface Use {
  readonly target: string;
  readonly link: string;
  /** Where its PDUs and those of others are the same; undefined: it carries no CFDP. */
  readonly pdus: string | undefined;
  readonly apid: unknown;
  /** Where the document says so. */
  readonly at: FaultsAt;
}

/** Reports links whose frames nobody can distinguish. */
export function checkCfdpGateways({ gateways, drivers, targets }: Flown, faults: FaultsAt): void {
  const byName = new Map(drivers.map((driver) => [driver.name, driver]));
  if (!drivers.some(speaksCfdp)) return;
  const uses = new Map<string, Use[]>();
  for (const target of targets)
    for (const link of target.links) {
      const at = faults.in(target.name, 'links', link.name);
      const own = usesOf(target.name, link, byName.get(link.driver ?? ''), at);
      for (const gateway of gatewaysOf(link, gateways))
        uses.set(gateway, [...(uses.get(gateway) ?? []), ...own]);
    }
  for (const [gateway, of] of uses) checkGateway(gateway, of);
}

function speaksCfdp({ protocol, settings }: DriverConfiguration): boolean {
  return protocol === 'cfdp' || (protocol === 'pus-c' && settings['cfdp'] !== undefined);
}

function usesOf(
  target: string,
  { name: link, transport = {} }: LinkConfiguration,
  driver: DriverConfiguration | undefined,
  at: FaultsAt,
): Use[] {
  if (driver === undefined) return [];
  const { protocol, settings } = driver;
  const isAlone = protocol === 'cfdp';
  const section = isAlone ? transport : fieldsOf(transport['cfdp']);
  const ground = isAlone ? settings : fieldsOf(settings['cfdp']);
  const uses: Use[] = [];
  if (section !== undefined && ground !== undefined) {
    const { entity, apid } = section;
    const where = isAlone ? at.in('transport') : at.in('transport', 'cfdp');
    uses.push({
      target,
      link,
      apid,
      pdus: JSON.stringify([apid ?? null, ground['entity'], entity]),
      at: where,
    });
  }
  const apid = transport['apid'] ?? settings['apid'];
  if (!isAlone && apid !== undefined)
    uses.push({ target, link, apid, pdus: undefined, at: at.in('transport') });
  return uses;
}

function checkGateway(gateway: string, uses: readonly Use[]): void {
  const known = new Map<string, Use>();
  const packets = new Map(uses.filter(({ pdus }) => pdus === undefined).map((each) => [each.apid, each]));
  for (const use of uses.filter(({ pdus }) => pdus !== undefined)) {
    const same = known.get(use.pdus!);
    known.set(use.pdus!, same ?? use);
    // G1
    if (same !== undefined && !isOne(same, use))
      use.at.fault(
        `link ${same.link} of ${same.target} has the same entities over gateway ${gateway}: nothing distinguishes their PDUs`,
        'give the spacecraft identifiers of their own, or PDUs an APID of their own',
      );
    // G2; on one link it is said of the link already
    const other = use.apid === undefined ? undefined : packets.get(use.apid);
    if (other !== undefined && !isOne(other, use))
      use.at.fault(
        `APID ${String(use.apid)} carries link ${other.link} of ${other.target} over gateway ${gateway}`,
        'give PDUs an APID of their own',
      );
  }
}

function isOne(one: Use, other: Use): boolean {
  return one.target === other.target && one.link === other.link;
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
}
