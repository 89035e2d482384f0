/** The directories of a process that knows of no file. */

import type { FileDirectory } from '../../ports/file-directory.ts';

export const noFiles: FileDirectory = {
  file: () => undefined,
  upToDate: async () => undefined,
  watch: () => () => undefined,
};
