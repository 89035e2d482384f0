/**
 * The "may import" table of the architecture as rules of dependency-cruiser; run by `npm run boundaries`. A folder that
 * is not in the table may import nothing, so a new one is entered here first.
 */

/**
 * What production code of each folder may import: folders and packages, of those with a trailing `?` only types, and single
 * `files` of other folders: computations that the browser shares with the service.
 */
const TABLE = {
  contract: { folders: [], packages: ['typebox', 'msgpackr'] },
  mission: { folders: ['contract'], packages: ['typebox', 'yaml', 'satellite.js'] },
  machines: { folders: ['contract'], packages: ['xstate'] },
  ports: { folders: ['contract', 'mission?'], packages: ['xstate?'] },
  messaging: { folders: ['ports', 'contract', 'mission', 'machines'], packages: ['msgpackr'] },
  actors: {
    folders: ['machines', 'mission', 'ports', 'messaging', 'contract', 'radio', 'telemetry/reading'],
    packages: ['xstate', 'tsx'],
  },
  telemetry: { folders: ['mission', 'ports', 'contract'], packages: ['msgpackr', '@xstate/store'] },
  archive: {
    folders: ['contract', 'mission?', 'ports?', 'telemetry/reading'],
    packages: ['hyparquet', 'hyparquet-writer', 'tsx'],
  },
  connectors: {
    folders: ['contract', 'mission?', 'ports', 'messaging', 'telemetry/reading'],
    packages: ['pg', 'pg-copy-streams'],
  },
  protocol: { folders: ['contract'], packages: [] },
  links: { folders: ['mission', 'ports', 'contract', 'protocol'], packages: [] },
  radio: { folders: ['ports', 'contract', 'protocol'], packages: ['yaml', 'typebox'] },
  identity: { folders: ['ports', 'contract', 'mission?'], packages: ['jose'] },
  bus: { folders: ['ports', 'contract'], packages: ['nats', 'nats-jwt', 'nkeys.js', 'ulid'] },
  http: {
    folders: ['contract', 'mission', 'telemetry', 'ports', 'messaging'],
    packages: ['uWebSockets.js', 'ws', 'typebox', 'prom-client', 'ulid', 'elkjs', 'esbuild'],
  },
  console: {
    folders: ['contract?'],
    packages: ['uplot', 'lit-html', '@xstate/store', 'ulid'],
    files: [
      'contract/alarm-name.ts',
      'contract/alarm-reaction-words.ts',
      'contract/at-rest.ts',
      'contract/connector-standing.ts',
      'contract/event-kinds.ts',
      'contract/event-order.ts',
      'contract/exact-json.ts',
      'contract/header-text.ts',
      'contract/run-(?:words|question).ts',
      'contract/shown-value.ts',
      'contract/telecommand-state.ts',
      'radio/modulation.ts',
      'radio/prbs.ts',
      'radio/ad9361/gain.ts',
    ],
  },
  supervision: {
    folders: ['contract', 'mission', 'machines', 'ports', 'messaging', 'actors'].concat([
      'telemetry',
      'links',
      'radio',
      'bus',
      'identity',
      'http',
      'archive',
      'connectors',
    ]),
    packages: ['xstate', 'pino', 'prom-client', 'ulid', 'msgpackr'],
  },
  cli: {
    folders: ['mission', 'contract', 'supervision', 'bus', 'ports?'],
    packages: ['pino', 'ulid', 'ws'],
    files: ['archive/joined-tables.ts'],
  },
};

/** Adapters: the only folder that imports the package. */
const ADAPTERS = {
  bus: ['nats', 'nats-jwt', 'nkeys.js'],
  identity: ['jose'],
  http: ['uWebSockets.js'],
  archive: ['hyparquet', 'hyparquet-writer'],
  connectors: ['pg', 'pg-copy-streams'],
};

/** May import everything; nothing of the above may import them. */
const OUTSIDE = ['test', 'benchmark', 'tools', 'missions'];

const alternatives = (names) => names.map((name) => name.replaceAll('.', '\\.')).join('|');
const inFolders = (names) => `^(${alternatives(names)})/`;
const inPackages = (names) => `node_modules/(${alternatives(names)})/`;
const NPM = ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'npm-unknown'];

const isTypesOnly = (name) => name.endsWith('?');
const bare = (name) => name.replace(/\?$/, '');

function folderRules(folder) {
  const { folders, packages, files = [] } = TABLE[folder];
  const typesOnly = [
    ...folders.filter(isTypesOnly).map((name) => `^${bare(name)}/`),
    ...packages.filter(isTypesOnly).map((name) => inPackages([bare(name)])),
  ];
  const from = { path: inFolders([folder]) };
  const list = (names) =>
    names.map((name) => (isTypesOnly(name) ? `types of ${bare(name)}` : name)).join(', ');
  return [
    {
      name: `${folder}-imports-folders`,
      comment: `${folder}/ may import ${list([...folders, ...files]) || 'no folder'}`,
      severity: 'error',
      from,
      to: {
        pathNot: [
          ...[inFolders([folder, ...folders.map(bare)]), 'node_modules/'],
          ...files.map((name) => `^${name.replaceAll('.', '\\.')}$`),
        ],
        dependencyTypesNot: ['core', ...NPM],
        couldNotResolve: false,
      },
    },
    {
      name: `${folder}-imports-packages`,
      comment: `${folder}/ may import ${list(packages) || 'no package'}`,
      severity: 'error',
      from,
      to: { dependencyTypes: NPM, pathNot: inPackages([...packages.map(bare), '@types/node']) },
    },
    ...(typesOnly.length === 0 ? [] : [typesRule(folder, from, typesOnly, files)]),
  ];
}

function typesRule(folder, from, path, files) {
  return {
    name: `${folder}-imports-types`,
    comment: `what ${folder}/ takes from there is types only`,
    severity: 'error',
    from,
    to: {
      path,
      pathNot: files.map((name) => `^${name.replaceAll('.', '\\.')}$`),
      dependencyTypesNot: ['type-only'],
    },
  };
}

function adapterRule([folder, packages]) {
  return {
    name: `only-${folder}-adapts`,
    comment: `only ${folder}/ imports ${packages.join(', ')}: everything else knows the port`,
    severity: 'error',
    from: { pathNot: inFolders([folder, 'test', 'benchmark']) },
    to: { path: inPackages(packages) },
  };
}

module.exports = {
  forbidden: [
    ...Object.keys(TABLE).flatMap(folderRules),
    ...Object.entries(ADAPTERS).map(adapterRule),
    {
      name: 'no-unknown-folder',
      comment: 'a folder is entered in the table of .dependency-cruiser.cjs before it imports anything',
      severity: 'error',
      from: { path: '^[^/]+/', pathNot: [inFolders([...Object.keys(TABLE), ...OUTSIDE])] },
      to: {},
    },
    {
      name: 'no-sideways-actors',
      comment: 'actors talk in events over the bus: actors/a never imports actors/b',
      severity: 'error',
      from: { path: '^actors/([^/]+)/' },
      to: { path: '^actors/[^/]+/', pathNot: '^actors/$1/' },
    },
    {
      name: 'reading-imports-down',
      comment:
        'what reads values is below those who judge them: telemetry/reading imports nothing else of telemetry',
      severity: 'error',
      from: { path: inFolders(['telemetry/reading']) },
      to: { path: '^telemetry/', pathNot: inFolders(['telemetry/reading']) },
    },
    {
      name: 'machines-are-pure',
      comment: 'a chart does no I/O (C2)',
      severity: 'error',
      from: { path: inFolders(['machines']) },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'no-cycles',
      comment: 'imports go down; a cycle has no down',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-barrels',
      comment: 'import the file that has the noun, not an index',
      severity: 'error',
      from: {},
      to: { path: '(^|/)index\\.ts$', pathNot: 'node_modules/' },
    },
    {
      name: 'no-unresolvable',
      comment: 'the import leads nowhere',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['(^|/)generated/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: `${__dirname}/tsconfig.json` },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'require', 'types'],
    },
  },
};
