import { describe, expect, it } from 'vitest';
import { load } from '../../../mission/load.ts';
import { gatewayOfPass } from '../../../mission/pass/station-gateway.ts';
import { compiled } from '../documents.ts';

const TOPOLOGY = `
topology: stations
environments: { bench: {}, flight: { kind: in_orbit } }
gateways:
  plain: { tags: [s-band] }
  kiruna-uhf: { tags: [kiruna, uhf] }
  kiruna-s: { tags: [s-band, kiruna] }
  kiruna-s2: { tags: [kiruna, s-band] }
  svalbard-s: { tags: [svalbard, s-band, spare] }
  named: {}
drivers: { enc: { protocol: space-packet } }
targets:
  by-tags:
    platform: box@1.0.0
    environments: [flight]
    links: { s: { default: true, driver: enc, tags: [s-band] }, u: { tags: [uhf] } }
  by-name:
    platform: box@1.0.0
    environments: [flight]
    links: { s: { default: true, driver: enc, gateway: named } }
  by-environment:
    platform: box@1.0.0
    environments: [bench, flight]
    links:
      s: { default: true, driver: enc, environments: { bench: { gateway: named }, flight: { tags: [s-band] } } }
  by-nothing:
    platform: box@1.0.0
    environments: [flight]
    links: { s: { default: true, driver: enc } }
`;
const PLATFORM = `
platform: box
version: 1.0.0
components: { obc: { measures: { mode: { type: u8 } } } }
`;
const { configuration, revision } = compiled([
  { file: 'platform.yaml', text: PLATFORM },
  { file: 'topology.yaml', text: TOPOLOGY },
]);
const mission = load(configuration, revision);
const of = (target: string, station: string) => gatewayOfPass(mission, mission.targets.get(target)!, station);

describe('the gateway of a pass', () => {
  it('MC-PASS-051 carries the station as a tag beside those that the link asks for; the first of several', () => {
    expect(of('by-tags', 'kiruna')).toEqual({ gateway: 'kiruna-s' });
    expect(of('by-tags', 'svalbard')).toEqual({ gateway: 'svalbard-s' });
  });

  it('MC-PASS-051 is none where one carries the station without the tags, or the tags without the station', () => {
    expect(of('by-tags', 'santiago')).toEqual({ reason: 'no gateway carries the tags s-band, santiago' });
  });

  it('MC-PASS-052 is the one that the link names, whatever the station', () => {
    expect(of('by-name', 'kiruna')).toEqual({ gateway: 'named' });
    expect(of('by-name', 'santiago')).toEqual({ gateway: 'named' });
  });

  it('is that of the environment declared last', () => {
    expect(of('by-environment', 'kiruna')).toEqual({ gateway: 'kiruna-s' });
  });

  it('is none for a link that names neither a gateway nor tags', () => {
    expect(of('by-nothing', 'kiruna')).toEqual({ reason: 'link s names neither a gateway nor tags' });
  });
});
