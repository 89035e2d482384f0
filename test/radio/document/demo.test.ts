/** The documents that are shipped, and the schemas for editors. */

import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { compileFolder } from '../../../cli/mission-folder.ts';
import { BENCH_DOCUMENT_KINDS, benchSchema } from '../../../contract/bench/schema.ts';
import { demoCampaigns, demoProfiles, demoScenarios, demoTexts } from './demo-bench.ts';

it('all documents of the demo bench are valid, under the names of their files', () => {
  for (const documents of [demoProfiles(), demoScenarios(), demoCampaigns()])
    expect([...documents].map(([, { name }]) => name)).toEqual([...documents.keys()]);
  expect([demoProfiles().size, demoScenarios().size, demoCampaigns().size]).toEqual([3, 5, 2]);
});

it('they fit the JSON Schemas that editors are given', () => {
  const ajv = new Ajv({ strict: false });
  for (const kind of BENCH_DOCUMENT_KINDS) {
    const validate = ajv.compile(benchSchema(kind));
    for (const [name, text] of demoTexts(`${kind}s`))
      expect({ name, errors: validate(parse(text)) ? [] : validate.errors }).toEqual({ name, errors: [] });
  }
});

it('they do not disturb the mission they lie beside', async () => {
  const folder = new URL('../../../missions/demo', import.meta.url).pathname;
  expect(await compileFolder(folder)).toMatchObject({ ok: true });
});
