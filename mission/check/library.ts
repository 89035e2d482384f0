/**
 * Libraries: imports and names here, procedures by the compiler of the step language. Mission Control Service, section
 * 4.2.
 */

import { nearHelp } from '../../contract/near.ts';
import type { PlatformConfiguration, TopologyConfiguration } from '../configuration.ts';
import type { LibraryDocument } from '../document/library.ts';
import type { ReadDocument } from '../document/read.ts';
import { loadPlatform } from '../load-platform.ts';
import type { Platform } from '../platform.ts';
import type { Fleet } from '../procedure/compile/header.ts';
import { compileLibraries } from '../procedure/compile/library.ts';
import type { Library } from '../procedure/procedure.ts';

/**
 * Reports every fault of the libraries; what refers to a platform that is not there is not reported. The libraries by
 * `name@version`, as sound as their documents.
 */
export function checkLibraries(
  documents: readonly ReadDocument[],
  platforms: ReadonlyMap<string, PlatformConfiguration>,
  topology: TopologyConfiguration | undefined,
): ReadonlyMap<string, Library> {
  for (const each of documents) checkImports(each, platforms);
  return compileLibraries(
    documents.map(({ value, faults }) => ({ document: value as LibraryDocument, faults })),
    {
      platforms: new Map([...platforms].map(([id, each]) => [id, outline(each)])),
      environments: topology?.environments.map(({ name }) => name),
      fleet: (platformId) => fleetOf(platformId, topology),
    },
  );
}

function checkImports(
  { value, faults }: ReadDocument,
  platforms: ReadonlyMap<string, PlatformConfiguration>,
): void {
  const { imports, procedures } = value as LibraryDocument;
  const names = imports.map((each) => each.split('@')[0]);
  for (const [index, platform] of imports.entries()) {
    if (names.indexOf(names[index]) !== index)
      faults.in('imports', index).fault(`${names[index]} is imported twice`, 'keep one version of it');
    if (platforms.has(platform)) continue;
    const help = nearHelp(platform, platforms.keys(), 'platforms', 'add its platform document');
    faults.in('imports', index).fault(`no platform ${platform}`, help);
  }
  if (Object.keys(procedures).length === 0)
    faults.in('procedures').fault('it has no procedure', 'declare one');
}

/**
 * The platform without what procedures do not look at: its conditions, expressions, layouts and calibrations may have
 * faults of their own, which hide none of a library.
 */
function outline(platform: PlatformConfiguration): Platform {
  const components = platform.components.map((component) => ({
    ...component,
    measures: component.measures.map(({ calibration: _, derived: __, ...measure }) => measure),
    telecommands: component.telecommands.map(({ encode: _, verify, ...telecommand }) => ({
      ...telecommand,
      requires: [],
      ...(verify !== undefined && { verify: { withinMs: verify.withinMs } }),
    })),
    alarms: [],
  }));
  const { lines: _, ...rest } = platform;
  return loadPlatform({ ...rest, components, packets: [] });
}

function fleetOf(platformId: string, topology: TopologyConfiguration | undefined): Fleet | undefined {
  const targets = topology?.targets.filter(({ platform }) => platform === platformId) ?? [];
  if (targets.length === 0) return undefined;
  return {
    modes: new Set(targets.flatMap(({ modes }) => modes)),
    links: new Set(targets.flatMap(({ links }) => links.map(({ name }) => name))),
  };
}
