import { type ContractDocument, publicUrlOf } from '../../openapi/document.js';

/**
 * The HTML page around the viewer: title, API key field and downloads. Its URLs are relative, so that it also works
 * below a path prefix of a proxy.
 *
 * @param versions the query of each asset by its name.
 */
export function docsHtml(document: ContractDocument, versions: Readonly<Record<string, string>>): string {
  const { title } = document.info;
  const urlOf = (name: string) => `docs/${name}?${versions[name] ?? ''}`;
  const codes = Object.entries(document['x-error-codes']).map(
    ([code, { status, cause, resolution }]) =>
      `<dt id="error-${code}"><code>${code}</code> ${String(status)}</dt><dd>${htmlOf(cause)} ${htmlOf(resolution)}</dd>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} API reference</title>
<link rel="icon" href="${urlOf('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${urlOf('page.css')}">
<script src="${urlOf('viewer.js')}" defer></script>
<script src="${urlOf('page.js')}" defer></script>
</head>
<body data-public-url="${publicUrlOf(document)}">
<a class="skip" href="#content">Skip to the reference</a>
<div id="reference"></div>
<div id="error-codes"><dl>${codes.join('')}</dl></div>
<noscript><p>Without JavaScript, read <a href="openapi.yaml">openapi.yaml</a>.</p></noscript>
</body>
</html>
`;
}

/** Escapes text for HTML, and replaces the code spans of Markdown. */
function htmlOf(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
