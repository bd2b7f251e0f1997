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
  '@contract-server/client': {
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
  '@contract-server/testing': {
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
  'contract-server': {
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
  'contract-server/api-keys': { values: ['apiKeys'], types: ['ApiKeyCaller'] },
  'contract-server/sqlite': {
    values: ['sqlite', 'GroupCommit', 'isSqliteError'],
    types: ['SqliteDatabase', 'SqliteTransaction', 'StoreDependencies', 'WriteMetrics'],
  },
  'contract-server/postgres': {
    values: ['postgres', 'createBatchLoader', 'GroupCommit'],
    types: ['PostgresDatabase', 'PostgresTransaction', 'Statement', 'StoreDependencies', 'WriteMetrics'],
  },
  'contract-server/redis': { values: ['redisQuotas'], types: [] },
  'contract-server/metrics': { values: ['metrics'], types: [] },
  'contract-server/reference': { values: ['apiReference'], types: [] },
  'contract-server/cli': {
    values: ['addJsonOption', 'printResult', 'printable', 'withStores', 'write'],
    types: ['Command', 'CommandContext', 'CommandModule', 'Invocation', 'JsonOption'],
  },
};

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}

/** The entry points of the packages that applications import; packages import each other's modules by their paths. */
const targets = ['contract-server', '@contract-server/client', '@contract-server/testing'].flatMap((owner) => {
  const root = new URL('.', import.meta.resolve(`${owner}/package.json`));
  const { exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as Manifest;
  return Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string' || path.includes('*')
      ? []
      : [{ name: path.replace('.', owner), types: new URL(target.types, root), module: new URL(target.default, root) }],
  );
});

/** The names that the declarations of a module export. */
function declaredNames(path: URL): string[] {
  const file = ts.createSourceFile(path.pathname, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  return file.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) {
      const { exportClause } = statement;
      if (exportClause === undefined || !ts.isNamedExports(exportClause))
        throw new Error(`${path.pathname} exports a whole module.`);
      return exportClause.elements.map(({ name }) => name.text);
    }
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    const { name } = statement as { readonly name?: ts.Identifier };
    return isExported && name !== undefined ? [name.text] : [];
  });
}

describe('the entry points of the packages', () => {
  it('are those that are listed here', () => {
    expect(targets.map(({ name }) => name)).to.have.members(Object.keys(entryPoints));
  });

  for (const { name, types, module } of targets)
    it(`${name} exports these names`, async () => {
      const { values = [], types: otherTypes = [] } = entryPoints[name] ?? {};
      const exported = (await import(module.href)) as object;
      expect(Object.keys(exported)).to.have.members(values);
      expect([...new Set(declaredNames(types))]).to.have.members([...values, ...otherTypes]);
    });

  it('load no optional package before it is needed', () => {
    const modules = targets.map(({ module }) => module.href);
    const script = `
      import { createRequire } from 'node:module';
      for (const module of ${JSON.stringify(modules)}) await import(module);
      console.log(Object.keys(createRequire('${fileURLToPath(import.meta.url)}').cache).join('\\n'));`;
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
