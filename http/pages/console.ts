/** The pages of mission control as a fixed list. Decision 8. */

import type { Page } from './page.ts';
import { filePage, scriptPages } from './sources.ts';

/** What `/inspect` consists of. */
export const consolePages: readonly Page[] = [
  filePage('/inspect', 'inspect/inspect.html', 'text/html; charset=utf-8'),
  filePage('/console/style.css', 'style.css', 'text/css; charset=utf-8'),
  filePage('/console/inspect.css', 'inspect/inspect.css', 'text/css; charset=utf-8'),
  filePage('/console/icon.svg', 'icon.svg', 'image/svg+xml'),
  ...scriptPages(['theme.ts', 'inspect/inspect.ts']),
];
