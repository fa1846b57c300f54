// Lint rules, the folder boundaries of the design among them: `rooms` says what each folder may import.
import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Folder under src → folders of ours that it may import. */
const rooms = {
  patch: [],
  code: [],
  machine: [],
  cost: ['code', 'patch', 'machine'],
  vm: ['code', 'machine'],
  kernel: ['code', 'vm', 'machine'],
  scenario: ['kernel', 'vm', 'machine', 'cost', 'patch', 'code'],
  explore: ['scenario', 'kernel', 'vm', 'machine', 'cost', 'patch', 'code'],
  protocol: ['patch', 'code', 'cost', 'machine', 'vm', 'kernel', 'scenario', 'explore'],
  worker: ['patch', 'code', 'cost', 'machine', 'vm', 'kernel', 'scenario', 'explore', 'protocol'],
  extension: [
    'patch',
    'code',
    'cost',
    'machine',
    'vm',
    'kernel',
    'scenario',
    'explore',
    'protocol',
    'worker',
  ],
  cli: ['patch', 'code', 'cost', 'machine', 'vm', 'kernel', 'scenario', 'explore'],
};

/** Entries that may import `node:` modules besides src/cli (see the design). */
const nodeEntries = ['src/cli/**', 'src/extension/node*.ts', 'src/worker/node*.ts'];

const boundary = (room, allowed) => {
  const forbidden = [...Object.keys(rooms), 'webview'].filter(
    other => other !== room && !allowed.includes(other),
  );
  const group = forbidden.flatMap(other => [`**/${other}/*`, `**/${other}/**`]);
  const patterns = [
    { group, message: `src/${room} may import only: ${allowed.join(', ') || 'nothing of ours'}.` },
  ];
  if (room !== 'cli')
    patterns.push({
      group: ['node:*'],
      message: 'Only the command line and the Node entries import node: modules.',
    });
  const paths =
    room === 'extension' ? [] : [{ name: 'vscode', message: 'Only src/extension imports vscode.' }];
  return {
    files: [`src/${room}/**/*.ts`],
    rules: { 'no-restricted-imports': ['error', { patterns, paths }] },
  };
};

const nodeBoundary = room => {
  const rule = boundary(room, rooms[room]).rules['no-restricted-imports'][1];
  const patterns = rule.patterns.filter(pattern => !pattern.group.includes('node:*'));
  return {
    files: nodeEntries.filter(entry => entry.startsWith(`src/${room}/node`)),
    rules: { 'no-restricted-imports': ['error', { ...rule, patterns }] },
  };
};

export default tseslint.config(
  { ignores: ['dist', 'artifacts', '.cache', 'node_modules', 'test/cases'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json' } },
    rules: {
      eqeqeq: 'error',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
        {
          selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
          message: 'Results must be repeatable: use a seeded generator.',
        },
        {
          selector: 'Literal[regex.pattern=/\\([^)]*[*+][^)]*\\)[*+]/]',
          message: 'No nested quantifiers: they can take exponential time on patch text.',
        },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/prefer-reduce-type-parameter': 'off',
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
    },
  },
  ...Object.entries(rooms).map(([room, allowed]) => boundary(room, allowed)),
  ...['extension', 'worker'].map(nodeBoundary),
  {
    files: ['webview/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: Object.keys(rooms)
                .filter(room => room !== 'protocol')
                .flatMap(room => [`**/${room}/*`, `**/${room}/**`]),
              message: 'The page may import only src/protocol.',
            },
          ],
        },
      ],
    },
  },
  {
    // Enums of the VM are numbers in typed arrays.
    files: ['src/vm/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: { '@typescript-eslint/no-unused-expressions': 'off' },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        URLSearchParams: 'readonly',
        Buffer: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        performance: 'readonly',
        fetch: 'readonly',
      },
    },
  },
);
