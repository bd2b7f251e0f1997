import { type ContractDocument, operationsOf } from '../../openapi/document.js';
import { publishedDocument } from '../../openapi/published-document.js';

/**
 * The HTML page around the viewer: title, API key field and table of contents. Its URLs are relative, so that it also
 * works below a path prefix of a proxy.
 *
 * @param versions the query of each asset by its name; stylesheets in the order in which they are loaded.
 */
export function docsHtml(document: ContractDocument, versions: Readonly<Record<string, string>>): string {
  const { title, version } = document.info;
  const urlOf = (name: string) => `docs/${name}?${versions[name] ?? ''}`;
  const sheets = Object.keys(versions).filter((name) => name.endsWith('.css'));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<title>${escaped(title)} API reference</title>
<link rel="icon" href="${urlOf('icon.svg')}" type="image/svg+xml">
${sheets.map((name) => `<link rel="stylesheet" href="${urlOf(name)}">`).join('\n')}
<script src="${urlOf('viewer.js')}" defer></script>
<script src="${urlOf('page.js')}" defer></script>
</head>
<body>
<a class="skip" href="#reference">Skip to the reference</a>
<header>
<img src="${urlOf('icon.svg')}" alt="" width="28" height="28">
<h1>${escaped(title)} <small>API ${escaped(version)}</small></h1>
<form id="key">
<label for="api-key">API key</label>
<input id="api-key" type="password" autocomplete="off" spellcheck="false" placeholder="to try requests out" aria-describedby="key-use">
<span id="key-use" class="spoken">Kept in this page until you leave it, and sent to this server alone.</span>
</form>
<ul class="formats">
<li><a href="openapi.yaml">openapi.yaml</a></li>
<li><a href="openapi.json">openapi.json</a></li>
</ul>
</header>
<div class="columns">
<nav aria-label="Contents">
<details open>
<summary>Contents</summary>
<h2>Guide</h2>
<ul id="guide">${sectionLinks(document).join('')}</ul>
<h2>Operations</h2>
<ul>${operationLinks(document).join('')}</ul>
</details>
</nav>
<div id="reference" tabindex="-1">
<noscript><p>Without JavaScript, read <a href="openapi.yaml">openapi.yaml</a>.</p></noscript>
</div>
</div>
</body>
</html>
`;
}

/** Links to the elements that the viewer creates for the operations. */
function operationLinks(document: ContractDocument): string[] {
  return operationsOf(document).map(
    ({ method, operation: { operationId = '', summary = '', tags = [], deprecated = false } }) => {
      const target = `#operations-${tags[0] ?? 'default'}-${operationId}`;
      const name = deprecated ? `<s>${escaped(summary)}</s>` : escaped(summary);
      return `<li><a href="${target}"><span class="method ${method}">${method}</span> ${name}</a></li>`;
    },
  );
}

function sectionLinks(document: ContractDocument): string[] {
  const headings = publishedDocument(document).info.description?.matchAll(/^## (.+)$/gm) ?? [];
  return [...headings].map(([, heading = '']) => {
    const target = heading.toLowerCase().replace(/[^a-z0-9]+/g, '-');
    return `<li><a href="#${target}">${escaped(heading)}</a></li>`;
  });
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
