/**
 * `node --import tsx tools/write-openapi.ts FILE`: writes the OpenAPI document as `GET /v1/openapi.json` answers it, for
 * tools that read files. No service has to run.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { follows, routes } from '../http/front-end.ts';
import { openApiDocument } from '../http/openapi.ts';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: node --import tsx tools/write-openapi.ts FILE');
await mkdir(dirname(file), { recursive: true });
await writeFile(file, `${JSON.stringify(openApiDocument(routes, follows), undefined, 2)}\n`);
