/**
 * `node tools/draw-dependencies.mjs [root] [--write]`: the folders of the source in layers, each with the folders it
 * imports, drawn from the imports themselves. `--write` puts the drawing between its marks in ARCHITECTURE.md; without
 * it the drawing is printed, and the exit code is 1 where ARCHITECTURE.md of the root shows another one.
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';

/** Not part of the service: they may import everything. */
const OUTSIDE = new Set([
  'test',
  'benchmark',
  'tools',
  'missions',
  'node_modules',
  'var',
  'docs',
  'coverage',
]);
const MARKS = ['<!-- dependencies -->', '<!-- /dependencies -->'];

const folderOf = (path) => path.split('/')[0];

/** The folders that each imports. */
async function importsOf(folders) {
  const { options } = createRequire(import.meta.url)('../.dependency-cruiser.cjs');
  const { output } = await cruise(folders, { ...options, validate: false });
  const imports = new Map(folders.map((folder) => [folder, new Set()]));
  for (const { source, dependencies } of output.modules) {
    const from = folderOf(source);
    for (const to of dependencies.map(({ resolved }) => folderOf(resolved)))
      if (imports.has(to) && to !== from) imports.get(from)?.add(to);
  }
  return imports;
}

/** Folders by their distance from what imports nothing, the farthest first. */
function layersOf(imports) {
  const depths = new Map();
  const depthOf = (folder, above = []) => {
    if (above.includes(folder)) throw new Error(`circle: ${[...above, folder].join(' -> ')}`);
    if (!depths.has(folder)) {
      const below = [...imports.get(folder)].map((to) => depthOf(to, [...above, folder]));
      depths.set(folder, 1 + Math.max(-1, ...below));
    }
    return depths.get(folder);
  };
  const folders = [...imports.keys()];
  const deepest = Math.max(...folders.map((folder) => depthOf(folder)));
  return Array.from({ length: deepest + 1 }, (_, above) =>
    folders.filter((folder) => depthOf(folder) === deepest - above),
  );
}

/** What is reached over another import anyway need not be drawn. */
function direct(imports, folder) {
  const reached = (from) => [...imports.get(from)].flatMap((to) => [to, ...reached(to)]);
  const over = new Set([...imports.get(folder)].flatMap(reached));
  return [...imports.get(folder)].filter((to) => !over.has(to));
}

function drawing(imports) {
  const lines = layersOf(imports).map((layer) =>
    layer
      .sort()
      .map((folder) => {
        const to = direct(imports, folder).sort();
        return to.length === 0 ? folder : `${folder.padEnd(12)} ──> ${to.join(', ')}`;
      })
      .join('\n'),
  );
  const edges = [...imports.values()].reduce((sum, to) => sum + to.size, 0);
  return `${lines.join('\n\n')}\n\n${imports.size} folders, ${edges} arrows between them`;
}

const [named] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const root = resolve(named ?? join(dirname(fileURLToPath(import.meta.url)), '..'));
process.chdir(root);
const folders = readdirSync('.', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !OUTSIDE.has(entry.name))
  .map(({ name }) => name);
const drawn = drawing(await importsOf(folders));
const page = readFileSync('ARCHITECTURE.md', 'utf8');
const [begin, end] = MARKS.map((mark) => page.indexOf(mark));
const shown = `${MARKS[0]}\n\`\`\`\n${drawn}\n\`\`\`\n`;
if (process.argv.includes('--write') && begin >= 0) {
  writeFileSync('ARCHITECTURE.md', page.slice(0, begin) + shown + page.slice(end));
} else {
  console.log(drawn);
  if (begin >= 0 && page.slice(begin, end) !== shown) {
    console.error('ARCHITECTURE.md shows other imports: run node tools/draw-dependencies.mjs --write');
    process.exitCode = 1;
  }
}
