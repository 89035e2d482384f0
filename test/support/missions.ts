/** Missions for tests: the demo mission as it is shipped, changed where a test needs it, and a source of them. */

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compile } from '../../mission/compile.ts';
import { load } from '../../mission/load.ts';
import type { Mission } from '../../mission/mission.ts';
import type { Telecommand } from '../../mission/platform.ts';
import type { MissionSource } from '../../ports/mission-source.ts';

export const DEMO_FOLDER = fileURLToPath(new URL('../../missions/demo', import.meta.url));

/** The demo mission; `change` edits the text of each document first. */
export function demoMission(change: (text: string) => string = (text) => text): Mission {
  const files = readdirSync(DEMO_FOLDER).filter((file) => file.endsWith('.yaml'));
  const documents = files.map((file) => ({
    file,
    text: change(readFileSync(`${DEMO_FOLDER}/${file}`, 'utf8')),
  }));
  const compiled = compile(documents);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults, null, 1));
  return load(compiled.value.configuration, compiled.value.revision);
}

/** The mission as one that was published by a service that did not ask how the telecommand is written. */
export function withoutEncoding(mission: Mission, path: string): Mission {
  const [component, name] = path.split('.') as [string, string];
  for (const { platform } of mission.targets.values()) {
    const telecommands = platform?.components.get(component)?.telecommands as Map<string, Telecommand>;
    const telecommand = telecommands?.get(name);
    if (telecommand !== undefined) telecommands.set(name, { ...telecommand, encoding: undefined });
  }
  return mission;
}

/** A source whose current mission a test sets. */
export class TestMissions implements MissionSource {
  current: Mission | undefined;
  readonly #known = new Map<string, Mission>();
  readonly #listeners = new Set<(mission: Mission) => void>();

  constructor(mission?: Mission) {
    if (mission !== undefined) this.publish(mission);
  }

  publish(mission: Mission): void {
    this.current = mission;
    this.#known.set(mission.revision, mission);
    for (const listener of this.#listeners) listener(mission);
  }

  async at(revision: string): Promise<Mission | undefined> {
    return this.#known.get(revision);
  }

  onChange(listener: (mission: Mission) => void): () => void {
    this.#listeners.add(listener);
    if (this.current !== undefined) listener(this.current);
    return () => this.#listeners.delete(listener);
  }
}
