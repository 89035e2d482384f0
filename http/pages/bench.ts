/** The page of the RF bench, at the root of its port, as a fixed list. Decision 8. */

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { movedPage, type Page } from './page.ts';
import { filePage, scriptPages } from './sources.ts';

const plotStyle = pathToFileURL(createRequire(import.meta.url).resolve('uplot/dist/uPlot.min.css'));

/** What `/` consists of. */
export const benchPages: readonly Page[] = [
  filePage('/', 'bench/bench.html', 'text/html; charset=utf-8'),
  movedPage('/console', '/'),
  movedPage('/console/', '/'),
  filePage('/console/style.css', 'style.css', 'text/css; charset=utf-8'),
  filePage('/console/bench.css', 'bench/bench.css', 'text/css; charset=utf-8'),
  filePage('/console/plot.css', plotStyle, 'text/css; charset=utf-8'),
  filePage('/console/icon.svg', 'icon.svg', 'image/svg+xml'),
  ...scriptPages(['theme.ts', 'bench/bench.ts']),
];
