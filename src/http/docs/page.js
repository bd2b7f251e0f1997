// Runs in the browser, as it stands: the viewer in this page's frame. `SwaggerUIBundle` comes from viewer.js.

/** JSON text, indented, with every number digit for digit; where the browser cannot do that, as the viewer shows it. */
function indented(text) {
  const exact = (_name, value, context) =>
    typeof value === 'number' &&
    context?.source !== undefined &&
    String(value) !== context.source &&
    JSON.rawJSON !== undefined
      ? JSON.rawJSON(context.source)
      : value;
  return JSON.stringify(JSON.parse(text, exact), null, 2);
}

/**
 * What the viewer lacks, as its plugin
 * (https://swagger.io/docs/open-source-tools/swagger-ui/customization/plugin-api/).
 */
function viewerPlugin({ React }) {
  const element = React.createElement;

  /** How settled an operation is, beside its path. */
  const withBadges = (Original, system) => (props) => {
    const operation = system.specSelectors.specJson().getIn(props.specPath);
    const stability = operation.get('x-stability');
    const sunset = operation.get('x-sunset');
    return element(
      React.Fragment,
      null,
      element(Original, props),
      stability && element('span', { className: `badge ${stability}` }, stability),
      sunset && element('span', { className: 'badge deprecated' }, `removed on ${sunset}`),
    );
  };

  /** The viewer rounds integers beyond 2^53 − 1, as text it leaves them alone. */
  const withExactNumbers = (Original) => (props) => {
    try {
      const text = indented(props.content);
      if (text !== JSON.stringify(JSON.parse(props.content), null, 2)) {
        return element(Original, { ...props, content: text, contentType: 'text/plain' });
      }
    } catch {
      // It is no JSON.
    }
    return element(Original, props);
  };

  /**
   * The viewer takes a moment to read an operation that is opened, and names it wrongly until then, so that it finds
   * nothing to send.
   */
  const withOperationId =
    (original, { specSelectors }) =>
    (request) => {
      const id = specSelectors.specJson().getIn(['paths', request.pathName, request.method, 'operationId']);
      return original({ ...request, operation: request.operation.set('operationId', id) });
    };

  const nothing = () => () => null;
  return {
    statePlugins: { spec: { wrapActions: { executeRequest: withOperationId } } },
    wrapComponents: {
      OperationSummaryPath: withBadges,
      responseBody: withExactNumbers,
      // The page has a field for the key, and one server: this one.
      authorizeBtn: nothing,
      authorizeOperationBtn: nothing,
      ServersContainer: nothing,
    },
  };
}

/** Opens the operation that an address in this page leads to, and goes there; says whether there is such a place. */
function follow(hash) {
  const target = document.getElementById(hash.slice(1));
  target?.querySelector('.opblock-summary-control[aria-expanded="false"]')?.click();
  target?.scrollIntoView();
  return target !== null;
}

/** Gives the sections of the guide the addresses under which the contents list them. */
function nameSections() {
  const headings = [...document.querySelectorAll('#reference .info h2')];
  for (const link of document.querySelectorAll('#guide a')) {
    const heading = headings.find(({ textContent }) => textContent === link.textContent);
    if (heading) heading.id = link.hash.slice(1);
  }
}

/** Names the controls that the viewer leaves without a name, for those who do not see what stands around them. */
function nameControls(reference) {
  for (const control of reference.querySelectorAll(
    'select:not([aria-label]), textarea:not([aria-label]), input:not([aria-label])',
  )) {
    const parameter = control.closest('[data-param-name]')?.dataset.paramName;
    const name = control.matches('.examples-select-element') ? 'Example' : (parameter ?? 'Request body');
    if (!control.labels?.length) control.setAttribute('aria-label', name);
  }
  // What scrolls is to be reached by keyboard.
  for (const text of reference.querySelectorAll('pre:not([tabindex])')) text.tabIndex = 0;
}

async function start() {
  const contents = document.querySelector('nav details');
  const isWide = matchMedia('(min-width: 60rem)');
  const fit = () => {
    contents.open = isWide.matches;
  };
  isWide.addEventListener('change', fit);
  fit();

  const reference = document.getElementById('reference');
  let isThere = location.hash === '';
  const mend = () => {
    nameSections();
    nameControls(reference);
    isThere ||= follow(location.hash);
  };
  new MutationObserver(mend).observe(reference, { childList: true, subtree: true });

  const response = await fetch('openapi.json');
  const spec = await response.json();
  // The first is the one that the document was read from, and the only one that this page may call.
  spec.servers = spec.servers.slice(0, 1);
  // The viewer fills in examples. That of a header that may be left out would go with every request.
  for (const parameter of Object.values(spec.components.parameters)) {
    if (parameter.in === 'header' && !parameter.required) delete parameter.example;
  }
  const ui = SwaggerUIBundle({
    spec,
    domNode: reference,
    plugins: [viewerPlugin],
    validatorUrl: null,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
  });

  const field = document.getElementById('api-key');
  const [scheme] = Object.keys(spec.components.securitySchemes);
  field.addEventListener('input', () => {
    const key = field.value.trim();
    if (key === '') ui.authActions.logout([scheme]);
    else ui.preauthorizeApiKey(scheme, key);
  });
  document.getElementById('key').addEventListener('submit', (event) => event.preventDefault());
  document.addEventListener('click', (event) => {
    const hash = event.target.closest?.('a[href^="#"]')?.hash;
    if (hash === undefined) return;
    if (!isWide.matches) contents.open = false;
    follow(hash);
  });
  addEventListener('hashchange', () => follow(location.hash));
}

start().catch((error) => {
  document.getElementById('reference').textContent =
    'The reference could not be loaded. Reload the page; if that does not help, read openapi.yaml.';
  throw error;
});
