/**
 * The on-board directory of a target, as it was last listed. Mission Control Service, sections 2.8 and 4.7.
 *
 * D1. It is what the values say: one store, so the two never differ.
 */

import type { OnboardFile } from '../../contract/onboard-file.ts';
import {
  type OnboardDirectory,
  OnboardDirectory as OnboardDirectorySchema,
} from '../../contract/onboard-file.ts';
import type { FileValues, KnownFile } from '../../telemetry/files/file-values.ts';
import { refuse } from '../errors.ts';
import { targetInPath } from '../parameters.ts';
import { defineRoute } from '../route.ts';
import { storeOf } from './values.ts';

export const readFiles = defineRoute({
  method: 'GET',
  path: '/v1/targets/:target/files',
  operationId: 'readFiles',
  summary: 'The on-board directory of a target',
  description:
    'As it was last listed. A file that was deleted on board keeps what was last known of it, dated by its last listing.',
  tag: 'Files',
  params: { target: targetInPath },
  replies: { 200: OnboardDirectorySchema },
  errors: [
    'api::no-configuration',
    'api::unknown-target',
    'api::no-catalogue',
    'files::no-directory',
    'api::unavailable',
  ],
  handle({ params }, ports) {
    const store = storeOf(params.target, ports);
    if (!store.ok) return store;
    const { files, platform } = store.value;
    const component = platform.files?.component;
    if (files === undefined || component === undefined)
      return refuse(
        'files::no-directory',
        `platform ${platform.id} of ${params.target} has no on-board directory`,
        {
          help: 'Declare one under files in the platform document.',
        },
      );
    return { ok: true, value: { status: 200, bytes: documentOf(component, files) } };
  },
});

/** The last document of each directory: it changes when a listing comes. */
const documents = new WeakMap<FileValues, { readonly version: number; readonly bytes: Uint8Array }>();

function documentOf(component: string, files: FileValues): Uint8Array {
  const { version } = files;
  const known = documents.get(files);
  if (known?.version === version) return known.bytes;
  const directory: OnboardDirectory = { component, files: files.files().map(fileView) };
  const bytes = Buffer.from(JSON.stringify(directory));
  documents.set(files, { version, bytes });
  return bytes;
}

function fileView({ id, fileType, size, checksum, generation, transfer, listedMs }: KnownFile): OnboardFile {
  return {
    id,
    ...(fileType !== undefined && { file_type: fileType }),
    ...(size !== undefined && { size }),
    ...(checksum !== undefined && { checksum }),
    ...(generation !== undefined && { generation }),
    ...(transfer !== undefined && { transfer }),
    ...(listedMs !== undefined && { listed_at: new Date(listedMs).toISOString() }),
  };
}

export const fileRoutes = [readFiles];
