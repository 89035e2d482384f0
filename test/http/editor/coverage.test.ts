/** Every answer that the description of the editor's routes names is seen once, on every method. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { editorOperations } from '../../../http/editor/editor.ts';
import type { FrontEnd } from '../../../http/serve.ts';
import { until } from '../../support/until.ts';
import { Coverage } from '../coverage.ts';
import { layerPorts } from '../fixture.ts';
import { ask, type Editor, serveEditor, startEditor } from './fixture.ts';

const coverage = new Coverage(editorOperations as never);
let editor: Editor;
const fronts: FrontEnd[] = [];
beforeAll(async () => {
  editor = await startEditor();
});
afterAll(async () => {
  for (const front of fronts) await front.close();
  await editor.close();
});

async function front(...how: Parameters<typeof serveEditor>): Promise<string> {
  const served = await serveEditor(...how);
  fronts.push(served);
  return served.url;
}

async function answered(url: string, method: string, how: Parameters<typeof ask>[2] = {}): Promise<void> {
  const path = '/v1/editor/a';
  const { status, text } = await ask(url, path, { ...how, method });
  coverage.saw(url + path, method, { status, body: text === '' ? {} : JSON.parse(text) });
}

describe('MC-EDIT-001 MC-EDIT-002 MC-EDIT-003 the routes of the editor', () => {
  it('answer everything they are described with', async () => {
    const gone = await startEditor();
    const url = await front({ editorUrl: editor.url, editorMaxBytes: 3 });
    const away = await front({ editorUrl: gone.url });
    await gone.close();
    const unknown = { ...layerPorts().missions, current: undefined, known: false };
    const loading = await front({}, { missions: unknown as never });
    const required = await front({ editorUrl: editor.url, auth: { required: true } });
    const disabled = await front({});
    const invalid = async () => ({ ok: false, faults: [{ code: 'auth::invalid-token', message: 'no' }] });
    const provided = await front(
      { editorUrl: editor.url },
      { tokens: { verify: invalid, onChange: () => () => undefined, stop() {} } as never },
    );
    const full = await front({ editorUrl: editor.url }, { limits: { forwarded: 0 } });
    for (const { method } of editorOperations) {
      await answered(url, method);
      await answered(url, method, { body: '1234', headers: { 'content-length': '4' } });
      await answered(url, method, { headers: { 'x-mcs-user': 'alarm eve' } });
      await answered(url, method, { headers: { authorization: 'Bearer x' } });
      await answered(provided, method, { headers: { authorization: 'Bearer x' } });
      for (const other of [away, loading, required, disabled, full]) await answered(other, method);
    }
    expect(coverage.missing()).toEqual([]);
    await until(() => editor.asked.length === editorOperations.length, { what: 'the editor to be asked' });
  });
});
