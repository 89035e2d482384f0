/** The description of an IIO context: what is written is read back, and no text does harm. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IIOD_XML_BYTES, IIOD_XML_DEPTH } from '../../contract/limits/bench.ts';
import type { IioChannel, IioDevice } from '../../radio/iio/context.ts';
import { readContextXml, writeContextXml } from '../../radio/iio/context-xml.ts';
import { readXml } from '../../radio/iio/xml.ts';
import { processorMs, timesCeiling } from '../support/processor-time.ts';
import { memoryDevices } from './memory-context.ts';

/** As Debian's iiod 0.24 sent it from a tree of attributes made for it, its document type shortened. */
const FROM_IIOD =
  '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE context [<!ELEMENT context (device | context-attribute)*><!ATTLIST context name CDATA #REQUIRED>]>' +
  '<context name="local" version-major="0" version-minor="24" version-git="v0.24" description="Linux vm 6.18.44 x86_64" >' +
  '<context-attribute name="local,kernel" value="6.18.44" /><context-attribute name="uri" value="local:" />' +
  '<device id="iio:device0" name="ad9361-phy" ><channel id="altvoltage0" type="output" ><attribute name="RX_LO_frequency" filename="out_altvoltage0_RX_LO_frequency" /></channel>' +
  '<attribute name="ensm_mode" /><debug-attribute name="loopback" /></device>' +
  '<device id="iio:device3" name="modem-rx" ><channel id="voltage0" type="input" ><scan-element index="0" format="le:U8/8&gt;&gt;0" /><attribute name="raw" filename="in_voltage0_raw" /></channel></device></context>';

const context = (content: string) => `<context name="x">${content}</context>`;
const devicesOf = (xml: string) => {
  const read = readContextXml(xml);
  if (!read.ok) throw new Error(read.faults.join('; '));
  return read.value.devices;
};

describe('the description of a context', () => {
  it('context-xml.D1 is read back as it was written', () => {
    const description = {
      description: 'a "board" <of> & \'two\'\nlines',
      attributes: new Map([['bench,source', 'stub']]),
      devices: memoryDevices,
    };
    expect(readContextXml(writeContextXml(description))).toEqual({ ok: true, value: description });
  });

  it('of an iiod is read', () => {
    const read = readContextXml(FROM_IIOD);
    expect(read).toEqual({
      ok: true,
      value: {
        description: 'Linux vm 6.18.44 x86_64',
        attributes: new Map([
          ['local,kernel', '6.18.44'],
          ['uri', 'local:'],
        ]),
        devices: [
          {
            id: 'iio:device0',
            name: 'ad9361-phy',
            attributes: ['ensm_mode'],
            debugAttributes: ['loopback'],
            bufferAttributes: [],
            channels: [
              {
                id: 'altvoltage0',
                output: true,
                attributes: [{ name: 'RX_LO_frequency', filename: 'out_altvoltage0_RX_LO_frequency' }],
              },
            ],
          },
          {
            id: 'iio:device3',
            name: 'modem-rx',
            attributes: [],
            debugAttributes: [],
            bufferAttributes: [],
            channels: [
              {
                id: 'voltage0',
                output: false,
                attributes: [{ name: 'raw', filename: 'in_voltage0_raw' }],
                scan: { index: 0, format: 'le:U8/8>>0' },
              },
            ],
          },
        ],
      },
    });
  });

  it('context-xml.D2 passes over what later libraries add', () => {
    const xml = context(
      '<!-- new --><clock tick="1"><deep/></clock><device id="d" label="L"><attribute name="a" value="7"/><event-attribute name="e"/></device>',
    );
    expect(devicesOf(xml)).toMatchObject([{ id: 'd', name: 'd', attributes: ['a'] }]);
  });

  it('comments and space may stand in front of the outermost element, in it and behind it', () => {
    const xml =
      '\n<!-- <a/> -->\n<context>\n<!-- <device id="no"--><device id="d"/>\n</context>\n<!-- <b/> -->\n';
    expect(devicesOf(xml).map(({ id }) => id)).toEqual(['d']);
  });

  it('reports every fault at once', () => {
    const xml = context(
      '<device name="n"><channel id="c" type="sideways"><scan-element index="x" format="le:U8/8>>0"/></channel></device><device id="d"><attribute/></device><device id="d"/>',
    );
    expect(readContextXml(xml)).toEqual({
      ok: false,
      faults: [
        'device without id',
        'channel c of  is neither input nor output',
        'the scan index of  c is "x", which is no number',
        'attribute without name',
        'the description has device d twice',
      ],
    });
  });

  it.each([
    ['', 'neither an element'],
    ['<context', 'does not end'],
    ['<context><device></context>', 'no end of device'],
    ['<context><1/></context>', 'neither an element'],
    ['<context>', 'ends within an element'],
    ['<context/>more', 'after the outermost'],
    ['<context a="1" a="2"/>', 'twice'],
    ['<context a="&nuclear;"/>', 'unknown entity'],
    ['<context a="&#x110000;"/>', 'unknown entity'],
    ['<!DOCTYPE c [<!ENTITY a "b">]><context a="&a;"/>', 'unknown entity'],
    ['<context><!-- </context>', 'comment'],
    ['<a>'.repeat(IIOD_XML_DEPTH + 1), 'within one another'],
    ['<board/>', 'of a board'],
    [' '.repeat(IIOD_XML_BYTES + 1), 'characters'],
  ])('refuses %.40j', (text, why) => {
    const read = readContextXml(text);
    expect(read.ok ? [] : read.faults).toEqual([expect.stringContaining(why)]);
  });
});

// XML has no other control characters, and a description is sent as UTF-8.
const text = fc.string({ unit: 'binary', maxLength: 12 }).map((raw) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is left out
  raw.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '?'),
);
const attribute = fc.record({ name: text, filename: text });
const channel: fc.Arbitrary<IioChannel> = fc.record(
  {
    id: text,
    output: fc.boolean(),
    attributes: fc.array(attribute, { maxLength: 3 }),
    name: text,
    scan: fc.record({ index: fc.nat(9999), format: text }),
  },
  { requiredKeys: ['id', 'output', 'attributes'] },
);
const device: fc.Arbitrary<IioDevice> = fc.record({
  id: text,
  name: text,
  attributes: fc.array(text, { maxLength: 3 }),
  debugAttributes: fc.array(text, { maxLength: 3 }),
  bufferAttributes: fc.array(text, { maxLength: 3 }),
  channels: fc.uniqueArray(channel, { maxLength: 4, selector: ({ id, output }) => `${output} ${id}` }),
});

describe('whatever comes in', () => {
  const seed = 20_261_121;

  it('context-xml.D1 any description is read back as it was written', () => {
    const devices = fc.uniqueArray(device, { maxLength: 4, selector: ({ id }) => id });
    fc.assert(
      fc.property(devices, text, (devices, description) => {
        const written = { description, attributes: new Map([['k', description]]), devices };
        expect(readContextXml(writeContextXml(written))).toEqual({ ok: true, value: written });
      }),
      { seed, numRuns: 300 },
    );
  });

  it('xml.X1 any text ends in a tree or in faults', () => {
    const scrap = fc.constantFrom('<', '>', '/', '</', '/>', '"', "'", '=', '&', ';', '<!--', '-->', ' ');
    const piece = fc.oneof(
      scrap,
      fc.constantFrom('<?', '<!DOCTYPE', '[', ']', 'context', 'device', 'id', '&#1;', '\n'),
      text,
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const read = readContextXml(pieces.join(''));
        if (!read.ok) expect(read.faults.length).toBeGreaterThan(0);
      }),
      { seed, numRuns: 3000 },
    );
  });

  it('xml.X1 a sound description with one piece missing or changed ends likewise', () => {
    const at = fc.nat(FROM_IIOD.length - 1);
    fc.assert(
      fc.property(at, fc.nat(5), text, (from, length, instead) => {
        readContextXml(FROM_IIOD.slice(0, from) + instead + FROM_IIOD.slice(from + length));
      }),
      { seed, numRuns: 3000 },
    );
  });

  it.each([
    ['spaces', ' '],
    ['open tags', '<a '],
    ['quotes', '<a b="'],
    ['comments', '<!--'],
    ['entities', '<a b="&&&&'],
    ['attributes', ' a="b"'],
    ['document types', '<!DOCTYPE ['],
  ])('xml.X1 megabytes of %s are refused at once', (_, piece) => {
    const bytes = 1_000_000;
    const sound = (): number =>
      processorMs(() => {
        for (let read = 0; read < 4 * bytes; read += FROM_IIOD.length)
          expect(readXml(FROM_IIOD).ok).toBe(true);
      });
    const refused = (): number =>
      processorMs(() => {
        for (const before of ['', '<context', '<context>', '<context a="'])
          expect(readXml(before + piece.repeat(Math.floor(bytes / piece.length))).ok).toBe(false);
      });
    // As many bytes that are read take longer.
    expect(timesCeiling(refused, sound, 10)).toBeLessThanOrEqual(10);
  });
});
