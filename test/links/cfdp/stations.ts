/** One target whose default link follows passes over stations, with CFDP beside its telecommands. */

const TRANSPORT = { kind: 'space-packet', apid: 116, cfdp: { entity: 42, apid: 117 } };

/** More of the topology, with these gateways. */
export function stationsOf(gateways: Readonly<Record<string, object>>): object {
  const link = { default: true, driver: 'pus', tags: ['s-band'], transport: TRANSPORT };
  const sat = { platform: 'box@1.0.0', environments: ['bench'], links: { s: link } };
  return { gateways, stations: { kiruna: {} }, targets: { sat } };
}
