/**
 * Which editor a configuration names: `editor.url` and `editor.max_bytes` of the config document, from text to request.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { EDITOR_BODY_BYTES } from '../../../contract/limits/editor.ts';
import { editorOf } from '../../../http/editor/editor.ts';
import { compile } from '../../../mission/compile.ts';
import { load } from '../../../mission/load.ts';
import { topology } from '../../mission/documents.ts';
import { ask, codesIn, type Editor, serveEditor, startEditor } from './fixture.ts';

let editor: Editor;
beforeAll(async () => {
  editor = await startEditor();
});
afterAll(() => editor.close());

const compiledWith = (settings: object) =>
  compile([topology(), { file: 'config.yaml', text: stringify({ config: 'settings', ...settings }) }]);

function settingsOf(settings: object) {
  const compiled = compiledWith(settings);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults));
  return load(compiled.value.configuration, 'revision').settings;
}

describe('the editor of a config document', () => {
  it('editor.url is where requests go, editor.max_bytes how large they may be', async () => {
    const { editorUrl, editorMaxBytes } = settingsOf({ editor: { url: `${editor.url}/sub`, max_bytes: 10 } });
    const served = await serveEditor({ editorUrl, ...(editorMaxBytes !== undefined && { editorMaxBytes }) });
    expect((await ask(served.url, '/v1/editor/a', { method: 'POST', body: '1234567890' })).status).toBe(200);
    expect(editor.asked.at(-1)!.url).toBe('/sub/a');
    const large = await ask(served.url, '/v1/editor/a', { method: 'POST', body: '12345678901' });
    expect([large.status, codesIn(large)]).toEqual([413, ['editor::too-large']]);
    await served.close();
  });

  it('takes bodies of 64 MiB where editor.max_bytes says nothing, and there is none without editor.url', () => {
    const { editorMaxBytes } = settingsOf({ editor: { url: editor.url } });
    expect(editorMaxBytes).toBe(EDITOR_BODY_BYTES);
    const missions = { current: { settings: settingsOf({}) } } as never;
    expect(editorOf({ missions })).toMatchObject({ ok: false, faults: [{ code: 'editor::disabled' }] });
    expect(editorOf({ missions: { current: undefined } as never })).toMatchObject({ ok: false });
  });

  it.each([
    ['editor', 'this is not a URL'],
    ['ftp://127.0.0.1/', 'http or https'],
    ['http://ada:secret@127.0.0.1/', 'readable by everybody'],
    ['http://127.0.0.1/?a=b', 'neither query nor fragment'],
    ['http://127.0.0.1/#a', 'neither query nor fragment'],
  ])('%s is a fault that says why', (url, why) => {
    const compiled = compiledWith({ editor: { url } });
    expect(compiled.ok).toBe(false);
    const faults = compiled.ok ? [] : compiled.faults;
    expect(faults.map(({ path, message }) => `${path}: ${message}`).join()).toContain(why);
    expect(faults[0]!.path).toContain('editor');
  });

  it.each([0, -1, 1.5, 2 ** 40])('editor.max_bytes of %d is a fault', (max_bytes) => {
    expect(compiledWith({ editor: { url: editor.url, max_bytes } }).ok).toBe(false);
  });
});
