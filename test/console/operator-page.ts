/** What the tests of the operator's console share: a process with a mission that has alarms at once, and what axe finds. */

import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { type Mcs, startMcs } from '../support/mcs.ts';
import { DEMO_FOLDER } from '../support/missions.ts';
import { until } from '../support/until.ts';

export interface OperatorCell {
  readonly mcs: Mcs;
  /** Of its bus. */
  readonly credentials: string;
  stop(): Promise<void>;
}

/** Asks at once, and needs a decision about a low answer. */
const ASK_LEVEL = `
  ask_level:
    description: Ask how strong the downlink is
    roles: { sat: cubesat-6u }
    inputs:
      least: { type: f64, unit: dB, range: [0 dB, 10 dB], default: 3 dB, description: What is strong enough }
    steps:
      - step: downlink
        do:
          - ask: Signal level of the downlink?
            as: level
            type: { type: f64, unit: dB, range: [-20 dB, 40 dB] }
            timeout: 5 min
          - check: $level > $least
`;

/**
 * `mcs serve` with the demo mission, whose cells are above their hard and whose computer is above its soft limit, and a
 * procedure more. `config`: lines for its config document.
 */
export async function startOperatorCell({ config = '' } = {}): Promise<OperatorCell> {
  const folder = operatorMission(config);
  const state = join(folder, 'state');
  const mcs = await startMcs({ args: ['serve', '--mission', folder, '--state', state, '--port', '0'] });
  const stop = async (): Promise<void> => {
    await mcs.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  };
  return { mcs, credentials: join(state, 'service.creds'), stop };
}

/** The folder of that mission; whoever asks for it deletes it. */
export function operatorMission(config = ''): string {
  const folder = mkdtempSync(join(tmpdir(), 'mcs-operator-'));
  cpSync(DEMO_FOLDER, folder, { recursive: true });
  const platform = join(folder, 'cubesat-6u.yaml');
  const text = readFileSync(platform, 'utf8')
    .replace('soft: [6.8 V, 8.3 V], hard: [6.4 V, 8.5 V]', 'soft: [6.8 V, 7 V], hard: [6.4 V, 7.2 V]')
    .replace('soft: [-10 degC, 50 degC], hard', 'soft: [-10 degC, 5 degC], hard');
  writeFileSync(platform, text);
  if (config !== '') appendFileSync(join(folder, 'config.yaml'), `${config}\n`);
  const library = join(folder, 'ops.yaml');
  writeFileSync(
    library,
    readFileSync(library, 'utf8').replace('\nprocedures:\n', `\nprocedures:\n${ASK_LEVEL}\n`),
  );
  return folder;
}

/** Charts that the inspector asks for before anybody looks at them. */
export const AHEAD = /\/v1\/inspect\/charts\/[^?]+$/;

/** A click on “Why?” in there leads to the chart of that very entity, lit in one of its states; and back. */
export async function seeChart(within: Locator, { id, state }: { id: string; state: RegExp }): Promise<void> {
  const page = within.page();
  // Only what is looked at is laid out: asked ahead for every kind it would take some seconds of the processor.
  await page.route(AHEAD, (route) => route.fulfill({ json: {} }));
  await within.locator('a.why').first().click();
  await page.locator('#entity-title', { hasText: id }).waitFor();
  const lit = page.locator('#chart [data-state].active');
  await until(async () => {
    const names = await lit.evaluateAll((all) => all.map((each) => each.getAttribute('data-state') ?? ''));
    return names.some((name) => state.test(name));
  });
  await page.goBack();
  await page.unroute(AHEAD);
  await page.locator('nav [aria-current=page]', { hasNotText: 'System' }).waitFor();
}

/** Says who acts on that page. */
export async function named(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'No name given' }).click();
  await page.getByLabel('Name', { exact: true }).fill('ada');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'ada' }).waitFor();
}

/** A catalogue of so many measures `big.m0`, `big.m1`, ... */
export function manyMeasures(count: number): object {
  const measures = Array.from({ length: count }, (_, n) => ({
    name: `m${n}`,
    type: 'f64',
    soft: [0, 90],
    derived: false,
  }));
  return { platform: 'big@1.0.0', components: [{ name: 'big', instances: [], telecommands: [], measures }] };
}

/** What axe-core finds of the page as it stands, as lines; rules of taste are not asked. */
export async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, help, nodes }) => id + ': ' + help + ' ' + nodes.map((node) => node.html).slice(0, 3).join(' | ')))`);
}
