// Runs in the browser, uncompiled: starts the viewer, Scalar (https://scalar.com), and corrects what it renders.

const keyHeader = 'Idempotency-Key';
/** The idempotency key of the samples. */
let sampleKey;

/** The contract for the viewer: its only server is the one that this page came from. */
async function loadContract() {
  const response = await fetch('openapi.json');
  const contract = await response.json();
  const [server] = contract.servers;
  contract.servers = [{ ...server, url: new URL(`.${server.url}`, location.href).href }];
  contract.info.description += '\n\n## Downloads\n\n- [openapi.yaml](openapi.yaml)\n- [openapi.json](openapi.json)';
  const items = Object.values(contract.paths).flatMap((item) => [item, ...Object.values(item)]);
  // The viewer shows the stability from another extension, too.
  for (const item of items) delete item['x-badges'];
  const bodies = items.flatMap(({ requestBody }) =>
    Object.keys(requestBody?.content?.['application/json']?.examples ?? {}),
  );
  const parameters = items.flatMap((item) => item.parameters ?? []);
  for (const parameter of [...parameters, ...Object.values(contract.components.parameters ?? {})]) {
    const { required, name, example: value } = parameter;
    if (required || value === undefined) continue;
    delete parameter.example;
    // Without `x-disabled`, the viewer sends an example, or an allowed value, of an optional parameter.
    parameter.examples = { default: { value, 'x-disabled': true } };
    if (name !== keyHeader) continue;
    sampleKey = value;
    parameter.examples = Object.fromEntries(bodies.map((body) => [body, { value }]));
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
    // With the idempotency key of the samples, a second request would return the first response, or a 422.
    onBeforeRequest: ({ requestBuilder: { headers } }) => {
      if (headers.get(keyHeader) === sampleKey)
        headers.set(keyHeader, crypto.getRandomValues(new Uint32Array(4)).join('-'));
    },
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
