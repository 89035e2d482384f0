/**
 * Where `mcs pass predict` has its stations and elements from: a mission folder, files, or the command line.
 *
 * S1. Every fault of every file is printed before it gives up.
 */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nearHelp } from '../contract/near.ts';
import type { TopologyConfiguration } from '../mission/configuration.ts';
import type { OrbitalElements } from '../mission/orbit/elements.ts';
import type { PredictedTarget } from '../mission/orbit/predict.ts';
import { readElements } from '../mission/orbit/read-elements.ts';
import { readStations } from '../mission/orbit/read-stations.ts';
import { type GroundStation, parseStation, type StationFault, stationOf } from '../mission/orbit/station.ts';
import { compileFolder, faultLine } from './mission-folder.ts';

export interface SourceValues {
  readonly mission?: string | undefined;
  readonly elements?: string | undefined;
  /** `TARGET` or `TARGET=SATELLITE`. */
  readonly target?: readonly string[] | undefined;
  readonly stations?: string | undefined;
  readonly station?: readonly string[] | undefined;
}

export interface Sources {
  readonly targets: readonly PredictedTarget[];
  readonly stations: readonly GroundStation[];
}

/** Folder of a mission with the elements of its targets, each in a file of the target's name. */
const ORBITS = 'orbits';
const ELEMENTS_FILE = /^(.+)\.(tle|json|kvn)$/;

type Print = (fault: string) => void;

/**
 * What the options name; of several element sets of one satellite that nearest to `fromMs`. Undefined after a fault.
 */
export async function sourcesOf(
  values: SourceValues,
  fromMs: number,
  print: Print,
): Promise<Sources | undefined> {
  const topology = values.mission === undefined ? undefined : await topologyOf(values.mission, print);
  if (values.mission !== undefined && topology === undefined) return undefined;
  const stations = await stationsOf(values, topology, print);
  const targets =
    values.elements === undefined
      ? await targetsOfMission(values, topology, fromMs, print)
      : await targetsOfFile(values.elements, values.target ?? [], fromMs, print);
  return stations === undefined || targets === undefined ? undefined : { stations, targets };
}

async function topologyOf(folder: string, print: Print): Promise<TopologyConfiguration | undefined> {
  const compiled = await compileFolder(folder);
  if (compiled.ok) return compiled.value.configuration.topology;
  for (const fault of compiled.faults) print(faultLine(fault));
  return undefined;
}

/** Those named on the command line, else those of the file, else those of the mission. */
async function stationsOf(
  { station = [], stations }: SourceValues,
  topology: TopologyConfiguration | undefined,
  print: Print,
): Promise<readonly GroundStation[] | undefined> {
  if (station.length > 0) return allOf(station.map(parseStation), print);
  if (stations === undefined) return allOf((topology?.stations ?? []).map(stationOf), print);
  const read = readStations({ file: stations, text: await readFile(stations, 'utf8') });
  if (read.ok) return read.value;
  for (const fault of read.faults) print(faultLine(fault));
  return undefined;
}

function allOf(
  read: readonly ReturnType<typeof parseStation>[],
  print: Print,
): readonly GroundStation[] | undefined {
  const faults: StationFault[] = read.flatMap((each) => (each.ok ? [] : each.faults));
  for (const { message, help } of faults) print(`${message} (${help})`);
  return faults.length > 0 ? undefined : read.flatMap((each) => (each.ok ? [each.value] : []));
}

async function targetsOfFile(
  file: string,
  asked: readonly string[],
  fromMs: number,
  print: Print,
): Promise<readonly PredictedTarget[] | undefined> {
  const sets = await elementsOf(file, print);
  if (sets === undefined) return undefined;
  const found = asked.map((text) => {
    const [, target = text, satellite] = /^([^=]*)=(.*)$/.exec(text) ?? [];
    return { target, elements: setFor(sets, satellite, { file, target, fromMs }, print) };
  });
  return complete(found);
}

async function targetsOfMission(
  { mission = '', target: asked = [] }: SourceValues,
  topology: TopologyConfiguration | undefined,
  fromMs: number,
  print: Print,
): Promise<readonly PredictedTarget[] | undefined> {
  const folder = join(mission, ORBITS);
  const files = new Map<string, string>();
  for (const name of (await readdir(folder).catch(() => [])).sort()) {
    const target = ELEMENTS_FILE.exec(name)?.[1];
    if (target !== undefined) files.set(target, join(folder, name));
  }
  const known = topology?.targets.map(({ name }) => name) ?? [];
  const wanted = asked.length > 0 ? asked : [...files.keys()];
  const found = wanted.map(async (target) => {
    const file = files.get(target);
    if (!known.includes(target))
      print(`the mission has no target ${target} (${nearHelp(target, known, 'targets')})`);
    else if (file === undefined)
      print(`${target} has no elements (put them into ${join(folder, target)}.tle)`);
    else {
      const sets = await elementsOf(file, print);
      return { target, elements: sets && setFor(sets, undefined, { file, target, fromMs }, print) };
    }
    return { target, elements: undefined };
  });
  return complete(await Promise.all(found));
}

function complete(
  found: readonly { readonly target: string; readonly elements: OrbitalElements | undefined }[],
): readonly PredictedTarget[] | undefined {
  const whole = found.flatMap(({ target, elements }) =>
    elements === undefined ? [] : [{ target, elements }],
  );
  return whole.length === found.length ? whole : undefined;
}

async function elementsOf(file: string, print: Print): Promise<readonly OrbitalElements[] | undefined> {
  const read = readElements(await readFile(file, 'utf8'));
  if (read.ok) return read.value;
  for (const { line, message, help } of read.faults) print(`${file}:${line}: ${message} (${help})`);
  return undefined;
}

/** The set of the satellite, by name or catalogue number; without one all sets must be of the same satellite. */
function setFor(
  sets: readonly OrbitalElements[],
  satellite: string | undefined,
  { file, target, fromMs }: { readonly file: string; readonly target: string; readonly fromMs: number },
  print: Print,
): OrbitalElements | undefined {
  const names = [...new Set(sets.map(({ name }) => name))];
  const wanted = satellite?.toLowerCase();
  const own = sets.filter(
    ({ name, catalogueNumber }) =>
      wanted === undefined || name.toLowerCase() === wanted || String(catalogueNumber) === wanted,
  );
  if (own.length === 0)
    print(
      `${file} has no satellite ${JSON.stringify(satellite)} (${nearHelp(satellite ?? '', names, 'satellites')})`,
    );
  else if (new Set(own.map(({ catalogueNumber }) => catalogueNumber)).size > 1)
    print(`${file} has several satellites (say which ${target} is, like --target "${target}=${names[0]}")`);
  else return own.reduce((best, each) => (distance(each, fromMs) < distance(best, fromMs) ? each : best));
  return undefined;
}

function distance({ epochMs }: OrbitalElements, fromMs: number): number {
  return Math.abs(epochMs - fromMs);
}
