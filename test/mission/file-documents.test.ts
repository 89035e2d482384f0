/** The on-board directory in a platform document: what holds, and each fault at its line. */

import { describe, expect, it } from 'vitest';
import type { SourceFile } from '../../mission/document/read.ts';
import { compiled, faultsOf, loaded, shown, topology } from './documents.ts';

const TELECOMMANDS = `
    list: { changes_state: false }
    read:
      instance: file
      args: { offset: { type: u32, unit: B }, length: { type: u16, range: [1, 200] } }
      encode: { service: 8, subtype: 1, fields: [{ type: u16, from: $instance }, { type: u32, from: $offset }, { type: u16, from: $length }] }
    write: { instance: file, args: { offset: { type: u32 }, data: { type: bytes, range: [1, 200] }, generation: { type: u16, default: 0 } } }`;
const PACKETS = `
  listed:
    apid: 5
    listing: { at: 6, entry: [{ type: u16, to: id }, { type: u32, to: checksum }, { type: u16, to: generation }] }
  part:
    apid: 6
    chunk: { at: 6, fields: [{ type: u16, to: id }, { type: u16, to: generation }, { type: u32, to: offset }, { size: rest, to: data }] }`;
const TRANSFER = '{ list: list, read: read, write: write, max_chunk: 200, checksum: crc32 }';

/** A platform whose first lines are fixed: `transfer` is on line 6. */
function platform(transfer: string, telecommands = TELECOMMANDS, packets = PACKETS): SourceFile {
  const text = `platform: box
version: 1.0.0
components: {}
files:
  types: { 1: { name: housekeeping, decode: true }, 2: { name: image } }
  transfer: ${transfer}
  telecommands:${telecommands}
packets:${packets}
`;
  return { file: 'platform.yaml', text };
}

const without = (text: string, part: string, instead = ''): string => {
  if (!text.includes(part)) throw new Error(`no ${part}`);
  return text.replace(part, instead);
};

describe('the transfer section', () => {
  it('MC-FILE-011 A-48 names the telecommands that list, read and write, the size of a chunk and the checksum', () => {
    const documents = [platform(TRANSFER), topology()];
    expect(compiled(documents).warnings).toEqual([]);
    expect(loaded(documents).platforms.get('box@1.0.0')?.files).toEqual({
      component: 'files',
      types: [
        { number: 1, name: 'housekeeping', decode: true },
        { number: 2, name: 'image', decode: false },
      ],
      transfer: { list: 'list', read: 'read', write: 'write', maxChunk: 200, checksum: 'crc32' },
    });
  });

  it('MC-XFER-055 a type of files says how frames stand in them, with every fault at its line', () => {
    const [types, before] = ['types: {', '1: { name: housekeeping, decode: true }'];
    const typed = (type: string): SourceFile => {
      const { file, text } = platform(TRANSFER);
      return { file, text: without(text, `${types} ${before}`, `${types} 1: ${type}`) };
    };
    const sound = typed('{ name: housekeeping, frames: { kind: space-packet, apids: [5], max: 64 } }');
    expect(compiled([sound, topology()]).warnings).toEqual([]);
    expect(loaded([sound, topology()]).platforms.get('box@1.0.0')?.files?.types[0]).toEqual({
      number: 1,
      name: 'housekeeping',
      decode: true,
      frames: { kind: 'space-packet', maxBytes: 64, apids: [5] },
    });
    const faulty = (type: string) => faultsOf([typed(type), topology()]).map(shown);
    expect(faulty('{ name: housekeeping, frames: { kind: line, apids: [5] } }')).toEqual([
      expect.stringMatching(/^platform.yaml:5:\d+ files.types.1.frames.apids framing by line has no "apids"/),
    ]);
    expect(faulty('{ name: housekeeping, decode: false, frames: { kind: kiss } }')).toEqual([
      expect.stringMatching(
        /^platform.yaml:5:\d+ files.types.1.frames files of type housekeeping are not decoded/,
      ),
    ]);
    expect(faulty('{ name: housekeeping, frames: { kind: records } }')).toHaveLength(1);
  });

  it('MC-CFDP-010 with CFDP names neither read nor write', () => {
    const transport = { kind: 'space-packet', apid: 1, cfdp: { entity: 42, apid: 2 } };
    const links = { uhf: { default: true, driver: 'pus', transport } };
    const flown = topology({
      drivers: { pus: { protocol: 'pus-c', cfdp: { entity: 1 } } },
      targets: { sat: { platform: 'box@1.0.0', environments: ['bench'], links } },
    });
    const list = '\n    list: { changes_state: false, encode: { service: 200, subtype: 1 } }';
    const documents = [platform('{ list: list, checksum: crc32, protocol: cfdp }', list), flown];
    expect(compiled(documents).warnings).toEqual([]);
    expect(loaded(documents).platforms.get('box@1.0.0')?.files?.transfer).toEqual({
      list: 'list',
      checksum: 'crc32',
      protocol: 'cfdp',
    });
  });

  it.each(['crc16', 'crc32', 'md5', 'sha256', 'null'])('takes checksum %s', (checksum) => {
    const packets = without(PACKETS, '{ type: u32, to: checksum }, ');
    const document = platform(without(TRANSFER, 'crc32', `"${checksum}"`), TELECOMMANDS, packets);
    expect(compiled([document, topology()]).warnings).toEqual([]);
  });

  it.each(['modular', 'crc32c', 'sha1', 'sha512-256'])(
    'MC-XFER-027 MC-LIM-020 offers none but four, and warns of %s, which nothing computes',
    (checksum) => {
      const document = platform(without(TRANSFER, 'crc32', checksum));
      const [warning, ...others] = compiled([document, topology()]).warnings.map(shown);
      expect(others).toEqual([]);
      expect(warning).toMatch(/^platform.yaml:6:\d+ files.transfer.checksum \S+ .*not computed/);
      expect(warning).toContain(checksum);
    },
  );

  it('MC-GEN-022 file-transfer.T4 warns where nothing says that a file was written again', () => {
    const said = PACKETS.replaceAll('{ type: u16, to: generation }, ', '').replace(
      /, \{ type: u16, to: generation \}/g,
      '',
    );
    const silent = without(said, ', { type: u32, to: checksum }');
    const warned = (packets: string) =>
      compiled([platform(TRANSFER, TELECOMMANDS, packets), topology()]).warnings.map(shown);
    expect(warned(said)).toEqual([]);
    expect(warned(silent)).toEqual([
      expect.stringMatching(
        /^platform.yaml:6:\d+ files.transfer.read no packet says the generation or the checksum/,
      ),
    ]);
  });

  it('file-transfer.T3 warns where no packet gives what the telecommands ask for', () => {
    const packets = '\n  other: { apid: 9, fields: [] }';
    const warnings = compiled([platform(TRANSFER, TELECOMMANDS, packets), topology()]).warnings.map(shown);
    expect(warnings).toEqual([
      expect.stringMatching(/^platform.yaml:6:\d+ files.transfer.list no packet gives a listing/),
      expect.stringMatching(/^platform.yaml:6:\d+ files.transfer.read no packet gives a chunk/),
    ]);
    const unlisted = platform(without(TRANSFER, 'list: list, '), TELECOMMANDS, packets);
    expect(compiled([unlisted, topology()]).warnings.map(({ path }) => path)).toEqual([
      'files.transfer.read',
    ]);
  });
});

const read = (part: string, instead = ''): string => without(TELECOMMANDS, part, instead);
const LENGTH = 'length: { type: u16, range: [1, 200] }';

describe('faults of the transfer section', () => {
  it.each<[string, SourceFile, RegExp]>([
    [
      'a listing of one file',
      platform(TRANSFER, read('list: {', 'list: { instance: file,')),
      /:6:\d+ files.transfer.list .*names a file/,
    ],
    [
      'a listing with an argument that nothing gives',
      platform(TRANSFER, read('list: {', 'list: { args: { depth: { type: u8 } },')),
      /:6:\d+ files.transfer.list nothing gives a value to the argument "depth"/,
    ],
    [
      'a read with an argument that nothing gives',
      platform(
        TRANSFER,
        read(
          'args: { offset: { type: u32, unit: B }',
          'args: { bank: { type: u8 }, offset: { type: u32, unit: B }',
        ).replace(
          '{ type: u16, from: $instance }',
          '{ type: u16, from: $instance }, { type: u8, from: $bank }',
        ),
      ),
      /:6:\d+ files.transfer.read nothing gives a value to the argument "bank".*offset or length/,
    ],
    [
      'a read without length',
      platform(TRANSFER, read(`, ${LENGTH}`).replace(', { type: u16, from: $length }', '')),
      /:6:\d+ files.transfer.read the telecommand "read" has no argument "length"/,
    ],
    [
      'a length that does not hold a chunk',
      platform(without(TRANSFER, '200', '201')),
      /:6:\d+ files.transfer.read the argument "length" of "read" cannot be 1 to 201.*max_chunk smaller/,
    ],
    [
      'a length that cannot be one byte',
      platform(TRANSFER, read('range: [1, 200] }', 'range: [2, 200] }')),
      /files.transfer.read the argument "length" of "read" cannot be 1 to 200/,
    ],
    [
      'an offset that is signed',
      platform(TRANSFER, read('{ offset: { type: u32, unit: B }', '{ offset: { type: i32, range: [0, 9] }')),
      /files.transfer.read the argument "offset" of "read" is no unsigned integer/,
    ],
    [
      'an offset in another unit',
      platform(TRANSFER, read('type: u32, unit: B', 'type: u32, unit: kB')),
      /files.transfer.read the argument "offset" of "read" is in kB/,
    ],
    [
      'an offset that stays in the first chunk',
      platform(
        TRANSFER,
        read('{ offset: { type: u32 }, data', '{ offset: { type: u32, range: [0, 100] }, data'),
      ),
      /files.transfer.write the argument "offset" of "write" cannot be 0 to 200/,
    ],
    [
      'a write without data',
      platform(TRANSFER, read('data: { type: bytes, range: [1, 200] }', 'data: { type: string }')),
      /:6:\d+ files.transfer.write the telecommand "write" has no argument "data" of type bytes/,
    ],
    [
      'data too short for a chunk',
      platform(TRANSFER, read('bytes, range: [1, 200]', 'bytes, range: [1, 199]')),
      /files.transfer.write the argument "data" of "write" cannot have 1 to 200 bytes/,
    ],
    [
      'a generation that is text',
      platform(
        TRANSFER,
        read('generation: { type: u16, default: 0 }', 'generation: { type: string, default: a }'),
      ),
      /files.transfer.write the argument "generation" of "write" is no unsigned integer/,
    ],
    [
      'only a write, without the size of a chunk',
      platform('{ write: write }'),
      /:6:\d+ files.transfer write needs the size of a chunk/,
    ],
    [
      'a chunk size with CFDP',
      platform('{ list: list, max_chunk: 9, protocol: cfdp }'),
      /:6:\d+ files.transfer.max_chunk CFDP has its own segments/,
    ],
    [
      'files that cannot be named',
      platform(TRANSFER, TELECOMMANDS, PACKETS.replace('[{ type: u16, to: id }', '[{ type: u32, to: id }')),
      /:6:\d+ files.transfer.read packet listed lists files of 32 bits, "read" names files up to 65535/,
    ],
    [
      'chunks that do not say the generation that is listed',
      platform(TRANSFER, TELECOMMANDS, without(PACKETS, '{ type: u16, to: generation }, {', '{')),
      /files.transfer packet listed says the generation of a file, the chunks of packet part do not.*mixed/,
    ],
    [
      'a checksum of another length than is listed',
      platform(without(TRANSFER, 'crc32', 'sha256')),
      /:6:\d+ files.transfer.checksum sha256 has 32 bytes, packet listed lists 4/,
    ],
    [
      'two types of one name',
      {
        file: 'p.yaml',
        text: 'platform: box\nversion: 1.0.0\ncomponents: {}\nfiles:\n  types:\n    1: { name: a }\n    2: { name: a }\n',
      },
      /p.yaml:7:\d+ files.types.2.name file type 1 is called a too/,
    ],
  ])('MC-FILE-011 %s', (_, document, message) => {
    expect(faultsOf([document, topology()]).map(shown).join('\n')).toMatch(message);
  });
});

const listing = (text: string): SourceFile =>
  platform('{ list: list }', '\n    list: {}', `\n  listed:\n    apid: 5\n    listing: ${text}`);
const chunk = (text: string): SourceFile =>
  platform('{}', '\n    list: {}', `\n  part:\n    apid: 6\n    chunk: ${text}`);

describe('faults of packets that give files', () => {
  it.each<[string, SourceFile, RegExp]>([
    [
      'a listing without a place',
      listing('{ entry: [{ type: u8, to: id }] }'),
      /:12:\d+ packets.listed.listing .*"at" is missing/,
    ],
    [
      'a listing without identifiers',
      listing('{ at: 6, entry: [{ type: u8, to: size }] }'),
      /listing.entry no field says the id/,
    ],
    [
      'an identifier twice',
      listing('{ at: 6, entry: [{ type: u8, to: id }, { type: u8, to: id }] }'),
      /entry\[1\].to id is read twice/,
    ],
    [
      'an identifier as text',
      listing('{ at: 6, entry: [{ type: string, size: 4, to: id }] }'),
      /entry\[0\] the id of a file is an unsigned integer/,
    ],
    [
      'a signed size',
      listing('{ at: 6, entry: [{ type: u8, to: id }, { type: i8, to: size }] }'),
      /entry\[1\] the size of a file is an unsigned/,
    ],
    [
      'a wide type',
      listing('{ at: 6, entry: [{ type: u8, to: id }, { type: u64, to: file_type }] }'),
      /entry\[1\] the file_type .*at most 32/,
    ],
    [
      'a checksum of half bytes',
      listing('{ at: 6, entry: [{ bits: 4, to: id }, { bits: 12, to: checksum }] }'),
      /entry\[1\] a checksum is whole bytes/,
    ],
    [
      'a scaled identifier',
      listing('{ at: 6, entry: [{ type: u8, scale: 2, to: id }] }'),
      /entry\[0\].scale no scale fits id/,
    ],
    [
      'entries of half bytes',
      listing('{ at: 6, entry: [{ bits: 12, to: id }] }'),
      /listing.entry the fields make 12 bits/,
    ],
    [
      'bytes inside a byte',
      listing('{ at: 6, entry: [{ bits: 12, to: id }, { size: 2, to: checksum }] }'),
      /entry\[1\] a bytes field begins inside a byte/,
    ],
    [
      'little endian inside a byte',
      listing('{ at: 6, entry: [{ bits: 4, to: skip }, { type: u16, endian: little, to: id }] }'),
      /entry\[1\].endian/,
    ],
    [
      'an entry that takes the rest',
      listing('{ at: 6, entry: [{ type: u8, to: id }, { size: rest, to: checksum }] }'),
      /entry\[1\].size it leaves nothing/,
    ],
    ['a field without a width', listing('{ at: 6, entry: [{ to: id }] }'), /entry\[0\] it has no width/],
    [
      'a count that is signed',
      listing('{ at: 6, count: { at: 5, type: i8 }, entry: [{ type: u8, to: id }] }'),
      /listing.count a count is an unsigned/,
    ],
    [
      'a count nowhere',
      listing('{ at: 6, count: { type: u8 }, entry: [{ type: u8, to: id }] }'),
      /listing.count .*"at" is missing/,
    ],
    [
      'a chunk without data',
      chunk('{ at: 6, fields: [{ type: u8, to: id }, { type: u8, to: offset }] }'),
      /chunk.fields no field says the data/,
    ],
    [
      'data as a number',
      chunk('{ at: 6, fields: [{ type: u8, to: id }, { type: u8, to: offset }, { type: u8, to: data }] }'),
      /fields\[2\] the bytes of a file/,
    ],
    [
      'a field behind the rest',
      chunk('{ at: 6, fields: [{ size: rest, to: data }, { type: u8, to: id }, { type: u8, to: offset }] }'),
      /fields\[1\] the field before takes the rest/,
    ],
    [
      'a chunk of a listing',
      chunk('{ at: 6, fields: [{ type: u8, to: checksum }] }'),
      /chunk.fields\[0\].to/,
    ],
    [
      'a listing and a chunk in one',
      chunk(
        '{ at: 6, fields: [{ type: u8, to: id }, { type: u8, to: offset }, { size: rest, to: data }] }\n    listing: { at: 6, entry: [{ type: u8, to: id }] }',
      ),
      /:12:\d+ packets.part.chunk a packet holds a listing or a chunk/,
    ],
    [
      'a packet of nothing',
      platform('{}', '\n    list: {}', '\n  none: { apid: 4 }'),
      /packets.none it has no fields.*a listing or a chunk/,
    ],
    [
      'files without a directory',
      {
        file: 'p.yaml',
        text: 'platform: box\nversion: 1.0.0\ncomponents: {}\npackets:\n  p:\n    apid: 1\n    listing: { at: 6, entry: [{ type: u8, to: id }] }\n',
      },
      /p.yaml:7:\d+ packets.p.listing the platform has no on-board directory/,
    ],
  ])('%s', (_, document, message) => {
    expect(faultsOf([document, topology()]).map(shown).join('\n')).toMatch(message);
  });
});
