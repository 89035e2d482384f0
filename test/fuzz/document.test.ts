import fc from 'fast-check';
import { describe, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { BlockBuilder } from '../../contract/batch.ts';
import { catalogueView } from '../../mission/catalogue.ts';
import { compile } from '../../mission/compile.ts';
import type { SourceFile } from '../../mission/document/read.ts';
import { load } from '../../mission/load.ts';
import { FUZZ_TEST_MS, fuzz } from './cases.ts';
import { demand } from './demand.ts';
import { anyJson, damaged, type Json } from './json.ts';
import { anyFrame, shippedDocuments } from './shipped.ts';
import { mutated, noise } from './text.ts';

const missions = shippedDocuments();

/** What compiles loads and reads frames; what does not says of each fault what, where and how to repair it. */
function check(documents: readonly SourceFile[], frame: Buffer): void {
  const compiled = compile(documents);
  if (!compiled.ok) {
    for (const { file, line, column, message, help } of compiled.faults) {
      demand(
        message !== '' && help !== '',
        () => `a fault without ${message === '' ? 'message' : `help: ${message}`}`,
      );
      const lines =
        documents.find((document) => document.file === file)?.text.split(/\r\n|[\n\r]/).length ?? 0;
      demand(
        line >= 1 && column >= 1 && line <= lines + 1,
        () => `${file}:${line}:${column} is no place: ${message}`,
      );
    }
    return;
  }
  const travelled = JSON.parse(
    JSON.stringify(compiled.value.configuration),
  ) as typeof compiled.value.configuration;
  const { targets } = load(travelled, compiled.value.revision);
  for (const { platform } of targets.values()) {
    if (platform === undefined) continue;
    JSON.stringify(catalogueView(platform));
    platform.packets.read(frame, 1, new BlockBuilder());
    platform.lines.read(frame.toString('latin1'), 1, new BlockBuilder());
  }
}

/** One document of a mission exchanged for what `change` makes of it, the others as they are. */
function withOne(change: (text: string) => fc.Arbitrary<string>): fc.Arbitrary<SourceFile[]> {
  const places = missions.flatMap((documents) => documents.map((_, index) => ({ documents, index })));
  return fc
    .constantFrom(...places)
    .chain(({ documents, index }) =>
      change(documents[index]!.text).map((text) =>
        documents.map((document, at) => (at === index ? { ...document, text } : document)),
      ),
    );
}

function damagedSeveral(text: string): fc.Arbitrary<string> {
  const once = damaged(fc.constant(parse(text) as Json));
  const value = fc.oneof({ weight: 3, arbitrary: once }, damaged(damaged(once)));
  return fc
    .tuple(value, fc.boolean())
    .map(([json, asYaml]) => (asYaml ? stringify(json) : JSON.stringify(json)));
}

describe('any mission documents', { timeout: FUZZ_TEST_MS }, () => {
  it('with a document whose text was damaged compile and load, or every fault is reported with its place and help', () => {
    fuzz(
      { cases: 60 },
      fc.tuple(
        withOne((text) => mutated([text], 3)),
        anyFrame,
      ),
      ([documents, frame]) => check(documents, frame),
    );
  });

  it('with a document one part of which is something else do so too', () => {
    fuzz({ cases: 90 }, fc.tuple(withOne(damagedSeveral), anyFrame), ([documents, frame]) =>
      check(documents, frame),
    );
  });

  it('of noise are refused as documents', () => {
    const kinds = fc.constantFrom('platform', 'topology', 'library', 'config');
    const almost = fc
      .tuple(kinds, fc.oneof(noise, anyJson), anyJson)
      .map(([kind, name, rest]) =>
        JSON.stringify({ [kind]: name, ...(typeof rest === 'object' ? rest : { rest }) }),
      );
    const text = fc.oneof(
      noise,
      almost,
      anyJson.map((json) => stringify(json)),
    );
    fuzz({ cases: 1_500 }, fc.array(text, { maxLength: 3 }), (texts) => {
      check(
        texts.map((each, index) => ({ file: `${index}.yaml`, text: each })),
        Buffer.alloc(0),
      );
    });
  });

  it('nested or repeated without end are refused before they reach the stack', () => {
    const around = fc.constantFrom('[', '{', '- ', '? ', 'a: ', '"', '&a [*a, ', '!!x ', '>\n ', '[{a: ');
    fuzz(
      { cases: 60 },
      fc.tuple(fc.array(around, { minLength: 1, maxLength: 3 }), fc.nat(300)),
      ([parts, times]) => {
        const text = `platform: deep\nversion: 1.0.0\ncomponents: ${parts.join('').repeat(times)}`;
        check([{ file: 'deep.yaml', text }], Buffer.alloc(0));
      },
    );
  });
});
