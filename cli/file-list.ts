/**
 * `mcs file list`: the on-board directory of a target as it was last listed. A thin client of `GET
 * /v1/targets/{target}/files`. Mission Control Service, sections 2.8 and 4.7.
 *
 * L1. What is not known of a file is `-`, never a zero.
 * L2. A file that the last listing did not have any more is there, and its own time says so.
 */

import type { OnboardDirectory, OnboardFile } from '../contract/onboard-file.ts';
import { realClock } from '../supervision/clock.ts';
import { Columns, printColumns } from './columns.ts';
import { defineCommand } from './command.ts';
import { momentText } from './pass-look.ts';
import { jsonText } from './printable.ts';
import { request } from './request.ts';
import { hasColour } from './run-follow.ts';
import { serviceOf } from './service.ts';
import { type Shape, shapeOf, TABLE_OPTIONS } from './table-options.ts';

const FILE_LIST_USAGE = `mcs file list TARGET [--json] [--utc | --local]
  the on-board directory as it was last listed; mcs file refresh asks the spacecraft for a listing
`;

const LISTED = ['ID', 'TYPE', 'SIZE', 'GENERATION', 'CHECKSUM', 'TRANSFER', 'LISTED'] as const;
type FileColumn = (typeof LISTED)[number];
const NOT_KNOWN = '-';

export const list = defineCommand({
  usage: FILE_LIST_USAGE,
  words: ['TARGET'],
  options: TABLE_OPTIONS,
  async run({ words: [target], values }) {
    const shape = shapeOf(values);
    const path = `/v1/targets/${encodeURIComponent(target)}/files`;
    const directory = await request<OnboardDirectory>(serviceOf(values), 'GET', path);
    if (directory === undefined) return 1;
    printDirectory(directory, shape);
    return 0;
  },
});

/** Prints a directory; what there is to say of an empty one goes beside it. */
export function printDirectory(directory: OnboardDirectory, { json, local }: Shape): void {
  if (json) return void process.stdout.write(`${jsonText(directory, 2)}\n`);
  const columns = new Columns<FileColumn, OnboardFile>({
    columns: LISTED,
    cell: (column, file) => cellOf(column, file, local),
    tone: () => undefined,
    right: ['ID', 'TYPE', 'SIZE', 'GENERATION'],
    spared: ['TYPE', 'GENERATION', 'CHECKSUM'],
  });
  printColumns(columns, directory.files, { now: realClock.now(), colour: hasColour(), elsewhere: '--json' });
  if (directory.files.length === 0)
    process.stderr.write('no file was ever listed (mcs file refresh asks for a listing)\n');
}

function cellOf(column: FileColumn, file: OnboardFile, local: boolean): string {
  switch (column) {
    case 'ID':
      return file.id;
    case 'TYPE':
      return String(file.file_type ?? NOT_KNOWN);
    case 'SIZE':
      return String(file.size ?? NOT_KNOWN);
    case 'GENERATION':
      return String(file.generation ?? NOT_KNOWN);
    case 'CHECKSUM':
      return file.checksum ?? NOT_KNOWN;
    case 'TRANSFER':
      return file.transfer ?? NOT_KNOWN;
    default:
      return file.listed_at === undefined ? NOT_KNOWN : momentText(file.listed_at, local);
  }
}
