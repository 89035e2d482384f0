/** Small missions for the tests of this folder: a platform and a topology to which a test adds what it is about. */

import { readdirSync, readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { type Compiled, compile } from '../../mission/compile.ts';
import type { DocumentFault } from '../../mission/document/fault.ts';
import type { SourceFile } from '../../mission/document/read.ts';
import { load } from '../../mission/load.ts';
import type { Mission } from '../../mission/mission.ts';
import type { Platform } from '../../mission/platform.ts';

const DEMO = new URL('../../missions/demo/', import.meta.url);

/** The documents of the demo mission. */
export function demoDocuments(): SourceFile[] {
  const names = readdirSync(DEMO).filter((name) => name.endsWith('.yaml'));
  return names.map((file) => ({ file, text: readFileSync(new URL(file, DEMO), 'utf8') }));
}

/** The configuration, or a failure that shows every fault. */
export function compiled(documents: readonly SourceFile[]): Compiled {
  const result = compile(documents);
  if (!result.ok) throw new Error(result.faults.map(shown).join('\n'));
  return result.value;
}

/** The faults of documents that must have some, each with how to repair it. */
export function faultsOf(documents: readonly SourceFile[]): readonly DocumentFault[] {
  const result = compile(documents);
  if (result.ok) throw new Error('it compiled');
  const helpless = result.faults.filter(({ help }) => help === undefined);
  if (helpless.length > 0) throw new Error(`no help: ${helpless.map(shown).join('\n')}`);
  return result.faults;
}

/** `file:line:column path message (help)`. */
export function shown({ file, line, column, path, message, help }: DocumentFault): string {
  return `${file}:${line}:${column} ${path} ${message} (${help})`;
}

/** The mission of documents, by way of JSON as it travels on the bus. */
export function loaded(documents: readonly SourceFile[]): Mission {
  const { configuration, revision } = compiled(documents);
  return load(JSON.parse(JSON.stringify(configuration)), revision);
}

export const topology = (parts: object = {}): SourceFile => ({
  file: 'topology.yaml',
  text: stringify({
    topology: 'small',
    environments: { bench: {} },
    drivers: { pus: { protocol: 'outside' } },
    targets: {
      sat: {
        platform: 'box@1.0.0',
        environments: ['bench'],
        links: { uhf: { default: true, driver: 'pus' } },
      },
    },
    ...parts,
  }),
});

export const platform = (parts: object = {}): SourceFile => ({
  file: 'platform.yaml',
  text: stringify({ platform: 'box', version: '1.0.0', components: {}, ...parts }),
});

/** The platform `box` with these parts, loaded. */
export function loadedPlatform(parts: object): Platform {
  const found = loaded([platform(parts), topology()]).platforms.get('box@1.0.0');
  if (found === undefined) throw new Error('no platform');
  return found;
}
