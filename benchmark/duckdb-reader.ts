/** Files of the archive read by DuckDB, for comparison. */

import { DuckDBInstance } from '@duckdb/node-api';

export interface DuckdbReader {
  /** Runs each statement over the files and answers how many samples the first one counted. */
  readonly duckdb: (statements: readonly string[]) => Promise<number>;
  readonly close: () => void;
}

export async function duckdbOf(files: string): Promise<DuckdbReader> {
  const connection = await (await DuckDBInstance.create()).connect();
  const from = `read_parquet('${files}', union_by_name=true)`;
  return {
    duckdb: async (statements) => {
      let counted = 0;
      for (const [n, statement] of statements.entries()) {
        const rows = (await connection.runAndReadAll(statement.replace('FILES', from))).getRowObjects();
        if (n === 0) counted = rows.reduce((sum, { n: count }) => sum + Number(count), 0);
      }
      return counted;
    },
    close: () => connection.closeSync(),
  };
}

/** Buckets of one measure, of its samples or of minutes. */
export function bucketSql(
  measure: string,
  { from, to }: { readonly from: number; readonly to: number },
  points: number,
  minutes = false,
): string {
  const width = Math.ceil((to - from) / points);
  const time = minutes ? 'minute' : 'time';
  const columns = minutes
    ? `sum(n) as n, min("${measure}.min"), max("${measure}.max"), sum("${measure}.mean" * "${measure}.known") / sum("${measure}.known")`
    : `count("${measure}") as n, min("${measure}"), max("${measure}"), avg("${measure}")`;
  const range = `${time} >= make_timestamptz(${from * 1_000}::bigint) and ${time} < make_timestamptz(${to * 1_000}::bigint)`;
  return `select epoch_ms(${time}) // ${width} as bucket, ${columns} from FILES where ${range} group by bucket order by bucket`;
}
