/**
 * `node --import tsx tools/write-openapi.ts FOLDER`: writes the interface descriptions as the services answer them
 * (`GET /v1/openapi.json` of mission control as `openapi.json`, `GET /api/v1/openapi.json` of the bench as
 * `bench-openapi.json`), for tools that read files. No service has to run.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { benchInterface } from '../http/bench/dialect.ts';
import { benchFollows, benchRoutes } from '../http/bench/front-end.ts';
import { describedRoutes, follows } from '../http/front-end.ts';
import { openApiDocument } from '../http/openapi.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node --import tsx tools/write-openapi.ts FOLDER');
await mkdir(folder, { recursive: true });
await write('openapi.json', openApiDocument(describedRoutes, follows));
await write('bench-openapi.json', openApiDocument(benchRoutes, benchFollows, benchInterface));

async function write(name: string, document: object): Promise<void> {
  await writeFile(join(folder!, name), `${JSON.stringify(document, undefined, 2)}\n`);
}
