/**
 * The documents of a bench: `bench/` of a mission folder with `bench.yaml`, `profiles/`, `scenarios/` and `campaigns/`,
 * each document in a file of its own.
 *
 * B1. Everything that is wrong is reported at once, each fault with its file.
 * B2. A folder without documents of a bench is a bench without documents: the model, nothing to run.
 */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Campaign } from '../../contract/bench/campaign.ts';
import type { BenchConfig } from '../../contract/bench/config.ts';
import type { Profile } from '../../contract/bench/profile.ts';
import type { Scenario } from '../../contract/bench/scenario.ts';
import { accepted, type Result, refusedAll } from '../../contract/result.ts';
import { readCampaign } from '../../radio/document/campaign.ts';
import { PLAIN_BENCH, readBenchConfig } from '../../radio/document/config.ts';
import { readProfile } from '../../radio/document/profile.ts';
import { readScenario } from '../../radio/document/scenario.ts';

export interface BenchDocuments {
  readonly config: BenchConfig;
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly scenarios: ReadonlyMap<string, Scenario>;
  readonly campaigns: ReadonlyMap<string, Campaign>;
}

export const NO_BENCH_DOCUMENTS: BenchDocuments = {
  config: PLAIN_BENCH,
  profiles: new Map(),
  scenarios: new Map(),
  campaigns: new Map(),
};

/** The documents below `<mission>/bench`; refused with `file: path: reason` for everything that is wrong. */
export async function readBenchFolder(missionFolder: string): Promise<Result<BenchDocuments, string>> {
  const folder = join(missionFolder, 'bench');
  const faults: string[] = [];
  const config = await readConfig(folder, faults);
  const profiles = await readAll(join(folder, 'profiles'), (text) => readProfile(text), faults);
  const scenarios = await readAll(join(folder, 'scenarios'), (text) => readScenario(text, profiles), faults);
  const names = new Set(scenarios.keys());
  const campaigns = await readAll(
    join(folder, 'campaigns'),
    (text) => readCampaign(text, { profiles, scenarios: names }),
    faults,
  );
  return faults.length === 0 ? accepted({ config, profiles, scenarios, campaigns }) : refusedAll(faults);
}

async function readConfig(folder: string, faults: string[]): Promise<BenchConfig> {
  for (const name of ['bench.yaml', 'bench.yml']) {
    const path = join(folder, name);
    const text = await textOf(path);
    if (text === undefined) continue;
    const config = readBenchConfig(text);
    if (config.ok) return config.value;
    faults.push(...config.faults.map((fault) => `${path}: ${fault}`));
  }
  return PLAIN_BENCH;
}

async function readAll<Document extends { readonly name: string }>(
  folder: string,
  read: (text: string) => Result<Document, string>,
  faults: string[],
): Promise<Map<string, Document>> {
  const documents = new Map<string, Document>();
  const files = new Map<string, string>();
  for (const file of await yamlFiles(folder)) {
    const path = join(folder, file);
    const document = read(await readFile(path, 'utf8'));
    if (!document.ok) {
      faults.push(...document.faults.map((fault) => `${path}: ${fault}`));
      continue;
    }
    const { name } = document.value;
    const other = files.get(name);
    if (other !== undefined) faults.push(`${path}: name: "${name}" is already that of ${other}`);
    documents.set(name, document.value);
    files.set(name, file);
  }
  return documents;
}

async function yamlFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(ifMissing<string[]>([]));
  return names.filter((name) => /\.ya?ml$/.test(name)).sort();
}

function textOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(ifMissing(undefined));
}

function ifMissing<Value>(value: Value): (error: NodeJS.ErrnoException) => Value {
  return (error) => {
    if (error.code === 'ENOENT') return value;
    throw error;
  };
}
