/** Documents of drivers and links that speak CFDP: what compiles and every fault of what does not. */

import { describe, expect, it } from 'vitest';
import { compile } from '../../mission/compile.ts';
import { compiled, faultsOf, platform, topology } from './documents.ts';

const LINK = { kind: 'cfdp', entity: 42 };
const EVERY = {
  entity: 1,
  entity_bytes: 4,
  sequence_bytes: 8,
  pdu: 512,
  checksum: 'crc32c',
  crc: false,
  naks: 'deferred',
  ack_timer: '5 s',
  ack_limit: 3,
  nak_timer: '1 min',
  nak_limit: 10,
  inactivity_timer: '5 min',
  begin_timer: '90 s',
};

const documents = (settings: object, transport: object | undefined = LINK) => [
  platform({ components: { obc: { measures: { n: { type: 'u8' } } } } }),
  topology({
    drivers: { files: { protocol: 'cfdp', description: 'Files', ...settings } },
    targets: {
      sat: {
        platform: 'box@1.0.0',
        environments: ['bench'],
        links: { s: { default: true, driver: 'files', ...(transport !== undefined && { transport }) } },
      },
    },
  }),
];
const said = (settings: object, transport?: object): string[] =>
  faultsOf(documents(settings, transport)).map(({ path, message }) => `${path}: ${message}`);

describe('a driver of CFDP', () => {
  it('compiles with the identifier of the ground alone, and with everything that can be set', () => {
    compiled(documents({ entity: 1 }));
    const { configuration } = compiled(documents(EVERY, { ...LINK, entity: 2 ** 32 - 1, apid: 100 }));
    expect(configuration.topology.drivers).toEqual([{ name: 'files', protocol: 'cfdp', settings: EVERY }]);
  });

  it.each<[string, object, RegExp]>([
    ['no identifier', {}, /^drivers\.files: .*"entity" is missing/],
    ['an identifier beyond its width', { entity: 65_536 }, /entity: 65536 does not fit in 2 octets$/],
    ['a negative identifier', { entity: -1 }, /^drivers\.files\.entity: /],
    ['a width of nine octets', { entity: 1, entity_bytes: 9 }, /^drivers\.files\.entity_bytes: /],
    ['numbers of no octets', { entity: 1, sequence_bytes: 0 }, /^drivers\.files\.sequence_bytes: /],
    ['PDUs that hold no request', { entity: 1, pdu: 64 }, /^drivers\.files\.pdu: /],
    ['PDUs larger than a frame', { entity: 1, pdu: 70_000 }, /^drivers\.files\.pdu: /],
    ['an unknown checksum', { entity: 1, checksum: 'md5' }, /^drivers\.files\.checksum: /],
    ['an unknown kind of NAKs', { entity: 1, naks: 'prompted' }, /^drivers\.files\.naks: /],
    ['no attempts', { entity: 1, ack_limit: 0 }, /^drivers\.files\.ack_limit: /],
    ['a time that is none', { entity: 1, nak_timer: 'soon' }, /^drivers\.files\.nak_timer: /],
    ['a time of zero', { entity: 1, ack_timer: '0 s' }, /^drivers\.files\.ack_timer: the time is zero$/],
    ['a negative time', { entity: 1, begin_timer: '-1 s' }, /^drivers\.files\.begin_timer: .*negative/],
    ['an unknown setting', { entity: 1, inactivity: '5 min' }, /^drivers\.files\.inactivity: /],
  ])('reports %s at its place', (_, settings, fault) => {
    const faults = said(settings);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(fault);
  });

  it('reports every fault at once, each at its line', () => {
    const faults = faultsOf(documents({ entity: 1, pdu: 64, ack_limit: 0, checksum: 'md5' }));
    expect(new Set(faults.map(({ line }) => line)).size).toBe(3);
  });
});

describe('a link of CFDP', () => {
  it.each<[string, object, RegExp]>([
    ['no identifier', { kind: 'cfdp' }, /s\.transport: .*"entity" is missing/],
    ['an identifier beyond its width', { ...LINK, entity: 65_536 }, /transport\.entity: 65536 does not fit/],
    ['the identifier of the ground', { ...LINK, entity: 1 }, /entity: 1 is the identifier of the ground$/],
    [
      'an APID that PDUs do not fit',
      { ...LINK, apid: 5 },
      /apid: PDUs of 65540 bytes fit in no space packet$/,
    ],
    ['an APID of idle packets', { ...LINK, apid: 2_047 }, /s\.transport\.apid: /],
    ['another transport', { kind: 'csp', entity: 42 }, /s\.transport\.kind: /],
    ['an unknown key', { ...LINK, port: 7 }, /s\.transport\.port: /],
  ])('reports %s at its place', (_, transport, fault) => {
    const faults = said({ entity: 1, ...(fault.source.includes('65540') && { pdu: 65_540 }) }, transport);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(fault);
  });

  it('is warned of where it does not say which entity the spacecraft is', () => {
    const [box, small] = documents({ entity: 1 }, undefined);
    const text = small!.text.replace(/\n *transport:\n *kind: cfdp\n *entity: 42/, '');
    const result = compile([box!, { file: small!.file, text }]);
    if (!result.ok) throw new Error('it does not compile');
    expect(result.value.warnings.map(({ path, message }) => `${path}: ${message}`)).toContain(
      'targets.sat.links.s: it does not say which entity the spacecraft is: no file goes over it',
    );
  });
});

interface Flight {
  readonly driver?: object;
  readonly transport?: object;
  readonly more?: object;
  readonly targets?: object;
  readonly files?: object;
}

const BESIDE = { kind: 'space-packet', apid: 116, cfdp: { entity: 42, apid: 117 } };
const bound = (transport: object, driver = 'pus') => ({
  platform: 'box@1.0.0',
  environments: ['bench'],
  links: { s: { default: true, driver, gateway: 'g', transport } },
});

const flown = ({ driver, transport = BESIDE, more, targets, files }: Flight = {}) => [
  platform({ components: { obc: { measures: { n: { type: 'u8' } } } }, ...files }),
  topology({
    gateways: { g: {}, h: {} },
    drivers: { pus: { protocol: 'pus-c', cfdp: { entity: 1 }, ...driver }, ...more },
    targets: { sat: bound(transport), ...targets },
  }),
];
const reported = (flight: Flight): string[] =>
  faultsOf(flown(flight)).map(({ path, message }) => `${path}: ${message}`);

describe('CFDP beside telecommands', () => {
  it('compiles with a section of the driver and one of the link, and beside links without', () => {
    compiled(flown());
    compiled(flown({ driver: { cfdp: EVERY } }));
    compiled(flown({ targets: { other: bound({ kind: 'space-packet', apid: 9 }) } }));
  });

  it('compiles beside files alone whose PDUs have an APID of their own, also of several spacecraft', () => {
    const more = { files: { protocol: 'cfdp', description: 'Files', entity: 1 } };
    const [one, other] = [7, 8].map((entity) => bound({ kind: 'cfdp', entity, apid: 9 }, 'files'));
    compiled(flown({ more, targets: { one, other } }));
    const beside = bound({ kind: 'space-packet', apid: 9 });
    expect(reported({ more, targets: { one, beside } })).toEqual([
      expect.stringMatching(/one\.links\.s\.transport: APID 9 carries link s of beside over gateway g$/),
    ]);
  });

  it.each<[string, Flight, RegExp]>([
    [
      'a malformed section of the driver',
      { driver: { cfdp: { entity: -1 } } },
      /^drivers\.pus\.cfdp\.entity: /,
    ],
    ['a section that is no mapping', { driver: { cfdp: 'yes' }, transport: {} }, /^drivers\.pus\.cfdp: /],
    ['an unknown setting in it', { driver: { cfdp: { entity: 1, nak: 2 } } }, /^drivers\.pus\.cfdp\.nak: /],
    [
      'a zero time in it',
      { driver: { cfdp: { entity: 1, nak_timer: '0 s' } } },
      /cfdp\.nak_timer: the time is zero$/,
    ],
    [
      'a link without its identifier',
      { transport: { ...BESIDE, cfdp: { apid: 5 } } },
      /s\.transport\.cfdp: .*"entity" is/,
    ],
    [
      'a link without APID of PDUs',
      { transport: { ...BESIDE, cfdp: { entity: 5 } } },
      /s\.transport\.cfdp: .*"apid" is/,
    ],
    [
      'an APID of telecommands',
      { transport: { ...BESIDE, cfdp: { entity: 42, apid: 116 } } },
      /cfdp\.apid: 116 is the APID of the telecommands$/,
    ],
    [
      'an APID of telecommands that the driver names',
      { driver: { apid: 117 }, transport: { kind: 'space-packet', cfdp: BESIDE.cfdp } },
      /cfdp\.apid: 117 is the APID of the telecommands$/,
    ],
    [
      'the identifier of the ground',
      { transport: { ...BESIDE, cfdp: { entity: 1, apid: 117 } } },
      /cfdp\.entity: 1 is the identifier of the ground$/,
    ],
    [
      'another kind of transport',
      { transport: { ...BESIDE, kind: 'line' } },
      /s\.transport: only a transport of space/,
    ],
    [
      'a link whose driver does not speak CFDP',
      { more: { old: { protocol: 'pus-c' } }, targets: { sat: bound(BESIDE, 'old') } },
      /^targets\.sat\.links\.s\.transport\.cfdp: the driver of the link does not speak CFDP$/,
    ],
    [
      'a link of plain space packets',
      { more: { old: { protocol: 'space-packet' } }, targets: { sat: bound(BESIDE, 'old') } },
      /^targets\.sat\.links\.s\.transport\.cfdp: the driver of the link does not speak CFDP$/,
    ],
    [
      'a driver of plain space packets with the section',
      { more: { old: { protocol: 'space-packet', cfdp: { entity: 1 } } } },
      /^drivers\.old\.cfdp: a driver of protocol space-packet does not speak CFDP$/,
    ],
    [
      'the same entities twice over one gateway',
      { targets: { other: bound({ ...BESIDE, apid: 118 }) } },
      /^targets\.other\.links\.s\.transport\.cfdp: link s of sat has the same entities over gateway g/,
    ],
    [
      'PDUs in the APID of another link',
      { targets: { other: bound({ kind: 'space-packet', apid: 117 }) } },
      /^targets\.sat\.links\.s\.transport\.cfdp: APID 117 carries link s of other over gateway g$/,
    ],
  ])('reports %s at its place', (_, flight, fault) => {
    const faults = reported(flight);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(fault);
  });

  it('entities and APIDs may come again over another gateway, and entities of their own over the same', () => {
    const other = bound({ ...BESIDE, apid: 118 });
    const elsewhere = { ...other, links: { s: { ...other.links.s, gateway: 'h' } } };
    compiled(flown({ targets: { other: elsewhere } }));
    compiled(flown({ targets: { other: bound({ ...BESIDE, cfdp: { entity: 43, apid: 117 } }) } }));
    compiled(flown({ targets: { other: bound({ ...BESIDE, cfdp: { entity: 42, apid: 119 } }) } }));
  });

  it('datagrams of the same entities over one gateway are reported', () => {
    const more = { files: { protocol: 'cfdp', entity: 1 } };
    const targets = { sat: bound(LINK, 'files'), other: bound(LINK, 'files') };
    expect(reported({ more, targets })).toEqual([
      expect.stringMatching(/^targets\.other\.links\.s\.transport: link s of sat has the same entities/),
    ]);
  });

  it('a platform that gives its files by CFDP is warned of over a default link without', () => {
    const files = { files: { types: { 1: { name: 'image' } }, transfer: { protocol: 'cfdp' } } };
    const warned = (transport: object): string[] =>
      compiled(flown({ files, transport })).warnings.map(({ path, message }) => `${path}: ${message}`);
    const warning = 'targets.sat.links.s: platform box gives its files by CFDP, and the link has none';
    expect(warned({ kind: 'space-packet', apid: 116 })).toContain(warning);
    expect(warned(BESIDE)).not.toContain(warning);
  });
});
