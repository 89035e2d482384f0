/** Documents of CSP links: what compiles and every fault of what does not. */

import { describe, expect, it } from 'vitest';
import { compiled, faultsOf, platform, topology } from './documents.ts';

const board = (encode: object = {}, packets: object = {}) =>
  platform({
    components: {
      eps: { measures: { v: { type: 'u8' } }, telecommands: { go: { encode } } },
      obc: { measures: { n: { type: 'u8' } } },
    },
    packets,
  });
const flown = (transport: object | undefined, settings: object = {}) =>
  topology({
    drivers: { csp: { protocol: 'csp', ...settings } },
    targets: {
      sat: {
        platform: 'box@1.0.0',
        environments: ['bench'],
        links: { uhf: { default: true, driver: 'csp', ...(transport !== undefined && { transport }) } },
      },
    },
  });
const GOOD = { kind: 'csp', version: 1, source: 10, destination: 1, port: 7 };

const said = (transport: object | undefined, encode?: object, settings?: object): string[] =>
  faultsOf([board(encode), flown(transport, settings)]).map(({ path, message }) => `${path}: ${message}`);

describe('the transport of CSP', () => {
  it('compiles with addresses, ports by component, CRC and KISS', () => {
    const more = {
      nodes: { eps: 2 },
      ports: { eps: 9 },
      source_port: 50,
      priority: 'high',
      crc: true,
      kiss: true,
    };
    compiled([board(), flown({ ...GOOD, ...more })]);
    compiled([board(), flown({ ...GOOD, version: 2, source: 10_000 })]);
  });

  it('is needed', () => {
    expect(said(undefined)).toEqual(['targets.sat.links.uhf: a CSP link needs its addresses']);
  });

  it('reports every fault at once', () => {
    const transport = { ...GOOD, source: 40, destination: 31, nodes: { esp: 40 }, ports: { obcc: 3 } };
    expect(said(transport)).toEqual([
      'targets.sat.links.uhf.transport.source: 40 is no address of version 1',
      'targets.sat.links.uhf.transport.destination: 31 is the address of all',
      'targets.sat.links.uhf.transport.nodes.esp: 40 is no address of version 1',
      'targets.sat.links.uhf.transport.source: 40 is an address on board too',
      'targets.sat.links.uhf.transport.nodes.esp: no component "esp"',
      'targets.sat.links.uhf.transport.ports.obcc: no component "obcc"',
    ]);
    expect(said({ kind: 'csp', version: 3, sorce: 1, destination: 70_000 })).toHaveLength(4);
  });

  it.each([
    ['hmac', 'mission document'],
    ['xtea', 'unsafe'],
    ['rdp', 'leaves twice'],
    ['fragments', 'one packet'],
    ['compression', 'does not define'],
  ])('refuses %s with the reason', (key, why) => {
    expect(said({ ...GOOD, [key]: true })).toEqual([
      expect.stringMatching(new RegExp(`transport.${key}: CSP with ${key} is not supported: .*${why}`)),
    ]);
    compiled([board(), flown({ ...GOOD, [key]: false })]);
  });

  it('check/csp.P1 needs a port for every telecommand it carries, and one that CSP has', () => {
    const { port: _, ...without } = GOOD;
    expect(said(without)).toEqual([
      'targets.sat.links.uhf.transport: nothing says to which port eps.go goes',
    ]);
    compiled([board(), flown({ ...without, ports: { eps: 3 } })]);
    compiled([board({ port: 3 }), flown(without)]);
    expect(said(GOOD, { port: 64 })).toEqual([
      expect.stringContaining('eps.go goes to port 64, and CSP has 0 to 63'),
    ]);
    // Telecommands of another protocol go over another link.
    compiled([board({ service: 17, subtype: 1 }), flown(without)]);
  });

  it('has a driver without settings', () => {
    expect(said(GOOD, {}, { address: 10 })).toEqual([
      'drivers.csp.address: a driver of protocol csp has no setting "address"',
    ]);
  });
});

describe('packets of CSP', () => {
  const faults = (packets: object): string[] =>
    faultsOf([board({}, packets), flown(GOOD)]).map(({ path, message }) => `${path}: ${message}`);
  const fields = [{ to: 'eps.v' }];

  it('are chosen by port, port of the sender, sender', () => {
    compiled([
      board(
        {},
        {
          a: { csp: { port: 30 }, fields },
          b: { csp: { port: 31, source: 2 }, fields },
          c: {
            csp: { source_port: 5 },
            match: [{ at: 0, bits: 8, equals: 1 }],
            fields: [{ at: 1, to: 'eps.v' }],
          },
        },
      ),
      flown(GOOD),
    ]);
  });

  it('report what does not go together and what is never reached', () => {
    expect(faults({ a: { csp: { port: 30 }, apid: 3, fields } })).toEqual([
      'packets.a.csp: a CSP packet has no APID, service or subtype',
    ]);
    expect(faults({ a: { csp: { port: 64 }, fields } })).toHaveLength(1);
    expect(faults({ a: { csp: {}, fields } })).toHaveLength(1);
    const twice = { a: { csp: { port: 30 }, fields }, b: { csp: { port: 30 }, fields: [{ to: 'obc.n' }] } };
    expect(faults(twice)).toEqual(['packets.b: packet a matches the same packets first']);
  });
});
