/**
 * Mission documents to one configuration, or every fault in them. Mission Control Service, section 1 item 10: what
 * requests are resolved against; a configuration that does not compile is never published.
 *
 * O1. The same documents give the same configuration and the same revision, in whatever order they come.
 * O2. All faults at once: a faulty document does not hide the faults of the others.
 */

import { accepted, type Result, refusedAll } from '../contract/result.ts';
import { checkShape } from '../contract/shape.ts';
import { revisionOf } from './canonical.ts';
import { checkEncodable } from './check/encodable.ts';
import { type Documents, judgedLibraries } from './check/judged-libraries.ts';
import { checkLibraries } from './check/library.ts';
import { checkPlatform } from './check/platform.ts';
import { checkReactions } from './check/reaction.ts';
import { checkSettings } from './check/settings.ts';
import { checkTopology } from './check/topology.ts';
import type { Configuration, PlatformConfiguration } from './configuration.ts';
import { type DocumentFault, FaultList } from './document/fault.ts';
import type { LibraryDocument } from './document/library.ts';
import { type ReadDocument, readDocument, type SourceFile } from './document/read.ts';
import { type DocumentKind, documentSchema } from './document/schema.ts';

export interface Compiled {
  readonly configuration: Configuration;
  /** SHA-256 (hexadecimal) of the canonical configuration. */
  readonly revision: string;
  readonly warnings: readonly DocumentFault[];
}

/** The configuration; refuses with every fault of every document. */
export function compile(documents: readonly SourceFile[]): Result<Compiled, DocumentFault> {
  const list = new FaultList();
  const inOrder = documents.toSorted((a, b) => (a.file < b.file ? -1 : 1));
  const read = inOrder.flatMap((source) => readDocument(source, list) ?? []);
  const sound = read.filter(({ kind, value, faults }) => checkShape(documentSchema(kind), value, faults));
  const complete = read.length === documents.length && sound.length === read.length;
  const configuration = assemble({ given: inOrder, sound, read }, complete, list);
  if (list.found > 0 || configuration === undefined) return refusedAll(list.faults);
  return accepted({ configuration, revision: revisionOf(configuration), warnings: list.warnings });
}

/** Checks what holds together over documents; what refers to a document that could not be read is not reported. */
function assemble(
  { given, sound, read }: Documents,
  complete: boolean,
  list: FaultList,
): Configuration | undefined {
  const of = (kind: DocumentKind): ReadDocument[] => sound.filter((each) => each.kind === kind);
  const platforms = new Map<string, PlatformConfiguration>();
  for (const each of of('platform')) {
    addUnique(platforms, checkPlatform(each), each, 'platform');
  }
  const [topologyDocument] = onlyOne(read, 'topology', of('topology'));
  const topology = topologyDocument === undefined ? undefined : checkTopology(topologyDocument, platforms);
  const settings = checkSettings(onlyOne(read, 'config', of('config'))[0]);
  if (!complete) {
    checkLibraries(judgedLibraries({ given, sound, read }, platforms), platforms, topology);
    return undefined;
  }
  const libraries = new Map<string, LibraryDocument>();
  for (const each of of('library')) {
    addUnique(libraries, each.value as LibraryDocument, each, 'library');
  }
  checkReactions(of('platform'), platforms, {
    libraries: checkLibraries(of('library'), platforms, topology),
    written: (library, procedure) => libraries.get(library)?.procedures[procedure],
  });
  if (topology !== undefined) checkEncodable(of('platform'), platforms, topology);
  if (topology === undefined) {
    list.add(() => ({
      file: '',
      line: 1,
      column: 1,
      path: '',
      message: 'there is no topology document',
      help: 'add one with the key topology',
    }));
    return undefined;
  }
  return { format: 1, platforms: sorted(platforms), topology, libraries: sorted(libraries), settings };
}

function addUnique<Item extends { version: string }>(
  items: Map<string, Item>,
  item: Item,
  { faults, value }: ReadDocument,
  kind: 'platform' | 'library',
): void {
  const id = `${(value as Record<string, string>)[kind]}@${item.version}`;
  if (items.has(id))
    faults.in(kind).fault(`${kind} ${id} is in another document too`, 'keep one, or raise the version');
  else items.set(id, item);
}

function onlyOne(
  read: readonly ReadDocument[],
  kind: DocumentKind,
  sound: readonly ReadDocument[],
): readonly ReadDocument[] {
  const [first, ...more] = read.filter((each) => each.kind === kind);
  for (const each of more)
    each.faults.fault(`${first?.file} is the ${kind} document already`, 'join the two');
  return sound;
}

function sorted<Item>(items: ReadonlyMap<string, Item>): Item[] {
  return [...items].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}
