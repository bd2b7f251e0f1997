// Runs in the browser, uncompiled: starts the viewer, Scalar (https://scalar.com), and corrects what it renders.

/** The contract for the viewer: its only server, in samples too, is the one that this page came from. */
async function loadContract() {
  const response = await fetch('openapi.json');
  const text = await response.text();
  const [server] = JSON.parse(text).servers;
  const url = new URL(`.${server.url}`, location.href).href;
  const { publicUrl } = document.body.dataset;
  // Links to error codes stay in this page.
  const contract = JSON.parse(text.replaceAll(publicUrl, url).replaceAll('](docs#', '](#'));
  const { info, paths, components, tags = [], 'x-error-codes': codes } = contract;
  contract.servers = [{ ...server, url }];
  // The error codes come last.
  const [guide] = info.description.split('\n\n## Error codes');
  info.description = `${guide}\n\n## Downloads\n\n- [openapi.yaml](openapi.yaml)\n- [openapi.json](openapi.json)`;
  const links = Object.keys(codes).map((code) => `[\`${code}\`](#error-${code})`);
  const operations = operationsOf(paths);
  contract.tags = [
    ...tags.map((tag) => withLinks(tag, operations)),
    { name: 'Error codes', description: `The \`code\` of an error response: ${links.join(', ')}.` },
  ];
  // The viewer shows the stability from another extension, too.
  for (const { operation } of operations) delete operation['x-badges'];
  // Without `x-disabled`, the viewer sends an example, or an allowed value, of an optional parameter.
  const parameters = operations.flatMap(({ operation }) => operation.parameters ?? []);
  for (const parameter of [...parameters, ...Object.values(components.parameters ?? {})]) {
    const { required, example } = parameter;
    if (required || example === undefined) continue;
    parameter.examples = { default: { value: example, 'x-disabled': true } };
    delete parameter.example;
  }
  return contract;
}

function operationsOf(paths) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.values(item).flatMap((operation) => (operation.operationId ? { path, operation } : [])),
  );
}

/** Lets a group without operations link to the operations of the path with its name. */
function withLinks(tag, operations) {
  if (operations.some(({ operation }) => operation.tags.includes(tag.name))) return tag;
  const links = operations
    .filter(({ path }) => path.split('/').includes(tag.name.toLowerCase()))
    .map(({ operation: { tags, operationId, summary } }) => `- [${summary}](#tag/${tags[0]}/${operationId})`);
  return { ...tag, description: [tag.description, ...links].join('\n') };
}

/** Moves the error codes of this page to the end of the reference. */
function errorCodes() {
  const render = () => null;
  const mounted = function () {
    this.$el.after(document.getElementById('error-codes'));
    scrollToFragment();
  };
  return { name: 'error-codes', extensions: [], views: { 'content.end': [{ component: { render, mounted } }] } };
}

function scrollToFragment() {
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

/** Attributes that the viewer lacks, and wrong ones, which are removed (WCAG 2.2, 4.1.2). */
const corrections = [
  ['.references-rendered:not([id])', { id: 'content', tabindex: '-1' }],
  ['.cm-content:not([aria-label])', { 'aria-label': 'Body' }],
  ['input[role=combobox]:not([aria-expanded])', { 'aria-expanded': 'true' }],
  ['[role=combobox]:not([aria-expanded])', { 'aria-expanded': 'false' }],
  ['button[role=none]', { role: undefined }],
  ['.group\\/copy-button:not([aria-label])', { 'aria-label': 'Copy', 'aria-controls': undefined }],
];

function correct() {
  // The list of sent headers would show the API key.
  for (const value of document.querySelectorAll('[role=dialog] td span'))
    if (/^Bearer [^•]/.test(value.textContent)) value.textContent = 'Bearer ••••';
  for (const [selector, attributes] of corrections) {
    for (const element of document.querySelectorAll(selector)) {
      for (const [name, value] of Object.entries(attributes)) {
        if (value === undefined) element.removeAttribute(name);
        else element.setAttribute(name, value);
      }
    }
  }
}

async function start() {
  new MutationObserver(correct).observe(document.body, { childList: true, subtree: true });
  addEventListener('hashchange', scrollToFragment);
  Scalar.createApiReference('#reference', {
    content: await loadContract(),
    plugins: [errorCodes],
    // No requests to other hosts.
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    proxyUrl: '',
    // The API key is not stored, and the samples, which are those of the contract, do not contain it.
    persistAuth: false,
    hiddenClients: true,
    // The form rounds integers beyond 2^53 − 1.
    defaultRequestBodyView: 'raw',
    documentDownloadType: 'none',
    hideClientButton: true,
    hideModels: true,
    showDeveloperTools: 'never',
    // Lists the topics of the guide in the navigation.
    onLoaded: () => document.querySelector('[data-sidebar-id$=introduction] button[aria-expanded=false]')?.click(),
    generateOperationSlug: ({ operationId }) => operationId,
  });
}

start().catch((error) => {
  document.getElementById('reference').textContent =
    'The reference could not be loaded. Reload the page; if that does not help, read openapi.yaml.';
  throw error;
});
