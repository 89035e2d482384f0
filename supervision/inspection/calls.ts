/** Reads what an inspector asks, and says everything that is wrong with it at once. */

import type {
  EntityName,
  FindCall,
  InspectFault,
  ReleaseCall,
  WatchCall,
} from '../../contract/inspection.ts';
import { INSPECT_FOUND } from '../../contract/limits/inspect.ts';
import { accepted, type Result, refusedAll } from '../../contract/result.ts';
import { isToken } from '../../contract/token.ts';
import { invalid } from './refusals.ts';

type Read<Call> = Result<Call, InspectFault>;
type Fields = Readonly<Record<string, unknown>>;

/** The call as JSON; an empty body is a call without fields. */
export function readFields(data: Uint8Array): Read<Fields> {
  if (data.length === 0) return accepted({});
  try {
    const body: unknown = JSON.parse(Buffer.from(data).toString());
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return accepted(body as Fields);
  } catch {
    // Said below.
  }
  return refusedAll([invalid('the call is not a JSON object: send one, or an empty body')]);
}

export function readEntityName(fields: Fields): Read<EntityName> {
  return read<EntityName>(texts(fields, 'kind', 'id'), fields);
}

export function readKind(fields: Fields): Read<{ kind: string }> {
  return read<{ kind: string }>(texts(fields, 'kind'), fields);
}

export function readWatch(fields: Fields): Read<WatchCall> {
  const { watcher } = fields;
  const isSubject = typeof watcher === 'string' && isToken(watcher);
  const wrong = invalid('watcher must be letters, digits, "-" and "_": it becomes part of a subject');
  return read<WatchCall>([...texts(fields, 'kind', 'id'), ...(isSubject ? [] : [wrong])], fields);
}

export function readRelease(fields: Fields): Read<ReleaseCall> {
  return read<ReleaseCall>(texts(fields, 'supervisor', 'child', 'by'), fields);
}

/** `limit` is at most `INSPECT_FOUND`, and that when it is not given. */
export function readFind(fields: Fields): Read<FindCall> {
  const { limit = INSPECT_FOUND, ids = [] } = fields;
  const isList =
    Array.isArray(ids) && ids.length <= INSPECT_FOUND && ids.every((id) => typeof id === 'string');
  const given = ['kind', 'id', 'target', 'state'].filter((name) => fields[name] !== undefined);
  const isCount = typeof limit === 'number' && Number.isInteger(limit) && limit > 0;
  const faults = [
    ...texts(fields, ...given),
    ...(isList ? [] : [invalid(`ids must be at most ${INSPECT_FOUND} texts`)]),
    ...(isCount ? [] : [invalid(`limit must be a whole number from 1 to ${INSPECT_FOUND}`)]),
  ];
  return read<FindCall>(faults, { ...fields, limit: Math.min(Number(limit), INSPECT_FOUND) });
}

function texts(fields: Fields, ...names: readonly string[]): InspectFault[] {
  const wrong = names.filter((name) => typeof fields[name] !== 'string' || fields[name] === '');
  return wrong.map((name) => invalid(`${name} must be non-empty text`));
}

function read<Call>(faults: readonly InspectFault[], fields: Fields): Read<Call> {
  return faults.length > 0 ? refusedAll(faults) : accepted(fields as Call);
}
