/**
 * The editor behind this service: whether there is one, what it refuses, and its routes as the interface description
 * shows them. Mission Control Service, sections 4.9 and 7.5.
 */

import Type from 'typebox';
import { refuse } from '../errors.ts';
import type { ForwardedOperation } from '../openapi.ts';
import type { RoutePorts } from '../ports.ts';
import type { Handled, Refusal } from '../reply.ts';
import type { Method } from '../route.ts';
import type { Tag } from '../tags.ts';
import { EDITOR_PREFIX } from './editor-path.ts';

export interface EditorService {
  readonly base: URL;
  readonly maxBytes: number;
}

/** The editor of the current configuration. */
export function editorOf({ missions }: Pick<RoutePorts, 'missions'>): Handled<EditorService> {
  const { editorUrl, editorMaxBytes } = missions.current?.settings ?? {};
  if (editorUrl === undefined || editorMaxBytes === undefined)
    return refuse('editor::disabled', 'no editor is configured behind this service', {
      help: 'Give editor.url in the config document.',
    });
  return { ok: true, value: { base: new URL(editorUrl), maxBytes: editorMaxBytes } };
}

export function unreachable(why: string): Refusal {
  return refuse('editor::unreachable', `the editor does not answer: ${why}`, {
    help: 'Start the editor, or correct editor.url in the config document.',
  });
}

export function tooLargeForEditor(bytes: number): Refusal {
  return refuse('editor::too-large', `the body is larger than the ${bytes} bytes that the editor takes`, {
    help: 'editor.max_bytes in the config document is the limit.',
  });
}

/** What passes; others are routes that there are not. */
export const FORWARDED_METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);

const Whatever = Type.String({ contentMediaType: 'application/octet-stream', examples: ['any bytes'] });

const DESCRIPTION =
  'Everything below `/v1/editor/` goes to the service of `editor.url`, with its answer as it is, whatever its status: any ' +
  'depth of path, any query but `token`, bodies up to `editor.max_bytes`, streamed both ways. OPTIONS and HEAD pass too, ' +
  'and a WebSocket opens as at the editor. `docs/editor.md` says which headers pass and how the editor learns who calls.';

/** Of the methods that people use; the table of routes has them in the description alone. */
export const editorOperations: readonly ForwardedOperation[] = (
  [
    ['GET', 'getFromEditor', 'Reads from the editor'],
    ['POST', 'postToEditor', 'Posts to the editor'],
    ['PUT', 'putToEditor', 'Puts to the editor'],
    ['PATCH', 'patchAtEditor', 'Changes at the editor'],
    ['DELETE', 'deleteAtEditor', 'Deletes at the editor'],
  ] as const
).map(([method, operationId, summary]) => operation(method, operationId, summary));

function operation(method: Method | 'PATCH', operationId: string, summary: string): ForwardedOperation {
  const tag: Tag = 'Editor';
  return {
    method,
    path: `${EDITOR_PREFIX}/:path`,
    operationId,
    summary,
    description: DESCRIPTION,
    tag,
    identity: 'caller',
    params: {
      path: {
        accepts: () => true,
        schema: Type.String({ description: 'Path at the editor, of any depth.', examples: ['index.html'] }),
        code: 'editor::disabled',
        expected: 'a path',
      },
    },
    query: {},
    body: undefined,
    replies: { 200: Whatever },
    errors: ['editor::disabled', 'editor::too-large', 'editor::unreachable', 'api::too-many-requests'],
  };
}
