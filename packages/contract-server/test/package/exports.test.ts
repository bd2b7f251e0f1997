import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import ts from 'typescript';

/** The public names of an entry point: what it exports at run time, and the types besides them. */
interface Names {
  readonly values: readonly string[];
  readonly types: readonly string[];
}

/** A public name is a promise: it is removed with a new major version only. */
const entryPoints: Readonly<Record<string, Names>> = {
  '.': {
    values: [
      ...['createRouter', 'createService', 'listen', 'validatedOf'],
      ...['ApiError', 'CommandError', 'errorsOf', 'file', 'invalidCursor'],
      ...['parseJson', 'stringifyJson', 'idempotencyRetentionSecondsOf'],
    ],
    types: [
      ...['ApplicationSettings', 'Setting', 'SettingValues', 'ErrorContent', 'ErrorResponseOptions'],
      ...['ApiErrorOf', 'ErrorCode', 'Violation', 'Int64', 'Json', 'JsonValue'],
      ...['Caller', 'CallersOf', 'Quota', 'SecurityContext', 'SecurityHandler', 'BasicCredentials'],
      ...['ContractDocument', 'ContractTypes', 'OperationId', 'OperationRequest', 'OperationResponse', 'Schema'],
      ...[
        'Handler',
        'HandlerContext',
        'Handlers',
        'Hooks',
        'RouterHandlers',
        'Validated',
        'Links',
        'UploadedFile',
        'Clock',
      ],
      ...['FileBody', 'FileOptions', 'ServerSentEvent'],
      ...['Application', 'ApplicationDependencies', 'ApplicationStores', 'Queryable'],
      ...['RouterOptions', 'Service', 'ServiceOptions', 'ListenOptions', 'ListeningServer'],
    ],
  },
  './api-keys': { values: ['apiKeys'], types: ['ApiKeyCaller'] },
  './sqlite': {
    values: ['sqlite', 'GroupCommit', 'isSqliteError'],
    types: ['SqliteDatabase', 'SqliteTransaction', 'StoreDependencies', 'WriteMetrics'],
  },
  './postgres': {
    values: ['postgres', 'createBatchLoader', 'GroupCommit'],
    types: ['PostgresDatabase', 'PostgresTransaction', 'Statement', 'StoreDependencies', 'WriteMetrics'],
  },
  './redis': { values: ['redisQuotas'], types: [] },
  './metrics': { values: ['metrics'], types: [] },
  './reference': { values: ['apiReference'], types: [] },
  './cli': {
    values: ['addJsonOption', 'printResult', 'printable', 'withStores', 'write'],
    types: ['Command', 'CommandContext', 'CommandModule', 'Invocation', 'JsonOption'],
  },
  './client': {
    values: [
      'attempt',
      'ClientError',
      'createCall',
      'createClient',
      'stringifyJson',
      'systemTime',
      'unexpectedResponse',
    ],
    types: [
      ...['Call', 'CallOptions', 'CallResult', 'ClientErrorCode', 'ClientHooks', 'ClientOptions', 'ClientSettings'],
      ...['Client', 'ClientTypes', 'ContractOptions', 'ContractValues', 'IsError'],
      'Credential',
      ...[
        'ErrorDetails',
        'OperationRequest',
        'ParameterStyle',
        'ParameterStyles',
        'PathsOf',
        'SecurityScheme',
        'RequestEvent',
        'ResponseEvent',
        'RetryEvent',
        'Time',
      ],
    ],
  },
  './testing': {
    values: [
      ...['createRequest', 'createResponseCheck', 'startService', 'standardHeaders'],
      ...['coverageHooks', 'startCoverage', 'requireCoverage', 'finishCoverage'],
    ],
    types: [
      ...['ContractLocation', 'Coverage', 'CoverageExceptions', 'CoverageHooks', 'CoverageOptions'],
      ...['LogLine', 'LogLines', 'ReceivedResponse', 'Request', 'RequestOptions', 'TestedServer'],
      ...['ResponseCheck', 'ResponseCheckOptions', 'ResponseRules', 'StartOptions', 'TestClock', 'TestedService'],
    ],
  },
};

const root = new URL('../../../', import.meta.url);
const { exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
};
const targets = Object.entries(exports).flatMap(([name, target]) =>
  typeof target === 'string' ? [] : [{ name, ...target }],
);

/** The names that the declarations of a module export. */
function declaredNames(path: string): string[] {
  const file = ts.createSourceFile(path, readFileSync(new URL(path, root), 'utf8'), ts.ScriptTarget.Latest);
  return file.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) {
      const { exportClause } = statement;
      if (exportClause === undefined || !ts.isNamedExports(exportClause))
        throw new Error(`${path} exports a whole module.`);
      return exportClause.elements.map(({ name }) => name.text);
    }
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    const { name } = statement as { readonly name?: ts.Identifier };
    return isExported && name !== undefined ? [name.text] : [];
  });
}

describe('the entry points of the package', () => {
  it('are those that are listed here', () => {
    expect(targets.map(({ name }) => name)).to.have.members(Object.keys(entryPoints));
  });

  for (const { name, types, default: module } of targets)
    it(`${name.replace('.', 'contract-server')} exports these names`, async () => {
      const { values = [], types: otherTypes = [] } = entryPoints[name] ?? {};
      const exported = (await import(new URL(module, root).href)) as object;
      expect(Object.keys(exported)).to.have.members(values);
      expect([...new Set(declaredNames(types))]).to.have.members([...values, ...otherTypes]);
    });

  it('load no optional package before it is needed', () => {
    const modules = targets
      .filter(({ name }) => name !== './client')
      .map(({ default: module }) => new URL(module, root).href);
    const script = `
      import { createRequire } from 'node:module';
      for (const module of ${JSON.stringify(modules)}) await import(module);
      console.log(Object.keys(createRequire('${fileURLToPath(root)}').cache).join('\\n'));`;
    const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      encoding: 'utf8',
    });
    expect(status).to.equal(0);
    expect(stdout).to.include('/node_modules/ajv/');
    expect(stdout).not.to.match(
      /\/node_modules\/(?:supertest|express|better-sqlite3|pg|@redis|prom-client|typescript)\//,
    );
  });
});
