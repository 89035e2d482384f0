/** The demo mission, compiled and loaded as a process of the service does it. */

import { fileURLToPath } from 'node:url';
import { compileFolder } from '../cli/mission-folder.ts';
import type { Compiled } from '../mission/compile.ts';
import { load } from '../mission/load.ts';
import type { Mission } from '../mission/mission.ts';
import type { MissionSource } from '../ports/mission-source.ts';

export const DEMO = fileURLToPath(new URL('../missions/demo', import.meta.url));

/** Throws when the demo does not compile. */
export async function compiledDemo(): Promise<Compiled> {
  const compiled = await compileFolder(DEMO);
  if (!compiled.ok) throw new Error(compiled.faults.map(({ message }) => message).join('\n'));
  return compiled.value;
}

export async function demoMission(): Promise<Mission> {
  const { configuration, revision } = await compiledDemo();
  return load(configuration, revision);
}

/** A source that always has this one mission. */
export function sourceOf(mission: Mission): MissionSource {
  return {
    current: mission,
    at: async () => mission,
    onChange: (listener) => {
      listener(mission);
      return () => undefined;
    },
  };
}
