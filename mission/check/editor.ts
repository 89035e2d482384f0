/**
 * The editor of the config document. Mission Control Service, section 4.9: where requests below `/v1/editor/` go.
 *
 * The document is published and anybody of the mission reads it, so an address with a password in it is refused.
 */

import type { ConfigDocument } from '../document/config.ts';
import type { FaultsAt } from '../document/fault.ts';

type EditorDocument = NonNullable<ConfigDocument['editor']>;

const EXAMPLE = 'give the base address of the service, like http://127.0.0.1:8888/editor';

/** The settings, and every fault of the address; `faults` are at `editor`. */
export function checkEditor(
  editor: EditorDocument,
  faults: FaultsAt,
): { readonly editorUrl: string; readonly editorMaxBytes?: number } {
  const { url, max_bytes: editorMaxBytes } = editor;
  for (const [problem, remedy] of problemsOf(url)) faults.in('url').fault(problem, remedy);
  return { editorUrl: url, ...(editorMaxBytes !== undefined && { editorMaxBytes }) };
}

function problemsOf(url: string): readonly (readonly [problem: string, remedy: string])[] {
  if (!URL.canParse(url)) return [['this is not a URL', EXAMPLE]];
  const { protocol, username, password, search, hash } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:')
    return [['the editor is reached by http or https', EXAMPLE]];
  const problems: [string, string][] = [];
  if (username !== '' || password !== '')
    problems.push([
      'an address with a user or password would be readable by everybody who reads the configuration',
      'leave them out, and let the editor accept connections of this service only',
    ]);
  if (search !== '' || hash !== '') problems.push(['a base address has neither query nor fragment', EXAMPLE]);
  return problems;
}
