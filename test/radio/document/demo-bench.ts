/** The documents of the bench that the demo mission brings. */

import { readdirSync, readFileSync } from 'node:fs';
import type { Campaign } from '../../../contract/bench/campaign.ts';
import type { Profile } from '../../../contract/bench/profile.ts';
import type { Scenario } from '../../../contract/bench/scenario.ts';
import type { Result } from '../../../contract/result.ts';
import { readCampaign } from '../../../radio/document/campaign.ts';
import { readProfile } from '../../../radio/document/profile.ts';
import { readScenario } from '../../../radio/document/scenario.ts';

const BENCH = new URL('../../../missions/demo/bench/', import.meta.url);

/** The texts of a kind, by file name without its ending. */
export function demoTexts(kind: 'profiles' | 'scenarios' | 'campaigns'): ReadonlyMap<string, string> {
  const folder = new URL(`${kind}/`, BENCH);
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  return new Map(
    files.map((file) => [file.slice(0, -'.yaml'.length), readFileSync(new URL(file, folder), 'utf8')]),
  );
}

/** The value, or a failure that shows every fault. */
export function valid<Value>(result: Result<Value, string>): Value {
  if (!result.ok) throw new Error(result.faults.join('\n'));
  return result.value;
}

/** The faults of a result that must have some. */
export function faultsOf(result: Result<unknown, string>): readonly string[] {
  return result.ok ? [] : result.faults;
}

export function demoProfiles(): ReadonlyMap<string, Profile> {
  return mapped(demoTexts('profiles'), (text) => valid(readProfile(text)));
}

export function demoScenarios(): ReadonlyMap<string, Scenario> {
  const profiles = demoProfiles();
  return mapped(demoTexts('scenarios'), (text) => valid(readScenario(text, profiles)));
}

export function demoCampaigns(): ReadonlyMap<string, Campaign> {
  const context = { profiles: demoProfiles(), scenarios: new Set(demoScenarios().keys()) };
  return mapped(demoTexts('campaigns'), (text) => valid(readCampaign(text, context)));
}

function mapped<Value>(texts: ReadonlyMap<string, string>, read: (text: string) => Value) {
  return new Map([...texts].map(([name, text]) => [name, read(text)]));
}
