// Runs in the browser, uncompiled: starts the viewer in this page. `SwaggerUIBundle` comes from viewer.js.

/** Indents JSON text and keeps every digit of its numbers. A browser without `JSON.rawJSON` rounds them. */
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
 * A plugin that adds to the viewer
 * (https://swagger.io/docs/open-source-tools/swagger-ui/customization/plugin-api/).
 */
function viewerPlugin({ React }) {
  const element = React.createElement;

  /** Shows the stability of an operation and its removal beside its path. */
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

  /** Shows JSON bodies as text, because the viewer rounds integers beyond 2^53 − 1. */
  const withExactNumbers = (Original) => (props) => {
    try {
      const text = indented(props.content);
      if (text !== JSON.stringify(JSON.parse(props.content), null, 2)) {
        return element(Original, { ...props, content: text, contentType: 'text/plain' });
      }
    } catch {
      // The body is not JSON.
    }
    return element(Original, props);
  };

  /**
   * Sets the operationId of a request. The viewer loads an operation when it is opened; until then it uses a wrong id,
   * and sends nothing.
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

/** Opens and scrolls to the element that a fragment identifies. Returns whether it exists. */
function scrollToFragment(hash) {
  const target = document.getElementById(hash.slice(1));
  target?.querySelector('.opblock-summary-control[aria-expanded="false"]')?.click();
  target?.scrollIntoView();
  return target !== null;
}

/** Sets the ids of the guide's sections, to which the table of contents links. */
function setSectionIds() {
  const headings = [...document.querySelectorAll('#reference .info h2')];
  for (const link of document.querySelectorAll('#guide a')) {
    const heading = headings.find(({ textContent }) => textContent === link.textContent);
    if (heading) heading.id = link.hash.slice(1);
  }
}

/** Labels the controls that the viewer leaves without a label, for screen readers. */
function labelControls(reference) {
  for (const control of reference.querySelectorAll(
    'select:not([aria-label]), textarea:not([aria-label]), input:not([aria-label])',
  )) {
    const parameter = control.closest('[data-param-name]')?.dataset.paramName;
    const name = control.matches('.examples-select-element') ? 'Example' : (parameter ?? 'Request body');
    if (!control.labels?.length) control.setAttribute('aria-label', name);
  }
  // Scrollable elements must be reachable by keyboard.
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
  let hasScrolled = location.hash === '';
  const complete = () => {
    setSectionIds();
    labelControls(reference);
    hasScrolled ||= scrollToFragment(location.hash);
  };
  new MutationObserver(complete).observe(reference, { childList: true, subtree: true });

  const response = await fetch('openapi.json');
  const spec = await response.json();
  // The first server is this one, the only one that the page may call.
  spec.servers = spec.servers.slice(0, 1);
  // The viewer sends the example of an optional header with every request.
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
    scrollToFragment(hash);
  });
  addEventListener('hashchange', () => scrollToFragment(location.hash));
}

start().catch((error) => {
  document.getElementById('reference').textContent =
    'The reference could not be loaded. Reload the page; if that does not help, read openapi.yaml.';
  throw error;
});
