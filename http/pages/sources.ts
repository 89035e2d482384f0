/**
 * Pages made of the sources in `console/`: documents and styles as they stand there, scripts bundled in memory at their
 * first request. Decision 8.
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

/** Whoever bundles next waits: the end of one run stops the bundler for all. */
let turn: Promise<unknown> = Promise.resolve();

/** What the browsers of the last three years run; the console needs nothing newer. */
const BROWSERS = 'es2022';

/** A file of `console/`, or one of a package by its URL. */
export function filePage(path: string, name: string | URL, contentType: string, signsIn = false): Page {
  return definePage({ path, contentType, signsIn, body: () => readFile(new URL(name, FOLDER)) });
}

/** `/console/<name>.js` for each script of `console/`; one run of the bundler serves them all. */
export function scriptPages(scripts: readonly string[]): Page[] {
  let bundling: Promise<ReadonlyMap<string, Uint8Array>> | undefined;
  const bundled = (): Promise<ReadonlyMap<string, Uint8Array>> => {
    bundling ??= turn
      .then(() => bundle(scripts))
      .catch((error: unknown) => {
        bundling = undefined;
        throw error;
      });
    turn = bundling.catch(() => undefined);
    return bundling;
  };
  return scripts.map((script) => {
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
