/** Pages joined into one file, by its format. Pure. */

import { JoinedTables } from '../archive/joined-tables.ts';
import type { HistoryMedia } from '../contract/history-view.ts';

export const EXPORT_FORMATS = ['csv', 'parquet', 'json'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface Joining {
  /** How pages are asked for. */
  readonly media: HistoryMedia;
  /** What is written of a page. */
  add(page: Uint8Array): Uint8Array;
  /** What is written behind the last one. */
  end(): Uint8Array;
}

export function joiningOf(format: ExportFormat): Joining {
  return format === 'csv' ? joinedCsv() : format === 'json' ? joinedJson() : joinedParquet();
}

/** The first line of a page says the columns. */
function joinedCsv(): Joining {
  let isFirst = true;
  return {
    media: 'csv',
    add(page) {
      const lines = isFirst ? page : page.subarray(page.indexOf(0x0a) + 1);
      isFirst = false;
      return lines;
    },
    end: () => new Uint8Array(),
  };
}

/** One array, a sample on each line; numbers are taken over as they are written. */
function joinedJson(): Joining {
  let isEmpty = true;
  return {
    media: 'ndjson',
    add(page) {
      const lines = Buffer.from(page).toString().trimEnd();
      if (lines === '') return new Uint8Array();
      const opening = isEmpty ? '[\n' : ',\n';
      isEmpty = false;
      return Buffer.from(`${opening}${lines.replaceAll('\n', ',\n')}`);
    },
    end: () => Buffer.from(isEmpty ? '[]\n' : '\n]\n'),
  };
}

function joinedParquet(): Joining {
  const joined = new JoinedTables();
  return { media: 'parquet', add: (page) => joined.add(page), end: () => joined.end() };
}
