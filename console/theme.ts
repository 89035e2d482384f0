/**
 * Light or dark before the first paint: run by every page in its head. Without a choice the system decides (S3 of
 * `style.css`).
 */

import { chosenTheme, showTheme } from './theme-choice.ts';

showTheme(chosenTheme());
