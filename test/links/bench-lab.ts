/** The bench mission as it is shipped, changed where a test of a driver needs it. */

import { readdirSync, readFileSync } from 'node:fs';
import { BlockBuilder, type VerificationReport } from '../../contract/batch.ts';
import type { Driver, LinkSource } from '../../links/driver/driver.ts';
import { compile } from '../../mission/compile.ts';
import { load } from '../../mission/load.ts';
import type { Mission } from '../../mission/mission.ts';

const FOLDER = new URL('../../missions/bench-lab/', import.meta.url);

/** The mission; `change` edits the text of each document first. */
export function benchMission(change: (text: string) => string = (text) => text): Mission {
  const documents = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => ({ file, text: change(readFileSync(new URL(file, FOLDER), 'utf8')) }));
  const compiled = compile(documents);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults, null, 1));
  return load(JSON.parse(JSON.stringify(compiled.value.configuration)), compiled.value.revision);
}

/** The default link of a target with what is needed to read its frames. */
export function sourceOf(mission: Mission, name: string): LinkSource {
  const target = mission.targets.get(name)!;
  return { target, link: target.links.get(target.defaultLink)!, platform: target.platform! };
}

/** What a driver reads from frames: values by measure in the order read, reports, faults. */
export function readAll(driver: Driver, source: LinkSource, frames: readonly Buffer[]) {
  const faults: string[] = [];
  const reports: VerificationReport[] = [];
  const samples = new BlockBuilder();
  const into = {
    samples,
    files: { samples: [], chunks: [] },
    reports,
    fault: (detail: string) => faults.push(detail),
  };
  for (const [index, frame] of frames.entries()) driver.read(frame, 1_000 + index, source, into);
  const rows = samples.take().flatMap(({ ordinals, raw, ground, wide = [] }) =>
    Array.from(ground, (_, row) =>
      Object.fromEntries(
        Array.from(ordinals, (ordinal, column) => {
          const index = row * ordinals.length + column;
          const value = wide.find(([at]) => at === index)?.[1] ?? raw[index];
          return [source.platform.measures[ordinal]!.definition.name, value];
        }),
      ),
    ),
  );
  return { rows, reports, faults };
}
