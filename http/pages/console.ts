/**
 * The pages of the console as a fixed list: documents and styles as they stand in `console/`, scripts bundled in memory at
 * their first request. Decision 8.
 *
 * B1. Nothing is written to the disk and nothing is built beforehand: what is served is what stands in the sources.
 * B2. A script that does not bundle answers 500, and the log has every message of the bundler with its place.
 */

import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from './page.ts';
import { definePage } from './page.ts';

const FOLDER = new URL('../../console/', import.meta.url);

/** What the browsers of the last three years run; the console needs nothing newer. */
const BROWSERS = 'es2022';

const SCRIPTS = ['theme.ts', 'inspect/inspect.ts'];

/** What `/inspect` consists of. */
export const consolePages: readonly Page[] = [
  file('/inspect', 'inspect/inspect.html', 'text/html; charset=utf-8'),
  file('/console/style.css', 'style.css', 'text/css; charset=utf-8'),
  file('/console/inspect.css', 'inspect/inspect.css', 'text/css; charset=utf-8'),
  file('/console/icon.svg', 'icon.svg', 'image/svg+xml'),
  ...scriptPages(),
];

function file(path: string, name: string, contentType: string): Page {
  return definePage({ path, contentType, body: () => readFile(new URL(name, FOLDER)) });
}

/** One run of the bundler serves every script. */
function scriptPages(): Page[] {
  let bundling: Promise<ReadonlyMap<string, Uint8Array>> | undefined;
  const bundled = (): Promise<ReadonlyMap<string, Uint8Array>> => {
    bundling ??= bundle(SCRIPTS).catch((error: unknown) => {
      bundling = undefined;
      throw error;
    });
    return bundling;
  };
  return SCRIPTS.map((script) => {
    const name = basename(script).replace(/ts$/, 'js');
    return definePage({
      path: `/console/${name}`,
      contentType: 'text/javascript; charset=utf-8',
      body: async () => (await bundled()).get(name)!,
    });
  });
}

async function bundle(scripts: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
  const { build, stop } = await import('esbuild');
  const folder = fileURLToPath(FOLDER);
  try {
    const { outputFiles } = await build({
      entryPoints: scripts.map((script) => `${folder}${script}`),
      entryNames: '[name]',
      outdir: folder,
      bundle: true,
      write: false,
      format: 'iife',
      target: BROWSERS,
      logLevel: 'silent',
    });
    return new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  } finally {
    // The bundler is a process of its own; it is not needed again.
    await stop();
  }
}
