// Runs in the browser, uncompiled: starts the viewer, Scalar (https://scalar.com), and corrects what it renders.

/** The path prefix of the API, `/v1`: that of the first server; '' without one. */
function prefixOf([{ url = '/', variables = {} } = {}]) {
  const filled = url.replace(/\{([^{}]+)\}/g, (_, name) => variables[name]?.default ?? '');
  return new URL(filled, 'http://localhost').pathname.replace(/\/$/, '');
}

/** The URL of a path at the server that this page came from, also below a path prefix of a proxy. */
function ownUrl(path) {
  return new URL(`.${path}`, location.href).href.replace(/\/$/, '');
}

/** Makes URLs of the API lead to this server: those of the contract's servers, and those at reserved names (RFC 2606). */
function withOwnUrls(text, servers, prefix) {
  const declared = servers.map(({ url }) => url).filter((url) => /^https?:/.test(url));
  const replaced = declared.reduce((all, url) => all.replaceAll(url, ownUrl(prefix)), text);
  if (prefix === '') return replaced;
  return replaced.replace(/https?:\/\/[\w.-]+\.example(\/[\w/-]*)/g, (url, path) =>
    path === prefix || path.startsWith(`${prefix}/`) ? ownUrl(path) : url,
  );
}

/** The operations that are not implemented: no response of theirs is successful. */
const reserved = new Set();

/** The contract for the viewer: its only server is the one that this page came from, also in samples. */
async function loadContract() {
  const response = await fetch('docs/openapi.json');
  const text = await response.text();
  const { servers = [] } = JSON.parse(text);
  const prefix = prefixOf(servers);
  const contract = JSON.parse(withOwnUrls(text, servers, prefix));
  contract.servers = [{ ...servers[0], url: ownUrl(prefix), variables: {} }];
  const downloads = '## Downloads\n\n- [openapi.yaml](openapi.yaml)\n- [openapi.json](openapi.json)';
  contract.info.description = [contract.info.description ?? '', downloads].join('\n\n');
  const items = Object.values(contract.paths).flatMap((item) => [item, ...Object.values(item)]);
  for (const item of items) {
    if (item.servers?.length > 0) item.servers = [{ url: ownUrl(prefixOf(item.servers)) }];
    const statuses = Object.keys(item.responses ?? {});
    if (statuses.includes('501') && !statuses.some((status) => /^[23]/.test(status))) reserved.add(item.operationId);
  }
  const parameters = items.flatMap((item) => item.parameters ?? []);
  for (const parameter of [...parameters, ...Object.values(contract.components?.parameters ?? {})]) {
    const { required, example: value } = parameter;
    if (required || value === undefined) continue;
    delete parameter.example;
    // Without `x-disabled`, the viewer sends an example, or an allowed value, of an optional parameter.
    parameter.examples = { default: { value, 'x-disabled': true } };
  }
  return contract;
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

const opened = new WeakSet();

/** Shows the response of an operation that is not implemented, instead of the one with the lowest status. */
function openReserved() {
  for (const id of reserved)
    for (const tab of document.querySelectorAll(`section[id$="/${CSS.escape(id)}"] [role=tab]`)) {
      if (opened.has(tab) || !tab.textContent.trim().endsWith('501')) continue;
      opened.add(tab);
      tab.click();
    }
}

/** Moves the error codes of each operation below its responses. */
function moveCodes() {
  for (const paragraph of document.querySelectorAll('.operation-description p:has(> a[href$="#tag/error-codes"])')) {
    const details = paragraph.closest('.operation-layout')?.querySelector('.operation-details');
    if (!details) continue;
    for (const old of details.querySelectorAll(':scope > .error-codes')) old.remove();
    const moved = document.createElement('div');
    moved.className = 'error-codes markdown';
    moved.append(paragraph);
    details.append(moved);
  }
}

function correct() {
  openReserved();
  moveCodes();
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
  Scalar.createApiReference('#reference', {
    content: await loadContract(),
    // No requests to other hosts.
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    proxyUrl: '',
    // The API key is not stored.
    persistAuth: false,
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
