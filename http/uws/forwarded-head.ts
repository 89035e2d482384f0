/**
 * The head of a request to the editor, copied from uWebSockets.js, and the checks that come before anything is done
 * about it. Mission Control Service, section 4.9.
 */

import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import type { Caller } from '../caller.ts';
import type { LayerPorts } from '../dialect.ts';
import { type EditorService, FORWARDED_METHODS } from '../editor/editor.ts';
import { addressAtEditor } from '../editor/editor-path.ts';
import { type Fields, headersForEditor, type Outgoing, untrusted } from '../editor/request-headers.ts';
import type { Credentials } from '../identity.ts';
import type { AnyFault, Handled, Refusal } from '../reply.ts';
import { addressOf } from './admission.ts';
import { type RequestHead, readHead } from './request-head.ts';
import type { Served } from './served.ts';

/** Whether there is an editor, and which. */
export type EditorOf<Ports> = (ports: Ports) => Handled<EditorService>;

export interface CopiedHead {
  readonly head: RequestHead;
  readonly method: string;
  /** As it came, undecoded. */
  readonly path: string;
  readonly fields: Fields;
  /** Of the client. */
  readonly address: string;
}

/** What the editor is asked for, and for whom. */
export interface Admitted {
  readonly service: EditorService;
  readonly caller: Caller;
  readonly path: string;
  readonly headers: Outgoing;
}

export function copyHead(res: HttpResponse, req: HttpRequest): CopiedHead {
  const fields: (readonly [string, string])[] = [];
  req.forEach((name, value) => {
    fields.push([name, value]);
  });
  return {
    head: readHead(req, []),
    method: req.getMethod().toUpperCase(),
    path: req.getUrl(),
    fields,
    address: addressOf(res),
  };
}

/** The refusal of a head that cannot be trusted: its connection ends with it. */
export function untrustedHead({ fields, path, head }: CopiedHead): Refusal | undefined {
  const refused = untrusted(fields);
  if (refused !== undefined) return refused;
  const address = addressAtEditor(path, head.query, NOWHERE);
  return address.ok ? undefined : address;
}

const NOWHERE = new URL('http://127.0.0.1');

/** Who calls, and whether there is an editor; `credentials` are those of the head, or of the query of a WebSocket. */
export async function admit<Ports extends LayerPorts>(
  { fields, path, head, address }: CopiedHead,
  credentials: Credentials,
  editorOf: EditorOf<Ports>,
  { dialect, ports }: Served<Ports>,
): Promise<Handled<Admitted, AnyFault>> {
  const caller = await dialect.identify(credentials, ports);
  if (!caller.ok) return caller;
  const service = editorOf(ports);
  if (!service.ok) return service;
  const at = addressAtEditor(path, head.query, service.value.base);
  if (!at.ok) return at;
  const headers = headersForEditor({ fields, address, host: head.host }, caller.value);
  if (!headers.ok) return headers;
  return {
    ok: true,
    value: { service: service.value, caller: caller.value, path: at.value, headers: headers.value },
  };
}

export function isForwarded(method: string): boolean {
  return FORWARDED_METHODS.has(method);
}
