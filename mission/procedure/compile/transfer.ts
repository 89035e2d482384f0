/**
 * `download` and `upload`: they ask for a transfer and do not wait for it. Mission Control Service, section 4.7 rules 8
 * and 9.
 */

import type { FaultsAt } from '../../document/fault.ts';
import type { DownloadDocument, UploadDocument } from '../../document/statement.ts';
import type { Statement } from '../procedure.ts';
import type { Names } from './names.ts';
import { fileIn, placeNamed } from './reference.ts';
import { nameIn, typeText } from './value.ts';

/** The statement; undefined after a fault. */
export function compileDownload(
  document: DownloadDocument,
  names: Names,
  faults: FaultsAt,
): Statement | undefined {
  const found = compileFile(document.download, names, faults.in('download'));
  if (found === undefined) return undefined;
  return { kind: 'download', ...found, priority: document.priority ?? 0, longestMs: 0 };
}

/** The statement; undefined after a fault. */
export function compileUpload(
  document: UploadDocument,
  names: Names,
  faults: FaultsAt,
): Statement | undefined {
  const found = compileFile(document.upload, names, faults.in('upload'));
  const content = compileContent(document.content, names, faults.in('content'));
  if (found === undefined || content === undefined) return undefined;
  return { kind: 'upload', ...found, content, longestMs: 0 };
}

function compileFile(
  text: string,
  names: Names,
  faults: FaultsAt,
): { role: string; component: string; file: { readonly name: string } } | undefined {
  const place = placeNamed(text, 'role.files[$name]', names, faults);
  if (place === undefined) return undefined;
  const { role, component, bracket, member } = place;
  if (!component.files) {
    faults.fault(
      `${component.name} is not the component of the on-board directory`,
      'name the files component',
    );
    return undefined;
  }
  if (member !== undefined)
    faults.fault(`"${text}" names more than a file`, `write ${role}.${component.name}[$name]`);
  const file = fileIn(bracket, names, faults);
  return file === undefined ? undefined : { role, component: component.name, file };
}

function compileContent(text: string, names: Names, faults: FaultsAt): { readonly name: string } | undefined {
  const name = nameIn(text);
  if (name === undefined) {
    faults.fault(
      `"${text}" is not the name of an input`,
      'declare an input of type file and write its $name',
    );
    return undefined;
  }
  const type = names.find(name, faults);
  if (type === undefined) return undefined;
  if (type.type === 'file') return { name };
  faults.fault(`$${name} is ${typeText(type)}, file is needed`, 'declare it as file');
  return undefined;
}
