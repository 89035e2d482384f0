/** What holds for every chart there is. */

import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { StateMachine } from 'xstate';
import { CHART_MICROSTEPS } from '../../contract/limits/cell.ts';

const FOLDER = new URL('../../machines/', import.meta.url);

it('every chart ends an event that leads in a circle', async () => {
  const bounds = new Map<string, number | undefined>();
  for (const file of readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const module = (await import(new URL(file, FOLDER).href)) as Record<string, unknown>;
    for (const [name, value] of Object.entries(module))
      if (value instanceof StateMachine) bounds.set(name, value.options.maxIterations);
  }
  expect([...bounds.keys()].sort()).toEqual([
    'alarmMachine',
    'campaignMachine',
    'radioMachine',
    'runMachine',
    'scenarioRunMachine',
    'scheduleMachine',
    'supervisorMachine',
    'telecommandMachine',
    'transferMachine',
  ]);
  expect(new Set(bounds.values())).toEqual(new Set([CHART_MICROSTEPS]));
});
