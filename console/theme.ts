/**
 * Light or dark before the first paint: run by every page in its head. Without a choice the system decides (style.S3).
 */

import { chosenTheme, showTheme } from './theme-choice.ts';

showTheme(chosenTheme());
