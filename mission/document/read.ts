/**
 * Reads a mission document: YAML 1.2 with unique keys, every value with its place in the file.
 *
 * D1. A document that is not one YAML mapping yields faults and no value; several documents in one file are refused.
 * D2. The time taken is proportional to the text, faults included; its bounds are in `compose.ts`.
 */

import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';
import { compose, nestsTooDeep } from './compose.ts';
import type { DocumentPath, FaultList, FaultsAt, Place } from './fault.ts';
import { type DocumentKind, kindOf } from './schema.ts';

export interface SourceFile {
  readonly file: string;
  readonly text: string;
}

/** A document as read, its shape not yet checked. */
export interface ReadDocument {
  readonly kind: DocumentKind;
  readonly file: string;
  readonly value: object;
  readonly faults: FaultsAt;
  /** A scalar as it is written in the file: `0x00` where the value is the number 0. */
  source(path: DocumentPath): string | undefined;
}

/** Aliases resolved in one document: hundreds are a mission, millions an accident. */
const MAX_ALIASES = 1_000;

/** The document, or undefined when it cannot be read; its faults are in the list. */
export function readDocument(source: SourceFile, list: FaultList): ReadDocument | undefined {
  const { documents, lines, faults: textFaults } = compose(source.text);
  const place = new YamlPosition(source.file, lines);
  const faults = list.at(place);
  for (const { offset, message, help } of textFaults) {
    const { line, column } = place.at(offset);
    list.add(() => ({ file: source.file, line, column, path: '', message, help }));
  }
  const [document, second] = documents;
  if (second !== undefined)
    faults.fault('the file holds several documents', 'write each into a file of its own');
  if (textFaults.length > 0 || second !== undefined) return undefined;
  if (document === undefined) {
    faults.fault('the file is empty', 'write one mapping with a key platform, topology, library or config');
    return undefined;
  }
  if (!isMap(document.contents)) {
    faults.fault('the document is not a mapping', 'its top level is keys like platform, version, components');
    return undefined;
  }
  place.top = document.contents;
  return toValue(source.file, document, place, faults);
}

function toValue(
  file: string,
  document: Document.Parsed | Document,
  place: YamlPosition,
  faults: FaultsAt,
): ReadDocument | undefined {
  try {
    const value = document.toJS({ maxAliasCount: MAX_ALIASES }) as object;
    if (nestsTooDeep(value)) throw new RangeError('aliases nest what they repeat without end');
    return { kind: kindOf(value), file, value, faults, source: (path) => place.source(path) };
  } catch (error) {
    faults.fault(error instanceof Error ? error.message : String(error), 'write out what the aliases repeat');
    return undefined;
  }
}

/** Places in one YAML file. */
class YamlPosition implements Place {
  readonly file: string;
  top: Node | undefined;
  readonly #lines: LineCounter;

  constructor(file: string, lines: LineCounter) {
    this.file = file;
    this.#lines = lines;
  }

  position(path: DocumentPath, part: 'key' | 'value'): { line: number; column: number } {
    return this.at(this.#offset(path, part));
  }

  at(offset: number): { line: number; column: number } {
    const { line, col } = this.#lines.linePos(offset);
    return line === 0 ? { line: 1, column: 1 } : { line, column: col };
  }

  source(path: DocumentPath): string | undefined {
    let node: unknown = this.top;
    for (const step of path) node = childOf(node, step);
    return isScalar(node) ? (node.source ?? String(node.value)) : undefined;
  }

  /** The offset of the deepest part of the path that is in the file. */
  #offset(path: DocumentPath, part: 'key' | 'value'): number {
    let node: unknown = this.top;
    let offset = startOf(node) ?? 0;
    for (const [index, step] of path.entries()) {
      const pair = pairOf(node, step);
      const next = pair === undefined ? childOf(node, step) : pair.value;
      const wantsKey = part === 'key' && index === path.length - 1;
      const at = (wantsKey ? startOf(pair?.key) : undefined) ?? startOf(next) ?? startOf(pair?.key);
      if (at === undefined) return offset;
      offset = at;
      node = next;
    }
    return offset;
  }
}

function startOf(node: unknown): number | undefined {
  if (isScalar(node) || isMap(node) || isSeq(node) || isAlias(node)) return node.range?.[0];
  return undefined;
}

/** The pairs of each mapping by key: a fault is one of many in large mappings (D2). */
const pairs = new WeakMap<YAMLMap, Map<string, Pair>>();

function pairOf(node: unknown, step: string | number): Pair | undefined {
  if (!isMap(node)) return undefined;
  let known = pairs.get(node);
  if (known === undefined) {
    // Read from behind, so that of two alike the first stays.
    known = new Map(
      node.items.toReversed().flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.value), pair]] : [])),
    );
    pairs.set(node, known);
  }
  return known.get(String(step));
}

function childOf(node: unknown, step: string | number): unknown {
  if (isSeq(node) && typeof step === 'number') return node.items[step];
  return pairOf(node, step)?.value;
}
