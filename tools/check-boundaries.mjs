/**
 * `node tools/check-boundaries.mjs [root]`. Fails when an import crosses a boundary of the architecture, or when the
 * check has not seen every source file: a parser that does not know the installed TypeScript finds no modules and no
 * faults either.
 */

import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..'));
process.chdir(root);

const SKIPPED = new Set(['node_modules', 'generated', 'coverage', 'var', 'results']);

/** Paths of the source files below the folder, relative to the root. */
function sourceFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.') || SKIPPED.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(path);
    return /\.ts$/.test(entry.name) ? [relative(root, path)] : [];
  });
}

/** What a rule of the configuration says about itself. */
function commentOf(rules, name) {
  return rules.find((rule) => rule.name === name)?.comment ?? '';
}

function printViolations(violations, rules) {
  for (const { from, to, rule, cycle } of violations) {
    const way = cycle === undefined ? to : cycle.map((step) => step.name ?? step).join(' -> ');
    console.error(`${from} -> ${way}\n  ${rule.name}: ${commentOf(rules, rule.name)}`);
  }
}

const { forbidden, options } = createRequire(import.meta.url)('../.dependency-cruiser.cjs');
const files = sourceFiles(root).sort();
const { output } = await cruise(files, { ...options, ruleSet: { forbidden }, validate: true });
const seen = new Set(output.modules.map((module) => module.source));
const missed = files.filter((file) => !seen.has(file));
const edges = output.modules.reduce((sum, module) => sum + module.dependencies.length, 0);

printViolations(output.summary.violations, forbidden);
if (missed.length > 0) {
  console.error(
    `${missed.length} of ${files.length} source files were not read, among them ${missed.slice(0, 3).join(', ')}`,
  );
}
if (edges < files.length)
  console.error(`only ${edges} imports found in ${files.length} source files: the check is blind`);
const broken = output.summary.violations.length > 0 || missed.length > 0 || edges < files.length;
if (!broken) console.log(`boundaries hold: ${files.length} source files, ${edges} imports`);
process.exitCode = broken ? 1 : 0;
